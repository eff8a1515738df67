"""Archives are unpacked whole or not at all, and nothing evil in them reaches the disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace import archives
from karenina_gui.sandbox.workspace.archives import is_archive, unpack
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder
from karenina_gui.sandbox.workspace.safe_import import Intake, IntakeLimits

SMALL = IntakeLimits(files=20, size=1 << 20, depth=5)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A folder with something in it, and something beside it."""
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "mine.txt").write_text("mine")
    (tmp_path / "beside.txt").write_text("beside")
    return tmp_path / "target"


def tree(folder: Path) -> dict[str, str]:
    return {
        each.relative_to(folder).as_posix(): "folder" if each.is_dir() else each.read_bytes().decode("latin-1")
        for each in sorted(folder.rglob("*"))
    }


def zipped(target: Path, *names: str, **contents: bytes) -> Path:
    path = target.parent / "packed.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            member = zipfile.ZipInfo("placeholder")
            member.filename = member.orig_filename = name
            packed.writestr(member, contents.get("content", b"evil"), zipfile.ZIP_DEFLATED)
    return path


def tarred(target: Path, *members: tarfile.TarInfo | str, content: bytes = b"evil", mode: str = "w") -> Path:
    path = target.parent / "packed.tar"
    with tarfile.open(path, mode) as packed:  # type: ignore[call-overload]
        for each in members:
            member = tarfile.TarInfo(each) if isinstance(each, str) else each
            if member.isreg():
                member.size = len(content)
            packed.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return path


