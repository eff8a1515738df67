"""Files are read apart, within memory and time; see `tests/benchmarks/hostile_files.py` for all hostile ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.errors import FileFormatError
from karenina_gui.formats import reader_process
from karenina_gui.formats.checkpoints.checkpoint import read_checkpoint
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.tables.table_reader import TableFile
from tests.benchmarks.hostile_files import bombs

HANDFUL = {
    "strings-1.xlsx": "takes more than",
    "cells-1.xlsx": "columns|takes more than",
    "merged-cells-1.xlsx": "takes more than|damaged",
    "entities-2.xlsx": "damaged",
    "objects-1.json": "too many values",
    "names-1.json": "columns",
    "depth-1.jsonld": "nested too deeply",
    "open-quotes-1.csv": "header row|rows|takes more than",
    "results-json-1.results.json": "unreadable results",
    "results-depth-1.results.json": "nested too deeply",
}


def read_pid(_: Path) -> int:
    return os.getpid()


def read_size(path: Path) -> int:
    return path.stat().st_size


def loop(_: Path) -> None:
    while True:
        pass


def fill(_: Path) -> list[Any]:
    return [0] * (1 << 30)


def refuse(path: Path) -> None:
    raise FileFormatError("no", path=str(path), row=7)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large.json"
    path.write_bytes(b" " * (reader_process.SMALL + 1))
    return path


@pytest.mark.parametrize("name", HANDFUL)
def test_hostile_files_are_refused_or_read_in_time(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of limits other than the time, the message is tested, however busy the computer is.
    monkeypatch.setattr(reader_process, "SECONDS", 1.0 if "takes more than" in HANDFUL[name] else 60.0)
    content = dict(bombs())[name]()
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    read = {".jsonld": lambda: read_apart(read_checkpoint, path)}.get(path.suffix, lambda: TableFile(path).table())
    with pytest.raises(FileFormatError, match=HANDFUL[name]):
        SavedResults(path).look() if ".results" in name else read()


def test_a_small_file_is_read_here_and_a_large_one_elsewhere(large: Path) -> None:
    assert read_apart(read_pid, large) != os.getpid()
    large.write_text("{}")
    assert read_apart(read_pid, large) == os.getpid()


def test_a_relative_path_is_read_from_the_folder_of_the_moment(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_apart(read_pid, large) != os.getpid()  # a process waits now, in this folder
    monkeypatch.chdir(large.parent)
    assert read_apart(read_size, Path(large.name)) == large.stat().st_size


def test_an_error_is_raised_as_it_is(large: Path) -> None:
    with pytest.raises(FileFormatError, match="no") as raised:
        read_apart(refuse, large)
    assert (raised.value.path, raised.value.row) == (str(large), 7)


def test_what_takes_too_much_is_refused(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileFormatError, match="MB of memory"):
        read_apart(fill, large)
    monkeypatch.setattr(reader_process, "SECONDS", 0.2)
    with pytest.raises(FileFormatError, match="takes more than"):
        read_apart(loop, large)
