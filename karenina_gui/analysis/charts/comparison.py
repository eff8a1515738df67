"""Which is better, and by how much? Differences to the baseline on the same questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.found import NO_SCORE, found, nothing
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import apart, counted, each, listed, results_of, signed
from karenina_gui.analysis.estimate import Difference, Plan
from karenina_gui.analysis.metrics import Metric

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores

LEVEL = 0.05
"""Chance of an error that a difference may have and still count as shown."""
FEW = 10
"""Questions below which a difference is a hint."""
COLUMNS = (
    *("Model", "Condition", "Compared with", "Difference", "Interval from", "Interval to", "p", "p, adjusted (Holm)"),
    *("Questions in both", "Questions dropped", "Least difference that could be seen", "Questions needed"),
    *("Replicates needed", "Method", "Remark"),
)
ALONE = "There is one model and condition only. Add a second to the run, to have something to compare it with."


@dataclass(frozen=True)
class Comparison:
    """One arm against the baseline: its mean minus that of the baseline."""

    label: str
    arm: int
    difference: Difference
    plan: Plan
    replicates: str
    """How many answers a question has, in words: `3 replicates each`."""

    @property
    def p(self) -> float | None:
        """After correction for the number of comparisons."""
        return self.difference.p if self.difference.adjusted is None else self.difference.adjusted

    @property
    def shown(self) -> bool:
        """Whether the data show that there is a difference at all."""
        found = self.difference
        away = found.low is None or found.high is None or found.low > 0 or found.high < 0
        return bool(found.value) and self.p is not None and self.p < LEVEL and away


@dataclass(frozen=True)
class ComparisonMarks:
    baseline: str
    comparisons: tuple[Comparison, ...]
    """Each arm but the baseline, in the order of the run."""


def find(scores: Scores, data: ChartData) -> Finding:
    compared = _compared(scores)
    table = Table(
        COLUMNS,
        [_row(scores, each_one) for each_one in compared],
        [results_of(scores.arms[each_one.arm]) for each_one in compared],
    )
    known = [each_one for each_one in compared if each_one.difference.value is not None]
    if not known:
        reasons = [each_one.difference.why for each_one in compared if each_one.difference.why]
        why = ALONE if len(scores.arms) == 1 else (reasons or [NO_SCORE])[0] if scores.scored else NO_SCORE
        return nothing(scores, why, table)
    marks = ComparisonMarks(scores.arms[0].label, tuple(compared))
    return found(scores, sentence(scores.metric, marks), table, marks, cautions(marks))


def _compared(scores: Scores) -> list[Comparison]:
    from karenina_gui.analysis.statistics.paired import adjusted, paired_difference
    from karenina_gui.analysis.statistics.planning import plan

    metric, cells = scores.metric, scores.cells
    differences = [
        paired_difference(
            cells.mean[:, 0],
            cells.mean[:, arm],
            binary=metric.kind == "binary",
            single=_single(scores, arm),
            low=metric.low,
            high=metric.high,
        )
        for arm in range(1, len(scores.arms))
    ]
    corrected = adjusted([found.p for found in differences]) if len(differences) > 1 else [None] * len(differences)
    return [
        Comparison(
            label=scores.arms[arm].label,
            arm=arm,
            difference=replace(found, adjusted=p),
            plan=plan(scores, 0, arm, found.value),
            replicates=each([n for n in cells.scored[:, [0, arm]].ravel().tolist() if n], "replicate"),
        )
        for arm, (found, p) in enumerate(zip(differences, corrected, strict=True), 1)
    ]


def _single(scores: Scores, arm: int) -> bool:
    """Whether each question has one yes or no in both arms."""
    import numpy as np

    both: Any = scores.cells.mean[:, [0, arm]]
    whole = np.isnan(both) | (both == 0) | (both == 1)
    return bool(whole.all() and scores.cells.scored[:, [0, arm]].max(initial=0) <= 1)


def sentence(metric: Metric, marks: ComparisonMarks) -> str:
    known = [one for one in marks.comparisons if one.difference.value is not None]
    first = max(known, key=lambda one: (one.shown, _size(one)))
    told = one_sentence(metric, marks.baseline, first)
    if len(marks.comparisons) == 1:
        return told
    shown = [one for one in known if one.shown]
    number = f"Of {len(marks.comparisons)} comparisons with {marks.baseline}, corrected for their number"
    if not shown:
        return f"{number}, none shows a difference. The largest: {told}"
    return f"{number}, {len(shown)} {'shows' if len(shown) == 1 else 'show'} a difference. The largest: {told}"


def one_sentence(metric: Metric, baseline: str, one: Comparison) -> str:
    """What may be quoted of one comparison."""
    found, size = one.difference, _size(one)
    questions = f"on {'this one question' if found.n == 1 else f'these {found.n:,} questions'}"
    if found.value is None:
        return f"{one.label} and {baseline} cannot be compared: {found.why}"
    if found.value == 0 and found.identical:
        return f"{one.label} and {baseline} came out the same {questions}, each with {one.replicates}."
    ahead, behind = _order(metric, baseline, one)
    start = f"{ahead} {_verb(metric, one.shown)} {behind} by {apart(size, metric)} {questions}"
    if found.value == 0:
        start = f"{one.label} and {baseline} are level {questions}"
    if found.low is None or found.high is None:
        return f"{start}; with {one.replicates} the data do not say how far that could be off. {found.why}".strip()
    return f"{start}; with {one.replicates} the data allow {_allowed(metric, one)}.{_needed(metric, one)}"


def _order(metric: Metric, baseline: str, one: Comparison) -> tuple[str, str]:
    assert one.difference.value is not None
    better = one.difference.value > 0 if metric.higher_is_better is not False else one.difference.value < 0
    return (one.label, baseline) if better else (baseline, one.label)


def _verb(metric: Metric, shown: bool) -> str:
    if metric.higher_is_better is None:
        return "is above"
    return "beats" if shown else "is ahead of"


def _allowed(metric: Metric, one: Comparison) -> str:
    """The interval, seen from the one that is ahead."""
    found = one.difference
    assert found.low is not None and found.high is not None and found.value is not None
    low, high = (found.low, found.high) if found.value >= 0 else (-found.high, -found.low)
    if low > 0:
        remark = "" if one.shown else ", but corrected for the number of comparisons chance explains it"
        return f"anything from {apart(low, metric, unit=False)} to {apart(high, metric)}{remark}"
    ways = f"{apart(low, metric)} the other way to {apart(high, metric)} this way"
    return f"anything from {ways}: no difference is shown" if found.value else f"up to {apart(high, metric)} either way"


def _needed(metric: Metric, one: Comparison) -> str:
    plan = one.plan
    if one.shown or not one.difference.value:
        return "" if one.shown or plan.detectable is None else f" {_unseen(metric, plan)}"
    ways = [
        *([f"about {plan.questions:,} questions"] if plan.questions else []),
        *([f"{counted(plan.replicates, 'replicate')} of each"] if plan.replicates else []),
    ]
    if ways:
        return f" To settle a difference of this size would take {' or '.join(ways)}."
    return "" if plan.detectable is None else f" {_unseen(metric, plan)}"


def _unseen(metric: Metric, plan: Plan) -> str:
    assert plan.detectable is not None
    return f"Differences below about {apart(plan.detectable, metric)} could not be seen."


def cautions(marks: ComparisonMarks) -> list[str]:
    said = []
    for one in marks.comparisons:
        if one.difference.dropped:
            dropped = counted(one.difference.dropped, "question")
            said.append(f"{one.label}: {dropped} left out, scored in one of the two only.")
        if one.difference.why:
            said.append(f"{one.label}: {one.difference.why}")
    few = [one.label for one in marks.comparisons if 0 < one.difference.n < FEW]
    if few:
        said.append(f"Below {FEW} questions a difference is no more than a hint ({listed(few)}).")
    elif any(one.difference.approximate for one in marks.comparisons):
        said.append("The intervals are approximate: there are few questions, or nearly all are at one end.")
    if any(one.plan.source == "defaults" and one.plan.detectable is not None for one in marks.comparisons):
        said.append("What could be seen is computed from usual variances: these data are too few to have their own.")
    return said


def _size(one: Comparison) -> float:
    return abs(one.difference.value or 0.0)


def _row(scores: Scores, one: Comparison) -> tuple[Cell, ...]:
    arm, found, plan = scores.arms[one.arm], one.difference, one.plan
    return (
        *(arm.answering, arm.condition, scores.arms[0].label, found.value, found.low, found.high, found.p),
        *(found.adjusted, found.n, found.dropped, plan.detectable, plan.questions, plan.replicates, found.method),
        "identical" if found.identical else found.why,
    )


def told(metric: Metric, one: Comparison) -> str:
    """What stands beside a mark: the difference, its interval and how sure it is."""
    found = one.difference
    if found.value is None:
        return "not comparable"
    ends = "" if found.low is None or found.high is None else (
        f" ({signed(found.low, metric)} to {signed(found.high, metric)})"
    )  # fmt: skip
    return f"{signed(found.value, metric)}{ends}"


def surety(one: Comparison) -> str:
    """`p = 0.03 (Holm)`; empty where there is no test."""
    if one.p is None:
        return "identical" if one.difference.identical else ""
    shown = "p < 0.001" if one.p < 0.001 else f"p = {one.p:.2g}" if one.p < 0.1 else f"p = {one.p:.2f}"
    return f"{shown}{' (Holm)' if one.difference.adjusted is not None else ''}"
