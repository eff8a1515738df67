"""Which is better, and by how much? Differences to the baseline on the same questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.found import NO_SCORE, found, look_of, nothing
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import counted, results_of, signed, some
from karenina_gui.analysis.estimate import Difference, Plan
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.words import claims, of_difference, of_plan

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Integers, Scores

FEW = 10
"""Questions below which a difference is a hint."""
COLUMNS = (
    *("Model", "Condition", "Compared with", "Difference", "Interval from", "Interval to", "p", "p, adjusted (Holm)"),
    "p of ranks (Wilcoxon)",
    *("Questions in both", "Questions dropped", "Least difference that could be seen", "Questions needed"),
    *("Replicates needed", "Method", "Remark"),
)
DOUBTED = 0.05
"""p of ranks from which on they do not bear out a difference that the means show."""
SEVERAL = (
    "Each interval is for its own comparison, not corrected for their number; the largest of several differences is "
    "likely to be smaller when it is measured again."
)
ALONE = "There is one model and condition only. Add a second to the run, to have something to compare it with."


@dataclass(frozen=True)
class Comparison:
    """One arm against the baseline: its mean minus that of the baseline."""

    label: str
    arm: int
    look: int
    """Place of the arm among all of the run."""
    difference: Difference
    plan: Plan
    questions: int
    """Asked in one of the two or in both, scored or not."""
    ranks: float | None
    """p of the signed ranks, uncorrected, which a few extreme questions cannot carry; None: a yes or no has no ranks,
    or there is nothing to compare."""
    replicates: int | str
    """How many scored answers a question has in each: `3`, or where that differs `2 to 3 replicates`."""

    @property
    def p(self) -> float | None:
        """After correction for the number of comparisons."""
        return self.difference.p if self.difference.adjusted is None else self.difference.adjusted

    @property
    def shown(self) -> bool:
        """Whether the data show that there is a difference at all."""
        return claims(self.difference)


@dataclass(frozen=True)
class ComparisonMarks:
    baseline: str
    comparisons: tuple[Comparison, ...]
    """Each arm but the baseline, in the order of the run."""


def find(scores: Scores, data: ChartData) -> Finding:
    compared = _compared(scores, data)
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


def _compared(scores: Scores, data: ChartData) -> list[Comparison]:
    from karenina_gui.analysis.statistics.paired import adjusted, paired_difference, wilcoxon_p
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
            look=look_of(scores, data, arm),
            difference=replace(found, adjusted=p),
            plan=plan(scores, 0, arm, found.value),
            questions=int((cells.planned[:, [0, arm]] > 0).any(axis=1).sum()),
            ranks=wilcoxon_p(cells.mean[:, arm] - cells.mean[:, 0]) if metric.kind == "number" else None,
            replicates=_replicates(cells.scored[:, [0, arm]]),
        )
        for arm, (found, p) in enumerate(zip(differences, corrected, strict=True), 1)
    ]


def _replicates(scored: Integers) -> int | str:
    """`scored`: answers by question and arm."""
    some = scored[scored > 0]
    least, most = int(some.min(initial=some.max(initial=0))), int(some.max(initial=0))
    return most if least == most else f"{least:,} to {most:,} replicates"


def _single(scores: Scores, arm: int) -> bool:
    """Whether each question has one yes or no in both arms."""
    import numpy as np

    both: Any = scores.cells.mean[:, [0, arm]]
    whole = np.isnan(both) | (both == 0) | (both == 1)
    return bool(whole.all() and scores.cells.scored[:, [0, arm]].max(initial=0) <= 1)


def sentence(metric: Metric, marks: ComparisonMarks) -> str:
    """Of the largest difference that the data show, or of the largest that they do not."""
    known = [one for one in marks.comparisons if one.difference.value is not None]
    first = max(known, key=lambda one: (one.shown, abs(one.difference.value or 0.0)))
    told = one_sentence(metric, marks.baseline, first)
    if len(marks.comparisons) == 1:
        return told
    shown = sum(one.shown for one in known)
    number = f"{shown} of {len(marks.comparisons)} comparisons with {marks.baseline}, corrected for their number,"
    if not shown:
        number = f"None{number[1:]}"
    return f"{number} {'show' if shown > 1 else 'shows'} a difference. {_which(known)}{told}"


def _which(known: list[Comparison]) -> str:
    """How the one that is told stands to the others."""
    if len(known) == 1:
        return ""
    return "The largest: " if any(one.difference.value for one in known) else "For example: "


def one_sentence(metric: Metric, baseline: str, one: Comparison) -> str:
    """What may be quoted of one comparison, and what would settle it where it is open."""
    found, plan = one.difference, one.plan
    told = of_difference(found, baseline, one.label, metric, one.questions, one.replicates)
    settled = one.shown or found.identical or plan.detectable is None or found.n < 2
    if settled or (plan.questions is not None and plan.questions <= found.n):
        return told
    return f"{told} {of_plan(plan, baseline, one.label, metric, found.n, one.replicates, found.value)}"


def cautions(marks: ComparisonMarks) -> list[str]:
    said = []
    if len([one for one in marks.comparisons if one.difference.low is not None]) > 1:
        said.append(SEVERAL)
    left = [one for one in marks.comparisons if one.difference.dropped]
    if left:
        numbers = some([f"{one.label}: {counted(one.difference.dropped, 'question')}" for one in left])
        said.append(f"Left out, because scored in one of the two only: {numbers}.")
    reasons: dict[str, list[str]] = {}
    for one in marks.comparisons:
        if one.difference.why:
            reasons.setdefault(one.difference.why, []).append(one.label)
    said += [f"{some(labels)}: {reason}" for reason, labels in reasons.items()]
    doubted = [one.label for one in marks.comparisons if one.shown and (one.ranks or 0.0) > DOUBTED]
    if doubted:
        said.append(f"{some(doubted)}: ranks of the questions do not bear the difference out; a few may carry it.")
    few = [one.label for one in marks.comparisons if 0 < one.difference.n < FEW]
    if few:
        said.append(f"Below {FEW} questions a difference is no more than a hint ({some(few)}).")
    elif any(one.difference.approximate for one in marks.comparisons):
        said.append("The intervals are approximate: there are few questions, or nearly all are at one end.")
    if any(one.plan.source == "defaults" and one.plan.detectable is not None for one in marks.comparisons):
        said.append("What could be seen is computed from usual variances: these data are too few to have their own.")
    return said


def _row(scores: Scores, one: Comparison) -> tuple[Cell, ...]:
    arm, found, plan = scores.arms[one.arm], one.difference, one.plan
    return (
        *(arm.answering, arm.condition, scores.arms[0].label, found.value, found.low, found.high, found.p),
        *(
            found.adjusted,
            one.ranks,
            found.n,
            found.dropped,
            plan.detectable,
            plan.questions,
            plan.replicates,
            found.method,
        ),
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
