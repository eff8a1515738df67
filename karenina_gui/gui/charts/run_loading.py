"""Results of a run for the process of charts, which reads the library itself. Imports no interface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from karenina_gui.analysis.costs import dollars_of_jobs
from karenina_gui.analysis.run_counting import count_run
from karenina_gui.analysis.run_data import RunData
from karenina_gui.schemas.prices import Price
from karenina_gui.schemas.run_counts import RunCounts
from karenina_gui.store.job_columns import read_run


def load_run(library: Path, run_id: int, prices: Mapping[str, Price]) -> RunData:
    """Read a run. `prices` by model."""
    table, scales, tokens = read_run(library, run_id)
    return RunData(table, scales, dollars_of_jobs(tokens, prices, len(table)))


def counts_of(data: RunData) -> RunCounts:
    return count_run(data.table)
