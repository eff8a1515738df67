"""Workbooks (.xlsx) from anywhere: opened only when they are what they seem, and no larger than can be read."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.tables.workbook_kinds import refuse_other_kinds


def open_book(path: Path, largest: int) -> Any:
    """Open a workbook with openpyxl, to read values from; the file itself is in memory and needed no more.

    `largest`: bytes of all parts together; a small file can unpack to more than a computer holds.

    Raises `FileFormatError`, which says how to mend the file.
    """
    try:
        raw = path.read_bytes()
    except OSError as fault:
        raise FileFormatError(f"{path} cannot be read: {fault.strerror or fault}.", path=str(path)) from fault
    refuse_other_kinds(raw, path)
    # For good, since lifting it would also lift what other threads filter: its remarks help nobody here.
    warnings.filterwarnings("ignore", module="openpyxl")
    with in_plain_words(path):
        from openpyxl import load_workbook

        unpacked = sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(raw)).infolist())
        if unpacked <= largest:
            # Row by row, with results instead of formulas, and without loading links to other files.
            return load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
    raise FileFormatError(
        f"{path.name} unpacks to more than {largest // 1024 // 1024} MB, which is too much to read. "
        "Save the sheet you need as CSV and import that.",
        path=str(path),
    )


@contextmanager
def in_plain_words(path: Path) -> Iterator[None]:
    """Turn everything that a damaged file makes the library raise into one plain message."""
    from xml.etree.ElementTree import ParseError
    from xml.parsers.expat import ExpatError

    try:
        yield
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        ParseError,
        ExpatError,
        EOFError,
        OSError,
        KeyError,
        ValueError,
        TypeError,
        IndexError,
        AttributeError,
        NotImplementedError,
        RuntimeError,
    ) as fault:
        raise FileFormatError(
            f"{path.name} is damaged and cannot be read as a workbook. Open it in a spreadsheet program, save it as "
            ".xlsx, and import it again.",
            path=str(path),
        ) from fault
