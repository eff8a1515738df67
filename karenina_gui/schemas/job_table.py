"""All jobs of a run as columns, the input of statistics, charts, and counts. Imports NumPy, which takes a moment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karenina_gui.schemas.condition import combined_name
from karenina_gui.schemas.outcome import OUTCOMES, Reason

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]
Scores = Mapping[str, bool | int | float]


class Arm(NamedTuple):
    """An answering model under a condition."""

    answering: str
    condition: str | None
    """None: the run has no conditions."""

    @property
    def label(self) -> str:
        return combined_name(*self)


class Judgment(NamedTuple):
    judge: str | None
    """None: the run has none."""
    number: int
    """1-based."""


@dataclass(frozen=True, eq=False)
class JobTable:
    """One row for each job of a run, including jobs without a result; arrays have shape (n jobs,).

    Rows are in the run's stable order. Names are as in `ResultSummary`.
    """

    result: Integers
    """Id of the result; -1: none (yet)."""
    question: Codes
    """Index in `questions`."""
    arm: Codes
    judgment: Codes
    replicate: Codes
    """1-based."""
    outcome: Codes
    """Index in `OUTCOMES`; -1: no result."""
    reason: Codes
    """Index in `reasons`; -1: the outcome says it all."""
    score: Codes
    """Index in `scores`."""
    extraction: Codes
    """Index in `extractions`; -1: unknown."""
    outside: Codes
    """Index in `outsides`."""
    seconds: Floats
    """NaN: unknown, likewise below."""
    tokens: Floats
    answer_tokens: Floats
    """Tokens of the answer without judging; NaN also if they are counted with another judgment of the same answer."""
    questions: tuple[str, ...] = ()
    """Ids in the order of their first jobs, as all labels."""
    arms: tuple[Arm, ...] = ()
    judgments: tuple[Judgment, ...] = ()
    reasons: tuple[Reason, ...] = ()
    scores: tuple[Scores, ...] = ()
    """{trait: score}, each distinct one once."""
    extractions: tuple[str, ...] = ()
    """Methods of structured output (`schema, text`)."""
    outsides: tuple[tuple[str, ...], ...] = ()
    """Traits whose scores are out of scale."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """{question id: its text, first 200 characters}, of questions with results."""
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """{question id: its keywords}, of questions with results."""
    requested: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """{question id: all traits of its rubric, scored or not}, without questions whose rubric is unknown."""

    def __len__(self) -> int:
        return len(self.question)


@dataclass(frozen=True, eq=False)
class TokenTable:
    """Tokens of the results of a run: one row for each result, model, and length of requests; shape (n rows,)."""

    job: Integers
    """Index of the job in the `JobTable`."""
    kind: Codes
    """Index in `kinds`."""
    kinds: tuple[tuple[str | None, int | None], ...]
    """Model (`interface:model_name`; None: calls whose tokens are unknown) and length, see `ModelTokens`."""
    input: Integers
    output: Integers
    cache_read: Integers
    cache_creation: Integers
    cache_creation_1h: Integers

    def select(self, these: NDArray[np.bool_]) -> TokenTable:
        columns = {name: getattr(self, name)[these] for name in ("job", "kind", *COUNTS)}
        return TokenTable(kinds=self.kinds, **columns)


COUNTS = ("input", "output", "cache_read", "cache_creation", "cache_creation_1h")


class TableBuilder:
    """Makes a table of rows that come in parts."""

    def __init__(self) -> None:
        self._question, self._arm, self._judgment, self._score, self._outside = (Coder() for _ in range(5))
        self._reason, self._extraction = Coder({None: -1}), Coder({None: -1})
        self._outcome: dict[str | None, int] = {None: -1, **{name: code for code, name in enumerate(OUTCOMES)}}
        self._parts: list[dict[str, Any]] = []

    def add(self, rows: Mapping[str, Sequence[Any]]) -> None:
        """Add jobs by column, named as in the tables of jobs and results; traits and out_of_scale are JSON or None."""
        arms, judgments = (
            [*zip(rows[first], rows[second], strict=True)]
            for first, second in (("answering", "condition"), ("judge", "judge_replicate"))
        )
        self._parts.append(
            {
                "result": integers(rows["result_id"], -1, np.int64),
                "question": self._question.codes(rows["question_id"]),
                "arm": self._arm.codes(arms),
                "judgment": self._judgment.codes(judgments),
                "replicate": integers(rows["replicate"], 1),
                "outcome": np.array([self._outcome[name] for name in rows["outcome"]], dtype=np.int32),
                "reason": self._reason.codes(rows["category"]),
                "score": self._score.codes(rows["traits"]),
                "extraction": self._extraction.codes(rows["extraction"]),
                "outside": self._outside.codes(rows["out_of_scale"]),
                **{name: floats(rows[name]) for name in ("seconds", "tokens", "answer_tokens")},
            }
        )

    def build(self, **about: Any) -> JobTable:
        """Table of all rows; `about`: texts, keywords, and requested."""
        if not self._parts:
            self.add(dict.fromkeys(ROW, ()))
        arrays: dict[str, Any] = {name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]}
        return JobTable(
            **arrays,
            questions=self._question.labels,
            arms=tuple(Arm(*label) for label in self._arm.labels),
            judgments=tuple(Judgment(judge, number or 1) for judge, number in self._judgment.labels),
            reasons=self._reason.labels,
            scores=tuple(map(_read_json, self._score.labels)),
            extractions=self._extraction.labels,
            outsides=tuple(tuple(_read_json(text)) for text in self._outside.labels),
            **about,
        )


def _read_json(text: str | None) -> Any:
    """Content of a document; jobs without a result have none."""
    return json.loads(text or "{}")


ROW = (
    *("result_id", "question_id", "answering", "condition", "judge", "judge_replicate", "replicate", "outcome"),
    *("category", "seconds", "tokens", "answer_tokens", "traits", "extraction", "out_of_scale"),
)
"""Columns of `TableBuilder.add`."""


class Coder:
    """Gives each label a code, in order of occurrence."""

    def __init__(self, fixed: Mapping[Any, int] | None = None) -> None:
        """`fixed`: codes of labels that are not counted, such as -1 for None."""
        self._codes: dict[Any, int] = dict(fixed or {})
        self._fixed = len(self._codes)

    def codes(self, labels: Sequence[Any]) -> Codes:
        codes, fixed = self._codes, self._fixed
        for label in dict.fromkeys(labels):
            codes.setdefault(label, len(codes) - fixed)
        # `map` without a function of our own: a table has millions of cells.
        return np.fromiter(map(codes.__getitem__, labels), dtype=np.int32, count=len(labels))

    @property
    def labels(self) -> tuple[Any, ...]:
        return tuple(self._codes)[self._fixed :]


def integers(values: Sequence[int | None], none: int, kind: Any = np.int32) -> Any:
    return np.fromiter((none if value is None else value for value in values), dtype=kind, count=len(values))


def floats(values: Sequence[float | None]) -> Floats:
    return np.fromiter((np.nan if value is None else value for value in values), dtype=np.float64, count=len(values))
