"""The file of a recording, and its `.part` while a run writes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TextIO

from karenina_gui.errors import FileFormatError, InputError, NotFoundError
from karenina_gui.text.surrogates import without_surrogates

FORMAT = "karenina-gui-recording"
VERSION = 1
LARGEST = 500 << 20
"""Bytes of a recording."""


def read_exchanges(path: Path) -> tuple[list[dict[str, Any]], str | None]:
    """Exchanges of a recording, complete or still being written, and its label (None: it has none).

    Raises `NotFoundError`, `FileFormatError`.
    """
    try:
        if not _can_be_read(path):
            raise FileFormatError(
                f"{path} is too large for a recording, or not a file. Choose another.", path=str(path)
            )
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError):
        raise NotFoundError(f"No recording at {path}. Choose another file, or record the run again.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"Couldn’t read the recording {path}: {error}", path=str(path)) from None
    entries, label = _entries(text, path)
    if not all(isinstance(entry, dict) and {"key", "response"} <= entry.keys() for entry in entries):
        problem = f"The recording {path} is damaged: an entry is incomplete. Record the run again."
        raise FileFormatError(problem, path=str(path))
    return [without_surrogates(entry) for entry in entries if entry["response"] is not None], label


def _can_be_read(path: Path) -> bool:
    """False for a huge file and a device, which never ends: the path may come from a file of somebody else."""
    return not path.exists() or path.is_dir() or (path.is_file() and path.stat().st_size <= LARGEST)


def write_exchanges(path: Path, exchanges: list[dict[str, Any]], label: str | None) -> None:
    """Write the file atomically."""
    content = {"format": FORMAT, "version": VERSION, "label": label, "exchanges": exchanges}
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # Flushed to disk before the rename: a power failure must not leave an empty file under the final name.
        with draft.open("w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def part_of(path: Path) -> Path:
    """File with one exchange per line, until the run ends."""
    return path.with_name(f"{path.name}.part")


def open_part(path: Path) -> TextIO:
    """Open the part for appending. Raises `InputError` if a recording cannot be written to this path."""
    try:
        if path.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        return part_of(path).open("a", encoding="utf-8")
    except OSError as fault:
        raise InputError(f"Couldn’t record the run in {path}: {fault.strerror}. Choose another file.") from None


def _entries(text: str, path: Path) -> tuple[list[dict[str, Any]], str | None]:
    try:
        whole = json.loads(text)
    except ValueError:
        return _lines(text, path), None
    if isinstance(whole, dict) and "key" in whole:
        return [whole], None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT or not isinstance(whole.get("exchanges"), list):
        raise FileFormatError(f"{path} is not a recording. Choose a file that a run recorded.", path=str(path))
    if whole.get("version") != VERSION:
        raise FileFormatError(
            f"The recording {path} has version {whole.get('version')}, but this application reads version {VERSION}. "
            "Record the run again.",
            path=str(path),
        )
    return whole["exchanges"], whole.get("label")


def _lines(text: str, path: Path) -> list[dict[str, Any]]:
    """Exchanges of a part, one per line; the last line may be truncated."""
    entries = []
    # Not splitlines(): JSON strings may contain U+2028 and others that it treats as line breaks.
    lines = [line for line in text.split("\n") if line]
    for row, line in enumerate(lines, start=1):
        try:
            entries.append(json.loads(line))
        except ValueError:
            if row < len(lines) or not entries:
                raise FileFormatError(
                    f"{path} is not a recording (line {row}). Choose a file that a run recorded.",
                    path=str(path),
                    row=row,
                ) from None
    return entries
