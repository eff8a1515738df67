"""Judging of the answers of a calibration, exactly as in a run, under a wording that is not saved yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karenina_gui.runs.answer_reading import AnswerReading, ReadingsInBackground
from karenina_gui.schemas.calibration import JudgedValue, JudgmentSet, LabelScale, Wording
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import Rubric

if TYPE_CHECKING:
    from karenina_gui.pipeline.context import PipelineTools

Save = Callable[[JudgmentSet], object]


@dataclass(frozen=True)
class AnswerToJudge:
    """A drawn answer, and its question as the judge should see it."""

    key: str
    text: str
    question: Question
    rubric: Rubric | None
    """The trait alone; None: a field of the question's template is judged."""


@dataclass(frozen=True)
class JudgingOrder:
    """Judging as ordered by an author."""

    calibration_id: int
    name: str
    """Name of the trait or field."""
    scale: LabelScale
    wording: Wording
    judge: ModelConfig
    judge_name: str
    """Name under which the model is saved."""
    trusted: bool


class CalibrationJudging(AnswerReading[AnswerToJudge, JudgedValue]):
    """One judge that reads the answers of a calibration. Thread-safe."""

    def __init__(self, order: JudgingOrder, items: Sequence[AnswerToJudge], save: Save) -> None:
        super().__init__(items, order.judge, trusted=order.trusted)
        self.order = order
        self.values: dict[str, JudgedValue] = {}
        """By key of the answer."""
        self._save = save
        # A trait needs no template: its question may have none, and its fields would cost calls.
        self.mode = "rubric_only" if items and items[0].rubric is not None else "template_only"

    def item_id(self, item: AnswerToJudge) -> str:
        return item.key

    def extract(self, item: AnswerToJudge, tools: PipelineTools) -> tuple[JudgedValue | None, str | None]:
        """Value of the judge and no problem, or the reverse."""
        from karenina_gui.pipeline.generated_answer import GeneratedAnswer
        from karenina_gui.pipeline.verify_job import VerificationTask, verify

        config = self.configuration
        task = VerificationTask(
            question=item.question,
            config=config,
            answering_model=config.answering_models[0],
            parsing_model=self.judge,
            rubric=item.rubric,
            trusted=self.trusted,
        )
        result, _ = verify(task, tools, answer=GeneratedAnswer(item.text))
        return self._value(result)

    def on_end(self) -> None:
        """Save the values, those of a stopped judging too: they were paid for."""
        # Without any value there is nothing to compare; the page shows the reasons.
        if self.values:
            self._save(
                JudgmentSet(
                    wording=self.order.wording,
                    judge=self.order.judge_name,
                    source="asked",
                    values=self.values,
                    problems=self.problems,
                )
            )

    def keep(self, item: AnswerToJudge, value: JudgedValue) -> None:
        """Keep a value until all answers are judged."""
        self.values[item.key] = value

    def _value(self, result: VerificationResult) -> tuple[JudgedValue | None, str | None]:
        scale, name = self.order.scale, self.order.name
        value = _value_of(result, name, is_class=scale.kind == "class", is_trait=self.mode == "rubric_only")
        if value is _NOTHING:
            return None, _reason(result)
        if not scale.accepts(value):
            return None, f"The judge said {value!r:.60}, but that isn’t one of the possible values."
        return JudgedValue(value=value, reasoning=_reasoning(result, name)), None


class CalibrationJudgings(ReadingsInBackground):
    """Judgings of calibrations, the last one of each."""

    def last(self, calibration_id: int) -> CalibrationJudging | None:
        """Return the judging that was started last; None: there was none since the application started."""
        reading = self._last.get(calibration_id)
        return reading if isinstance(reading, CalibrationJudging) else None

    def start(self, order: JudgingOrder, items: Sequence[AnswerToJudge], save: Save) -> CalibrationJudging:
        """Start to judge in the background. Raises `InputError` while the answers are being judged already."""
        judging = CalibrationJudging(order, items, save)
        busy = "These answers are being judged. Wait for the end, or stop it."
        self.run(order.calibration_id, judging, judging.keep, busy)
        return judging


_NOTHING: Any = object()


def _value_of(result: VerificationResult, name: str, *, is_class: bool, is_trait: bool) -> Any:
    """Value in a result; `_NOTHING`: the judge gave none, or one out of scale."""
    if not is_trait:
        values = (result.template.parsed_llm_response if result.template else None) or {}
        return values.get(name, _NOTHING)
    if result.rubric is None or name in result.rubric.out_of_scale:
        return _NOTHING
    scores = result.rubric.llm_trait_labels if is_class else result.rubric.llm_trait_scores
    return (scores or {}).get(name, _NOTHING)


def _reason(result: VerificationResult) -> str:
    """Reason for a missing value."""
    if (failure := result.metadata.failure) is not None:
        return failure.reason
    return next(iter(result.metadata.warnings), "The judge gave no value.")


def _reasoning(result: VerificationResult, name: str) -> str | None:
    deep = result.deep_judgment_rubric
    if deep is not None and deep.rubric_trait_reasoning:
        return deep.rubric_trait_reasoning.get(name)
    fields = result.deep_judgment.attribute_reasoning if result.deep_judgment else None
    return (fields or {}).get(name)
