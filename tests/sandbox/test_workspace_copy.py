"""Working copies of workspaces, and what is found changed in them afterwards."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace import workspace_changes
from karenina_gui.sandbox.workspace.safe_removal import remove
from karenina_gui.sandbox.workspace.workspace_changes import WorkLeft, compare, have_again
from karenina_gui.sandbox.workspace.workspace_copy import make_copy, manifest
from karenina_gui.schemas.workspace import RUN_COPY, FileChange


@pytest.fixture
def task(tmp_path: Path) -> Path:
    task = tmp_path / "task"
    (task / "data").mkdir(parents=True)
    (task / "notes.txt").write_text("one\ntwo\nthree")
    (task / "data" / "counts.csv").write_text("gene,count\nBCL2,7\n")
    (task / "run.sh").write_text("echo hello\n")
    (task / "run.sh").chmod(0o755)
    return task


def copy(task: Path, **settings: int | None) -> Path:
    return make_copy(task, task.parent, "task", settings.get("replicate"), settings.get("limit_mb") or 10)


def test_a_copy_has_all_files_their_rights_and_empty_folders(task: Path) -> None:
    (task / "empty").mkdir()
    made = copy(task)
    assert manifest(made) == manifest(task)
    assert os.access(made / "run.sh", os.X_OK)
    assert (made / "empty").is_dir()


def test_the_name_of_a_copy_says_when_by_whom_and_which_replicate(task: Path) -> None:
    made = copy(task, replicate=3)
    assert RUN_COPY.fullmatch(made.name)
    assert f"_pid{os.getpid()}_rep3_" in made.name
    assert made.name.startswith("task_run_2")


def test_copies_of_one_moment_never_share_a_folder(task: Path) -> None:
    assert len({copy(task) for _ in range(40)}) == 40


def test_links_are_copied_as_links_wherever_they_lead(task: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key")
    (task / "out").symlink_to(tmp_path / "secret")
    made = copy(task)
    assert (made / "out").is_symlink()
    assert manifest(made).entries["out"].identity == str(tmp_path / "secret")


def test_pipes_and_working_copies_of_other_jobs_are_left_out(task: Path) -> None:
    os.mkfifo(task / "pipe")
    (task / "data_run_20261122_101500_pid12_rep1_ab12cd34").mkdir()
    (task / "data_run_20261122_101500_pid12_rep1_ab12cd34" / "theirs").write_text("x")
    (task / ".karenina").mkdir()
    (task / ".karenina" / "trace").write_text("x")
    assert sorted(path.name for path in copy(task).iterdir()) == ["data", "notes.txt", "run.sh"]


def test_a_workspace_that_is_too_large_is_refused_and_nothing_stays(task: Path) -> None:
    (task / "large").write_bytes(bytes(2 << 20))
    with pytest.raises(InputError, match="more than 1 MB"):
        copy(task, limit_mb=1)
    assert [path.name for path in task.parent.iterdir()] == ["task"]


def test_what_an_agent_has_locked_is_removed_all_the_same(task: Path) -> None:
    made = copy(task)
    (made / "data").chmod(0)
    (made / "notes.txt").chmod(0)
    remove(made)
    assert not made.exists()


def test_folders_a_thousand_deep_are_removed(task: Path) -> None:
    made = copy(task)
    handle = os.open(made, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=handle)
        inner = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    assert len(manifest(made).entries) == 3
    remove(made)
    assert not made.exists()


def changes(task: Path, made: Path) -> dict[str, FileChange]:
    outcome = compare(task, manifest(task), made, "task")
    return {change.path: change for change in outcome.result.changes}


def test_nothing_is_said_of_files_that_are_as_they_were(task: Path) -> None:
    made = copy(task)
    (made / "notes.txt").touch()
    assert changes(task, made) == {}


def test_a_change_is_a_diff_from_which_both_states_can_be_read(task: Path) -> None:
    made = copy(task)
    (made / "notes.txt").write_text("one\n2\nthree\n")
    change = changes(task, made)["notes.txt"]
    assert (change.kind, change.whole, change.size_before, change.size_after) == ("modified", True, 13, 12)
    assert change.diff == (
        "--- before\n+++ after\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n\\ No newline at end of file\n+2\n+three\n"
    )


def test_new_and_deleted_files_are_told_apart(task: Path) -> None:
    made = copy(task)
    (made / "new.txt").write_text("hello\n")
    (made / "data" / "counts.csv").unlink()
    found = changes(task, made)
    assert [(path, change.kind) for path, change in found.items()] == [
        ("data/counts.csv", "deleted"),
        ("new.txt", "added"),
    ]
    assert found["new.txt"].diff == "--- before\n+++ after\n@@ -0,0 +1 @@\n+hello\n"
    assert "-BCL2,7" in (found["data/counts.csv"].diff or "")


def test_a_change_that_keeps_size_and_time_is_found(task: Path) -> None:
    made = copy(task)
    about = (made / "notes.txt").stat()
    (made / "notes.txt").write_text("one\nTWO\nthree")
    os.utime(made / "notes.txt", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert changes(task, made)["notes.txt"].kind == "modified"


def test_a_file_that_is_no_text_has_no_diff_but_its_size(task: Path) -> None:
    made = copy(task)
    (made / "plot.png").write_bytes(b"\x89PNG\0\1")
    change = changes(task, made)["plot.png"]
    assert (change.diff, change.size_after) == (None, 6)
    assert "Not text" in (change.note or "")


def test_a_long_file_has_a_short_diff_and_a_huge_one_none(task: Path) -> None:
    lines = [f"{number} {'x' * 40}\n" for number in range(4000)]
    (task / "long.txt").write_text("".join(lines))
    made = copy(task)
    lines[2000] = "changed\n"
    (made / "long.txt").write_text("".join(lines))
    (made / "huge.txt").write_text("y" * (600 << 10))
    found = changes(task, made)
    assert not found["long.txt"].whole
    assert len((found["long.txt"].diff or "").splitlines()) == 11
    assert "Longer than 512 kB" in (found["huge.txt"].note or "")


def test_a_text_that_differs_everywhere_is_not_compared_for_minutes(task: Path) -> None:
    (task / "long.txt").write_text("".join(f"{number}\n" for number in range(9000)))
    made = copy(task)
    (made / "long.txt").write_text("".join(f"{number + 7}!\n" for number in range(9000)))
    assert "Too many differences" in (changes(task, made)["long.txt"].note or "")


def test_a_link_that_the_agent_planted_is_told_but_not_followed(task: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key")
    made = copy(task)
    (made / "notes.txt").unlink()
    (made / "notes.txt").symlink_to(tmp_path / "secret")
    (made / "folder").symlink_to(tmp_path)
    outcome = compare(task, manifest(task), made, "task")
    assert [change.note for change in outcome.result.changes] == [
        f"link to {tmp_path}",
        f"file → link to {tmp_path / 'secret'}",
    ]
    assert "key" not in repr(outcome)


def test_changes_beyond_the_limit_are_counted(task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_changes, "MOST_CHANGES", 3)
    made = copy(task)
    for number in range(5):
        (made / f"{number}.txt").write_text("x")
    outcome = compare(task, manifest(task), made, "task")
    assert len(outcome.result.changes) == 3
    assert outcome.result.notes == ["5 files changed. The first 3 are listed."]
    assert len(outcome.left.files) == 5


def test_a_further_judge_finds_the_same_work_in_a_copy_of_its_own(task: Path) -> None:
    (task / "old").mkdir()
    (task / "old" / "a").write_text("a")
    first, second = copy(task), copy(task)
    (first / "old" / "a").unlink()
    (first / "old").rmdir()
    (first / "old").symlink_to("data")
    (first / "notes.txt").write_text("changed")
    (first / "notes.txt.d").mkdir()
    (first / "notes.txt.d" / "raw").write_bytes(b"\0\1\2")
    (first / "data" / "counts.csv").unlink()
    outcome = compare(task, manifest(task), first, "task")
    have_again(outcome.left, second)
    assert manifest(second) == manifest(first)


def test_names_that_are_no_utf_8_are_told_stored_and_made_again(task: Path) -> None:
    (task / os.fsdecode(b"gone\xff")).write_text("x")
    first, second = copy(task), copy(task)
    (first / os.fsdecode(b"gone\xff")).unlink()
    (first / os.fsdecode(b"caf\xe9")).mkdir()
    (first / os.fsdecode(b"caf\xe9/\xff")).write_text("new")
    (first / "link").symlink_to(os.fsdecode(b"to\xfe"))
    os.mkfifo(first / os.fsdecode(b"pipe\xfd"))
    outcome = compare(task, manifest(task), first, "task")
    told = outcome.result.model_dump_json()
    assert [change.path for change in outcome.result.changes] == [r"caf\xe9/\xff", r"gone\xff", "link"]
    assert all(name in told for name in (r"to\\xfe", r"pipe\\xfd"))
    stored = json.loads(json.dumps(asdict(outcome.left), ensure_ascii=False).encode())
    have_again(WorkLeft(**stored), second)
    assert manifest(second).entries == manifest(first).entries


def test_scripts_that_an_agent_wrote_can_be_run_in_a_further_judges_copy_too(task: Path) -> None:
    first, second = copy(task), copy(task)
    (first / "run.sh").write_text("echo changed\n")
    (first / "new.sh").write_text("echo new\n")
    (first / "new.sh").chmod(0o700)
    (first / "plain.txt").write_text("x")
    have_again(compare(task, manifest(task), first, "task").left, second)
    assert [os.access(second / name, os.X_OK) for name in ("run.sh", "new.sh")] == [True, True]
    assert (second / "plain.txt").stat().st_mode & 0o111 == 0


def test_work_that_is_too_large_to_be_kept_says_so(task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_changes, "KEPT_MB", 0)
    made = copy(task)
    (made / "new.txt").write_text("x")
    left = compare(task, manifest(task), made, "task").left
    assert left == WorkLeft(complete=False)
    with pytest.raises(InputError, match="Use one judge"):
        have_again(left, copy(task))
