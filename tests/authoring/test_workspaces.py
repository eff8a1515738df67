"""Workspaces: where they are, what is in them, and that nothing leads out of them."""

from __future__ import annotations

import json
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.authoring.workspaces import resolve
from karenina_gui.errors import InputError, NotFoundError
from tests.authoring.conftest import SECRET, names_in


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    return editor.create_benchmark("Tasks")


# The root


def test_a_root_is_remembered_and_forgotten(editor: BenchmarkEditor, benchmark: int, root: Path) -> None:
    assert editor.workspaces.root(benchmark) is None
    assert editor.workspaces.set_root(benchmark, f" {root} ") == root
    assert editor.workspaces.root(benchmark) == root
    editor.workspaces.set_root(benchmark, None)
    assert editor.workspaces.root(benchmark) is None


def test_setting_a_root_is_told_and_is_no_edit_of_the_benchmark(
    editor: BenchmarkEditor, benchmark: int, root: Path
) -> None:
    before, told = editor.library.benchmarks.summary(benchmark), list[object]()
    editor.changed.subscribe(told.append)
    editor.workspaces.set_root(benchmark, str(root))
    assert editor.library.benchmarks.summary(benchmark) == before
    assert len(told) == 1


def test_no_file_of_a_benchmark_has_its_root(
    editor: BenchmarkEditor, benchmark: int, root: Path, tmp_path: Path
) -> None:
    editor.add_question(benchmark, "Sort the table.")
    editor.workspaces.set_root(benchmark, str(root))
    written = editor.files.export_benchmark(benchmark, tmp_path / "tasks.jsonld").read_text()
    assert str(root) not in written
    assert "workspace_root" not in written


def test_what_stands_against_a_root_is_said(
    editor: BenchmarkEditor, benchmark: int, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "a file").write_text("")

    def said(path: str) -> str:
        found = editor.workspaces.check_root(path)
        assert found.state != "good"
        return found.message

    assert "Enter the path" in said("  ")
    assert "full path" in said("tasks")
    assert "This is a file" in said(str(tmp_path / "a file"))
    assert "root of a disk" in said("/")
    assert "root of a disk" in said(f"{root}/../../../../../../../../../..")
    assert "own data" in said(str(tmp_path / "data" / "trash"))
    assert "Invalid path" in said("/tmp/\0")
    assert "Invalid path" in said("~nobody-of-this-name/tasks")
    assert "Invalid path" in said("/" + "x" * 5000)
    assert editor.workspaces.check_root(str(tmp_path / "new" / "one")).state == "missing"


def test_a_root_that_is_not_there_is_made_when_asked(editor: BenchmarkEditor, benchmark: int, tmp_path: Path) -> None:
    new = tmp_path / "new" / "one"
    with pytest.raises(InputError, match="doesn’t exist"):
        editor.workspaces.set_root(benchmark, str(new))
    editor.workspaces.set_root(benchmark, str(new), make=True)
    assert new.is_dir()


# Where a workspace stands


def test_each_state_of_a_workspace_is_told_apart(editor: BenchmarkEditor, benchmark: int, root: Path) -> None:
    find = editor.workspaces.find
    assert find(benchmark, "task_01").state == "no_root"
    editor.workspaces.set_root(benchmark, str(root))
    assert find(benchmark, None).state == "no_path"
    assert find(benchmark, "task_02").state == "missing"
    assert find(benchmark, "../outside").state == "refused"
    assert find(benchmark, "task_01").state == "there"
    shutil.rmtree(root)
    gone = find(benchmark, "task_01")
    assert gone.state == "no_root"
    assert "not found" in gone.message


def test_a_workspace_is_made_with_those_above_it(editor: BenchmarkEditor, benchmark: int, root: Path) -> None:
    editor.workspaces.set_root(benchmark, str(root))
    editor.workspaces.create_folder(benchmark, "genes/./task 7")
    assert (root / "genes" / "task 7").is_dir()
    (root / "file").write_text("")
    with pytest.raises(InputError, match="isn’t a folder"):
        editor.workspaces.create_folder(benchmark, "file/task")


def test_no_workspace_is_made_through_a_link(editor: BenchmarkEditor, benchmark: int, root: Path) -> None:
    editor.workspaces.set_root(benchmark, str(root))
    (root / "way").symlink_to(root.parent / "outside")
    with pytest.raises(InputError, match="outside"):
        editor.workspaces.create_folder(benchmark, "way/task")
    assert sorted(each.name for each in (root.parent / "outside").iterdir()) == ["secret.txt"]


def test_folders_below_the_root_are_suggested(editor: BenchmarkEditor, benchmark: int, root: Path) -> None:
    assert editor.workspaces.suggestions(benchmark) == []
    editor.workspaces.set_root(benchmark, str(root))
    (root / ".git").mkdir()
    (root / "notes.txt").write_text("")
    (root / "a task").mkdir()
    assert editor.workspaces.suggestions(benchmark) == ["a task", "task_01"]


# What leads outside is refused where it is typed, loaded and used

LEADING_OUT = [
    "../outside", "task_01/../../outside", "/etc", "\\windows", "~/tasks", "C:\\tasks", "C:tasks", "..\\outside",
    "task_01/.. /x", ".", "./", "task\0", "task\n01",
]  # fmt: skip


@pytest.mark.parametrize("path", LEADING_OUT)
def test_a_path_that_leads_outside_is_refused_where_it_is_typed(
    editor: BenchmarkEditor, benchmark: int, path: str
) -> None:
    question = editor.add_question(benchmark, "Sort the table.").summary.number
    with pytest.raises(InputError, match=r"outside the workspace root|invisible character"):
        editor.edit(benchmark, question, {"workspace_path": path})
    assert editor.question(benchmark, question).entry.question.workspace_path is None


