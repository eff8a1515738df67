"""Export of results with the filter and order of the results table."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

from karenina_gui.analysis.chart_process import ChartError, ChartWorker
from karenina_gui.analysis.methodology import figures, summarize_metric
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.formats.results.export_kinds import KINDS
from karenina_gui.formats.results.json_writer import write_results_json
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.gui.kit.responses import file_name
from karenina_gui.gui.kit.verdicts import ENDINGS
from karenina_gui.gui.pages.results.query import NAMES, ResultQuery
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.metric_summary import MetricSummary, SummaryFunction


def export(services: AppContext, run_id: int, kind: str, query: ResultQuery) -> Path:
    """Write a file into a new temporary folder, which the caller removes; slow for large runs.

    Raises `NotFoundError`; `FileFormatError` if it cannot be written; `InputError` if statistics fail; KeyError for a
    kind that is not in `KINDS`.
    """
    write = KINDS[kind].write
    run = replace(
        run_info(services, run_id, query), figures=figures(services.runs.prices.all(), measuring(services.worker))
    )
    # A folder of its own, so that the file can have its final name.
    folder = Path(tempfile.mkdtemp(prefix="karenina-results-"))
    part = "-filtered" if query.filtered else ""
    path = folder / f"{file_name(run.run_name or f'run-{run_id}')}{part}.{kind}"
    try:
        with path.open("wb") as file:
            write(services.library.results.each(run_id, query.filter, query.sort), file, run=run)
    # A failed export must not leave a file behind.
    except BaseException:
        remove(path)
        raise
    return path


def export_one(services: AppContext, run_id: int, result_id: int) -> tuple[str, bytes]:
    """Return name and content of a JSON file with one result and its trace. Raises `NotFoundError`."""
    stored = services.library.results.get(result_id)
    if stored.summary.run_id != run_id:
        raise NotFoundError(f"Run {run_id} has no result {result_id}.")
    run = run_info(services, run_id, ResultQuery())
    file = BytesIO()
    write_results_json([stored.result], file, run=replace(run, selection=f"result {result_id}"))
    return f"{file_name(run.run_name or f'run-{run_id}')}-result-{result_id}.json", file.getvalue()


def measuring(worker: ChartWorker) -> SummaryFunction:
    """Return `measured` as computed in the worker process. Raises `InputError`."""
    # The worker has the statistics libraries loaded; importing them here would delay every window.

    def measure(answers: Sequence[Sequence[float]], low: float | None, high: float | None) -> MetricSummary:
        summary = worker.compute(partial(summarize_metric, answers, low, high))
        if isinstance(summary, ChartError):
            raise InputError(f"Couldn’t create the file. {summary.message}")
        return summary

    return measure


def remove(path: Path) -> None:
    """Delete the file and its folder."""
    path.unlink(missing_ok=True)
    path.parent.rmdir()


def run_info(services: AppContext, run_id: int, query: ResultQuery) -> RunInfo:
    """Collect the run's description for a file. Raises `NotFoundError`."""
    run = services.library.runs.summary(run_id)
    frame = services.library.benchmarks.frame(run.benchmark_id)
    record = services.library.runs.reproducibility(run_id)
    info = RunInfo.of_run(run, services.library.runs.config(run_id), frame, in_words(query), record)
    return replace(info, version=services.library.published.state_of_run(run))


def in_words(query: ResultQuery) -> str:
    """Describe a filter: `verdict Wrong or Error; model gpt; ordered by seconds`; empty: no filter."""
    result_filter = query.filter
    parts = [f"{word} {value}" for name, word in NAMES.items() if (value := getattr(result_filter, name))]
    if result_filter.outcomes:
        parts.insert(0, "verdict " + " or ".join(ENDINGS[outcome].title for outcome in result_filter.outcomes))
    if result_filter.replicate is not None:
        parts.append(f"replicate {result_filter.replicate}")
    if query.sort.key != "position":
        parts.append(f"ordered by {query.sort.key}{', from the largest' if query.sort.descending else ''}")
    return "; ".join(parts)
