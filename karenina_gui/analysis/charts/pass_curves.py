"""Can it ever, and does it always? pass@k and pass^k for each number of tries k (Chen 2021, Yao 2024)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, share_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    APPROXIMATE,
    NO_SCORE,
    format_interval,
    format_value,
    join_first,
    results_of,
    scored_trait,
    split_judgments,
)
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding, style_index
from karenina_gui.analysis.charts.order import order_caution, paired_differences
from karenina_gui.analysis.charts.replicate_counts import ReplicateCounts, count_replicates, good_label
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
        return empty_finding(
            scores, "This score is not yes or no. Choose the pass rate, or a yes/no trait.", ChartTable(COLUMNS)
        )
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
        once = "No question has two scored answers. Run at least two replicates to see which questions always pass."
        return empty_finding(scores, once if scores.scored else NO_SCORE, table)
    headline = sentence(scores.metric, curves, partial(_differences, counts))
    return make_finding(scores, headline, table, PassMarks(tuple(curves), tries), _cautions(curves, counts))


def _cautions(curves: list[PassCurve], counts: ReplicateCounts) -> list[str]:
    cautions = []
    if counts.split:
        cautions.append(
            f"{split_judgments(counts.split)} Therefore pass@1 differs from the pass rate, which counts every judgment "
            "instead of the majority."
        )
    if any(point.approximate for curve in curves for point in (*curve.any, *curve.all)):
        cautions.append(APPROXIMATE)
    return [*cautions, *_missing_answers_caution(curves)]


def _curves(scores: Scores, data: ChartData, counts: ReplicateCounts) -> list[PassCurve]:
    from karenina_gui.analysis.statistics.pass_at_k import curve

    curves: list[PassCurve] = []
    for index, arm in enumerate(scores.arms):
        has = counts.trials[:, index] > 0
        if not has.any():
            continue
        n, c = counts.trials[has, index], counts.successes[has, index]
        row = sum(len(course.any) for course in curves)
        ever, always = (tuple(curve(n, c, kind)) for kind in ("any", "all"))
        curves.append(PassCurve(arm.label, index, style_index(scores, data, index), row, ever, always, int(has.sum())))
    return curves


def sentence(
    metric: Metric,
    curves: Sequence[PassCurve],
    differences: Callable[[PassCurve, Sequence[PassCurve], int], Sequence[PairedDifference]],
) -> str:
    """Summary of the arm with the highest pass^k.

    Arms with one answer to most questions are not compared, unless all have only one. `differences`: those in pass^k
    of a curve from others.
    """
    compared = _comparable_curves(curves)
    # pass^k falls with k, so that arms are compared at the same k.
    tries = min(map(_usual_k, compared))
    best = max(compared, key=lambda curve: curve.all[tries - 1].value or 0.0)
    others = [curve for curve in compared if curve is not best]
    text, power = _rates_in_words(metric, best, tries), f"pass^{tries}"
    if len(curves) == 1:
        return text
    if not others:
        return (
            f"{text} The other configurations are not compared, because most of their questions have only one answer."
        )
    scope = " among those with two or more answers to most questions" if len(compared) < len(curves) else ""
    if best.all[tries - 1].value in [other.all[tries - 1].value for other in others]:
        return f"{text} No configuration has a higher {power}{scope}."
    order = order_caution(differences(best, others, tries), f" by {power}")
    return f"{text} Its {power} is the highest of all configurations{scope}.{order}"


def _comparable_curves(curves: Sequence[PassCurve]) -> Sequence[PassCurve]:
    """Return the curves of arms with two or more answers to most questions; all if there are none."""
    # One arm with single answers would limit the comparison of all to k = 1.
    return [curve for curve in curves if _usual_k(curve) > 1] or curves


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
    questions = f"{format_value(ever.value, metric)} of {quantity(ever.n, 'question')}"
    once = f"at least once in {quantity(tries, 'attempt')} (pass@{tries}{_ends(ever, metric)})"
    every = f"{format_value(always.value, metric)} every time (pass^{tries}{_ends(always, metric)})."
    more = " The gap is questions that it can answer, but not every time." if gap >= MIN_PASS_GAP_SHARE else ""
    if metric.trait is None:
        return f"{curve.label} passes {questions} {once} and {every}{more}"
    return f"“{metric.trait}” is {good_label(metric)} for {curve.label} on {questions} {once} and on {every}{more}"


def _ends(estimate: Estimate, metric: Metric) -> str:
    ends = format_interval(estimate, metric)
    return f", 95% CI {ends}" if ends else ""


def _missing_answers_caution(curves: list[PassCurve]) -> list[str]:
    few = [
        f"{curve.label}: {curve.any[-1].n:,} of {curve.questions:,} with {len(curve.any):,}"
        for curve in curves
        if curve.any[-1].n < curve.questions
    ]
    if not few:
        return []
    numbers = join_first(few)
    return [f"Points to the right are based on fewer questions, as not all have that many answers ({numbers})."]


def _table_rows(scores: Scores, curve: PassCurve) -> list[tuple[Cell, ...]]:
    arm = scores.arms[curve.arm]
    return [
        (
            *(arm.answering, arm.condition, k, ever.value, ever.low, ever.high),
            *(always.value, always.low, always.high, ever.n, ever.why and f"pass@k: {ever.why}"),
        )
        for k, (ever, always) in enumerate(zip(curve.any, curve.all, strict=True), 1)
    ]
