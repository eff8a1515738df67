"""Export of results with the filter and order of the results table."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import BufferedWriter, BytesIO, RawIOBase
from pathlib import Path
from queue import Full, Queue
from typing import IO, Any

from karenina_gui.analysis.chart_process import ChartError, ChartWorker
from karenina_gui.analysis.methodology import figures, summarize_metric
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.formats.results.export_kinds import KINDS
from karenina_gui.formats.results.json_writer import write_results_json
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.gui.kit.responses import file_name
from karenina_gui.gui.kit.verdicts import ENDINGS
from karenina_gui.gui.pages.results.query import NAMES, ResultQuery
from karenina_gui.gui.pages.runs.csv_processes import write_stored_csv
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.metric_summary import MetricSummary, SummaryFunction

STREAMED = {"csv", "json"}
"""Kinds that are sent while they are written."""
ALONE = 5_000
"""Results up to which the application writes CSV by itself: another process takes half a second to start."""
CHUNK, MOST_CHUNKS = 1 << 16, 8
"""Bytes of a part that is sent, and number of parts that wait for a slow browser."""

log = logging.getLogger(__name__)


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
    path = Path(tempfile.mkdtemp(prefix="export-")) / _name(run, run_id, kind, query)
    try:
        with path.open("wb") as file:
            write(services.library.results.each(run_id, query.filter, query.sort), file, run=run)
    # A failed export must not leave a file behind.
    except BaseException:
        remove(path)
        raise
    return path


def stream(services: AppContext, run_id: int, kind: str, query: ResultQuery) -> tuple[str, Iterator[bytes]]:
    """Name and content of a file of a kind in `STREAMED`, made while it is read. Raises `NotFoundError`."""
    counts, ids = services.library.results.count_and_ids(run_id, query.filter, query.sort)
    traits = services.library.results.global_traits(run_id)
    run = replace(run_info(services, run_id, query), counts=counts, traits=traits)
    if kind == "csv" and len(ids) > ALONE:
        write = partial(write_stored_csv, services.library.results.read_stored(ids), run=run)
    else:
        write = partial(KINDS[kind].write, services.library.results.read(ids), run=run)
    return _name(run, run_id, kind, query), chunks_of(write)


def chunks_of(write: Callable[[IO[bytes]], None]) -> Iterator[bytes]:
    """Content that `write` writes to its file, in another thread; it fails there once nobody reads on."""
    chunks = _Chunks()
    writer = threading.Thread(target=chunks.fill, args=(write,), name="export", daemon=True)
    writer.start()
    try:
        while (chunk := chunks.queue.get()) is not None:
            yield chunk
        if chunks.error is not None:
            raise chunks.error
    finally:
        chunks.abandoned.set()


class _Chunks(RawIOBase):
    """File whose content another thread takes from `queue`; None: the end."""

    def __init__(self) -> None:
        self.queue: Queue[bytes | None] = Queue(MOST_CHUNKS)
        self.abandoned = threading.Event()
        self.error: Exception | None = None

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._put(bytes(content))
        return len(content)

    def fill(self, write: Callable[[IO[bytes]], None]) -> None:
        file = BufferedWriter(self, CHUNK)
        try:
            write(file)
            file.flush()
        except BrokenPipeError:
            return
        except Exception as error:
            log.exception("The export was not finished.")
            self.error = error
        with suppress(BrokenPipeError):
            self._put(None)

    def _put(self, content: bytes | None) -> None:
        while not self.abandoned.is_set():
            with suppress(Full):
                return self.queue.put(content, timeout=1)
        raise BrokenPipeError


def _name(run: RunInfo, run_id: int, kind: str, query: ResultQuery) -> str:
    part = "-filtered" if query.filtered else ""
    return f"{file_name(run.run_name or f'run-{run_id}')}{part}.{kind}"


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