@pytest.mark.parametrize("path", LEADING_OUT)
def test_a_path_that_leads_outside_is_refused_where_it_is_used(root: Path, path: str) -> None:
    with pytest.raises(InputError):
        resolve(root, path)


def test_a_path_that_leads_outside_is_not_used_when_loaded_and_stays_in_its_file(
    editor: BenchmarkEditor, benchmark: int, tmp_path: Path
) -> None:
    question = editor.add_question(benchmark, "Sort the table.").summary.number
    editor.edit(benchmark, question, {"workspace_path": "task_01"})
    file = editor.files.export_benchmark(benchmark, tmp_path / "tasks.jsonld")
    file.write_text(file.read_text().replace('"task_01"', '"../outside"'))
    imported = editor.files.import_benchmark(file)
    assert any("outside the workspace root" in note for note in imported.notes)
    loaded = imported.benchmark_id
    number = editor.library.questions.summaries(loaded)[0].number
    assert editor.question(loaded, number).entry.question.workspace_path is None
    again = json.loads(editor.files.export_benchmark(loaded, tmp_path / "again.jsonld").read_text())
    kept = again["dataFeedElement"][0]["item"]["additionalProperty"]
    assert {"@type": "PropertyValue", "name": "workspace_path", "value": "../outside"} in kept


def test_a_link_that_leads_outside_is_refused_and_one_that_stays_inside_is_not(root: Path, task: Path) -> None:
    (root / "out").symlink_to(root.parent / "outside")
    (root / "up").symlink_to("..")
    (root / "inside").symlink_to("task_01")
    for path in ("out", "up", "up/outside", "inside/../out"):
        with pytest.raises(InputError, match=r"outside|leaves"):
            resolve(root, path)
    assert resolve(root, "inside").path == task.resolve()


def test_the_root_itself_may_be_reached_by_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(root)
    assert resolve(tmp_path / "way", "task_01").path == (root / "task_01").resolve()


def test_a_workspace_that_is_a_file_or_not_there_is_told(root: Path) -> None:
    (root / "file").write_text("")
    with pytest.raises(InputError, match="isn’t a folder"):
        resolve(root, "file")
    with pytest.raises(NotFoundError):
        resolve(root, "task_02")


def test_a_workspace_that_becomes_a_link_later_is_refused(files: WorkspaceFiles, task: Path) -> None:
    (task / "secret.txt").write_text("mine")
    read = files.read("secret.txt")
    task.rename(task.with_name("moved"))
    task.symlink_to(task.parent.parent / "outside")
    for attempt in (
        lambda: files.read("secret.txt"),
        lambda: files.entries(),
        lambda: files.write("changed", read),
        lambda: files.make_file("", "new.txt"),
        lambda: files.remove("secret.txt"),
        lambda: files.rename("secret.txt", "other.txt"),
    ):
        with pytest.raises(InputError):
            attempt()
    assert (task / "secret.txt").read_text() == SECRET
    assert names_in(task) == ["secret.txt"]


@pytest.mark.parametrize("name", ["secret.txt", "../outside/secret.txt", "/etc/passwd", "way/secret.txt", "way/../way"])
def test_no_file_outside_is_read(files: WorkspaceFiles, task: Path, name: str) -> None:
    (task / "secret.txt").symlink_to(task.parent.parent / "outside" / "secret.txt")
    (task / "way").symlink_to(task.parent.parent / "outside")
    with pytest.raises(InputError, match="outside"):
        files.read(name)


def test_a_link_swapped_in_while_it_is_read_never_leads_outside(files: WorkspaceFiles, task: Path) -> None:
    inner, outside = task / "inner", task.parent.parent / "outside"
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            inner.mkdir()
            (inner / "secret.txt").write_text("mine")
            inner.rename(task / f"away {time.monotonic_ns()}")
            inner.symlink_to(outside)
            inner.unlink()

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen = set()
    try:
        until = time.monotonic() + 0.6
        while time.monotonic() < until:
            with suppress(InputError):
                seen.add(files.read("inner/secret.txt").text)
            with suppress(InputError):
                files.make_file("inner", "planted.txt")
    finally:
        ended.set()
        swapping.join()
    assert seen <= {"mine", ""}
    assert names_in(outside) == ["secret.txt"]


def test_a_name_that_is_too_long_is_told_of_what_it_is_the_name(editor: BenchmarkEditor, root: Path) -> None:
    with pytest.raises(InputError, match=r"^The workspace has a name that is too long for this computer\.$"):
        editor.workspaces.open(root, "x" * 300)


def test_a_root_of_its_own_is_suggested_for_each_benchmark(
    editor: BenchmarkEditor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    first = editor.workspaces.suggested_root("Drugs & vitamins: 2026")
    assert first == tmp_path / "karenina-workspaces" / "drugs-vitamins-2026"
    first.mkdir(parents=True)
    assert editor.workspaces.suggested_root("Drugs & vitamins: 2026").name == "drugs-vitamins-2026-2"
    assert editor.workspaces.suggested_root("…").name == "benchmark"


def test_folders_are_listed_without_hidden_ones_and_files(editor: BenchmarkEditor, tmp_path: Path) -> None:
    for name in ("b", "A", ".hidden"):
        (tmp_path / "list" / name).mkdir(parents=True)
    (tmp_path / "list" / "file").touch()
    assert editor.workspaces.subfolders(tmp_path / "list") == ["A", "b"]
    assert editor.workspaces.subfolders(tmp_path / "list" / "file") == []
