"""Spreadsheet files of other kinds, told by their content, each with a way to make it readable."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from karenina_gui.errors import FileFormatError

SUFFIXES = {".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlsb", ".ods", ".numbers"}

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SAVE = "Open it in your spreadsheet program, save it as an Excel workbook (.xlsx), and import that."


def is_workbook(path: Path) -> bool:
    """Check for a spreadsheet of any kind, by its name or its first bytes."""
    if path.suffix.lower() in SUFFIXES:
        return True
    try:
        with path.open("rb") as file:
            return file.read(8).startswith((_ZIP, _OLE))
    except OSError:
        return False


def refuse_other_kinds(raw: bytes, path: Path) -> None:
    """Refuse everything that is no .xlsx workbook without a password.

    Raises `FileFormatError` that names the kind.
    """
    if problem := _problem(raw, path):
        raise FileFormatError(f"{path.name} {problem}", path=str(path))


def _problem(raw: bytes, path: Path) -> str | None:
    if not raw:
        return "is empty."
    if raw.startswith(_OLE):
        # Excel puts an encrypted workbook into a container of the old format; names in it are UTF-16.
        if "EncryptedPackage".encode("utf-16-le") in raw:
            return (
                "is protected with a password. Open it in your spreadsheet program, remove the password "
                "(in Excel: File, Info, Protect Workbook, Encrypt with Password), save it, and import it again."
            )
        return f"is an old Excel workbook (.xls), which is not supported. {_SAVE}"
    if not raw.startswith(_ZIP):
        return f"is not an Excel workbook, although its name ends in {path.suffix}. {_SAVE}"
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return _other_kind(archive)
    # A broken archive makes the library raise any of these.
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, NotImplementedError):
        return "is damaged: its end is missing. Copy or download it again."


_KINDS = {
    ("xl/workbook.bin",): f"is a binary Excel workbook (.xlsb), which is not supported. {_SAVE}",
    ("Index/",): "is a Numbers document. In Numbers, choose File > Export To > Excel, and import that.",
    ("word/", "ppt/"): "is a document without sheets. Copy its table to a spreadsheet and save that.",
    (
        "header.json",
        "_journal/",
    ): "is a log of Inspect, not a table. Convert it with “inspect log convert --to json”, and "
    "import the JSON file: its samples have input, target, and messages.",
}
"""Other files that are archives, by the beginnings of names in them."""


def _other_kind(archive: zipfile.ZipFile) -> str | None:
    names = set(archive.namelist())
    if "mimetype" in names:
        kind = archive.open("mimetype").read(100)
        if b"opendocument" in kind:
            return f"is an OpenDocument file, which is not supported. {_SAVE}"
    for beginnings, kind_and_advice in _KINDS.items():
        if any(name.startswith(beginnings) for name in names):
            return kind_and_advice
    if "[Content_Types].xml" not in names:
        return "is an archive (ZIP), not a table. Unpack it, and import the table in it."
    return None
