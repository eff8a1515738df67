"""Reading of sample answers by a judge, exactly as in a run, so that templates can be tested on what it extracts."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from karenina_gui.errors import InputError, RunCancelled
from karenina_gui.events import Signal
from karenina_gui.runs.execution import OpenAdapters
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.sample_answer import SampleToRead
from karenina_gui.schemas.verification_config import VerificationConfig

if TYPE_CHECKING:
    from karenina_gui.pipeline.context import PipelineTools

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Samples that are read at the same time."""

Keep = Callable[[SampleToRead, dict[str, Any]], object]
"""Keeps the values that a judge extracted; called on worker threads."""


class SampleReading:
    """One judge that reads a list of samples in the background. Thread-safe."""

    def __init__(self, items: Sequence[SampleToRead], judge: ModelConfig, *, trusted: bool) -> None:
        """`trusted`: code of the benchmark may run on a computer without a sandbox for it."""
        self.items = tuple(items)
        self.judge = judge
        self.done = 0
        """Number of samples that were read, or failed."""
        self.problems: dict[str, str] = {}
        """Reason by id of each sample that could not be read."""
        self.changed: Signal[[]] = Signal()
        """A sample was read or the reading ended; emitted on worker threads."""
        self._trusted = trusted
        self._cancelled = threading.Event()
        self._over = threading.Event()
        self._counting = threading.Lock()
        self._end_calls: Callable[[], object] = lambda: None

    @property
    def over(self) -> bool:
        """True if nothing is being read anymore."""
        return self._over.is_set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Stop, and close the connections of calls under way; samples that were read are kept."""
        self._cancelled.set()
        self._end_calls()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; False: it is still under way after `timeout` seconds (None: no limit)."""
        return self._over.wait(timeout)

    def work(self, sandbox: Sandbox, open_adapters: OpenAdapters, keep: Keep) -> None:
        """Read all samples; the main function of its thread."""
        # The engine takes a while to load, and most windows never need it.
        from karenina_gui.runs.executor import open_tools

        try:
            with open_adapters(None) as adapters:
                self._end_calls = adapters.end_calls
                tools = open_tools(adapters, sandbox, _configuration(self.judge), self._cancelled.is_set)
                with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="read-samples") as pool:
                    list(pool.map(lambda item: self._read(item, tools, keep), self.items))
        except Exception as error:
            log.exception("The reading of samples broke")
            self.problems.setdefault("", f"{type(error).__name__}: {error}")
        finally:
            self._over.set()
            self.changed.emit()

    def _read(self, item: SampleToRead, tools: PipelineTools, keep: Keep) -> None:
        if self.cancelled:
            return
        try:
            values, problem = self._extract(item, tools)
        except RunCancelled:
            return
        # Its connection may have been closed, which is no fault of the model.
        if values is not None:
            keep(item, values)
        elif self._cancelled.is_set():
            return  # its connection was closed, which is no fault of the model
        with self._counting:
            self.done += 1
            if problem:
                self.problems[item.sample.id] = problem
        self.changed.emit()

    def _extract(self, item: SampleToRead, tools: PipelineTools) -> tuple[dict[str, Any] | None, str | None]:
        """Values and no problem, or the reverse."""
        from karenina_gui.pipeline.generated_answer import GeneratedAnswer
        from karenina_gui.pipeline.verify_job import VerificationTask, verify

        config = _configuration(self.judge)
        task = VerificationTask(
            # Traits play no part in the test of a template.
            question=item.question.model_copy(update={"question_rubric": None}),
            config=config,
            answering_model=config.answering_models[0],
            parsing_model=self.judge,
            trusted=self._trusted,
        )
        result, _ = verify(task, tools, answer=GeneratedAnswer(item.sample.text))
        values = result.template.parsed_llm_response if result.template else None
        if values is not None:
            return values, None
        failure = result.metadata.failure
        return None, failure.reason if failure else "The judge extracted nothing."


class SampleReadings:
    """Readings of samples under way or over, the last one of each benchmark. They do not depend on any window."""

    def __init__(self, sandbox: Sandbox, open_adapters: OpenAdapters) -> None:
        self._sandbox, self._open_adapters = sandbox, open_adapters
        self._last: dict[int, SampleReading] = {}

    def last(self, benchmark_id: int) -> SampleReading | None:
        """Return the reading that was started last; None: there was none since the application started."""
        return self._last.get(benchmark_id)

    def start(
        self, benchmark_id: int, items: Sequence[SampleToRead], judge: ModelConfig, keep: Keep, *, trusted: bool
    ) -> SampleReading:
        """Start to read in the background. Raises `InputError` while another reading of the benchmark is under way."""
        before = self.last(benchmark_id)
        if before is not None and not before.over:
            raise InputError("Sample answers of this benchmark are being read. Wait for the end, or stop it.")
        reading = self._last[benchmark_id] = SampleReading(items, judge, trusted=trusted)
        work = partial(reading.work, self._sandbox, self._open_adapters, keep)
        threading.Thread(target=work, name=f"read-samples-{benchmark_id}", daemon=True).start()
        return reading

    def close(self) -> None:
        """Stop all readings, and wait for their calls to end."""
        for reading in self._last.values():
            reading.changed.clear()
            reading.cancel()
        for reading in self._last.values():
            reading.wait()


def _configuration(judge: ModelConfig) -> VerificationConfig:
    answers = ModelConfig(id="sample answers", model_name="sample answers", interface="manual", manual_traces={})
    return VerificationConfig(
        answering_models=[answers], parsing_models=[judge], evaluation_mode="template_only", replicate_count=1
    )
