"""Template methods in Monty: a small Python without files, network, processes or this process's memory.

It is the same on every system, and runs in a worker process with limits on time and memory.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox.framing import in_utf8
from karenina_gui.sandbox.inside.author_errors import AUTHORS_LINE, PRINTED_AT_MOST, author_error
from karenina_gui.sandbox.limits import Limits
from karenina_gui.sandbox.worker_processes import WorkerProcesses
from karenina_gui.schemas.template import CodeFaultKind, TemplateProblem

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontyError, MontySession, ResourceLimits

    from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate

_LOADED = "<python-input-0>"
"""Monty's file name of the first piece of code."""
_GRACE_S = 2.0
"""Seconds beyond the timeout of code; Monty itself waits one of them."""
_DEEPEST = 500
"""Depth of nested calls."""
_CALL = """
_answer = {name}()
for _name, _value in _state.items():
    setattr(_answer, _name, _value)
_returned = _answer.{method}(*_arguments)
(_returned, [[_name, getattr(_answer, _name)] for _name in _names if hasattr(_answer, _name)])
"""


class CodeStopped(Exception):
    """The code had to be stopped, or its process is gone."""

    def __init__(self, kind: CodeFaultKind) -> None:
        super().__init__(kind)
        self.kind = kind


class MontyPool:
    """Pool of worker processes, started when first needed. Thread-safe."""

    def __init__(self, slots: int, limits: Limits, patterns: WorkerProcesses) -> None:
        """`patterns`: processes for the patterns that methods set."""
        self._slots = slots
        self._patterns = patterns
        self._limits = limits
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self._pool: Monty | None = None
        self._closed = False
        self._working: set[int] = set()
        """Ids of the processes in use."""

    @contextmanager
    def run(self, name: str, code: str, attributes: list[str]) -> Iterator[MontyRun]:
        """Yield a fresh run for one answer. `code` has a class of this name, whose methods set these attributes.

        Raises `SandboxError` if no process can be started, or the pool is closed.
        """
        limits: ResourceLimits = {
            "max_feed_duration_secs": self._limits.wall_s,
            "max_memory": self._limits.memory_mb << 20,
            "max_recursion_depth": _DEEPEST,
        }
        with self._open().checkout(limits=limits) as session:
            worker = session.worker_pid
            with self._lock:
                if worker is not None:
                    self._working.add(worker)
            try:
                yield MontyRun(session, name, code, attributes, self._is_closed, self._check_patterns)
            finally:
                with self._lock:
                    self._working.discard(worker or 0)

    def close(self) -> None:
        """End all processes. Calls in progress end as `lost`."""
        with self._lock:
            self._closed = True
            working = list(self._working)
        # Monty's pool waits for sessions in use, which may loop: their processes are ended first.
        for worker in working:
            with suppress(OSError):
                os.kill(worker, signal.SIGTERM)
        self._stack.close()

    def _check_patterns(self, patterns: Mapping[str, Any], text: str) -> dict[str, Any]:
        request = {"op": "check_patterns", "patterns": patterns, "text": text}
        reply = self._patterns.ask(in_utf8(json.dumps(request, ensure_ascii=False)), self._limits.wall_s)
        if reply.status != "ok":
            raise CodeStopped(reply.status)
        matches: dict[str, Any] = json.loads(reply.body.decode("utf-8", "surrogatepass"))["found"]
        return matches

    def _is_closed(self) -> bool:
        return self._closed

    def _open(self) -> Monty:
        from pydantic_monty import Monty

        with self._lock:
            if self._closed:
                raise SandboxError("the sandbox is closed")
            if self._pool is None:
                made = Monty(
                    max_processes=self._slots,
                    max_checkouts_per_worker=self._limits.lifetime_requests,
                    # For all that is no code, such as cleaning up: a process that was stopped would be waited for.
                    request_timeout=self._limits.wall_s + _GRACE_S,
                )
                self._pool = self._stack.enter_context(made)
            return self._pool


