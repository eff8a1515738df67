"""Judges that read stored answers in the background, exactly as in a run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from karenina_gui.errors import InputError, RunCancelled
from karenina_gui.events import Signal
from karenina_gui.runs.execution import OpenAdapters
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import EvaluationMode, VerificationConfig

if TYPE_CHECKING:
    from karenina_gui.pipeline.context import PipelineTools

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Answers that are read at the same time."""

Item = TypeVar("Item")
Value = TypeVar("Value")


class AnswerReading(Generic[Item, Value]):
    """One judge that reads a list of answers in the background. Thread-safe."""

    mode: EvaluationMode = "template_only"

    def __init__(self, items: Sequence[Item], judge: ModelConfig, *, trusted: bool) -> None:
        """`trusted`: code of the benchmark may run on a computer without a sandbox for it."""
        self.items = tuple(items)
        self.judge = judge
        self.done = 0
        """Number of answers that were read, or failed."""
        self.problems: dict[str, str] = {}
        """Reason by id of each answer that could not be read."""
        self.changed: Signal[[]] = Signal()
        """An answer was read or the reading ended; emitted on worker threads."""
        self.trusted = trusted
        self._cancelled = threading.Event()
        self._over = threading.Event()
        self._counting = threading.Lock()
        self._end_calls: Callable[[], object] = lambda: None

    def item_id(self, item: Item) -> str:
        """Id of an answer, for `problems`."""
        raise NotImplementedError

    def extract(self, item: Item, tools: PipelineTools) -> tuple[Value | None, str | None]:
        """Let the judge read one answer: what it found and no problem, or the reverse."""
        raise NotImplementedError

    def on_end(self) -> None:
        """Carry out what follows the last answer; called on the thread of the reading."""

    @property
    def over(self) -> bool:
        """True if nothing is being read anymore."""
        return self._over.is_set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def configuration(self) -> VerificationConfig:
        """Settings as in a run with this judge alone."""
        answers = ModelConfig(id="sample answers", model_name="sample answers", interface="manual", manual_traces={})
        return VerificationConfig(
            answering_models=[answers], parsing_models=[self.judge], evaluation_mode=self.mode, replicate_count=1
        )

    def cancel(self) -> None:
        """Stop, and close the connections of calls under way; answers that were read are kept."""
        self._cancelled.set()
        self._end_calls()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; False: it is still under way after `timeout` seconds (None: no limit)."""
        return self._over.wait(timeout)

    def work(self, sandbox: Sandbox, open_adapters: OpenAdapters, keep: Callable[[Item, Value], object]) -> None:
        """Read all answers; the main function of its thread."""
        # The engine takes a while to load, and most windows never need it.
        from karenina_gui.runs.executor import open_tools

        try:
            with open_adapters(None) as adapters:
                self._end_calls = adapters.end_calls
                tools = open_tools(adapters, sandbox, self.configuration, self._cancelled.is_set)
                with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="read-answers") as pool:
                    list(pool.map(lambda item: self._read(item, tools, keep), self.items))
        except Exception as error:
            self._note_fault(error)
        # Also after a fault, because the values that came before it were paid for.
        try:
            self.on_end()
        except Exception as error:
            self._note_fault(error)
        finally:
            self._over.set()
            self.changed.emit()

    def _note_fault(self, error: Exception) -> None:
        log.exception("The reading of answers broke")
        self.problems.setdefault("", f"{type(error).__name__}: {error}")

    def _read(self, item: Item, tools: PipelineTools, keep: Callable[[Item, Value], object]) -> None:
        if self.cancelled:
            return
        try:
            value, problem = self.extract(item, tools)
        except RunCancelled:
            return
        if value is not None:
            keep(item, value)
        elif self._cancelled.is_set():
            return  # its connection was closed, which is no fault of the model
        with self._counting:
            self.done += 1
            if problem:
                self.problems[self.item_id(item)] = problem
        self.changed.emit()


class ReadingsInBackground:
    """Readings under way or over, the last one under each key. They do not depend on any window."""

    def __init__(self, sandbox: Sandbox, open_adapters: OpenAdapters) -> None:
        self._sandbox, self._open_adapters = sandbox, open_adapters
        self._last: dict[int, AnswerReading[Any, Any]] = {}

    def run(
        self, key: int, reading: AnswerReading[Item, Value], keep: Callable[[Item, Value], object], busy: str
    ) -> None:
        """Start to read in the background. Raises `InputError(busy)` while another one of this key is under way."""
        before = self._last.get(key)
        if before is not None and not before.over:
            raise InputError(busy)
        self._last[key] = reading
        work = partial(reading.work, self._sandbox, self._open_adapters, keep)
        threading.Thread(target=work, name=f"read-answers-{key}", daemon=True).start()

    def close(self) -> None:
        """Stop all readings, and wait for their calls to end."""
        for reading in self._last.values():
            reading.changed.clear()
            reading.cancel()
        for reading in self._last.values():
            reading.wait()
