"""CSV files of large runs: several processes write what one would."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from karenina_gui.errors import InputError
from karenina_gui.formats.results.csv_writer import write_results_csv
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.gui.pages.runs.csv_processes import Stored, write_stored_csv
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.compression import compress
from karenina_gui.store.library import Library
from tests.simulated_run import CITES, Simulation, fill

RUN = RunInfo("1", "A run", VerificationConfig(), 0.0, traits=frozenset({CITES}))


@pytest.fixture
def results(library: Library) -> tuple[bytes, list[list[Stored]]]:
    """The file of one process, and the stored results in parts of three, the last ones first."""
    _, run = fill(library, Simulation(questions=20, replicates=2))
    ids = library.results.count_and_ids(run)[1][::-1]
    file = BytesIO()
    write_results_csv(library.results.read(ids), file, run=RUN)
    return file.getvalue(), [
        next(library.results.read_stored(ids[start : start + 3])) for start in range(0, len(ids), 3)
    ]


def written(parts: Iterator[list[Stored]] | list[list[Stored]]) -> bytes:
    file = BytesIO()
    write_stored_csv(parts, file, run=replace(RUN))
    return file.getvalue()


def test_rows_are_those_of_one_process_in_their_order(results: tuple[bytes, list[list[Stored]]]) -> None:
    whole, parts = results
    assert len(parts) > 20
    assert written(parts) == whole


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_process_that_is_killed_loses_no_row(results: tuple[bytes, list[list[Stored]]]) -> None:
    whole, parts = results
    killed = 0

    def killing() -> Iterator[list[Stored]]:
        nonlocal killed
        for number, part in enumerate(parts):
            yield part
            if number % 7 == 6:
                for process in processes():
                    os.kill(process, signal.SIGKILL)
                    killed += 1

    assert written(killing()) == whole
    assert killed
    assert not processes()


def test_a_damaged_result_is_reported_and_no_process_stays(results: tuple[bytes, list[list[Stored]]]) -> None:
    parts = [*results[1], [compress("{}")[:-4]]]
    with pytest.raises(InputError, match="damaged"):
        written(parts)
    assert not processes()


def processes() -> list[int]:
    """Processes that write rows for this one."""
    writers = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"csv_processes" in (process / "cmdline").read_bytes():
                writers.append(int(process.name))
    return writers
