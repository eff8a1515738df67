"""The files of one workspace: what is shown of them, and that no edit is lost or overwrites another."""

from __future__ import annotations

import codecs
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.workspace_files import AddedFile, FileConflict, NameConflict, WorkspaceFiles
from karenina_gui.authoring.workspace_listing import DEEPEST, MOST_ENTRIES
from karenina_gui.authoring.workspace_names import checked_name, cleaned_name
from karenina_gui.authoring.workspace_text import LARGEST, FileContent
from karenina_gui.errors import InputError
from tests.authoring.conftest import SECRET, names_in

NOBODY = 65534


def edit(files: WorkspaceFiles, path: str, text: str) -> FileContent:
    saved = files.write(text, files.read(path))
    assert isinstance(saved, FileContent)
    return saved


# What is in it


def test_folders_come_first_and_each_says_how_much_is_in_it(files: WorkspaceFiles, task: Path) -> None:
    (task / "data").mkdir()
    (task / "data" / "a.csv").write_text("1")
    (task / "Zeta.txt").write_text("12345")
    (task / "alpha.txt").write_text("1")
    shown = [(each.name, each.kind, each.size, each.inside) for each in files.entries().entries]
    assert shown == [("data", "folder", 1, 1), ("alpha.txt", "file", 1, None), ("Zeta.txt", "file", 5, None)]
    totals = files.totals()
    assert (totals.files, totals.size, totals.complete) == (3, 7, True)


def test_links_are_marked_and_those_that_lead_outside_told_apart(files: WorkspaceFiles, task: Path) -> None:
    (task / "real.txt").write_text("here")
    (task / "alias.txt").symlink_to("real.txt")
    (task / "broken").symlink_to("nowhere/at/all")
    (task / "out").symlink_to(task.parent.parent / "outside" / "secret.txt")
    (task / "self").symlink_to("self")
    kinds = {each.name: (each.kind, each.link) for each in files.entries().entries}
    assert kinds["alias.txt"] == ("file", True)
    assert kinds["out"] == kinds["broken"] == kinds["self"] == ("outside", True)
    assert files.read("alias.txt").text == "here"


def test_writing_through_a_link_inside_changes_what_it_leads_to(files: WorkspaceFiles, task: Path) -> None:
    (task / "real.txt").write_text("old")
    (task / "alias.txt").symlink_to("real.txt")
    edit(files, "alias.txt", "new")
    assert (task / "alias.txt").is_symlink()
    assert (task / "real.txt").read_text() == "new"


def test_a_circle_of_links_ends(files: WorkspaceFiles, task: Path) -> None:
    (task / "again").symlink_to(".")
    assert files.entries("again/again").entries[0].name == "again"
    with pytest.raises(InputError, match="nested"):
        files.entries("/".join(["again"] * DEEPEST))
    assert files.totals().complete


def test_twenty_thousand_files_come_in_parts(files: WorkspaceFiles, task: Path) -> None:
    for number in range(20_000):
        os.close(os.open(task / f"{number:05}.txt", os.O_CREAT))
    first, last = files.entries(), files.entries(start=19_900)
    assert (len(first.entries), first.more) == (MOST_ENTRIES, 20_000 - MOST_ENTRIES)
    assert (len(last.entries), last.more, last.entries[-1].name) == (100, 0, "19999.txt")
    assert files.totals().files == 20_000


