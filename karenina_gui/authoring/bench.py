"""Test bench of a template: its verdicts on the question's sample answers, compared with those its author expects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from karenina_gui.authoring.mutations import mutation_outcome, plan_mutations
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.schemas.benchmark_summaries import MutationOutcome
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import SampleAnswer, SampleResult, TemplateTest, sample_answers
from karenina_gui.schemas.template import AnswerToVerify, TemplateOutline, TemplateVerdict
from karenina_gui.text.thoughts import split_thought


@dataclass(frozen=True)
class SamplePlan:
    """Samples to try on a template, and the meaning of its verdicts on them."""

    outline: TemplateOutline
    samples: Sequence[SampleAnswer]

    @cached_property
    def answers(self) -> list[AnswerToVerify]:
        """Answers of the samples that need no judge first, in order."""
        return [
            AnswerToVerify(values=_values(sample, self._fields), trace=split_thought(sample.text)[1])
            for sample, lacks in zip(self.samples, self._missing, strict=True)
            if not lacks
        ]

    def results(self, verdicts: Sequence[TemplateVerdict]) -> list[SampleResult]:
        """Return a result for each sample, from the verdicts on `answers`."""
        remaining = iter(verdicts)
        return [
            SampleResult(sample, "unread", missing=lacks) if lacks else _result(sample, next(remaining))
            for sample, lacks in zip(self.samples, self._missing, strict=True)
        ]

    @cached_property
    def _fields(self) -> list[str]:
        return _extracted_fields(self.outline)

    @cached_property
    def _missing(self) -> list[tuple[str, ...]]:
        return [_missing(sample, self._fields) for sample in self.samples]


def run_samples(
    playground: TemplatePlayground, source: str, outline: TemplateOutline, samples: Sequence[SampleAnswer]
) -> list[SampleResult]:
    """Run a valid template on the samples, in order, without a model: on the values that are stored with them."""
    plan = SamplePlan(outline, samples)
    return plan.results(playground.try_answers(source, plan.answers))


def run_bench(playground: TemplatePlayground, question: Question, outline: TemplateOutline) -> TemplateTest:
    """Test the question's checked template on its samples and on wrong values."""
    samples = SamplePlan(outline, sample_answers(question))
    if not outline.valid:
        unfinished: MutationOutcome | None = "unfinished" if outline.unfinished else None
        return TemplateTest(False, unread=len(samples.samples), mutation=unfinished)
    mutations = plan_mutations(outline, question.raw_answer)
    # In one request, because its cost is mostly that of the request. The author's own answers come first: code that
    # is stopped a few times in a row is not run on the rest.
    answers = [*samples.answers, *mutations.answers]
    for answer in answers:
        answer.brief = True
    verdicts = playground.try_answers(question.answer_template or "", answers)
    own = len(samples.answers)
    states = [result.state for result in samples.results(verdicts[:own])]
    return TemplateTest(
        True,
        wrong=states.count("unexpected") + states.count("error"),
        unread=states.count("unread"),
        mutation=mutation_outcome(mutations.cases(verdicts[own:])),
    )


def needs_judge(sample: SampleAnswer, outline: TemplateOutline) -> bool:
    """True if a judge must read the answer before the template can be tested on it."""
    return bool(_missing(sample, _extracted_fields(outline)))


def _missing(sample: SampleAnswer, fields: list[str]) -> tuple[str, ...]:
    # An empty answer fails in a run before a judge reads it.
    if sample.kind == "empty" and not sample.text.strip():
        return ()
    return tuple(name for name in fields if name not in (sample.values or {}))


def _result(sample: SampleAnswer, verdict: TemplateVerdict) -> SampleResult:
    passed = None if verdict.error else verdict.passed
    if passed is None:
        return SampleResult(sample, "error", verdict)
    return SampleResult(sample, "as_expected" if passed == sample.passes else "unexpected", verdict)


def _extracted_fields(outline: TemplateOutline) -> list[str]:
    """Names of the fields that a judge fills."""
    return [field.name for field in outline.fields if not field.is_trace] if outline.needs_judge else []


def _values(sample: SampleAnswer, fields: list[str]) -> dict[str, Any] | None:
    # Values of fields that the template no longer has would be refused.
    return {name: (sample.values or {}).get(name) for name in fields} if fields else None
