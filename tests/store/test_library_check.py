"""The library check finds damage, and nothing in an intact library."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from karenina_gui import example
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint
from karenina_gui.store.file_check import break_seal
from karenina_gui.store.library import FILE_NAME, Library
from tests.library_check import library_problems


@pytest.fixture
def folder(tmp_path: Path, new_library: Path) -> Path:
    """A data folder with the example."""
    shutil.copy(new_library, tmp_path)
    with Library.open(tmp_path) as library:
        library.benchmarks.create(load_checkpoint(example.BENCHMARK))
    return tmp_path


def test_a_library_that_only_the_application_wrote_is_whole(folder: Path) -> None:
    assert library_problems(folder) == []


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("UPDATE question SET question_id = 'x' WHERE id = 1", "has another id than that of its text"),
        ("UPDATE question SET question_id = '' WHERE id = 1", "is finished and has no id"),
        ("UPDATE question SET benchmark_id = 7 WHERE id = 1", "refers to a row of benchmark that does not exist"),
        ("UPDATE question SET keywords = '5' WHERE id = 1", "The benchmark 1 cannot be read"),
    ],
)
def test_what_is_broken_is_named(folder: Path, damage: str, found: str) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as file:
        file.execute(damage)
        file.commit()
    break_seal(folder / FILE_NAME)
    (problem,) = library_problems(folder)
    assert found in problem
