"""Light rows of results, and the filters and orders of their tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from karenina_gui.schemas.outcome import Outcome, Reason
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.run_counts import ComparisonKey

SortKey = Literal[
    "position",
    "question",
    "answering",
    "judge",
    "replicate",
    "outcome",
    "category",
    "seconds",
    "tokens",
    "condition",
    "judge_replicate",
]


@dataclass(frozen=True, slots=True)
class ResultSummary:
    id: int
    run_id: int
    position: int
    """0-based position of its job in the run's stable order."""
    question_id: str
    question_text: str
    keywords: tuple[str, ...]
    answering: str
    judge: str | None
    replicate: int | None
    outcome: Outcome
    passed: bool | None
    category: Reason | None
    stage: str | None
    """Stage that decided a failure."""
    error: str | None
    seconds: float
    tokens: int | None
    """Tokens of all calls; None: no provider reported any."""
    recording_label: str | None
    traits: dict[str, bool | int | float] = field(default_factory=dict)
    """Scores of the rubric's traits, without metric traits, whose several figures are only in the whole result."""
    condition: str | None = None
    """None: the run has none."""
    judge_replicate: int | None = None
    """1-based number of this judgment of the answer by the judge; None: there is only one."""

    @property
    def only_scored(self) -> bool:
        """True if there are trait scores instead of a verdict, and no verdict was expected."""
        return self.outcome == "unscored" and bool(self.traits) and not self.error


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Filter of a table of results; the default shows all."""

    text: str = ""
    """Searched in question, question id, answering model and error, ignoring case; in all but large runs also in judge,
    condition, keywords, outcome, answer, extracted values, and reason."""
    outcomes: tuple[Outcome, ...] = ()
    answering: str | None = None
    judge: str | None = None
    replicate: int | None = None
    condition: str | None = None
    judge_replicate: int | None = None
    question_id: str | None = None
    keyword: str | None = None
    category: Reason | None = None
    trait: str | None = None
    """Only results with a score of this trait."""
    trait_is: bool | None = None
    """With `trait`: only those for which it is true, or false."""
    trait_or_none: bool = False
    """With `trait_is`: also those without a score of it."""
    failed_field: str | None = None
    """Only results in which this field of the template did not match."""


GroupKey = Literal["question_id", "answering", "category", "failed_field"]
"""Filter by which results are grouped."""


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """Results with the same value of a filter."""

    value: str
    title: str
    results: int
    passed: int


@dataclass(frozen=True, slots=True)
class ResultSort:
    key: SortKey = "position"
    descending: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    rows: list[ResultSummary] = field(default_factory=list)
    total: int = 0
    """Number of results that match the filter, on all pages."""


@dataclass(frozen=True, slots=True)
class QuestionSort:
    """Order of a run's questions: by text, by the share of a model's answers that passed, or as they ran."""

    key: Literal["position", "question", "share"] = "position"
    descending: bool = False
    answering: str = ""
    """Model whose share counts, with this judge and condition."""
    judge: str | None = None
    condition: str | None = None
    trait: str | None = None
    """Its mean score replaces the share if no template was evaluated."""


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """Results of some of a run's questions."""

    question_ids: list[str]
    rows: list[ResultSummary]
    """All results of these questions, in the run's order."""
    total: int
    """Number of questions in the run."""
    models: list[ComparisonKey]
    """Models of the whole run, in the order of first occurrence."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Position of a result among those that match the filter; all None if it does not match."""

    previous: int | None = None
    next: int | None = None
    number: int | None = None
    """1-based."""
    total: int = 0


@dataclass(frozen=True, slots=True)
class StoredResult:
    """One result with its id."""

    summary: ResultSummary
    result: VerificationResult


@dataclass(frozen=True, slots=True)
class RunOfQuestion:
    """A run with results of one question."""

    run_id: int
    name: str
    results: int
    """Number of results of the question."""


@dataclass(frozen=True, slots=True)
class QuestionResults:
    """Results that refer to an id of a question, by run."""

    runs: tuple[RunOfQuestion, ...]
    """The latest run first, without deleted runs."""
    deleted: int
    """Number of results in deleted runs."""
    text: str | None
    """Text of the question in the latest result; None: no result refers to the id."""
