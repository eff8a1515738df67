"""Chart of the standard deviations and the standard error of each arm's mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, rate_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import format_difference, results_of
from karenina_gui.analysis.charts.sentences import (
    NO_SCORE,
    ONE_ANSWER_HAS_NO_SPREAD,
    OTHER_CONFIGURATIONS,
    SPREAD_CAUTIONS,
    SPREADS,
    SpreadCase,
)
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


def spread_case(found: list[ArmSpread]) -> tuple[SpreadCase, ArmSpread | None]:
    """Decide what can be said, and about which arm: the first with two scored questions, if there is one."""
    first = next((each for each in found if each.between is not None), None)
    if first is None:
        return _single_question_case(found)
    if not first.between and not first.pooled:
        return "all_equal", first
    if not first.between or first.error is None:
        return "equal_means", first
    return "one_answer_each" if first.pooled is None else "all", first


def _single_question_case(found: list[ArmSpread]) -> tuple[SpreadCase, ArmSpread | None]:
    """Decide what can be said if no arm has scores of two questions."""
    if not any(each.scored for each in found):
        return "no_score", None
    repeated = next((each for each in found if each.pooled is not None), None)
    return ("one_answer" if repeated is None else "one_question"), repeated


def sentence(metric: Metric, found: list[ArmSpread]) -> str:
    """Summary of the first arm with two scored questions."""
    case, arm = spread_case(found)
    if arm is None:
        return SPREADS[case]
    several = sum(each.between is not None for each in found) > 1
    sizes = {"within": arm.pooled, "between": arm.between, "error": arm.error}
    return SPREADS[case].format(
        label=arm.arm.label,
        measure=measure(metric),
        scores=scores_of(metric),
        on=quantity(arm.scored, "question"),
        others=OTHER_CONFIGURATIONS if several else "",
        **{name: "" if size is None else format_difference(size, metric) for name, size in sizes.items()},
    )


def _empty_reason(found: list[ArmSpread]) -> str:
    return ONE_ANSWER_HAS_NO_SPREAD if any(each.scored for each in found) else NO_SCORE


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
        said.append(SPREAD_CAUTIONS["unknown_within"])
    if any(each.pooled == 0 for each in found):
        said.append(SPREAD_CAUTIONS["zero_within"])
    if any(each.between == 0 for each in found):
        said.append(SPREAD_CAUTIONS["zero_between"])
    return said
