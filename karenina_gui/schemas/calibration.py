"""Calibration of a judge: stored answers that an author labels without seeing what the judge said about them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, Field

LabelValue = bool | int | float | str | None
"""Label of a person, or value of a judge. None: the answer does not say (template fields only)."""

TargetKind = Literal["trait", "field"]
ScaleKind = Literal["boolean", "score", "class", "number", "text"]
JudgmentSource = Literal["results", "asked"]


@dataclass(frozen=True)
class CalibrationTarget:
    """Trait or template field whose judgments are checked."""

    benchmark_id: int
    number: int | None
    """Number of the question that it belongs to; None: a trait of the benchmark."""
    kind: TargetKind
    name: str


@dataclass(frozen=True)
class LabelScale:
    """Possible labels."""

    kind: ScaleKind
    low: int = 1
    high: int = 5
    """Range of a score."""
    classes: tuple[str, ...] = ()
    can_be_missing: bool = False
    """True if an answer may not say anything about it."""

    @property
    def values(self) -> tuple[LabelValue, ...]:
        """All labels in the order of their keys; empty: numbers and texts are typed."""
        listed: dict[ScaleKind, tuple[LabelValue, ...]] = {
            "boolean": (True, False),
            "score": tuple(range(self.low, self.high + 1)),
            "class": self.classes,
        }
        return listed.get(self.kind, ())

    def accepts(self, value: Any) -> bool:
        """True if this can be a label."""
        if value is None:
            return self.can_be_missing
        if self.kind == "boolean":
            return isinstance(value, bool)
        if self.kind == "score":
            return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high
        if self.kind == "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        return isinstance(value, str) and (self.kind == "text" or value in self.classes)


class Wording(BaseModel):
    """The text about a trait or a field that a judge receives."""

    description: str = ""
    classes: dict[str, str] = Field(default_factory=dict)
    """{class: when it applies} of a trait with classes."""

    @property
    def hash(self) -> str:
        """First digits of its SHA-256."""
        return _digest([self.description.strip(), list(self.classes.items())])


class DrawnAnswer(BaseModel):
    """One answer to be labeled."""

    key: str
    """Hash of question and answer."""
    number: int
    """Number of its question in the library."""
    question: str
    """Text of the question."""
    text: str
    """The final answer, without the work before it."""
    origin: str = ""
    """Source for readers, such as a run and its model."""


class JudgedValue(BaseModel):
    """Value of a judge for one answer."""

    value: bool | int | float | str | None = None
    reasoning: str | None = None
    """Its reasons, if it gave any."""


class JudgmentSet(BaseModel):
    """Values that one judge gave under one wording."""

    id: int = 0
    """0: not saved yet."""
    wording: Wording | None
    """None: unknown, since the run has no copy of its benchmark."""
    judge: str
    source: JudgmentSource
    """`results`: read from results of runs; `asked`: the judge was asked for this calibration."""
    values: dict[str, JudgedValue] = Field(default_factory=dict)
    """By key of the answer."""
    problems: dict[str, str] = Field(default_factory=dict)
    """Reason by key of each answer without a value."""
    at: str = ""


class AnswerLabel(BaseModel):
    """Label of a person for one answer."""

    key: str
    answer: str
    """Text of the answer."""
    value: bool | int | float | str | None = None
    skipped: bool = False
    """True: looked at, but left without a label."""
    wording: Wording
    """Wording that the person read."""
    author: str = ""
    """Name in the settings of the browser; empty: none."""
    at: str = ""


@dataclass(frozen=True)
class Calibration:
    """A draw of answers for one trait or field."""

    id: int
    target: CalibrationTarget
    seed: int
    answers: tuple[DrawnAnswer, ...]
    """In the order in which they are shown."""
    created_by: str
    created_at: str
    labels: Mapping[str, AnswerLabel] = field(default_factory=dict)
    """By key of the answer."""

    @property
    def next(self) -> int | None:
        """Place of the first answer that nobody has looked at; None: all have been."""
        return next((index for index, answer in enumerate(self.answers) if answer.key not in self.labels), None)

    @property
    def values(self) -> dict[str, LabelValue]:
        """Labels by key of the answer, without skipped ones."""
        return {key: label.value for key, label in self.labels.items() if not label.skipped}


@dataclass(frozen=True)
class StoredAnswer:
    """An answer of the library, with everything that judges have said about it."""

    answer: DrawnAnswer
    judged: dict[tuple[str, str], JudgedValue] = field(default_factory=dict)
    """By hash of the wording and name of the judge."""


@dataclass(frozen=True)
class AnswerPool:
    """All answers that a calibration can draw from, each text once for each question."""

    answers: tuple[StoredAnswer, ...] = ()
    wordings: Mapping[str, Wording | None] = field(default_factory=dict)
    """By hash."""
    results: int = 0
    """Number of results that were read."""
    samples: int = 0
    """Number of sample answers that were read."""


def answer_key(question_id: str, text: str) -> str:
    """Key of an answer. Equal texts that differ only in spaces have the same key."""
    return _digest([question_id, " ".join(text.split())])


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:16]
