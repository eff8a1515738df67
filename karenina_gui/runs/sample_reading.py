"""Reading of sample answers by a judge, exactly as in a run, so that templates can be tested on what it extracts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from karenina_gui.runs.answer_reading import AnswerReading, ReadingsInBackground
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.sample_answer import SampleToRead

if TYPE_CHECKING:
    from karenina_gui.pipeline.context import PipelineTools

Values = dict[str, Any]
Keep = Callable[[SampleToRead, Values], object]
"""Keeps the values that a judge extracted; called on worker threads."""


class SampleReading(AnswerReading[SampleToRead, Values]):
    """One judge that reads a list of samples in the background. Thread-safe."""

    def item_id(self, item: SampleToRead) -> str:
        return item.sample.id

    def extract(self, item: SampleToRead, tools: PipelineTools) -> tuple[Values | None, str | None]:
        """Values and no problem, or the reverse."""
        from karenina_gui.pipeline.generated_answer import GeneratedAnswer
        from karenina_gui.pipeline.verify_job import VerificationTask, verify

        config = self.configuration
        task = VerificationTask(
            # Traits play no part in the test of a template.
            question=item.question.model_copy(update={"question_rubric": None}),
            config=config,
            answering_model=config.answering_models[0],
            parsing_model=self.judge,
            trusted=self.trusted,
        )
        result, _ = verify(task, tools, answer=GeneratedAnswer(item.sample.text))
        values = result.template.parsed_llm_response if result.template else None
        if values is not None:
            return values, None
        failure = result.metadata.failure
        return None, failure.reason if failure else "The judge extracted nothing."


class SampleReadings(ReadingsInBackground):
    """Readings of samples, the last one of each benchmark."""

    def last(self, benchmark_id: int) -> SampleReading | None:
        """Return the reading that was started last; None: there was none since the application started."""
        reading = self._last.get(benchmark_id)
        return reading if isinstance(reading, SampleReading) else None

    def start(
        self, benchmark_id: int, items: Sequence[SampleToRead], judge: ModelConfig, keep: Keep, *, trusted: bool
    ) -> SampleReading:
        """Start to read in the background. Raises `InputError` while another reading of the benchmark is under way."""
        reading = SampleReading(items, judge, trusted=trusted)
        busy = "Sample answers of this benchmark are being read. Wait for the end, or stop it."
        self.run(benchmark_id, reading, keep, busy)
        return reading
