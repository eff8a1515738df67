"""Columns of a run as a file: the same as from the library, never of another state, and made again if damaged."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.store import job_columns
from karenina_gui.store.column_file import FOLDER
from karenina_gui.store.library import Library
from tests.job_tables import column, columns
from tests.simulated_run import Simulation, fill

SIMULATION = Simulation(questions=6, models=2, conditions=2, replicates=2, judges=2, failures=0.2, not_run=0.1)


@pytest.fixture
def run(library: Library, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(job_columns, "LEAST_STORED", 1)
    return fill(library, SIMULATION)[1]


def stored(library: Library, run: int) -> Path:
    return library.folder / FOLDER / f"run-{run}.npz"


def test_the_file_has_the_columns_of_the_library(library: Library, run: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first = columns(library.results.table(run))
    assert stored(library, run).exists()
    monkeypatch.delattr(job_columns, "_JOBS")
    assert columns(library.results.table(run)) == first == columns(SIMULATION.table())


def test_a_result_that_was_saved_again_is_in_the_columns(library: Library, run: int) -> None:
    before = column(library.results.table(run), "outcome")
    job = next(job for job in library.runs.jobs_left(run) if job.outcome == "error")
    good = next(row for row in library.results.page(run).rows if row.outcome == "passed")
    result = library.results.get(good.id).result
    library.runs.record(run, job.key, result)
    after = column(library.results.table(run), "outcome")
    assert [a for a, b in zip(after, before, strict=True) if a != b] == [outcome_of(result)]


@pytest.mark.parametrize("seed", range(50))
def test_a_damaged_file_is_made_again(library: Library, run: int, seed: int) -> None:
    whole = columns(library.results.table(run))
    file, chance = stored(library, run), Random(seed)
    content = bytearray(file.read_bytes())
    if seed % 2:
        content = content[: chance.randrange(len(content))]
    else:
        content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
    file.write_bytes(content)
    assert columns(library.results.table(run)) == whole
    assert columns(library.results.table(run)) == whole


def test_files_of_deleted_runs_go(library: Library, run: int) -> None:
    library.results.table(run)
    (library.folder / FOLDER / "run-99.npz").write_bytes(b"old")
    (library.folder / FOLDER / "0123.part").write_bytes(b"half")
    _, other = fill(library, SIMULATION)
    library.results.table(other)
    assert sorted(path.name for path in (library.folder / FOLDER).iterdir()) == sorted(
        [f"run-{run}.npz", f"run-{other}.npz"]
    )
