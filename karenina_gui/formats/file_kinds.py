"""Kind of a file, told by its name and its first characters before it is read as a whole."""

from __future__ import annotations

from pathlib import Path

from karenina_gui.formats.tables.workbook_kinds import is_workbook

LOOKED_AT = 64 * 1024
"""Bytes from the beginning that are looked at."""

TABLES = ".csv,.tsv,.xlsx,.json,.jsonl,.ndjson"
"""Endings of the files that `TableFile` reads."""
OTHER_TABLES = ",.xlsm,.xls,.xlsb,.ods,.numbers,.txt"
"""Endings of files that it may read, or says how to save so that it can."""


def is_benchmark(path: Path) -> bool:
    """Check for a checkpoint: `.jsonld`, or JSON that begins as one."""
    if path.suffix.lower() == ".jsonld":
        return True
    if path.suffix.lower() != ".json":
        return False
    beginning = _beginning(path)
    return b'"dataFeedElement"' in beginning or b'"DataFeed"' in beginning


def is_table(path: Path) -> bool:
    """Check for a file that `TableFile` reads, or can say why it does not."""
    return path.suffix.lower() in (TABLES + OTHER_TABLES).split(",") or is_workbook(path)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LOOKED_AT)
    # Whoever opens the file afterwards says why it cannot be read.
    except OSError:
        return b""
