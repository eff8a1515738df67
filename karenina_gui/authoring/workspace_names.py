"""Names of files and folders that people give.

They have to work on every computer, and to be free.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from itertools import count
from pathlib import PurePosixPath

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import printable_path as printable_path

LONGEST = 200
"""Bytes of a name."""
# Windows forbids these signs; workspaces are taken to other computers.
_UNUSABLE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')
PARTIAL = re.compile(r"^\.karenina-.*\.part$")
"""Files that are just being written."""


def checked_name(text: str) -> str:
    """The name as it is used.

    Raises `InputError` that says what is wrong with it.
    """
    name = unicodedata.normalize("NFC", text.strip())
    if not name:
        raise InputError("Enter a name.")
    if name in (".", "..") or name.endswith("."):
        raise InputError("Names can’t end with a period.")
    if match := _UNUSABLE.search(name):
        sign = match.group() if match.group().isprintable() else "invisible characters, such as line breaks"
        raise InputError(f"Names can’t contain {sign}. Use letters, digits, - and _.")
    if name.startswith("-"):
        raise InputError("Names can’t start with a hyphen: many programs would read them as options.")
    if len(name.encode("utf-8", "replace")) > LONGEST:
        raise InputError(f"The name is too long (maximum {LONGEST} characters).")
    return name


def cleaned_name(text: str) -> str:
    """Name here of a file that comes from elsewhere: its own, without the signs that no name can have."""
    # Browsers on Windows may send a whole path.
    name = unicodedata.normalize("NFC", text.replace("\\", "/").rsplit("/", 1)[-1])
    name = _UNUSABLE.sub("-", name.encode("utf-8", "replace").decode()).strip().rstrip(". ").lstrip("-")
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix[:20]
    while len(f"{stem}{suffix}".encode()) > LONGEST:
        stem = stem[:-1]
    return f"{stem}{suffix}" or "file"


def same_as(name: str, taken: Collection[str]) -> str | None:
    """The name among `taken` that is the same file on some computers; None: it is free.

    Names that differ only in capitals, or in how an accent is put together, are one file there.
    """
    return next((other for other in taken if _plain(other) == _plain(name)), None)


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that is free: `notes.txt`, or `notes (2).txt` if that is taken, and so on."""
    plain = {_plain(other) for other in taken}
    path = PurePosixPath(name)
    numbered = (name if n == 1 else f"{path.stem} ({n}){path.suffix}" for n in count(1))
    return next(candidate for candidate in numbered if _plain(candidate) not in plain)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
