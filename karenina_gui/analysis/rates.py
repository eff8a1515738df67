"""Pass rates, each with what it counts: a failure of infrastructure is never a wrong answer, and is listed apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from karenina_gui.schemas.outcome import JUDGED, Outcome
from karenina_gui.schemas.result import FailureCategory
from karenina_gui.schemas.summaries import ResultSummary


@dataclass(frozen=True)
class Rate:
    """`passed` of `judged` jobs; `left_out` more ended without a verdict and count neither way."""

    passed: int = 0
    judged: int = 0
    left_out: int = 0

    @property
    def value(self) -> float | None:
        """Between 0 and 1; None when nothing was judged."""
        return self.passed / self.judged if self.judged else None


@dataclass(frozen=True)
class Cell:
    """One question with one answering model and one judge, over its replicates."""

    question_id: str
    question_text: str
    answering: str
    judge: str | None
    rate: Rate
    outcomes: tuple[Outcome, ...]
    """By replicate, in order."""
    result_ids: tuple[int, ...]
    """Of the same results."""

    @property
    def flaky(self) -> bool:
        """Whether replicates were judged differently: some passed, others did not."""
        return 0 < self.rate.passed < self.rate.judged


@dataclass(frozen=True)
class Summary:
    """A run in figures."""

    overall: Rate = field(default_factory=Rate)
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    categories: dict[FailureCategory, int] = field(default_factory=dict)
    """Of everything that did not pass, by cause."""
    by_model: dict[str, Rate] = field(default_factory=dict)
    by_judge: dict[str, Rate] = field(default_factory=dict)
    """Empty for a run without a judge."""
    by_keyword: dict[str, Rate] = field(default_factory=dict)
    """A question counts for each of its keywords; in alphabetical order."""
    by_trait: dict[str, Rate] = field(default_factory=dict)
    """For traits that are true or false: true of scored. Whether true is good is the trait's own matter."""
    cells: tuple[Cell, ...] = ()
    """In the run's order."""


def summarise(rows: Sequence[ResultSummary]) -> Summary:
    """Counts light rows of one run."""
    return Summary(
        overall=rate(rows),
        outcomes=dict(Counter(row.outcome for row in rows)),
        categories=dict(Counter(row.category for row in rows if row.category is not None)),
        by_model=rates_by(rows, lambda row: [row.answering]),
        by_judge=rates_by(rows, lambda row: [] if row.judge is None else [row.judge]),
        by_keyword=dict(sorted(rates_by(rows, lambda row: row.keywords).items())),
        by_trait=rates_by_trait(rows),
        cells=tuple(cells(rows)),
    )


def rate(rows: Iterable[ResultSummary]) -> Rate:
    counts = Counter(row.outcome for row in rows)
    judged = sum(counts[outcome] for outcome in JUDGED)
    return Rate(counts["passed"], judged, counts.total() - judged)


def rates_by(rows: Iterable[ResultSummary], keys: Callable[[ResultSummary], Iterable[str]]) -> dict[str, Rate]:
    """A rate for each key, in the order in which the keys occur."""
    groups: dict[str, list[ResultSummary]] = {}
    for row in rows:
        for key in keys(row):
            groups.setdefault(key, []).append(row)
    return {key: rate(group) for key, group in groups.items()}


def rates_by_trait(rows: Iterable[ResultSummary]) -> dict[str, Rate]:
    scores: dict[str, list[bool]] = {}
    for row in rows:
        for trait, score in row.traits.items():
            if isinstance(score, bool):
                scores.setdefault(trait, []).append(score)
    return {trait: Rate(sum(values), len(values)) for trait, values in scores.items()}


def cells(rows: Iterable[ResultSummary]) -> list[Cell]:
    """One cell for each question, answering model and judge, in the order in which they occur."""
    groups: dict[tuple[str, str, str | None], list[ResultSummary]] = {}
    for row in rows:
        groups.setdefault((row.question_id, row.answering, row.judge), []).append(row)
    return [_cell(sorted(group, key=lambda row: row.replicate or 0)) for group in groups.values()]


def _cell(group: Sequence[ResultSummary]) -> Cell:
    first = group[0]
    return Cell(
        question_id=first.question_id,
        question_text=first.question_text,
        answering=first.answering,
        judge=first.judge,
        rate=rate(group),
        outcomes=tuple(row.outcome for row in group),
        result_ids=tuple(row.id for row in group),
    )
