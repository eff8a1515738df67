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
    found = spreads(scores)
    marks = tuple(_mark(each) for each in found)
    shown = any(size is not None for mark in marks for size in mark.sizes.values())
    return Finding(
        metric=scores.metric,
        sentence=sentence(scores.metric, found),
        table=ChartTable(
            COLUMNS,
            [_row(each) for each in found],
            [results_of(each.arm) for each in found],
            rate_formats(scores.metric, ["Mean"], DEVIATIONS),
        ),
        scored=scores.scored,
        planned=scores.planned,
        lacking=scores.lacking,
        cautions=tuple(_cautions(found)),
        marks=SpreadMarks(marks) if shown else None,
        empty_reason="" if shown else _empty_reason(found),
    )


def sentence(metric: Metric, found: list[ArmSpread]) -> str:
    """Summary of the first arm with two scored questions."""
    spread = [(each, each.between) for each in found if each.between is not None]
    if not spread:
        return _single_question_sentence(metric, found)
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


def _single_question_sentence(metric: Metric, found: list[ArmSpread]) -> str:
    """Summary if no arm has scores of two questions."""
    if not any(each.scored for each in found):
        return f"Not available: {NO_SCORE}"
    repeated = next((each for each in found if each.pooled is not None), None)
    if repeated is None or repeated.pooled is None:
        return "One answer to one question has no standard deviation, neither within nor between questions."
    return (
        f"For {repeated.arm.label}, answers to its one question have a standard deviation of "
        f"{format_difference(repeated.pooled, metric)} ({measure(metric)}). One question has no standard deviation "
        "between questions."
    )


def _empty_reason(found: list[ArmSpread]) -> str:
    return "One answer to one question has no standard deviation." if any(each.scored for each in found) else NO_SCORE


def _mark(each: ArmSpread) -> SpreadMark:
    return SpreadMark(each.arm.label, {"within": each.pooled, "between": each.between, "error": each.error})


def _row(each: ArmSpread) -> tuple[Cell, ...]:
    return (
        *(each.arm.answering, each.arm.condition, each.mean, each.pooled, each.between, each.error, each.reported),
        *(each.scored, each.planned),
        *(sum(one.scored for one in each.questions), sum(one.planned for one in each.questions)),
    )


def _cautions(found: list[ArmSpread]) -> list[str]:
    said = []
    if any(each.pooled is None and each.scored for each in found):
        said.append("With one answer per question, the standard deviation within questions is unknown, not 0.")
    if any(each.pooled == 0 for each in found):
        said.append(
            "A standard deviation of 0 within questions means that answers to the same question all had the same score."
        )
    if any(each.between == 0 for each in found):
        said.append(
            "A standard deviation of 0 between questions means that these have the same mean; other questions may "
            "differ."
        )
    return said
