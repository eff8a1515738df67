"""CSV files of large runs, written by several processes: one takes 0.1 ms a row, and would slow down every window."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from io import BytesIO
from queue import SimpleQueue
from typing import IO

from karenina_gui.formats.results.csv_writer import write_results_csv
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.python_process import PythonProcess, answer_requests
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.store.compression import expand

MOST_PROCESSES = 4
PATIENCE = 60.0
"""Seconds within which a process writes a part."""
Stored = bytes | str
"""Document of a result as the library has it."""


def write_stored_csv(parts: Iterable[Sequence[Stored]], file: IO[bytes], *, run: RunInfo) -> None:
    """Write the results of all parts in order, with the columns above them; `run.traits` must be set."""
    # Large, and in no cell.
    run = replace(run, reproducibility=None)
    write_results_csv((), file, run=run)
    processes = [PythonProcess(f"{__name__}:{serve.__name__}") for _ in range(min(MOST_PROCESSES, os.cpu_count() or 1))]
    idle: SimpleQueue[PythonProcess] = SimpleQueue()
    writing: deque[Future[bytes]] = deque()
    with ExitStack() as stack:
        for process in processes:
            idle.put(process)
            stack.callback(process.end)
        pool = ThreadPoolExecutor(len(processes), thread_name_prefix="csv")
        stack.callback(pool.shutdown, cancel_futures=True)
        for documents in parts:
            writing.append(pool.submit(_ask, idle, run, documents))
            if len(writing) > 2 * len(processes):
                file.write(writing.popleft().result())
        for future in writing:
            file.write(future.result())


def _ask(idle: SimpleQueue[PythonProcess], run: RunInfo, documents: Sequence[Stored]) -> bytes:
    process = idle.get()
    try:
        rows: bytes | None = process.ask((run, documents), PATIENCE)
    except (OSError, EOFError):  # the process has died, or could not be started
        process.end()
        rows = None
    finally:
        idle.put(process)
    return _rows(run, documents) if rows is None else rows


def serve() -> None:
    """Answer requests until the pipe closes."""
    # No result is in a cycle; searching for cycles takes a tenth of the time.
    gc.disable()
    answer_requests(_answer)


def _answer(request: tuple[RunInfo, Sequence[Stored]]) -> bytes | None:
    """Rows; None: a result cannot be read, which the application reports when it tries."""
    try:
        return _rows(*request)
    except Exception:
        return None


def _rows(run: RunInfo, documents: Sequence[Stored]) -> bytes:
    rows = BytesIO()
    results = (VerificationResult.model_validate_json(expand(document)) for document in documents)
    write_results_csv(results, rows, run=run, columns=False)
    return rows.getvalue()
