"""Sample answers of a question: texts with the verdict that its author expects, on which its template is tested.

They are kept in the question's metadata, so that files of the benchmark carry them through other tools.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from karenina_gui.errors import InputError
from karenina_gui.schemas.benchmark_summaries import MutationOutcome
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.template import TemplateVerdict

SAMPLE_ANSWERS = "sample_answers"
"""Key of `custom_metadata`: the list of samples."""

SampleKind = Literal["correct", "paraphrase", "partial", "wrong", "refusal", "empty", "other"]

PASSING_KINDS: tuple[SampleKind, ...] = ("correct", "paraphrase")
"""Kinds whose answers are expected to pass unless the author says otherwise."""


def new_id() -> str:
    """Id for a sample answer, unique in its question."""
    return uuid.uuid4().hex[:12]


class SampleAnswer(BaseModel):
    """One answer, the verdict that the template should give it, and the values that a judge extracted from it."""

    id: str = Field(default_factory=new_id, min_length=1)
    kind: SampleKind = "other"
    text: str = ""
    passes: bool = True
    """Expected verdict."""
    values: dict[str, Any] | None = None
    """Extracted values by field; None: no judge has read the answer, and nobody has entered values."""
    judge: str | None = None
    """Model that extracted `values`; None: they were entered by hand, or there are none."""
    origin: str | None = None
    """Source of the answer, such as a run and its model; None: written by hand."""


def sample_answers(question: Question) -> list[SampleAnswer]:
    """Sample answers of a question, in order. Metadata of this name that holds anything else counts as none."""
    return samples_in(question.custom_metadata) or []


def samples_in(metadata: dict[str, Any] | None) -> list[SampleAnswer] | None:
    """Sample answers in custom metadata. None: its entry of this name is missing, or holds something else."""
    stored = (metadata or {}).get(SAMPLE_ANSWERS)
    if not isinstance(stored, list):
        return None
    try:
        return [SampleAnswer.model_validate(sample) for sample in stored]
    except ValidationError:
        return None


def with_samples(metadata: dict[str, Any] | None, samples: Iterable[SampleAnswer]) -> dict[str, Any] | None:
    """Return the metadata with these samples in place of its own; None: nothing is left.

    Raises `InputError` if the metadata has an entry of this name that holds something else.
    """
    rest = dict(metadata or {})
    if rest.get(SAMPLE_ANSWERS) is not None and samples_in(rest) is None:
        raise InputError(
            f"The metadata field “{SAMPLE_ANSWERS}” is reserved for sample answers, but holds other data. Rename it on "
            "the tab Question."
        )
    rest.pop(SAMPLE_ANSWERS, None)
    written = [sample.model_dump(mode="json", exclude_none=True) for sample in samples]
    return {**rest, **({SAMPLE_ANSWERS: written} if written else {})} or None


def rename_values(metadata: dict[str, Any] | None, old: str, new: str) -> dict[str, Any] | None:
    """Return the metadata with the values of a field under its new name in all sample answers."""
    samples = samples_in(metadata)
    if not samples:
        return metadata
    for sample in samples:
        values = sample.values or {}
        if old in values and new not in values:
            sample.values = {{old: new}.get(name, name): value for name, value in values.items()}
    return with_samples(metadata, samples)


@dataclass(frozen=True)
class SampleToRead:
    """A sample whose values a judge should extract."""

    number: int
    """Number of its question in the library."""
    question: Question
    sample: SampleAnswer


SampleState = Literal["as_expected", "unexpected", "unread", "error"]


@dataclass(frozen=True)
class SampleResult:
    """The template's verdict on one sample answer."""

    sample: SampleAnswer
    state: SampleState
    """`unread`: a judge must read the answer first; `error`: the template gave no verdict."""
    verdict: TemplateVerdict | None = None
    """None if `state` is `unread`."""
    missing: tuple[str, ...] = ()
    """Fields of the template without an extracted value, if `state` is `unread`."""


@dataclass(frozen=True)
class TemplateTest:
    """Result of a check of a template, as it is stored with its question."""

    valid: bool
    wrong: int = 0
    """Number of samples with another verdict than expected, or none."""
    unread: int = 0
    """Number of samples that a judge must read first."""
    mutation: MutationOutcome | None = None
    """None: not tested, since the template is invalid."""