def of_kind(name: str, kind: bytes, linkname: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.mode = kind, linkname, mode
    return member


def is_refused(archive: Path, target: Path, match: str, limits: IntakeLimits = SMALL) -> None:
    """With these words, and nothing of it stays, inside or outside."""
    before = tree(target.parent)
    with pytest.raises(InputError, match=match):
        unpack(archive, Intake(ConfinedFolder(target), limits))
    assert tree(target.parent) == before


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_files_and_folders_come_out_as_they_went_in(target: Path, tmp_path: Path, ending: str) -> None:
    source = tmp_path / "source"
    (source / "data" / "empty").mkdir(parents=True)
    (source / "data" / "naïve 漢字.csv").write_text("gene\n")
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    archive = tmp_path / f"packed{ending}"
    if ending == ".zip":
        with zipfile.ZipFile(archive, "w") as packed:
            for each in sorted(source.rglob("*")):
                packed.write(each, each.relative_to(source))
    else:
        with tarfile.open(archive, f"w:{ending[5:]}") as packed_tar:  # type: ignore[call-overload]
            packed_tar.add(source, ".")
    intake = Intake(ConfinedFolder(target))
    unpack(archive, intake)
    assert is_archive(archive.name)
    assert tree(target) == {"mine.txt": "mine", **tree(source)}
    assert stat.S_IMODE((target / "run.sh").stat().st_mode) == 0o755
    assert (intake.files, intake.size) == (4, 15)


EVIL_NAMES = {
    "/etc/evil": "absolute path",
    "../evil.txt": "leads out",
    "a/../../evil.txt": "leads out",
    "a/.. /evil.txt": "leads out",
    "C:/evil.txt": "drive letter",
    "C:evil.txt": "drive letter",
    "..\\evil.txt": "backslash",
    "a\nb.txt": "invisible character",
    "a\x1bb.txt": "invisible character",
    "safe\u202etxt.exe": "invisible character",
    "x" * 256: "255 bytes",
    "a/b/c/d/e/f/g.txt": "deeper than 5",
}


@pytest.mark.parametrize("name", EVIL_NAMES)
def test_an_evil_name_in_a_zip_is_refused(target: Path, name: str) -> None:
    is_refused(zipped(target, "good.txt", name), target, EVIL_NAMES[name])


@pytest.mark.parametrize("name", EVIL_NAMES)
def test_an_evil_name_in_a_tar_is_refused(target: Path, name: str) -> None:
    is_refused(tarred(target, "good.txt", name), target, EVIL_NAMES[name])


def test_a_name_with_a_zero_sign_is_refused(target: Path) -> None:
    archive = zipped(target, "goodX.txt")
    archive.write_bytes(archive.read_bytes().replace(b"goodX", b"good\0"))
    is_refused(archive, target, "invisible character")


@pytest.mark.parametrize(("first", "second"), [("Data.csv", "data.csv"), ("Data/a", "data/b"), ("\u00e9", "e\u0301")])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_differ_only_in_capitals_or_accents_are_refused(
    target: Path, pack: Callable[..., Path], first: str, second: str
) -> None:
    is_refused(pack(target, first, second), target, "are the same on many computers")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_member_that_comes_twice_is_refused(target: Path, pack: Callable[..., Path]) -> None:
    is_refused(pack(target, "a.txt", "a.txt"), target, "a.txt occurs twice")


def test_a_file_that_is_a_folder_later_is_refused(target: Path) -> None:
    is_refused(tarred(target, "a", "a/b.txt"), target, "a occurs twice")


@pytest.mark.parametrize("leading", ["/etc", "../beside.txt", "inside.txt"])
def test_a_symbolic_link_in_a_tar_is_refused_wherever_it_leads(target: Path, leading: str) -> None:
    is_refused(tarred(target, "inside.txt", of_kind("way", tarfile.SYMTYPE, leading)), target, "way is a link")


@pytest.mark.parametrize("leading", ["/etc/passwd", "../beside.txt", "inside.txt"])
def test_a_hard_link_in_a_tar_is_refused_wherever_it_leads(target: Path, leading: str) -> None:
    is_refused(tarred(target, "inside.txt", of_kind("way", tarfile.LNKTYPE, leading)), target, "way is a link")


def test_a_symbolic_link_in_a_zip_is_refused(target: Path) -> None:
    member = zipfile.ZipInfo("way")
    member.create_system, member.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(target.parent / "packed.zip", "w") as packed:
        packed.writestr(member, "../beside.txt")
    is_refused(target.parent / "packed.zip", target, "way is a link")


def test_a_member_behind_a_link_of_the_archive_is_never_written(target: Path) -> None:
    way = of_kind("way", tarfile.SYMTYPE, "..")
    is_refused(tarred(target, way, "way/beside.txt"), target, "way is a link")


def test_a_member_behind_a_link_that_is_there_already_is_never_written(target: Path) -> None:
    (target / "way").symlink_to("..")
    is_refused(zipped(target, "way/beside.txt"), target, "already exists")


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_devices_and_pipes_are_refused(target: Path, kind: bytes) -> None:
    is_refused(tarred(target, of_kind("odd", kind)), target, "odd is not an ordinary file")


def test_a_device_in_a_zip_is_refused(target: Path) -> None:
    member = zipfile.ZipInfo("odd")
    member.create_system, member.external_attr = 3, (stat.S_IFBLK | 0o777) << 16
    with zipfile.ZipFile(target.parent / "packed.zip", "w") as packed:
        packed.writestr(member, "")
    is_refused(target.parent / "packed.zip", target, "odd is not an ordinary file")


def test_nothing_runs_as_somebody_else(target: Path) -> None:
    unpack(tarred(target, of_kind("tool", tarfile.REGTYPE, mode=0o6777)), Intake(ConfinedFolder(target)))
    assert stat.S_IMODE((target / "tool").stat().st_mode) == 0o755


def test_what_is_there_already_is_never_written_over(target: Path) -> None:
    is_refused(zipped(target, "new/a.txt", "mine.txt"), target, "mine.txt already exists")


# Bombs


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_too_many_files_are_refused(target: Path, pack: Callable[..., Path]) -> None:
    is_refused(pack(target, *(f"{number}.txt" for number in range(21))), target, "limit of 20|more than 20 files")


def test_too_many_bytes_are_refused_as_they_come(target: Path) -> None:
    is_refused(zipped(target, "a", "b", content=bytes(600_000)), target, "b, the files exceed the limit of 1 MB")


def test_a_size_that_is_declared_wrong_hides_nothing(target: Path) -> None:
    archive = zipped(target, "bomb", content=bytes(3 << 20))
    content = bytearray(archive.read_bytes())
    for mark, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<I", content, content.index(mark) + at, 10)
    archive.write_bytes(content)
    is_refused(archive, target, "damaged|exceed the limit")


def test_what_is_packed_too_well_is_refused(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "RATIO_FROM", 1 << 20)
    is_refused(zipped(target, "bomb", content=bytes(3 << 20)), target, "250 times", IntakeLimits())
    tarred(target, "bomb", content=bytes(3 << 20), mode="w:gz")
    is_refused(target.parent / "packed.tar", target, "250 times", IntakeLimits())


def test_a_header_without_end_is_not_read(target: Path) -> None:
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 1 << 33
    archive = target.parent / "packed.tar.gz"
    archive.write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(5 << 20)))
    is_refused(archive, target, "its list of files is too large", IntakeLimits())


