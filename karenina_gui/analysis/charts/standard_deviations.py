"""Chart of the standard deviations and the standard error of each arm's mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, rate_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import NO_SCORE, format_difference, results_of
from karenina_gui.analysis.methodology import ArmSpread, spreads
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import measure, scores_of
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores

COLUMNS = (
    *("Model", "Condition", "Mean", "Within questions", "Between questions", "Standard error of the mean"),
    *("Mean SD of questions (k-eval ±)", "Questions scored", "Questions", "Answers scored", "Answers"),
)

DEVIATIONS = ("Within questions", "Between questions", "Standard error of the mean", "Mean SD of questions (k-eval ±)")

Kind = Literal["within", "between", "error"]
KINDS: dict[Kind, str] = {
    "within": "SD within questions (between answers)",
    "between": "SD between questions",
    "error": "Standard error of the mean",
}

FIGURES = (
    Figure(
        "spreads",
        "Within, between, standard error",
        "Standard deviation between answers to the same question (pooled), standard deviation between question means, "
        "and standard error of the mean.",
        left_out="Within questions: questions with one answer.",
        weighed="Each question equally.",
        columns=("Within questions", "Between questions", "Standard error of the mean"),
    ),
    Figure(
        "k-eval-spread",
        "k-eval’s ±",
        "Arithmetic mean of the questions’ standard deviations, as k-eval reports it. It is neither a standard error "
        "nor a pooled standard deviation.",
        left_out="Questions with one answer.",
        weighed="Each question equally.",
        columns=("Mean SD of questions (k-eval ±)",),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class SpreadMark:
    """Row of the figure. None: no value."""

    label: str
    sizes: dict[Kind, float | None]


@dataclass(frozen=True)
class SpreadMarks:
    arms: tuple[SpreadMark, ...]
    """In the order of the run; the first is the baseline."""


def find(scores: Scores, _data: ChartData) -> Finding:
    arms = spreads(scores)
    marks = tuple(_mark(arm) for arm in arms)
    has_size = any(size is not None for mark in marks for size in mark.sizes.values())
    return Finding(
        metric=scores.metric,
        sentence=sentence(scores.metric, arms),
        table=ChartTable(
            COLUMNS,
            [_row(arm) for arm in arms],
            [results_of(spread.arm) for spread in arms],
            rate_formats(scores.metric, ["Mean"], DEVIATIONS),
        ),
        scored=scores.scored,
        planned=scores.planned,
        lacking=scores.lacking,
        cautions=tuple(_cautions(arms)),
        marks=SpreadMarks(marks) if has_size else None,
        empty_reason="" if has_size else _empty_reason(arms),
    )


def sentence(metric: Metric, arms: list[ArmSpread]) -> str:
    """Summary of the first arm with two scored questions."""
    spread = [(arm, arm.between) for arm in arms if arm.between is not None]
    if not spread:
        return _single_question_sentence(metric, arms)
    (first, between), *others = spread
    rest = " The table lists the other configurations." if others else ""
    return f"For {first.arm.label}, {_spread_of_questions(metric, first, between)}{rest}"


def _spread_of_questions(metric: Metric, arm: ArmSpread, between: float) -> str:
    on, score = quantity(arm.scored, "question"), measure(metric)
    if not between and not arm.pooled:
        return f"all {scores_of(metric)} on {on} are the same; other questions may differ."
    within = "" if arm.pooled is None else f"{format_difference(arm.pooled, metric)} within questions"
    if not between or arm.error is None:
        return (
            f"the means of {on} are equal, so there is no standard error. The {score} has a standard deviation of "
            f"{within}."
        )
    across = f"{format_difference(between, metric)} between questions"
    error = f"a standard error of {format_difference(arm.error, metric)}"
    if arm.pooled is None:
        return (
            f"the {score} on {on} has a standard deviation of {across} and {error}. With one answer per question, "
            "there is no standard deviation within questions."
        )
    return f"the {score} on {on} has a standard deviation of {within} and {across}, and {error}."


def _single_question_sentence(metric: Metric, arms: list[ArmSpread]) -> str:
    """Summary if no arm has scores of two questions."""
    if not any(arm.scored for arm in arms):
        return f"Not available: {NO_SCORE}"
    repeated = next((arm for arm in arms if arm.pooled is not None), None)
    if repeated is None or repeated.pooled is None:
        return "One answer to one question has no standard deviation, neither within nor between questions."
    return (
        f"For {repeated.arm.label}, answers to its one question have a standard deviation of "
        f"{format_difference(repeated.pooled, metric)} ({measure(metric)}). One question has no standard deviation "
        "between questions."
    )


def _empty_reason(arms: list[ArmSpread]) -> str:
    return "One answer to one question has no standard deviation." if any(arm.scored for arm in arms) else NO_SCORE


def _mark(spread: ArmSpread) -> SpreadMark:
    return SpreadMark(spread.arm.label, {"within": spread.pooled, "between": spread.between, "error": spread.error})


def _row(item: ArmSpread) -> tuple[Cell, ...]:
    return (
        *(item.arm.answering, item.arm.condition, item.mean, item.pooled, item.between, item.error, item.reported),
        *(item.scored, item.planned),
        *(sum(one.scored for one in item.questions), sum(one.planned for one in item.questions)),
    )


def _cautions(arms: list[ArmSpread]) -> list[str]:
    cautions = []
    if any(arm.pooled is None and arm.scored for arm in arms):
        cautions.append("With one answer per question, the standard deviation within questions is unknown, not 0.")
    if any(arm.pooled == 0 for arm in arms):
        cautions.append(
            "A standard deviation of 0 within questions means that answers to the same question all had the same score."
        )
    if any(arm.between == 0 for arm in arms):
        cautions.append(
            "A standard deviation of 0 between questions means that these have the same mean; other questions may "
            "differ."
        )
    return cautions
