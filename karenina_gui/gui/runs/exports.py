"""Results as files: exactly those that a filter shows."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from karenina_gui.formats.results_csv import results_csv_bytes
from karenina_gui.formats.results_json import results_json_bytes
from karenina_gui.formats.run_info import RunInfo
from karenina_gui.gui.frame.studio import Studio
from karenina_gui.gui.results.query import ResultQuery
from karenina_gui.schemas.result import VerificationResult


class Writer(Protocol):
    def __call__(self, results: Iterable[VerificationResult], *, run: RunInfo) -> bytes: ...


WRITERS: dict[str, tuple[Writer, str]] = {
    "json": (results_json_bytes, "application/json"),
    "csv": (results_csv_bytes, "text/csv; charset=utf-8"),
}
"""Ending of the file: what writes it, and its media type."""


def export(studio: Studio, run_id: int, kind: str, query: ResultQuery) -> bytes:
    """The content of the file. Errors: `NotFoundError`; KeyError for a kind that is not in `WRITERS`."""
    write, _ = WRITERS[kind]
    return write(studio.runs.results.each(run_id, query.wanted), run=run_info(studio, run_id))


def run_info(studio: Studio, run_id: int) -> RunInfo:
    """What the file says of the run. Errors: `NotFoundError`."""
    run = studio.runs.runs.summary(run_id)
    return RunInfo(
        job_id=str(run.id),
        run_name=run.name,
        config=studio.runs.runs.config(run_id),
        started=_seconds(run.created_at),
        finished=_seconds(run.finished_at) if run.finished_at else None,
        total=run.total,
        rubric=studio.desk.frame(run.benchmark_id).rubric,
    )


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()