def test_a_list_of_millions_of_files_is_not_read(target: Path) -> None:
    archive = zipped(target, "a")
    content = bytearray(archive.read_bytes())
    struct.pack_into("<I", content, content.index(b"PK\5\6") + 12, 1 << 30)
    archive.write_bytes(content)
    is_refused(archive, target, "limit of 20|more than 20 files")


def test_an_archive_inside_an_archive_stays_a_file(target: Path) -> None:
    inner = zipped(target, "deep.txt").read_bytes()
    unpack(zipped(target, "inner.zip", content=inner), Intake(ConfinedFolder(target)))
    assert (target / "inner.zip").read_bytes() == inner
    assert not (target / "deep.txt").exists()


# Damage


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_archive_that_breaks_off_is_refused(target: Path, pack: Callable[[bytes], bytes]) -> None:
    whole = pack(tarred(target, "a.bin", "b.bin", content=os.urandom(50_000)).read_bytes())
    archive = target.parent / "half"
    archive.write_bytes(whole[: len(whole) // 2])
    is_refused(archive, target, "damaged")


def test_a_tar_that_is_spoilt_in_the_middle_is_refused(target: Path) -> None:
    archive = tarred(target, "a.txt", "b.txt")
    content = bytearray(archive.read_bytes())
    content[1024:1040] = b"spoilt name here"
    archive.write_bytes(content)
    is_refused(archive, target, "damaged")


def test_a_zip_whose_sums_are_wrong_is_refused(target: Path) -> None:
    archive = zipped(target, "a.txt", "b.txt", content=os.urandom(1000))
    content = bytearray(archive.read_bytes())
    content[500] ^= 0xFF
    archive.write_bytes(content)
    is_refused(archive, target, "damaged at a.txt")


def test_a_locked_zip_says_so(target: Path) -> None:
    archive = zipped(target, "a.txt")
    content = bytearray(archive.read_bytes())
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(mark) + at] |= 1
    archive.write_bytes(content)
    is_refused(archive, target, "password")


@pytest.mark.parametrize("content", [b"", b"no archive at all", b"PK\3\4 hello"])
def test_what_is_no_archive_is_told(target: Path, content: bytes) -> None:
    archive = target.parent / "packed.zip"
    archive.write_bytes(content)
    is_refused(archive, target, "Unsupported archive|damaged")


def test_what_is_stopped_leaves_nothing(target: Path) -> None:
    intake = Intake(ConfinedFolder(target))
    intake.stopped = True
    with pytest.raises(InputError, match="Stopped"):
        unpack(zipped(target, "a.txt"), intake)
    assert tree(target) == {"mine.txt": "mine"}


def test_what_macos_adds_for_itself_is_left_out(target: Path) -> None:
    unpack(zipped(target, "a.txt", "__MACOSX/._a.txt"), Intake(ConfinedFolder(target)))
    assert set(tree(target)) == {"a.txt", "mine.txt"}
