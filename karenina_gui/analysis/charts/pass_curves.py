"""Can it ever, and does it always? pass@k and pass^k for each number of tries k (Chen 2021, Yao 2024)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, share_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import format_interval, format_value, join_first, results_of, scored_trait
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding, style_index
from karenina_gui.analysis.charts.order import OrderDoubt, doubt_of, paired_differences
from karenina_gui.analysis.charts.replicate_counts import ReplicateCounts, count_replicates, good_label
from karenina_gui.analysis.charts.sentences import (
    APPROXIMATE,
    FEWER_QUESTIONS,
    NO_REPEATED_ANSWER,
    NO_SCORE,
    NOT_BINARY,
    PASS_GAP,
    PASS_RATES,
    PASS_SCOPE,
    PASS_SUMMARIES,
    PASS_UNLIKE_RATE,
    SPLIT_JUDGMENTS,
    PassCase,
)
from karenina_gui.analysis.estimate import Estimate, PairedDifference
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.thresholds import (
    MIN_PASS_GAP_SHARE,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores

COLUMNS = (
    *("Model", "Condition", "Attempts (k)", "pass@k (at least one good)", "pass@k CI low", "pass@k CI high"),
    *("pass^k (all good)", "pass^k CI low", "pass^k CI high", "Questions with k answers", "Remark"),
)

SHARES = [name for name in COLUMNS if name.startswith("pass")]

FIGURES = (
    Figure(
        "pass-at-k",
        "pass@k and pass^k",
        "Probability that at least one of k answers is good (pass@k), and that all are (pass^k). An answer is good if "
        "most of its judgments are; where judges disagree, pass@1 differs from the pass rate.",
        left_out="Questions with fewer than k scored answers.",
        weighed="Each question equally.",
        interval="95% CI over questions.",
        columns=(
            *("Attempts (k)", "pass@k (at least one good)", "pass@k CI low", "pass@k CI high"),
            *("pass^k (all good)", "pass^k CI low", "pass^k CI high", "Questions with k answers"),
        ),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class PassCurve:
    """pass@k and pass^k of one arm, for k = 1, 2, …"""

    label: str
    arm: int
    style_index: int
    """Index of the arm among all arms of the run."""
    row: int
    """Index of its first row in the table."""
    any: tuple[Estimate, ...]
    """pass@k: at least one of k answers is good."""
    all: tuple[Estimate, ...]
    """pass^k: all k answers are good."""
    questions: int


@dataclass(frozen=True)
class PassMarks:
    curves: tuple[PassCurve, ...]
    """Curves of the arms with a score."""
    tries: int
    """Maximum k."""


def find(scores: Scores, data: ChartData) -> Finding:
    if scores.metric.kind != "binary":
        return empty_finding(scores, NOT_BINARY, ChartTable(COLUMNS))
    trait = scored_trait(scores, data)
    counts = count_replicates(scores)
    curves = _curves(scores, data, counts)
    table = ChartTable(
        COLUMNS,
        [row for curve in curves for row in _table_rows(scores, curve)],
        [results_of(scores.arms[curve.arm], trait=trait) for curve in curves for _ in curve.any],
        share_formats(SHARES),
    )
    tries = max((len(curve.any) for curve in curves), default=0)
    if tries < 2:
        return empty_finding(scores, NO_REPEATED_ANSWER if scores.scored else NO_SCORE, table)
    headline = sentence(scores.metric, summarize(curves, partial(_differences, counts)))
    return make_finding(scores, headline, table, PassMarks(tuple(curves), tries), _cautions(curves, counts))


def _cautions(curves: list[PassCurve], counts: ReplicateCounts) -> list[str]:
    said = []
    if counts.split:
        said.append(f"{SPLIT_JUDGMENTS.format(answers=quantity(counts.split, 'answer'))} {PASS_UNLIKE_RATE}")
    if any(point.approximate for curve in curves for point in (*curve.any, *curve.all)):
        said.append(APPROXIMATE)
    return [*said, *_missing_answers_caution(curves)]


def _curves(scores: Scores, data: ChartData, counts: ReplicateCounts) -> list[PassCurve]:
    from karenina_gui.analysis.statistics.pass_at_k import curve

    curves: list[PassCurve] = []
    for place, arm in enumerate(scores.arms):
        has = counts.trials[:, place] > 0
        if not has.any():
            continue
        n, c = counts.trials[has, place], counts.successes[has, place]
        row = sum(len(each.any) for each in curves)
        ever, always = (tuple(curve(n, c, kind)) for kind in ("any", "all"))
        curves.append(PassCurve(arm.label, place, style_index(scores, data, place), row, ever, always, int(has.sum())))
    return curves


@dataclass(frozen=True)
class PassSummary:
    """Decision about the summary of a chart of pass@k."""

    case: PassCase
    best: PassCurve
    """Curve with the highest pass^k among those compared."""
    tries: int
    """k: number of answers that most questions of each compared arm have."""
    partial: bool = False
    """True if arms with one answer to most questions are left out."""
    doubt: OrderDoubt | None = None
    """Reason why another arm may reach the best; None: none can."""


def summarize(
    curves: Sequence[PassCurve],
    differences: Callable[[PassCurve, Sequence[PassCurve], int], Sequence[PairedDifference]],
) -> PassSummary:
    """Decide which arm to report. Leaves out arms with one answer to most questions, unless all have only one.

    `differences`: those in pass^k of a curve from others.
    """
    compared = _with_repeated_answers(curves) or curves
    # pass^k falls with k, so that arms are compared at the same k.
    tries = min(map(_usual_k, compared))
    best = max(compared, key=lambda curve: curve.all[tries - 1].value or 0.0)
    others = [curve for curve in compared if curve is not best]
    partial, point = len(compared) < len(curves), best.all[tries - 1]
    if not others:
        return PassSummary("only_compared" if partial else "single", best, tries, partial)
    if point.value in [other.all[tries - 1].value for other in others]:
        return PassSummary("tied", best, tries, partial)
    return PassSummary("highest", best, tries, partial, doubt=doubt_of(differences(best, others, tries)))


def sentence(metric: Metric, summary: PassSummary) -> str:
    """Summary of the arm with the highest pass^k."""
    return PASS_SUMMARIES[summary.case].format(
        told=_rates_in_words(metric, summary.best, summary.tries),
        k=summary.tries,
        scope=PASS_SCOPE if summary.partial else "",
        order=summary.doubt.sentence(f" by pass^{summary.tries}") if summary.doubt else "",
    )


def _with_repeated_answers(curves: Sequence[PassCurve]) -> list[PassCurve]:
    """Return the curves of arms with two or more answers to most questions."""
    # One arm with single answers would limit the comparison of all to k = 1.
    return [curve for curve in curves if _usual_k(curve) > 1]


def _differences(
    counts: ReplicateCounts, best: PassCurve, others: Sequence[PassCurve], tries: int
) -> list[PairedDifference]:
    """Differences in pass^k of the best arm from the others, question by question."""
    from karenina_gui.analysis.statistics.pass_at_k import pass_all_by_question

    first, *rest = (
        pass_all_by_question(counts.trials[:, curve.arm], counts.successes[:, curve.arm], tries)
        for curve in (best, *others)
    )
    return paired_differences(first, rest, high=1.0)


def _usual_k(curve: PassCurve) -> int:
    """Return the maximum k for which at least half of the questions have answers."""
    return max(k for k, point in enumerate(curve.any, 1) if 2 * point.n >= curve.questions)


def _rates_in_words(metric: Metric, curve: PassCurve, tries: int) -> str:
    ever, always = curve.any[tries - 1], curve.all[tries - 1]
    gap = (ever.value or 0.0) - (always.value or 0.0)
    return PASS_RATES["verdict" if metric.trait is None else "trait"].format(
        label=curve.label,
        trait=metric.trait,
        good=good_label(metric),
        least=format_value(ever.value, metric),
        on=quantity(ever.n, "question"),
        attempts=quantity(tries, "attempt"),
        k=tries,
        ever_ends=_ends(ever, metric),
        most=format_value(always.value, metric),
        always_ends=_ends(always, metric),
        gap=PASS_GAP if gap >= MIN_PASS_GAP_SHARE else "",
    )


def _ends(estimate: Estimate, metric: Metric) -> str:
    ends = format_interval(estimate, metric)
    return f", 95% CI {ends}" if ends else ""


def _missing_answers_caution(curves: list[PassCurve]) -> list[str]:
    few = [
        f"{curve.label}: {curve.any[-1].n:,} of {curve.questions:,} with {len(curve.any):,}"
        for curve in curves
        if curve.any[-1].n < curve.questions
    ]
    return [FEWER_QUESTIONS.format(numbers=join_first(few))] if few else []


def _table_rows(scores: Scores, curve: PassCurve) -> list[tuple[Cell, ...]]:
    arm = scores.arms[curve.arm]
    return [
        (
            *(arm.answering, arm.condition, k, ever.value, ever.low, ever.high),
            *(always.value, always.low, always.high, ever.n, ever.why and f"pass@k: {ever.why}"),
        )
        for k, (ever, always) in enumerate(zip(curve.any, curve.all, strict=True), 1)
    ]
