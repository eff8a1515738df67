"""Test bench of a template: its verdicts on the question's sample answers, compared with those its author expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.schemas.sample_answer import SampleAnswer, SampleResult
from karenina_gui.schemas.template import AnswerToVerify, TemplateOutline, TemplateVerdict


def run_samples(
    playground: TemplatePlayground, source: str, outline: TemplateOutline, samples: Sequence[SampleAnswer]
) -> list[SampleResult]:
    """Run a valid template on the samples, in order, without a model: on the values that are stored with them."""
    fields = _extracted_fields(outline)
    missing = [_missing(each, fields) for each in samples]
    # In one request, which is much quicker than one for each sample.
    ready = [sample for sample, lacks in zip(samples, missing, strict=True) if not lacks]
    answers = [AnswerToVerify(values=_values(each, fields), trace=each.text) for each in ready]
    verdicts = iter(playground.try_answers(source, answers))
    return [
        SampleResult(sample, "unread", missing=lacks) if lacks else _result(sample, next(verdicts))
        for sample, lacks in zip(samples, missing, strict=True)
    ]


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
