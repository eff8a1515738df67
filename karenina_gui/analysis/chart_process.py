"""Process that computes charts.

Importing statistics libraries takes seconds and memory, and computing would block the event loop. The process caches
the last tables, so that another filter does not send the table again.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import pkgutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from karenina_gui.python_process import PythonProcess, answer_requests

if TYPE_CHECKING:
    from karenina_gui.analysis.run_data import RunData

log = logging.getLogger(__name__)

MOST_TABLES = 4
"""Number of cached tables."""
MOST_ROWS = 300_000
"""Rows of the cached tables above which the oldest are dropped before another one is loaded."""
PATIENCE = 60.0
"""Timeout of one answer in seconds."""
UNHURRIED = 10
"""Niceness of preloading, which must not slow down the first page."""

GONE = "The chart process ended unexpectedly. Try again. If the problem persists, this computer may lack memory."
LATE = f"Couldn’t compute this chart within {PATIENCE:.0f} s. Filter the results, and try again."

Answer = TypeVar("Answer")
Edition = Hashable
"""Version of a run's results. The process caches the table under it."""


@dataclass(frozen=True)
class ChartError:
    """Error in place of a finding."""

    message: str


class ChartWorker:
    """One process, started on first use. Thread-safe; computes one thing at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = PythonProcess(f"{__name__}:{serve.__name__}")
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Process id; None: not running."""
        return self._process.pid

    def warm_up(self) -> None:
        """Start the process, which preloads libraries at low priority. Errors appear on the first question."""
        with self._lock, contextlib.suppress(EOFError):
            try:
                self._check_open()
                self._process.start()
            except OSError:
                log.exception("Charts could not be prepared; it will be tried again when one is opened.")

    def ask(
        self, question: Callable[[RunData], Answer], edition: Edition, load: Callable[[], RunData]
    ) -> Answer | ChartError:
        """Compute `question` on a run's results; blocks.

        `question` and `load` are functions of modules, or a `partial` of one. The process calls `load` if it does not
        have the results of this edition. Errors are returned as `ChartError`.
        """
        return self._run_guarded(lambda: self._ask(question, edition, load))

    def compute(self, question: Callable[[], Answer]) -> Answer | ChartError:
        """Compute a question without a table; blocks. Errors as in `ask`."""
        return self._run_guarded(lambda: self._ask(question, None, None))

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self._process.end()

    def _run_guarded(self, send: Callable[[], Answer | ChartError]) -> Answer | ChartError:
        """Run one request at a time, and return process errors as `ChartError`."""
        with self._lock:
            try:
                return send()
            except TimeoutError:
                return ChartError(LATE)
            except (OSError, EOFError):
                return ChartError(GONE)

    def _ask(self, *what: Any) -> Any:
        """Send a request, and retry once if the process has died."""
        self._check_open()
        try:
            return self._process.ask(what, PATIENCE)
        except (EOFError, ConnectionError):
            self._check_open()
            return self._process.ask(what, PATIENCE)

    def _check_open(self) -> None:
        if self._closed:
            raise EOFError


def serve() -> None:
    """Answer requests until the pipe closes."""
    tables: OrderedDict[Edition, RunData] = OrderedDict()
    threading.Thread(target=_load_ahead, daemon=True).start()
    answer_requests(partial(_answer, tables))


def _answer(
    tables: OrderedDict[Edition, RunData],
    request: tuple[Callable[..., Any], Edition, Callable[[], RunData] | None],
) -> Any:
    question, edition, load = request
    # Tables of large runs have millions of objects, none in cycles; searching for cycles takes half of the time.
    gc.disable()
    try:
        if load is None:
            return question()
        if edition not in tables:
            # Before others are loaded: two large runs may not fit.
            while len(tables) >= MOST_TABLES or sum(len(data.table) for data in tables.values()) > MOST_ROWS:
                tables.popitem(last=False)
            tables[edition] = load()
        # The oldest tables are dropped first: windows on the same run ask for the same edition.
        tables.move_to_end(edition)
        return question(tables[edition])
    except Exception as error:
        log.exception("The figures could not be computed (%s).", question)
        # The process must survive an error in one chart, and an exception may not be picklable.
        reason = f"{type(error).__name__}: {str(error)[:200].strip().rstrip('.')}."
        return ChartError(
            f"Couldn’t compute this chart: {reason} Choose another chart or filter. If the problem persists, report it."
        )
    finally:
        gc.enable()


def _load_ahead() -> None:
    with contextlib.suppress(AttributeError, OSError):  # not on this system
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), UNHURRIED)
    from karenina_gui.analysis import scores, statistics  # noqa: F401

    for module in pkgutil.iter_modules(statistics.__path__, f"{statistics.__name__}."):
        import_module(module.name)
