"""What is in a file: text that can be edited, a picture, or something of which only so much can be said."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from karenina_gui.errors import InputError

LARGEST = 400_000
"""Bytes that are opened in the editor."""
START = 20_000
"""Bytes that are shown of a larger text."""
LARGEST_PICTURE = 20_000_000
_BOM = "\ufeff"
PICTURES = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".gif": ("image/gif", b"GIF8"),
    ".webp": ("image/webp", b"RIFF"),
    ".bmp": ("image/bmp", b"BM"),
}
"""By suffix: how a browser calls it, and how its bytes begin. Only these are ever shown by the browser itself."""

Kind = Literal["text", "long text", "picture", "other"]


@dataclass(frozen=True)
class FileContent:
    path: str
    kind: Kind
    size: int
    """Bytes."""
    changed: float
    """Seconds since 1970."""
    text: str = ""
    """Of a text, with `\\n` at the ends of its lines; of a long text its start."""
    fingerprint: str = ""
    """Tells whether a text or picture is still the same."""
    newline: str = "\n"
    """What stands at the ends of lines in the file."""
    mixed: bool = False
    """True: not the same at all of them; once it is saved, it is."""
    marked: bool = False
    """True: the file begins with a byte order mark."""


def read_content(path: str, handle: int) -> FileContent:
    """The content of an open file."""
    about = os.fstat(handle)
    content = _start(handle, LARGEST + 1)
    found = FileContent(path, "other", about.st_size, about.st_mtime)
    if media_type(path, content) and about.st_size <= LARGEST_PICTURE:
        state = f"{about.st_size} {about.st_mtime_ns}".encode()
        return replace(found, kind="picture", fingerprint=hashlib.sha256(state).hexdigest())
    if len(content) > LARGEST:
        text = _decoded(content[:START], cut=True)
        return found if text is None else replace(found, kind="long text", text=text)
    text = _decoded(content)
    if text is None:
        return found
    newline, mixed = _line_ends(text)
    return replace(
        found,
        kind="text",
        text=_plain(text.removeprefix(_BOM)),
        fingerprint=hashlib.sha256(content).hexdigest(),
        newline=newline,
        mixed=mixed,
        marked=text.startswith(_BOM),
    )


def encoded(text: str, read: FileContent) -> bytes:
    """The bytes of an edited text, in the manner of the file. Errors: `InputError`."""
    written = (_BOM if read.marked else "") + _plain(text).replace("\n", read.newline)
    try:
        content = written.encode()
    except UnicodeEncodeError as fault:
        raise InputError("This text has a sign in it that cannot be saved.") from fault
    if len(content) > LARGEST:
        raise InputError(
            f"This text is too long to be edited here ({len(content):,} bytes, at most {LARGEST:,}). It is not saved."
        )
    return content


def media_type(path: str, content: bytes) -> str | None:
    """How a browser calls this picture; None: it is none that a browser may show."""
    name, start = PICTURES.get(PurePosixPath(path).suffix.lower(), (None, b"\0"))
    return name if content.startswith(start) else None


def _start(handle: int, most: int) -> bytes:
    parts = []
    while most > 0 and (part := os.read(handle, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _decoded(content: bytes, *, cut: bool = False) -> str | None:
    """UTF-8 without control signs that no text has; None: this is no such text. `cut`: its last letter may be half."""
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError as fault:
        return content[: fault.start].decode() if cut and len(content) - fault.start < 4 else None


def _line_ends(text: str) -> tuple[str, bool]:
    both = text.count("\r\n")
    counts = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
    most = max(counts, key=lambda each: counts[each])
    return most, sum(number > 0 for number in counts.values()) > 1


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