class MontyRun:
    """Runs the methods of one template for one answer (a `MethodRunner`).

    The code is loaded afresh, so that no change that one answer made survives to the next.
    """

    def __init__(
        self,
        session: MontySession,
        name: str,
        code: str,
        attributes: list[str],
        is_closed: Callable[[], bool],
        check_patterns: Callable[[Mapping[str, Any], str], dict[str, Any]],
    ) -> None:
        self.printed = ""
        """Output of the code, at most 8 KiB."""
        self.failed: BaseException | None = None
        """First exception of the author's code; None if there was none."""
        self._stopped: CodeStopped | None = None
        self._session = session
        self._name = name
        self._code = code
        self._attributes = attributes
        self._is_closed = is_closed
        self._check_patterns = check_patterns

    def raise_if_stopped(self) -> None:
        """Raise `CodeStopped` if the code was stopped.

        Judging catches everything that a method raises, this included.
        """
        if self._stopped is not None:
            raise self._stopped

    def load(self, template: LoadedTemplate) -> LoadedTemplate:
        """Return the template after loading its code; if that fails, one with the problem and no class.

        Raises `CodeStopped`.
        """
        try:
            self.define()
        except CodeStopped:
            raise
        except BaseException as error:
            fault = author_error(error, {})
            message = f"Error executing template code: {fault.sentence}"
            problem = TemplateProblem(message=message, line=fault.line, column=fault.column)
            return replace(template, answer=None, problems=[problem])
        self.printed = ""
        return template

    def define(self) -> None:
        """Run the code, which defines what is called later. Raises what it raises, or `CodeStopped`."""
        self._feed(self._code, {})

    def evaluate(self, function: str, text: str) -> Any:
        """Call the function with the text. Raises what it raises, or `CodeStopped`."""
        return self._feed(f"{function}(_text)", {"_text": text})

    def call(self, name: str, state: dict[str, Any], arguments: tuple[Any, ...]) -> tuple[Any, dict[str, Any]]:
        names = list(dict.fromkeys((*state, *self._attributes, "correct", "regex")))
        inputs = {"_state": state, "_arguments": list(arguments), "_names": names}
        returned, after = self._feed(_CALL.format(name=self._name, method=name), inputs)
        return returned, dict(after)

    def check_patterns(self, patterns: Mapping[str, Any], text: str) -> dict[str, Any]:
        try:
            return self._check_patterns(patterns, text)
        except CodeStopped as stopped:
            self._stopped = stopped
            raise
        except (TypeError, ValueError) as error:  # what the author has set is nothing to search for
            self.failed = self.failed or error
            raise

    def _feed(self, code: str, inputs: dict[str, Any]) -> Any:
        from pydantic_monty import MontyCrashedError, MontyError

        try:
            return self._session.feed_run(code, inputs=inputs, print_callback=self._hear)
        except MontyCrashedError as gone:
            raise self._stop("lost" if self._is_closed() else "timeout" if gone.timed_out else "crashed") from None
        except MontyError as raised:
            raise self._error_of(raised) from None

    def _error_of(self, raised: MontyError) -> BaseException:
        """Error of the author's code, with its line; `CodeStopped` if a limit stopped the code."""
        error: BaseException = raised.exception()
        if isinstance(error, TimeoutError):
            return self._stop("timeout")
        if isinstance(error, MemoryError):
            return self._stop("memory")
        self.failed = self.failed or error
        with suppress(AttributeError):
            lines = [frame.line for frame in raised.traceback() if frame.filename == _LOADED]  # type: ignore[attr-defined]
            setattr(error, AUTHORS_LINE, lines[-1] if lines else None)
        return error

    def _stop(self, kind: CodeFaultKind) -> CodeStopped:
        self._stopped = CodeStopped(kind)
        return self._stopped

    def _hear(self, _stream: str, text: str) -> None:
        self.printed = (self.printed + text)[:PRINTED_AT_MOST]