def test_pipes_sockets_and_devices_are_not_opened_and_hold_nothing_up(files: WorkspaceFiles, task: Path) -> None:
    os.mkfifo(task / "pipe")
    (task / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.open(task, os.O_RDONLY)
        try:
            listening.bind(f"/proc/self/fd/{here}/socket")
        finally:
            os.close(here)
        kinds = {each.name: each.kind for each in files.entries().entries}
        assert kinds == {"pipe": "other", "socket": "other", "device": "outside"}
        for name in kinds:
            with pytest.raises(InputError, match=r"ordinary file|outside"):
                files.read(name)
        files.remove("pipe")
    assert not (task / "pipe").exists()


def test_strange_names_are_shown_opened_and_deleted(files: WorkspaceFiles, task: Path) -> None:
    names = ["two\nlines.txt", "-rf", "naïve Ω 漢字.txt", "tab\there", " ", "a:b?.txt"]
    raw = os.fsdecode(b"latin-\xe9.txt")
    for name in [*names, raw]:
        (task / name).write_text(name.encode("utf-8", "replace").decode())
    assert {each.name for each in files.entries().entries} == {*names, raw}
    for name in names:
        assert files.read(name).text == name
    assert files.read(raw).kind == "text"
    for name in [*names, raw]:
        files.restore(files.remove(name))
        files.remove(name)
    assert files.entries().entries == []


@contextmanager
def as_nobody() -> Iterator[None]:
    """What permissions forbid, they do not forbid to root: then it is tried as somebody else."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(was)


def test_what_may_not_be_read_is_told(editor: BenchmarkEditor) -> None:
    with tempfile.TemporaryDirectory() as open_to_all:
        root = Path(open_to_all)
        (root / "task" / "closed").mkdir(parents=True)
        (root / "task" / "closed.txt").write_text(SECRET)
        for path, mode in ((root, 0o755), (root / "task" / "closed", 0), (root / "task" / "closed.txt", 0)):
            path.chmod(mode)
        files = editor.workspaces.open(root, "task")
        with as_nobody():
            for attempt in (lambda: files.entries("closed"), lambda: files.read("closed.txt")):
                with pytest.raises(InputError, match="permission denied"):
                    attempt()
            found = {each.name: each.inside for each in files.entries().entries}
            counted = files.totals().files
            as_root = editor.workspaces.check_root(str(root / "task" / "closed"))
        (root / "task" / "closed").chmod(0o700)
        assert found == {"closed": None, "closed.txt": None}
        assert counted == 1
        assert "permission" in as_root.message


# Texts


def test_a_text_is_edited_in_the_manner_of_its_file(files: WorkspaceFiles, task: Path) -> None:
    (task / "windows.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    (task / "windows.txt").chmod(0o750)
    read = files.read("windows.txt")
    assert (read.text, read.marked, read.newline, read.mixed) == ("one\ntwo\n", True, "\r\n", False)
    edit(files, "windows.txt", "one\nthree\n")
    assert (task / "windows.txt").read_bytes() == b"\xef\xbb\xbfone\r\nthree\r\n"
    assert stat.S_IMODE((task / "windows.txt").stat().st_mode) == 0o750


def test_mixed_line_ends_are_told(files: WorkspaceFiles, task: Path) -> None:
    (task / "mixed.txt").write_bytes(b"one\r\ntwo\nthree\n")
    assert files.read("mixed.txt").mixed


def test_what_is_no_text_is_told_apart(files: WorkspaceFiles, task: Path) -> None:
    (task / "zero.bin").write_bytes(b"ab\0cd")
    (task / "latin.txt").write_bytes(b"na\xefve")
    (task / "plot.png").write_bytes(b"\x89PNG\r\n\x1a\n...")
    (task / "page.png").write_bytes(b"<html><script>alert(1)</script>")
    (task / "drawing.svg").write_text("<svg><script>alert(1)</script></svg>")
    kinds = {name: files.read(name).kind for name in names_in(task)}
    assert kinds == {
        "zero.bin": "other", "latin.txt": "text", "plot.png": "picture", "page.png": "text", "drawing.svg": "text",
    }  # fmt: skip


def test_of_a_long_text_the_start_is_shown(files: WorkspaceFiles, task: Path) -> None:
    (task / "long.txt").write_text("ä" * LARGEST)
    (task / "fits.txt").write_text("a" * LARGEST)
    read = files.read("long.txt")
    assert read.kind == "long_text"
    assert 0 < len(read.text) < LARGEST
    assert set(read.text) == {"ä"}
    assert files.read("fits.txt").kind == "text"


def test_a_huge_file_is_not_read_whole(files: WorkspaceFiles, task: Path) -> None:
    with (task / "huge.bin").open("wb") as file:
        file.truncate(1 << 40)
    assert files.read("huge.bin").size == 1 << 40


def test_a_text_that_is_too_long_is_not_saved(files: WorkspaceFiles, task: Path) -> None:
    (task / "a.txt").write_text("short")
    with pytest.raises(InputError, match="too long"):
        files.write("x" * (LARGEST + 1), files.read("a.txt"))
    with pytest.raises(InputError, match="unsupported character"):
        files.write("half a sign \ud800", files.read("a.txt"))
    assert (task / "a.txt").read_text() == "short"
    assert names_in(task) == ["a.txt"]


def test_a_file_that_changed_since_it_was_read_is_not_overwritten(files: WorkspaceFiles, task: Path) -> None:
    (task / "a.txt").write_text("one")
    read = files.read("a.txt")
    (task / "a.txt").write_text("theirs")
    refused = files.write("mine", read)
    assert isinstance(refused, FileConflict)
    assert refused.theirs is not None
    assert refused.theirs.text == "theirs"
    assert (task / "a.txt").read_text() == "theirs"
    assert isinstance(files.write("mine", refused.theirs), FileContent)
    assert (task / "a.txt").read_text() == "mine"


def test_a_file_that_was_deleted_meanwhile_is_written_anew_only_when_asked(files: WorkspaceFiles, task: Path) -> None:
    (task / "a.txt").write_text("one")
    read = files.read("a.txt")
    (task / "a.txt").unlink()
    assert files.write("mine", read) == FileConflict(None)
    assert names_in(task) == []
    files.write("mine", read, anew=True)
    assert (task / "a.txt").read_text() == "mine"


# Making, naming, deleting


def test_files_and_folders_are_made_and_renamed(files: WorkspaceFiles, task: Path) -> None:
    assert files.make_folder("", "data") == "data"
    assert files.make_file("data", " notes.txt ") == "data/notes.txt"
    assert files.rename("data/notes.txt", "Notes.txt") == "data/Notes.txt"
    assert files.rename("data", "raw") == "raw"
    assert (task / "raw" / "Notes.txt").read_text() == ""


@pytest.mark.parametrize("name", ["", "..", ".", "a/b", "a\\b", "a\nb", "a\0b", "-rf", "x" * 300, "a:b", "dot."])
def test_names_that_do_not_work_everywhere_are_refused(files: WorkspaceFiles, task: Path, name: str) -> None:
    (task / "old.txt").write_text("")
    for attempt in (lambda: files.make_file("", name), lambda: files.rename("old.txt", name)):
        with pytest.raises(InputError):
            attempt()
    assert names_in(task) == ["old.txt"]


@pytest.mark.parametrize("name", ["Notes.txt", "NOTES.TXT", "notes.txt"])
def test_a_name_that_is_taken_is_refused_also_in_other_capitals(files: WorkspaceFiles, task: Path, name: str) -> None:
    (task / "notes.txt").write_text("mine")
    (task / "other.txt").write_text("")
    for attempt in (
        lambda: files.make_file("", name),
        lambda: files.make_folder("", name),
        lambda: files.rename("other.txt", name),
    ):
        with pytest.raises(InputError, match="already exists"):
            attempt()
    assert (task / "notes.txt").read_text() == "mine"


def test_the_workspace_itself_is_neither_renamed_nor_deleted(files: WorkspaceFiles, task: Path) -> None:
    for path in ("", ".", "task_01/.."):
        with pytest.raises(InputError):
            files.remove(path)
        with pytest.raises(InputError):
            files.rename(path, "other")
    assert task.is_dir()


def test_what_is_deleted_comes_back_whole(files: WorkspaceFiles, task: Path) -> None:
    (task / "data" / "deep").mkdir(parents=True)
    (task / "data" / "deep" / "a.txt").write_text("kept")
    (task / "data" / "link").symlink_to("deep/a.txt")
    removed = files.remove("data")
    assert names_in(task) == []
    assert files.restore(removed) == "data"
    assert (task / "data" / "deep" / "a.txt").read_text() == "kept"
    assert (task / "data" / "link").is_symlink()


def test_what_comes_back_overwrites_nothing(files: WorkspaceFiles, task: Path) -> None:
    (task / "a.txt").write_text("old")
    removed = files.remove("a.txt")
    (task / "a.txt").write_text("new")
    assert files.restore(removed) == "a (2).txt"
    assert (task / "a.txt").read_text() == "new"
    assert (task / "a (2).txt").read_text() == "old"


def test_deleting_a_link_leaves_what_it_leads_to(files: WorkspaceFiles, task: Path) -> None:
    outside = task.parent.parent / "outside"
    (task / "way").symlink_to(outside)
    files.remove("way")
    assert (outside / "secret.txt").read_text() == SECRET


def test_what_is_deleted_on_another_disk_comes_back_too(editor: BenchmarkEditor, tmp_path: Path) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs a second disk")
    with tempfile.TemporaryDirectory(dir=memory) as place:
        task = Path(place) / "task"
        (task / "data").mkdir(parents=True)
        (task / "data" / "a.txt").write_text("kept")
        (task / "data" / "out").symlink_to("/etc")
        os.mkfifo(task / "data" / "pipe")
        files = editor.workspaces.open(Path(place), "task")
        removed = files.remove("data")
        assert names_in(task) == []
        files.restore(removed)
        assert (task / "data" / "a.txt").read_text() == "kept"
        assert (task / "data" / "out").readlink() == Path("/etc")


def test_the_trash_forgets_after_a_month(files: WorkspaceFiles, task: Path) -> None:
    (task / "old.txt").write_text("")
    (task / "new.txt").write_text("")
    old = files.remove("old.txt").discarded.folder
    os.utime(old, (0, 0))
    new = files.remove("new.txt").discarded.folder
    assert not old.exists()
    assert new.exists()


def test_an_added_file_overwrites_nothing_until_it_is_told_to(
    files: WorkspaceFiles, task: Path, tmp_path: Path
) -> None:
    (tmp_path / "source").write_text("new")
    (task / "Data.csv").write_text("old")

    def add(*how: str) -> AddedFile | NameConflict:
        return files.add("", tmp_path / "source", "data.csv", *how)  # type: ignore[arg-type]

    assert add() == NameConflict("Data.csv")
    assert (task / "Data.csv").read_text() == "old"
    assert add("keep_both") == AddedFile("data (2).csv")
    replaced = add("replace")
    assert isinstance(replaced, AddedFile)
    assert (task / "Data.csv").read_text() == "new"
    assert replaced.replaced is not None
    assert files.restore(replaced.replaced) == "Data (3).csv"
    assert (task / "Data (3).csv").read_text() == "old"


def test_names_of_added_files_are_cleaned() -> None:
    assert cleaned_name("C:\\Users\\me\\data.csv") == "data.csv"
    assert cleaned_name("../../etc/passwd") == "passwd"
    assert cleaned_name("-rf") == "rf"
    assert cleaned_name("two\nlines?.txt") == "two-lines-.txt"
    assert cleaned_name("..") == "file"
    assert cleaned_name("/") == "file"
    assert cleaned_name("half \ud800.txt") == "half -.txt"
    long = cleaned_name("漢" * 200 + ".csv")
    assert long.endswith(".csv")
    assert checked_name(long) == long


@pytest.mark.parametrize(
    ("content", "shown", "edited"),
    [
        ("na\u00efve\r\n".encode("latin-1"), "na\u00efve\n", "na\u00efve\r\ncaf\u00e9\r\n".encode("latin-1")),
        ("\u20ac 5\n".encode("cp1252"), "\u20ac 5\n", "\u20ac 5\ncaf\u00e9\n".encode("cp1252")),
        (
            codecs.BOM_UTF16_LE + "na\u00efve \u2601\r\n".encode("utf-16-le"),
            "na\u00efve \u2601\n",
            codecs.BOM_UTF16_LE + "na\u00efve \u2601\r\ncaf\u00e9\r\n".encode("utf-16-le"),
        ),
        (
            codecs.BOM_UTF16_BE + "x\n".encode("utf-16-be"),
            "x\n",
            codecs.BOM_UTF16_BE + "x\ncaf\u00e9\n".encode("utf-16-be"),
        ),
    ],
)
def test_a_text_in_another_encoding_is_shown_and_stays_in_it(
    files: WorkspaceFiles, task: Path, content: bytes, shown: str, edited: bytes
) -> None:
    (task / "notes.txt").write_bytes(content)
    read = files.read("notes.txt")
    assert (read.kind, read.text) == ("text", shown)
    files.write(f"{read.text}caf\u00e9\n", read)
    assert (task / "notes.txt").read_bytes() == edited


def test_a_sign_that_the_encoding_lacks_makes_the_file_utf_8(files: WorkspaceFiles, task: Path) -> None:
    (task / "notes.txt").write_bytes("na\u00efve\n".encode("latin-1"))
    now = files.write("na\u00efve \u2601\n", files.read("notes.txt"))
    assert isinstance(now, FileContent)
    assert now.encoding == "utf-8"
    assert (task / "notes.txt").read_bytes() == "na\u00efve \u2601\n".encode()


@pytest.mark.parametrize("content", [bytes(range(1, 256)), b"\x1f\x8b\x08" + b"\xe9" * 40, b"\xff\xfea\x00\x00\x00"])
def test_what_is_no_text_is_not_taken_for_one(files: WorkspaceFiles, task: Path, content: bytes) -> None:
    (task / "data.bin").write_bytes(content)
    assert files.read("data.bin").kind == "other"


def test_the_start_of_a_long_text_in_another_encoding_is_shown(files: WorkspaceFiles, task: Path) -> None:
    (task / "long.txt").write_bytes(codecs.BOM_UTF16_LE + ("\U0001f600" * 150_000).encode("utf-16-le"))
    read = files.read("long.txt")
    assert (read.kind, read.text[:2]) == ("long_text", "\ufeff\U0001f600")


def test_a_file_that_cannot_be_copied_replaces_nothing(task: Path, files: WorkspaceFiles, tmp_path: Path) -> None:
    (task / "data.csv").write_text("old")
    with pytest.raises(InputError):
        files.add("", tmp_path / "not there", "data.csv", "replace")
    assert (task / "data.csv").read_text() == "old"
    assert not [path for path in task.iterdir() if path.name.endswith(".part")]
