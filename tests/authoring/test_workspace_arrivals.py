"""What comes into a workspace at once, workspaces that are copied, and working copies that runs left behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from karenina_gui.authoring import workspace_listing
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.archives import unpack
from karenina_gui.sandbox.workspace.safe_import import Intake, IntakeLimits
from karenina_gui.schemas.workspace import RUN_COPY
from tests.authoring.conftest import names_in


@pytest.fixture
def benchmark(editor: BenchmarkEditor, root: Path) -> int:
    benchmark = editor.create_benchmark("Tasks")
    editor.workspaces.set_root(benchmark, str(root))
    return benchmark


@pytest.fixture
def incoming(tmp_path: Path) -> Callable[[], list[str]]:
    return lambda: names_in(tmp_path / "data" / "incoming")


# Folders and archives


def test_a_folder_arrives_whole_and_is_taken_back(
    files: WorkspaceFiles, task: Path, incoming: Callable[[], list[str]]
) -> None:
    (task / "data").mkdir()
    (task / "data" / "old.txt").write_text("old")
    with files.arrival() as arrival:
        arrival.intake.write("data/new.txt", [b"new"])
        arrival.intake.write("plan.md", [b"# Plan"])
        assert names_in(task) == ["data"]
        assert arrival.existing_names() == ["data"]
        arrived = arrival.commit("replace")
    assert sorted(arrived.paths) == ["data", "plan.md"]
    assert names_in(task / "data") == ["new.txt"]
    files.take_back(arrived)
    assert names_in(task) == ["data"]
    assert names_in(task / "data") == ["old.txt"]
    assert incoming() == []


def test_a_folder_whose_name_is_taken_is_kept_beside_the_other(files: WorkspaceFiles, task: Path) -> None:
    (task / "sub" / "Data").mkdir(parents=True)
    with files.arrival("sub") as arrival:
        arrival.intake.write("data/new.txt", [b"new"])
        assert arrival.commit("keep_both").paths == ["sub/data (2)"]
    assert names_in(task / "sub") == ["Data", "data (2)"]


def test_what_is_given_up_half_way_leaves_nothing(
    files: WorkspaceFiles, task: Path, incoming: Callable[[], list[str]]
) -> None:
    with files.arrival() as arrival:
        arrival.intake.write("data/new.txt", [b"new"])
    with pytest.raises(InputError, match="invisible character"), files.arrival() as arrival:
        arrival.intake.write("data/new.txt", [b"new"])
        arrival.intake.write("data/odd\n.txt", [b"new"])
    assert names_in(task) == []
    assert incoming() == []


def test_what_cannot_be_moved_in_leaves_the_folder_as_it_was(files: WorkspaceFiles, task: Path) -> None:
    (task / "b").write_text("old")
    with files.arrival() as arrival:
        for name in "abc":
            arrival.intake.write(name, [b"new"])
        with pytest.raises(InputError, match="b already exists"):
            arrival.commit("ask")
    assert names_in(task) == ["b"]
    assert (task / "b").read_text() == "old"


def test_what_a_killed_program_left_on_the_way_is_thrown_away(
    files: WorkspaceFiles, incoming: Callable[[], list[str]], tmp_path: Path
) -> None:
    files.arrival()
    (old,) = (tmp_path / "data" / "incoming").iterdir()
    os.utime(old, (0, 0))
    with files.arrival():
        assert old.name not in incoming()


def test_an_archive_arrives_in_the_folder_that_is_meant(files: WorkspaceFiles, task: Path, tmp_path: Path) -> None:
    (tmp_path / "genes").mkdir()
    (tmp_path / "genes" / "a.csv").write_text("gene")
    with tarfile.open(tmp_path / "genes.tgz", "w:gz") as packed:
        packed.add(tmp_path / "genes", "genes")
    with files.arrival() as arrival:
        unpack(tmp_path / "genes.tgz", arrival.intake)
        assert arrival.commit("ask").paths == ["genes"]
    assert (task / "genes" / "a.csv").read_text() == "gene"


# Sizes


def test_each_folder_says_how_large_it_is(files: WorkspaceFiles, task: Path) -> None:
    (task / "data" / "deep").mkdir(parents=True)
    (task / "data" / "a.csv").write_text("12345")
    (task / "data" / "deep" / "b.csv").write_text("123")
    (task / "way").symlink_to("data")
    assert {each.name: each.size for each in files.entries().entries} == {"data": 8, "way": None}


def test_a_folder_of_very_many_files_is_not_weighed(
    files: WorkspaceFiles, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_listing, "WEIGHED", 10)
    for name in ("many", "few"):
        (task / name).mkdir()
    for number in range(11):
        os.close(os.open(task / "many" / str(number), os.O_CREAT))
    assert [(each.name, each.size) for each in files.entries().entries] == [("few", 0), ("many", None)]


# Copies


def test_a_workspace_is_copied_with_the_links_that_stay_inside(
    editor: BenchmarkEditor, benchmark: int, root: Path
) -> None:
    task = root / "task_01"
    (task / "data").mkdir()
    (task / "data" / "a.csv").write_text("gene")
    (task / "run.sh").write_text("#!/bin/sh")
    (task / "run.sh").chmod(0o4755)
    for name, target in {
        "inside": "data/a.csv",
        "outside": "../../outside",
        "absolute": str(task / "run.sh"),
        "round": "../task_01/run.sh",
        "up": "data/..",
    }.items():
        (task / name).symlink_to(target)
    (task / "by_way").symlink_to("round/../../outside")
    os.mkfifo(task / "pipe")
    (task / f"task_01{COPY}7").mkdir()
    notes = editor.workspaces.copy(benchmark, "task_01", "genes/task_02")
    copied = root / "genes" / "task_02"
    assert names_in(copied) == ["data", "inside", "run.sh", "up"]
    assert (copied / "inside").read_text() == "gene"
    assert (copied / "inside").is_symlink()
    assert stat.S_IMODE((copied / "run.sh").stat().st_mode) == 0o755
    assert len(notes) == 5
    assert "Skipped pipe: it is not an ordinary file" in notes[0]
    assert all("a place outside" in note for note in notes[1:])


def test_a_copy_overwrites_nothing_and_does_not_grow_into_its_template(
    editor: BenchmarkEditor, benchmark: int, root: Path
) -> None:
    (root / "task_02").mkdir()
    for path in ("task_01", "task_02"):
        with pytest.raises(InputError, match="already exists"):
            editor.workspaces.copy(benchmark, "task_01", path)
    with pytest.raises(InputError, match="inside the folder"):
        editor.workspaces.copy(benchmark, "task_01", "task_01/copy")
    for source in ("../outside", "way"):
        (root / "way").unlink(missing_ok=True)
        (root / "way").symlink_to("../outside")
        with pytest.raises(InputError):
            editor.workspaces.copy(benchmark, source, "task_03")
    assert not (root / "task_03").exists()


def test_a_copy_that_is_stopped_or_too_large_leaves_nothing(
    editor: BenchmarkEditor, benchmark: int, root: Path, incoming: Callable[[], list[str]]
) -> None:
    (root / "task_01" / "a.csv").write_text("gene")

    def stop(intake: Intake) -> None:
        intake.stopped = True

    def restrict(intake: Intake) -> None:
        intake.limits = IntakeLimits(size=2)

    for begun in (stop, restrict):
        with pytest.raises(InputError, match=r"Stopped|limit"):
            editor.workspaces.copy(benchmark, "task_01", "new/task_02", begun)
    assert names_in(root) == ["task_01"]
    assert incoming() == []


def test_a_workspace_goes_into_the_trash_whole(editor: BenchmarkEditor, benchmark: int, root: Path) -> None:
    editor.workspaces.copy(benchmark, "task_01", "task_02")
    editor.workspaces.discard(benchmark, "task_02")
    assert names_in(root) == ["task_01"]


def test_templates_are_the_folders_below_the_root_and_the_questions_own(
    editor: BenchmarkEditor, benchmark: int, root: Path
) -> None:
    (root / "genes" / "deep").mkdir(parents=True)
    (root / f"task_01{COPY}7").mkdir()
    for path in ("genes/deep", "not/there"):
        question = editor.add_question(benchmark, f"Sort {path}.").summary.number
        editor.edit(benchmark, question, {"workspace_path": path})
    assert editor.workspaces.templates(benchmark) == ["genes", "genes/deep", "task_01"]


# Working copies of runs

COPY = "_run_20261122_190510_pid"
"""With the number of a process after it."""


@pytest.mark.parametrize(
    "name", ["task_01_run_20261122_190510_pid77", "q_run_20261122_190510_pid7_rep2", "t_run_20261122_190510_pid7_ab-1"]
)
def test_the_working_copy_of_a_run_is_known_by_its_name(name: str) -> None:
    found = RUN_COPY.match(name)
    assert found is not None
    assert found["process"].startswith("7")


@pytest.mark.parametrize("name", ["task_01", "task_run_1", "task_run_20261122_190510", "_run_20261122_190510_pid7"])
def test_other_folders_are_not_taken_for_working_copies(name: str) -> None:
    assert RUN_COPY.match(name) is None


def test_working_copies_are_neither_suggested_nor_counted(editor: BenchmarkEditor, benchmark: int, root: Path) -> None:
    left = root / f"task_01{COPY}7"
    left.mkdir()
    inner = root / "task_01" / f"deep{COPY}7"
    inner.mkdir()
    (inner / "a.txt").write_text("1")
    files = editor.workspaces.open(root, "task_01")
    assert editor.workspaces.suggestions(benchmark) == ["task_01"]
    assert files.entries().entries == []
    assert files.totals().files == 0


def test_working_copies_that_were_left_are_found_and_removed(
    editor: BenchmarkEditor, benchmark: int, root: Path
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    question = editor.add_question(benchmark, "Sort.").summary.number
    editor.edit(benchmark, question, {"workspace_path": "genes/deep"})
    (root / "genes").mkdir()
    left = [f"genes/deep{COPY}{ended.pid}", f"task_01{COPY}{ended.pid}_rep2"]
    going = f"task_01{COPY}{os.getppid()}"
    for path in (*left, going):
        (root / path).mkdir()
        (root / path / "a.txt").write_text("123")
        (root / path / "way").symlink_to(root / "task_01")
    found = editor.workspaces.run_copies(benchmark)
    assert {each.path: each.in_use for each in found} == {left[0]: False, left[1]: False, going: True}
    assert all(each.size >= 3 for each in found)
    assert editor.workspaces.remove_run_copies(benchmark, [*left, going, "task_01", "not there"]) == []
    assert names_in(root) == ["genes", "task_01", going]
    assert names_in(root / "genes") == []


def test_benchmarks_that_share_a_root_know_of_each_other(editor: BenchmarkEditor, benchmark: int, root: Path) -> None:
    inner, apart = editor.create_benchmark("Inner"), editor.create_benchmark("Apart")
    assert editor.workspaces.sharing(apart) == [apart]
    editor.workspaces.set_root(inner, str(root / "task_01"))
    assert editor.workspaces.sharing(benchmark) == [benchmark, inner]


# What leads outside


def test_a_link_that_leads_outside_is_refused_where_it_is_typed(
    editor: BenchmarkEditor, benchmark: int, root: Path
) -> None:
    (root / "way").symlink_to("../outside")
    (root / "inside").symlink_to("task_01")
    question = editor.add_question(benchmark, "Sort the table.").summary.number
    for path in ("way", "way/deeper"):
        with pytest.raises(InputError, match="outside the workspace"):
            editor.edit(benchmark, question, {"workspace_path": path})
    assert editor.question(benchmark, question).entry.question.workspace_path is None
    editor.edit(benchmark, question, {"workspace_path": "inside"})


@pytest.mark.parametrize("path", ["../outside", "/etc", "C:\\\\tasks"])
def test_a_checkpoint_with_a_path_that_leads_outside_keeps_its_question(
    editor: BenchmarkEditor, benchmark: int, tmp_path: Path, path: str
) -> None:
    question = editor.add_question(benchmark, "Sort the table.").summary.number
    editor.edit(benchmark, question, {"workspace_path": "task_01"})
    file = editor.files.export_benchmark(benchmark, tmp_path / "tasks.jsonld")
    file.write_text(file.read_text().replace('"task_01"', f'"{path}"'))
    imported = editor.files.import_benchmark(file)
    assert any("preserved but not used" in note for note in imported.notes)
    loaded = editor.question(
        imported.benchmark_id, editor.library.questions.summaries(imported.benchmark_id)[0].number
    ).entry.question
    assert (loaded.question, loaded.workspace_path) == ("Sort the table.", None)
    again = editor.files.export_benchmark(imported.benchmark_id, tmp_path / "again.jsonld")
    assert f'"{path}"' in again.read_text()
