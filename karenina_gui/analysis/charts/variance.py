"""Chart of variance components by metric: questions, arms, answers, judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, share_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import NO_SCORE, join_first, results_with
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding
from karenina_gui.analysis.estimate import VarianceComponents
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import scores_of
from karenina_gui.analysis.thresholds import (
    MAX_METRICS_DRAWN,
)
from karenina_gui.analysis.variance_text import component_remedy, describe_components
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores

PARTS = ("question", "interaction", "answer", "judge")
VARIANCE_COLUMNS = (
    "Variance between questions",
    "Variance of questions × configurations",
    "Variance between answers",
    "Variance between judgments",
)
SHARE_COLUMNS = (
    "Share between questions",
    "Share of questions × configurations",
    "Share between answers",
    "Share between judgments",
)
"""Columns of the parts, in the order of `PARTS`."""
COLUMNS = (
    *("Metric", "Questions", *VARIANCE_COLUMNS, *SHARE_COLUMNS, "ICC of one replicate"),
    *("Replicates", "ICC of all replicates", "Recommendation", "Remark"),
)

FIGURES = (
    Figure(
        "variance-parts",
        "Variance of single judgments",
        "Variance between questions, from questions that suit one configuration better (questions × configurations), "
        "between answers to the same question, and between judgments of the same answer; each also as a share.",
        left_out="Parts that these data cannot separate: each counts as part of the one before it.",
        columns=(*VARIANCE_COLUMNS, *SHARE_COLUMNS),
    ),
    Figure(
        "reliability-coefficient",
        "Reliability (ICC)",
        "Share of the variance that comes from questions and from questions × configurations, for one replicate and "
        "for the mean of all replicates.",
        columns=("ICC of one replicate", "ICC of all replicates", "Replicates"),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class Budget:
    """Variance components of one metric."""

    metric: Metric
    components: VarianceComponents
    shares: tuple[float | None, ...]
    """Shares of the total variance in the order of `PARTS`, 0 to 1; all None if nothing varies or `question` is
    unknown."""
    replicates: int
    """Maximum number of answers of a question."""
    once: float | None
    """Reliability (ICC) of one replicate, 0 to 1."""
    all: float | None
    """Reliability (ICC) of the mean of all replicates, 0 to 1."""
    scored: int
    why: str
    labels: tuple[str, ...]
    """Labels of all arms."""

    @property
    def largest(self) -> str | None:
        shares = [(share, part) for share, part in zip(self.shares, PARTS, strict=True) if share is not None]
        return max(shares)[1] if shares else None


@dataclass(frozen=True)
class VarianceMarks:
    budgets: tuple[Budget, ...]
    """The first `MAX_METRICS_DRAWN` budgets with shares."""


def find(scores: Scores, data: ChartData) -> Finding:
    own = [_budget(scores)] if scores.metric.has_order else []
    others = _other_budgets(scores.metric, data)
    budgets = [*own, *others]
    table = ChartTable(
        COLUMNS, [_row(budget) for budget in budgets], _links(budgets, data), share_formats(SHARE_COLUMNS)
    )
    drawn = [budget for budget in budgets if budget.largest]
    if not drawn:
        return empty_finding(scores, _empty_reason(budgets) if scores.scored or others else NO_SCORE, table)
    marks = VarianceMarks(tuple(drawn[:MAX_METRICS_DRAWN]))
    unordered = f"Not available: the classes of “{scores.metric.title}” have no order, so they have no variance."
    text = sentence(own[0]) if own else unordered
    return make_finding(scores, text, table, marks, _cautions(budgets, own, drawn), _links(marks.budgets, data))


def _links(budgets: Sequence[Budget], data: ChartData) -> list[dict[str, str]]:
    return [results_with(budget.metric, errors=data.request.errors_as_failures) for budget in budgets]


def _empty_reason(budgets: list[Budget]) -> str:
    return next((budget.why for budget in budgets if budget.why), "The scores do not vary.")


def _other_budgets(metric: Metric, data: ChartData) -> list[Budget]:
    """Return the budgets of the run's other metrics with an order."""
    if data.scores is None:
        return []
    return [_budget(data.scores(other)) for other in data.metrics if other.has_order and other != metric]


def _budget(scores: Scores) -> Budget:
    from karenina_gui.analysis.statistics.variance_components import reliability, variance_components

    split = variance_components(scores)
    replicates = int(scores.cells.scored.max(initial=0))
    parts = (split.question, split.interaction, split.answer, split.judge)
    has_shares = split.total > 0 and split.question is not None
    return Budget(
        metric=scores.metric,
        components=split,
        shares=tuple(part / split.total if has_shares and part is not None else None for part in parts),
        replicates=replicates,
        once=reliability(split, 1) if has_shares else None,
        all=reliability(split, replicates) if has_shares and replicates else None,
        scored=scores.scored,
        why=split.why.get("question", "") if has_shares else _reason_without_shares(split, scores),
        labels=tuple(arm.label for arm in scores.arms),
    )


def _reason_without_shares(split: VarianceComponents, scores: Scores) -> str:
    if why := split.why.get("question"):
        return why
    return f"All scores of {quantity(split.n, 'question')} are the same." if scores.scored else NO_SCORE


def sentence(budget: Budget) -> str:
    if not budget.largest:
        return f"Not available for {scores_of(budget.metric)}: {budget.why}"
    text = describe_components(budget.components, budget.metric, budget.labels)
    return text if budget.once is None else f"{text} {reliability_in_words(budget)}."


def _cautions(budgets: list[Budget], own: list[Budget], drawn: list[Budget]) -> list[str]:
    """Return the limitations of the metrics that the sentence does not cover (all but `own`)."""
    reasons: dict[str, list[str]] = {}
    for budget in budgets:
        parts = {part: budget.components.why.get(part) for part in ("question", "answer")}
        for reason in dict.fromkeys(why for why in (budget.why, *parts.values()) if why):
            if budget not in own:
                reasons.setdefault(reason, []).append(budget.metric.title)
    cautions = [f"{join_first(names)}: {reason}" for reason, names in reasons.items()]
    if len(drawn) > MAX_METRICS_DRAWN:
        cautions.append(f"The figure shows {MAX_METRICS_DRAWN} metrics; the table has all {len(budgets)}.")
    return cautions


def _row(budget: Budget) -> tuple[Cell, ...]:
    split = budget.components
    return (
        *(budget.metric.title, split.n, split.question, split.interaction, split.answer, split.judge),
        *budget.shares,
        *(
            budget.once,
            budget.replicates,
            budget.all,
            component_remedy(split, budget.largest) if budget.largest else None,
        ),
        budget.why or " ".join(dict.fromkeys(split.why.values())),
    )


def reliability_in_words(budget: Budget) -> str:
    """`Reliability (ICC): 0.42 for one answer, 0.68 for the mean of 3`; empty where it is not known."""
    if budget.once is None:
        return ""
    one = f"Reliability (ICC): {budget.once:.2f} for one answer"
    if budget.all is None or budget.replicates < 2:
        return one
    return f"{one}, {budget.all:.2f} for the mean of {budget.replicates}"
