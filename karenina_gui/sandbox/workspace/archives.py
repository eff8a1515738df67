"""Archives from users (zip, tar, compressed tar), unpacked member by member: completely or not at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import in_plain_words, printable_path
from karenina_gui.sandbox.workspace.safe_import import MB, Intake

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
"""Endings of archive names that can be unpacked."""
MOST_TIMES = 250
"""Highest ratio of unpacked to packed size, checked above `RATIO_FROM`."""
RATIO_FROM = 32 * MB
"""Size in bytes of the unpacked files below which the compression ratio is not checked."""
_UNPACK_YOURSELF = "If you trust it, unpack it yourself and add the files."
_BLOCK = 1 << 18
_LARGEST_HEADER = 4 * MB
"""Bytes of the metadata of one tar member."""
_LEFT_OUT = "__MACOSX"
"""Folder that macOS adds to archives for its own metadata."""
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
"""Errors of reading a damaged archive. Compressed streams raise `OSError` for it."""


def is_archive(name: str) -> bool:
    """True if a file of this name can be unpacked."""
    return name.lower().endswith(ENDINGS)


def unpack(archive: Path, intake: Intake) -> None:
    """Unpack all files of an archive into a folder.

    Raises `InputError`, which names the member and what is wrong with it. Links, devices and the like are refused,
    wherever they lead. Of the permissions only the executable bit is kept. Archives inside the archive stay files.
    """
    with in_plain_words(archive.name):
        size, file = archive.stat().st_size, archive.open("rb")
    with intake, file:
        start = file.read(512)
        file.seek(0)
        watched = _Watched(intake, size)
        # By content, not by name: an ending says nothing about what is in a file.
        if start.startswith(b"PK"):
            _unpack_zip(file, size, watched)
        elif (opened := _stream(start)) is not None:
            _unpack_tar(opened(file), watched)
        else:
            raise InputError("Unsupported archive. Use zip, tar, tar.gz, tar.bz2, or tar.xz.")


class _Watched:
    """Passes members on, and stops archives that grow out of proportion (zip bombs)."""

    def __init__(self, intake: Intake, packed: int) -> None:
        self.intake = intake
        self._packed = max(packed, 1)

    def blocks(self, path: str, member: IO[bytes]) -> Iterator[bytes]:
        while True:
            with _convert_damage(path):
                block = member.read(_BLOCK)
            if not block:
                return
            yield block
            self.look(path, self.intake.size)

    def look(self, path: str, size: int) -> None:
        if size > RATIO_FROM and size > MOST_TIMES * self._packed:
            raise InputError(
                f"Archive not unpacked: at {printable_path(path)}, its contents exceed {MOST_TIMES} times the size of "
                f"the archive. Such archives can fill the disk. {_UNPACK_YOURSELF}"
            )


def _unpack_zip(file: IO[bytes], size: int, watched: _Watched) -> None:
    with _convert_damage():
        _check_directory(file, size, watched.intake.limits.files)
        packed = zipfile.ZipFile(file)
    with packed:
        for member in packed.infolist():
            # `filename` is cut at a zero byte; checks need the name as it really is.
            path = member.orig_filename.removesuffix("/")
            # The upper half of the attributes holds a Unix mode only if the archive was made on Unix.
            kind = stat.S_IFMT(member.external_attr >> 16) if member.create_system == 3 else 0
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                _refuse_kind(path, "a link" if kind == stat.S_IFLNK else "not an ordinary file")
            if path.split("/")[0] == _LEFT_OUT:
                watched.intake.count(path, 0)
            elif member.orig_filename.endswith("/"):
                watched.intake.make_folder(path)
            elif member.flag_bits & 1:
                raise InputError(f"{printable_path(path)} is password-protected. Unpack the archive first.")
            else:
                with _convert_damage(path):
                    content = packed.open(member)
                with content:
                    program = bool(kind and member.external_attr >> 16 & stat.S_IXUSR)
                    watched.intake.write(path, watched.blocks(path, content), executable=program)


def _unpack_tar(stream: IO[bytes], watched: _Watched) -> None:
    metered = _Metered(stream, watched)
    with _convert_damage():
        packed = tarfile.TarFile(fileobj=metered, errors="surrogateescape")
    with packed:
        seen = 0
        while (member := _next(packed)) is not None:
            seen += 1
            if seen > 2 * watched.intake.limits.files:
                raise InputError(f"The archive has more than {watched.intake.limits.files:,} files and folders.")
            _take(packed, member, watched)
        _check_end(packed, metered)


def _take(packed: tarfile.TarFile, member: tarfile.TarInfo, watched: _Watched) -> None:
    path = member.name
    if member.issym() or member.islnk():
        _refuse_kind(path, "a link")
    if not (member.isdir() or member.isreg()):
        _refuse_kind(path, "not an ordinary file")
    if path.split("/")[0] == _LEFT_OUT:
        watched.intake.count(path, 0)
    elif member.isdir():
        watched.intake.make_folder(path)
    else:
        with _convert_damage(path):
            content = packed.extractfile(member)
        assert content is not None
        with content:
            program = bool(member.mode & stat.S_IXUSR)
            watched.intake.write(path, watched.blocks(path, content), executable=program)


def _next(packed: tarfile.TarFile) -> tarfile.TarInfo | None:
    with _convert_damage():
        return packed.next()


def _check_end(packed: tarfile.TarFile, stream: _Metered) -> None:
    """Detect a corrupt header in the middle, which `tarfile` takes for the end of the archive."""
    with _convert_damage():
        stream.seek(packed.offset)
        if stream.read(tarfile.BLOCKSIZE).strip(b"\0"):
            raise tarfile.ReadError


class _Metered(io.RawIOBase):
    """A decompressed stream, read in small pieces and up to a limit, whatever its headers claim."""

    def __init__(self, stream: IO[bytes], watched: _Watched) -> None:
        self._stream = stream
        self._watched = watched
        limits = watched.intake.limits
        self._most = limits.size + limits.files * 4096 + _LARGEST_HEADER

    def read(self, size: int = -1) -> bytes:
        # `tarfile` reads a member's extended header in one piece, of a size that the archive states.
        if not 0 <= size <= _LARGEST_HEADER:
            raise InputError(f"Archive not unpacked: its list of files is too large. {_UNPACK_YOURSELF}")
        block = self._stream.read(size)
        self._watched.look("its headers", self._stream.tell())
        return block

    def seek(self, position: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET or not 0 <= position <= self._most:
            # Seeking forward decompresses everything up to there.
            raise InputError(
                f"The archive contains more than the limit of {self._watched.intake.limits.size // MB:,} MB."
            )
        return self._stream.seek(position)

    def tell(self) -> int:
        return self._stream.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


def _stream(start: bytes) -> Callable[[IO[bytes]], IO[bytes]] | None:
    if start.startswith(b"\x1f\x8b"):
        return lambda file: gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
    if start.startswith(b"BZh"):
        return bz2.BZ2File
    if start.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMAFile
    return (lambda file: file) if start[257:262] == b"ustar" or _is_old_tar(start) else None


def _is_old_tar(start: bytes) -> bool:
    """True for a tar from before 1988, which has no magic number but a valid checksum."""
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def _check_directory(file: IO[bytes], size: int, most: int) -> None:
    """Limit the size of a zip's directory, which `zipfile` reads at once. One of millions of entries must not be."""
    tail_size = min(size, (1 << 16) + 22 + 20 + 56)
    file.seek(size - tail_size)
    # The end record is at the very end, or before a comment of at most 64 kB; zip64 has two more records before it.
    tail = file.read(tail_size)
    at = len(tail) - 22
    if tail[at : at + 4] != b"PK\5\6" or tail[-2:] != b"\0\0":
        at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < 22:
        raise zipfile.BadZipFile
    (length,) = struct.unpack_from("<I", tail, at + 12)
    if at >= 76 and tail[at - 20 : at - 16] == b"PK\6\7":
        (length,) = struct.unpack_from("<Q", tail, at - 76 + 40)
    if length > most * 512:
        raise InputError(f"The archive has more than {most:,} files and folders.")
    file.seek(0)


def _refuse_kind(path: str, kind: str) -> None:
    raise InputError(f"Archive not unpacked: {printable_path(path)} is {kind}. Pack the files themselves.")


@contextmanager
def _convert_damage(path: str = "") -> Iterator[None]:
    try:
        yield
    except (NotImplementedError, RuntimeError) as fault:
        raise InputError(f"{printable_path(path)} uses an unsupported compression.") from fault
    except _DAMAGED as fault:
        where = f" at {printable_path(path)}" if path else ""
        raise InputError(f"Archive not unpacked: it is damaged{where}.") from fault
