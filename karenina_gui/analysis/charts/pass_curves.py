"""Can it ever, and does it always? pass@k and pass^k for each number of tries k (Chen 2021, Yao 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.found import NO_SCORE, found, look_of, nothing
from karenina_gui.analysis.charts.repeats import SPLIT, Repeats, good, repeats
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import results_of, said, scored_trait, some
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores

NOT_BINARY = "This score is not a yes or no. Choose the pass rate, or a trait that is yes or no."
UNSURE = " Others may be as steady: the intervals overlap, or there is none."
SEVERAL = "Of those with two or more answers to most questions"
ALONE = " Of the others, most questions have one answer only, so that nobody knows whether they are as steady."
ONCE = "No question has two answers with a score. Run it with two or more replicates to see whether it always passes."
UNLIKE_RATE = "With one try the chance therefore differs from the pass rate, which is the mean of all judgments."
COLUMNS = (
    *("Model", "Condition", "Tries (k)", "At least one good (pass@k)", "Interval from", "Interval to"),
    *("All good (pass^k)", "Interval from ", "Interval to ", "Questions with k answers", "Remark"),
)

FIGURES = (
    Figure(
        "pass-at-k",
        "pass@k and pass^k",
        "Chance that at least one of k answers is good, and that all are, from all answers to a question. Each answer "
        "is good or not by most of its judgments; pass@1 is not the pass rate, their mean, where judges disagree.",
        left_out="Questions with fewer than k scored answers.",
        weighed="Each question equally.",
        interval="95% over questions.",
        columns=(
            "Tries (k)",
            "At least one good (pass@k)",
            "All good (pass^k)",
            "Interval from",
            "Interval to",
            "Interval from ",
            "Interval to ",
            "Questions with k answers",
        ),
    ),
)
"""Beside those that charts share (`figures`)."""


@dataclass(frozen=True)
class PassCurve:
    """One arm; both curves for k = 1, 2, ..."""

    label: str
    arm: int
    look: int
    """Place of the arm among all of the run."""
    row: int
    """Of its first row in the table."""
    any: tuple[Estimate, ...]
    """At least one of k answers is good."""
    all: tuple[Estimate, ...]
    """All of k are."""
    questions: int


@dataclass(frozen=True)
class PassMarks:
    curves: tuple[PassCurve, ...]
    """Of arms with a score."""
    tries: int
    """The greatest k."""


def find(scores: Scores, data: ChartData) -> Finding:
    if scores.metric.kind != "binary":
        return nothing(scores, NOT_BINARY, Table(COLUMNS))
    trait = scored_trait(scores, data)
    counts = repeats(scores)
    curves = _curves(scores, data, counts)
    table = Table(
        COLUMNS,
        [row for curve in curves for row in _table_rows(scores, curve)],
        [results_of(scores.arms[curve.arm], trait=trait) for curve in curves for _ in curve.any],
    )
    tries = max((len(curve.any) for curve in curves), default=0)
    if tries < 2:
        return nothing(scores, ONCE if scores.scored else NO_SCORE, table)
    cautions = [f"{SPLIT.format(n=quantity(counts.split, 'answer'))} {UNLIKE_RATE}"] if counts.split else []
    if any(point.approximate for curve in curves for point in (*curve.any, *curve.all)):
        cautions.append("Intervals are approximate below 30 questions, and where nearly all questions are at one end.")
    return found(
        scores, sentence(scores.metric, curves), table, PassMarks(tuple(curves), tries), [*cautions, *_ragged(curves)]
    )


def _curves(scores: Scores, data: ChartData, counts: Repeats) -> list[PassCurve]:
    from karenina_gui.analysis.statistics.repeated import curve

    curves: list[PassCurve] = []
    for place, arm in enumerate(scores.arms):
        has = counts.trials[:, place] > 0
        if not has.any():
            continue
        n, c = counts.trials[has, place], counts.successes[has, place]
        row = sum(len(each.any) for each in curves)
        ever, always = (tuple(curve(n, c, kind)) for kind in ("any", "all"))
        curves.append(PassCurve(arm.label, place, look_of(scores, data, place), row, ever, always, int(has.sum())))
    return curves


def sentence(metric: Metric, curves: list[PassCurve]) -> str:
    """Of the arm that is the surest to be good each time, in as many tries as most questions of each arm have.

    An arm with one answer to most questions is not compared, unless it is so with all.
    """
    compared = [curve for curve in curves if _usual(curve) > 1] or curves
    tries = min(map(_usual, compared))
    best = max(compared, key=lambda curve: curve.all[tries - 1].value or 0.0)
    others = [curve.all[tries - 1] for curve in compared if curve is not best]
    point, told = best.all[tries - 1], _told(metric, best, tries)
    if not others:
        return told if len(curves) == 1 else f"{told}{ALONE}"
    those = "" if len(compared) == len(curves) else SEVERAL
    if any(other.value == point.value for other in others):
        return f"{f'{those}, none' if those else 'None'} is steadier than {told}"
    unsure = UNSURE if any(_may_be_as_high(other, point) for other in others) else ""
    return f"{those or 'Of all'}, the steadiest is {told}{unsure}"


def _may_be_as_high(other: Estimate, best: Estimate) -> bool:
    """Whether the intervals overlap, or one of the two has none, so that nobody knows."""
    return best.low is None or other.high is None or other.high >= best.low


def _usual(curve: PassCurve) -> int:
    """The greatest k that at least half of the questions have answers for."""
    return max(k for k, point in enumerate(curve.any, 1) if 2 * point.n >= curve.questions)


def _told(metric: Metric, curve: PassCurve, tries: int) -> str:
    ever, always = curve.any[tries - 1], curve.all[tries - 1]
    word = "passes" if metric.trait is None else f"answers so that “{metric.trait}” is {good(metric)} for"
    gap = (ever.value or 0.0) - (always.value or 0.0)
    often = "one try" if tries == 1 else f"{tries} tries"
    remark = "" if gap < 0.1 else "; between the two lie questions that it can do and does not always do"
    return (
        f"{curve.label}: in {often} it {word} {said(ever.value, metric)} of {quantity(ever.n, 'question')} at "
        f"least once{_ends(ever, metric)}, and {said(always.value, metric)} every time{_ends(always, metric)}{remark}."
    )


def _ends(estimate: Estimate, metric: Metric) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" (anything from {said(estimate.low, metric)} to {said(estimate.high, metric)})"


def _ragged(curves: list[PassCurve]) -> list[str]:
    few = [
        f"{curve.label}: {curve.any[-1].n} of {curve.questions} with {len(curve.any)}"
        for curve in curves
        if curve.any[-1].n < curve.questions
    ]
    remark = "Not all questions have that many scored answers, so that the points to the right rest on fewer questions"
    return [f"{remark} ({some(few)})."] if few else []


def _table_rows(scores: Scores, curve: PassCurve) -> list[tuple[Cell, ...]]:
    arm = scores.arms[curve.arm]
    return [
        (
            *(arm.answering, arm.condition, k, ever.value, ever.low, ever.high),
            *(always.value, always.low, always.high, ever.n, ever.why and f"Good at least once: {ever.why}"),
        )
        for k, (ever, always) in enumerate(zip(curve.any, curve.all, strict=True), 1)
    ]
