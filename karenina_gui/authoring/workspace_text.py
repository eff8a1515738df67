"""Content of a file: text that can be edited, a picture, or a description of anything else."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from karenina_gui.errors import InputError

LARGEST = 400_000
"""Bytes of the largest file that is opened in the editor."""
START = 20_000
"""Bytes that are shown of a larger text."""
LARGEST_PICTURE = 20_000_000
_BOM = "\ufeff"
_WIDE: dict[bytes, Encoding] = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""By the mark with which a file in two bytes for each sign has to begin."""
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
PICTURES = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".gif": ("image/gif", b"GIF8"),
    ".webp": ("image/webp", b"RIFF"),
    ".bmp": ("image/bmp", b"BM"),
}
"""Type and first bytes of pictures, by suffix.

Only these are ever shown by the browser itself.
"""

Kind = Literal["text", "long_text", "picture", "other"]


Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "cp1252"]


@dataclass(frozen=True)
class FileContent:
    path: str
    kind: Kind
    size: int
    """Bytes."""
    changed: float
    """Seconds since 1970."""
    text: str = ""
    r"""Text of the file, with `\\n` at the ends of its lines; of a long text its start."""
    fingerprint: str = ""
    """Tells whether a text or picture is still the same."""
    newline: str = "\n"
    """Sign at the ends of lines in the file."""
    mixed: bool = False
    """True: not the same at all of them; once it is saved, it is."""
    marked: bool = False
    """True: the file begins with a byte order mark."""
    encoding: Encoding = "utf-8"


def read_content(path: str, handle: int) -> FileContent:
    """The content of an open file."""
    about = os.fstat(handle)
    # One byte more than the editor takes tells that there is more.
    content = _start(handle, LARGEST + 1)
    file = FileContent(path, "other", about.st_size, about.st_mtime)
    if media_type(path, content) and about.st_size <= LARGEST_PICTURE:
        # Its time and size are enough: a large picture need not be read for it.
        state = f"{about.st_size} {about.st_mtime_ns}".encode()
        return replace(file, kind="picture", fingerprint=hashlib.sha256(state).hexdigest())
    if len(content) > LARGEST:
        read = _decode(content[:START], cut=True)
        return file if read is None else replace(file, kind="long_text", text=read[0], encoding=read[1])
    read = _decode(content)
    if read is None:
        return file
    text, encoding = read
    newline, mixed = _line_ends(text)
    return replace(
        file,
        kind="text",
        text=_plain(text.removeprefix(_BOM)),
        fingerprint=hashlib.sha256(content).hexdigest(),
        newline=newline,
        mixed=mixed,
        marked=text.startswith(_BOM),
        encoding=encoding,
    )


def encode(text: str, read: FileContent) -> bytes:
    """The bytes of an edited text, in the manner of the file; in UTF-8 if its encoding lacks a sign (`lacking`).

    Raises `InputError` if the text is too long.
    """
    written = (_BOM if read.marked else "") + _plain(text).replace("\n", read.newline)
    try:
        content = written.encode("utf-8" if lacking(text, read.encoding) else read.encoding)
    except UnicodeEncodeError as fault:
        raise InputError("Not saved: the text contains an unsupported character.") from fault
    if len(content) > LARGEST:
        raise InputError(f"Not saved: the text is too long to edit here ({len(content):,} bytes; maximum {LARGEST:,}).")
    return content


def lacking(text: str, encoding: Encoding) -> str:
    """The first sign of a text that this encoding has no place for; empty: it has them all, as UTF-8 and UTF-16 do."""
    try:
        text.encode("cp1252" if encoding == "cp1252" else "utf-8", "strict" if encoding == "cp1252" else "replace")
    except UnicodeEncodeError as fault:
        return text[fault.start]
    return ""


def media_type(path: str, content: bytes) -> str | None:
    """Media type of the picture; None: browsers must not show this file."""
    name, start = PICTURES.get(PurePosixPath(path).suffix.lower(), (None, b"\0"))
    return name if content.startswith(start) else None


def _start(handle: int, most: int) -> bytes:
    parts = []
    while most > 0 and (part := os.read(handle, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _decode(content: bytes, *, cut: bool = False) -> tuple[str, Encoding] | None:
    """The text and its encoding, found as tables find theirs: UTF-16 by its mark, else UTF-8, else Windows-1252.

    None: this is no text. `cut`: its last letter may be half.
    """
    wide = _WIDE.get(content[:2])
    for encoding in (wide,) if wide else _NARROW:
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(content, final=not cut)
        except UnicodeDecodeError:
            continue
        # Almost any bytes are Windows-1252: those of programs and archives are told by signs that no text has.
        strange = _BINARY.search(text) if encoding == "cp1252" else "\0" in text
        return None if strange else (text, encoding)
    return None


_NARROW: tuple[Encoding, ...] = ("utf-8", "cp1252")


def _line_ends(text: str) -> tuple[str, bool]:
    both = text.count("\r\n")
    counts = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
    most = max(counts, key=lambda line_end: counts[line_end])
    return most, sum(number > 0 for number in counts.values()) > 1


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
