"""The process that computes findings: libraries of statistics take seconds to load, and memory, and windows wait for
neither.

It is a Python of its own, which knows nothing of what runs here, and ends with its end of the line. It keeps the last
tables, so that another filter sends none again.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pkgutil
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from karenina_gui.analysis.material import Material

log = logging.getLogger(__name__)

KEPT = 4
"""Tables that the process keeps."""
PATIENCE = 60.0
"""Seconds that one answer may take."""
UNHURRIED = 10
"""Niceness of what is loaded ahead: whoever opens the first page needs the processor more."""

BROKEN = "Couldn’t compute this chart: {} Choose another chart or filter. If the problem persists, report it."
GONE = "The chart process ended unexpectedly. Try again. If the problem persists, this computer may lack memory."
LATE = f"Couldn’t compute this chart within {PATIENCE:.0f} s. Filter the results, and try again."

Answer = TypeVar("Answer")
Edition = Hashable
"""What tells one state of a run's results from another: it is kept for as long as this is the same."""


ALONE = "alone"
"""In the place of an edition: the question needs no table."""


@dataclass(frozen=True)
class Trouble:
    """Why there is no finding."""

    message: str


class Lacking:
    """The answer of a process that does not have the table of this edition."""


class Worker:
    """One process, started when it is first needed. Safe to use from any thread; it computes one thing at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Of the process; None: there is none."""
        return self._process.pid if self._process else None

    def warm_up(self) -> None:
        """Start the process, which loads its libraries without haste; what goes wrong shows when it is asked."""
        with self._lock, contextlib.suppress(EOFError):
            try:
                self._start()
            except OSError:
                log.exception("Charts could not be prepared; it will be tried again when one is opened.")

    def ask(
        self, question: Callable[[Material], Answer], edition: Edition, load: Callable[[], Material]
    ) -> Answer | Trouble:
        """Compute this of a run's results; blocks. `question` is a function of a module, or a `partial` of one.

        `load` is called where the process does not have the table of this edition yet. Whatever goes wrong is told,
        never raised, except errors of `load` itself.
        """

        def asked() -> Answer | Trouble:
            answer: Answer | Trouble | Lacking = self._ask(question, edition, None)
            return self._ask(question, edition, load()) if isinstance(answer, Lacking) else answer

        return self._told(asked)

    def compute(self, question: Callable[[], Answer]) -> Answer | Trouble:
        """Compute what needs no table; blocks. Otherwise as `ask`."""
        return self._told(lambda: self._ask(question, ALONE, None))

    def close(self) -> None:
        """End the process; nothing is computed any more."""
        self._closed = True
        self._end()

    def _told(self, asked: Callable[[], Answer | Trouble]) -> Answer | Trouble:
        """One at a time; what goes wrong with the process as a value."""
        with self._lock:
            try:
                return asked()
            except TimeoutError:
                self._end()
                return Trouble(LATE)
            except (OSError, EOFError):
                self._end()
                return Trouble(GONE)

    def _ask(self, *what: Any) -> Any:
        """Once more where the process turns out to have died meanwhile."""
        line = self._start()
        try:
            return _answer(line, what)
        except (EOFError, ConnectionError):
            if self._closed:
                raise
            self._end()
            return _answer(self._start(), what)

    def _start(self) -> Connection:
        """The line to the process, which is started if need be."""
        if self._closed:
            raise EOFError
        if self._line is None or self._process is None or self._process.poll() is not None:
            self._end()
            self._line, self._process = _process()
        return self._line

    def _end(self) -> None:
        line, process = self._line, self._process
        self._line = self._process = None
        if line is not None:
            line.close()
        if process is not None:
            process.kill()
            process.wait()


def _answer(line: Connection, what: Any) -> Any:
    line.send(what)
    if not line.poll(PATIENCE):
        raise TimeoutError
    return line.recv()


def _process() -> tuple[Connection, subprocess.Popen[bytes]]:
    """A Python of its own: what this one was started with is not loaded once more."""
    ours, theirs = Pipe()
    with theirs:
        serve_it = f"from {__name__} import serve; serve({theirs.fileno()})"
        paths = os.pathsep.join(path for path in sys.path if path)
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", serve_it],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl+C is for the application
            env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
    return ours, process


def serve(handle: int) -> None:
    """What the process does: answer until the other end is gone."""
    tables: OrderedDict[Edition, Material] = OrderedDict()
    threading.Thread(target=_load_ahead, daemon=True).start()
    with Connection(handle) as line, contextlib.suppress(EOFError, ConnectionError, KeyboardInterrupt):
        while True:
            question, edition, material = line.recv()
            if material is not None:
                tables[edition] = material
                while len(tables) > KEPT:
                    tables.popitem(last=False)
            if edition == ALONE:
                line.send(_answer_to(question))
            elif edition in tables:
                tables.move_to_end(edition)
                line.send(_answer_to(question, tables[edition]))
            else:
                line.send(Lacking())


def _answer_to(question: Callable[..., Any], *table: Material) -> Any:
    try:
        return question(*table)
    except Exception as error:
        log.exception("The figures could not be computed (%s).", question)
        return Trouble(BROKEN.format(f"{type(error).__name__}: {str(error)[:200].strip().rstrip('.')}."))


def _load_ahead() -> None:
    with contextlib.suppress(AttributeError, OSError):  # not on this system
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), UNHURRIED)
    from karenina_gui.analysis import scores, statistics  # noqa: F401

    for module in pkgutil.iter_modules(statistics.__path__, f"{statistics.__name__}."):
        import_module(module.name)
