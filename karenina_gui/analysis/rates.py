"""Pass rates. Infrastructure failures never count as wrong answers and are reported separately.

A rate is the mean over questions with equal weight, as in charts and exports (`QuestionMeans`). The number of passed
results is only a count, because replicates and judges would weight questions unequally.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TypeVar

from karenina_gui.schemas.condition import combined_name
from karenina_gui.schemas.figure import NOT_SCORED, QUESTIONS_EQUAL, Figure
from karenina_gui.schemas.outcome import JUDGED, Outcome, Reason, judged_count
from karenina_gui.schemas.result_summaries import ResultSummary
from karenina_gui.schemas.run_counts import ComparisonKey, QuestionMeans, RunCounts

Key = TypeVar("Key", bound=Hashable)

OUTCOMES = Figure(
    "outcomes",
    "Results by outcome",
    "Results with this outcome. Each judgment of an answer is one result.",
    "Jobs that have not run.",
)
PASS_RATE = Figure(
    "pass-rate",
    "Pass rate",
    "Share of answers that pass. Wrong, not answered, and auto-failed answers count as not passed.",
    NOT_SCORED,
    QUESTIONS_EQUAL,
    "95% CI in the chart “Scores by configuration”; none on the run’s page.",
    ("Mean",),
)
RESULTS_PASSED = Figure(
    "results-passed",
    "Results passed",
    "Results that passed, of all with a verdict. This is a count: if questions have different numbers of results, its "
    "share differs from the pass rate.",
    NOT_SCORED,
)
NO_VERDICT = Figure(
    "without-verdict",
    "Without a verdict",
    "Results that ended without a verdict: errors, and questions without a template.",
    "Jobs that have not run.",
)
OF_QUESTION = Figure(
    "of-question",
    "Passed of judged, by question",
    "Passed results of one question by one configuration and judge, of those with a verdict. “+1” means one more "
    "without a verdict. Without verdicts, the mean of one trait over the answers.",
    NOT_SCORED,
)


@dataclass(frozen=True)
class Rate:
    """`passed` of `judged` results; `left_out` more ended without a verdict and count neither way."""

    passed: int = 0
    judged: int = 0
    left_out: int = 0
    value: float | None = None
    """Mean over questions with equal weight, 0 to 1; None: nothing judged, or no verdict requested."""
    questions: int = 0
    """With a verdict."""


@dataclass(frozen=True)
class QuestionCell:
    """One question with one answering model, judge and condition, over replicates and judgments."""

    question_id: str
    question_text: str
    key: ComparisonKey
    rate: Rate
    outcomes: tuple[Outcome, ...]
    """By replicate and judgment, in order."""
    traits: tuple[Mapping[str, bool | int | float], ...] = ()
    """Scores of each, in the same order."""
    replicates: tuple[int, ...] = ()
    """Number of the replicate of each, in the same order."""

    def scores(self, trait: str) -> list[bool | int | float]:
        """Return the scores of results that have one."""
        return [scores[trait] for scores in self.traits if trait in scores]

    def mean(self, trait: str) -> float:
        """Over the answers with a score, each the mean of its judgments; one at least must have one."""
        answers: dict[int, list[float]] = {}
        for replicate, scores in zip(self.replicates, self.traits, strict=True):
            if trait in scores:
                answers.setdefault(replicate, []).append(scores[trait])
        return fmean(map(fmean, answers.values()))


@dataclass(frozen=True)
class Summary:
    """A run in figures."""

    outcomes: dict[Outcome, int] = field(default_factory=dict)
    reasons: dict[tuple[Outcome, Reason], int] = field(default_factory=dict)
    """Number of results by reason if the outcome alone does not explain it; the most frequent first."""
    by_model: dict[str, Rate] = field(default_factory=dict)
    """Under each condition for itself, where the run has conditions."""
    by_condition: dict[str, Rate] = field(default_factory=dict)
    """Over all models; empty for a run without conditions."""
    by_judge: dict[str, Rate] = field(default_factory=dict)
    """Empty for a run without a judge."""
    by_keyword: dict[str, Rate] = field(default_factory=dict)
    """A question counts for each of its keywords; in alphabetical order."""
    by_trait: dict[str, Rate] = field(default_factory=dict)
    """Boolean traits in alphabetical order: (true, scored), without a mean (see `TraitFigures`). True need not
    be good."""
    traits: tuple[str, ...] = ()
    """All traits with scores of any kind, in alphabetical order."""
    scored: int = 0
    """Results with a score of any trait."""
    judgments: int = 1
    """Judgments per answer and judge; every judgment counts as a result."""
    mixed_extraction: dict[str, dict[str, int]] = field(default_factory=dict)
    """Judges that were not always asked for data in the same way: {judge: {`schema, text`: results}}."""
    last: int | None = None
    """The greatest id of the results that are counted; None: all that the run will ever have."""

    @property
    def only_traits(self) -> bool:
        """Return True if traits were scored but no template has judged, so that there is no right or wrong."""
        return self.scored > 0 and judged_count(self.outcomes) == 0


def summarise(counts: RunCounts) -> Summary:
    """The figures of a run, from its results as the library has counted them."""
    verdicts = counts.verdicts
    total = _total((outcome, number) for _, outcome, number in verdicts)
    has_verdicts = judged_count(total) > 0
    yes, scored = _boolean_counts(counts)
    return Summary(
        outcomes=dict(total),
        reasons={(outcome, reason): number for outcome, reason, number in counts.reasons if reason != "content"},
        by_model=_by_model(counts, has_verdicts=has_verdicts),
        by_condition=_by_condition(counts, has_verdicts=has_verdicts),
        by_judge=_by_judge(counts, has_verdicts=has_verdicts),
        by_keyword=_by_keyword(counts, has_verdicts=has_verdicts),
        by_trait={trait: Rate(yes[trait], scored[trait]) for trait in sorted(scored)},
        traits=tuple(sorted({name for _, scores, _ in counts.traits for name in scores})),
        scored=sum(number for _, scores, number in counts.traits if scores),
        judgments=counts.judgments,
        mixed_extraction=_mixed_methods(counts.extractions),
        last=counts.last,
    )


def _by_model(counts: RunCounts, *, has_verdicts: bool) -> dict[str, Rate]:
    """Return the rate of each answering model under each condition."""
    results = ((combined_name(of.answering, of.condition), o, n) for of, o, n in counts.verdicts)
    arms = counts.means.arms.items()
    return rates_by(
        results,
        {combined_name(arm.answering, arm.condition): mean for arm, mean in arms if arm.trait is None},
        has_verdicts=has_verdicts,
    )


def _by_condition(counts: RunCounts, *, has_verdicts: bool) -> dict[str, Rate]:
    results = ((of.condition, o, n) for of, o, n in counts.verdicts if of.condition)
    return rates_by(results, counts.means.conditions, has_verdicts=has_verdicts)


def _by_judge(counts: RunCounts, *, has_verdicts: bool) -> dict[str, Rate]:
    results = ((of.judge, o, n) for of, o, n in counts.verdicts if of.judge is not None)
    return rates_by(results, counts.means.judges, has_verdicts=has_verdicts)


def _by_keyword(counts: RunCounts, *, has_verdicts: bool) -> dict[str, Rate]:
    """Return the rate of each keyword, in alphabetical order."""
    counts_by_word = ((word, o, n) for keywords, o, n in counts.keywords for word in dict.fromkeys(keywords))
    return dict(
        sorted(rates_by(counts_by_word, means_by_keyword(counts.means.keywords), has_verdicts=has_verdicts).items())
    )


def _boolean_counts(counts: RunCounts) -> tuple[Counter[str], Counter[str]]:
    """Return the number of true scores and of all scores by boolean trait."""
    yes: Counter[str] = Counter()
    scored: Counter[str] = Counter()
    for _, scores, number in counts.traits:
        for trait, score in scores.items():
            if isinstance(score, bool):
                scored[trait] += number
                yes[trait] += number * score
    return yes, scored


def _mixed_methods(extractions: Iterable[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    judges: dict[str, dict[str, int]] = {}
    for judge, methods, number in extractions:
        judges.setdefault(judge, {})[methods] = number
    return {judge: ways for judge, ways in judges.items() if len(ways) > 1}


def means_by_keyword(keywords: Mapping[tuple[str, ...], QuestionMeans]) -> dict[str, QuestionMeans]:
    """Return the means over all questions with each keyword."""
    means: dict[str, QuestionMeans] = {}
    for names, (total, questions) in keywords.items():
        for word in dict.fromkeys(names):
            before = means.get(word, QuestionMeans())
            means[word] = QuestionMeans(before.total + total, before.questions + questions)
    return means


def rate(
    outcomes: Iterable[tuple[Outcome, int]], means: QuestionMeans | None = None, *, has_verdicts: bool = True
) -> Rate:
    """Return the rate for counts of outcomes; `has_verdicts`: True if the run uses templates."""
    counts = _total(outcomes)
    whole = sum(counts[outcome] for outcome in JUDGED) if has_verdicts else 0
    value, questions = (means.mean, means.questions) if means and whole else (None, 0)
    return Rate(counts["passed"], whole, counts.total() - whole, value, questions)


def rates_by(
    counts: Iterable[tuple[str, Outcome, int]], means: Mapping[str, QuestionMeans], *, has_verdicts: bool = True
) -> dict[str, Rate]:
    """A rate for each key, in the order in which the keys occur."""
    groups: dict[str, list[tuple[Outcome, int]]] = {}
    for key, outcome, number in counts:
        groups.setdefault(key, []).append((outcome, number))
    return {key: rate(group, means.get(key), has_verdicts=has_verdicts) for key, group in groups.items()}


def _total(counts: Iterable[tuple[Key, int]]) -> Counter[Key]:
    total: Counter[Key] = Counter()
    for key, number in counts:
        total[key] += number
    return total


def cells(rows: Iterable[ResultSummary]) -> list[QuestionCell]:
    """Return one cell per question, answering model, judge and condition, in order of occurrence."""
    groups: dict[tuple[str, ComparisonKey], list[ResultSummary]] = {}
    for row in rows:
        groups.setdefault((row.question_id, comparison_key(row)), []).append(row)
    return [_cell(sorted(group, key=_number)) for group in groups.values()]


def comparison_key(row: ResultSummary) -> ComparisonKey:
    return ComparisonKey(row.answering, row.judge, row.condition)


def _number(row: ResultSummary) -> tuple[int, int]:
    return row.replicate or 0, row.judge_replicate or 0


def _cell(group: Sequence[ResultSummary]) -> QuestionCell:
    first = group[0]
    return QuestionCell(
        question_id=first.question_id,
        question_text=first.question_text,
        key=comparison_key(first),
        rate=rate((row.outcome, 1) for row in group),
        outcomes=tuple(row.outcome for row in group),
        traits=tuple(row.traits for row in group),
        replicates=tuple(row.replicate or 1 for row in group),
    )
