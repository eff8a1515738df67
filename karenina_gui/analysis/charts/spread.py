"""What does the ± of a mean stand for? The spreads of the methodology, each under its own name, arm by arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import apart, results_of
from karenina_gui.analysis.methodology import ArmSpread, spreads
from karenina_gui.analysis.metrics import Metric
from karenina_gui.schemas.figure import Figure

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores

COLUMNS = (
    *("Model", "Condition", "Mean", "Within questions", "Between questions", "Standard error of the mean"),
    *("Mean of the questions' deviations (k-eval's ±)", "Questions scored", "Questions", "Answers scored", "Answers"),
)

Kind = Literal["within", "between", "error"]
KINDS: dict[Kind, str] = {
    "within": "Within questions: answers to the same question",
    "between": "Between questions: means of the questions",
    "error": "Standard error: the mean itself",
}

FIGURES = (
    Figure(
        "spreads",
        "Within, between, standard error",
        "Standard deviation between answers to a question (pooled), between the means of questions, and of the "
        "mean itself.",
        left_out="Questions with one answer, within questions.",
        weighed="Each question equally.",
        columns=("Within questions", "Between questions", "Standard error of the mean"),
    ),
    Figure(
        "k-eval-spread",
        "k-eval’s ±",
        "Arithmetic mean of the questions’ standard deviations, as k-eval reports it: no standard error, and no "
        "pooled deviation.",
        left_out="Questions with one answer.",
        weighed="Each question equally.",
        columns=("Mean of the questions' deviations (k-eval's ±)",),
    ),
)
"""Beside those that charts share (`figures`)."""


@dataclass(frozen=True)
class SpreadMark:
    """One row of the figure; None: there is no such figure."""

    label: str
    sizes: dict[Kind, float | None]


@dataclass(frozen=True)
class SpreadMarks:
    arms: tuple[SpreadMark, ...]
    """In the order of the run: the baseline first."""


def find(scores: Scores, _data: ChartData) -> Finding:
    found = spreads(scores)
    marks = tuple(_mark(each) for each in found)
    shown = any(size is not None for mark in marks for size in mark.sizes.values())
    return Finding(
        metric=scores.metric,
        sentence=sentence(scores.metric, found),
        table=Table(COLUMNS, [_row(each) for each in found], [results_of(each.arm) for each in found]),
        scored=scores.scored,
        planned=scores.planned,
        lacking=scores.lacking,
        cautions=tuple(_cautions(found)),
        marks=SpreadMarks(marks) if shown else None,
        nothing="" if shown else _nothing(found),
    )


def sentence(metric: Metric, found: list[ArmSpread]) -> str:
    """Of the first arm; of the others that they have figures of their own."""
    known = [each for each in found if each.between is not None]
    if not known:
        return _of_less(metric, found)
    first = known[0]
    others = " The other rows have figures of their own." if len(known) > 1 else ""
    if not first.between and not first.pooled:
        return (
            f"{first.arm.label}: no variation was seen, all scores of its {first.scored:,} questions are the same; how "
            f"much others would differ, they do not say.{others}"
        )
    within = (
        "one answer to each question says nothing of how answers to the same question differ"
        if first.pooled is None
        else f"answers to the same question differ by {apart(first.pooled, metric)}"
    )
    if not first.between or first.error is None:
        return (
            f"{first.arm.label}, standard deviations: {within}; the means of its {first.scored:,} questions came out "
            f"equal, so that no standard error of the mean can be told.{others}"
        )
    return (
        f"{first.arm.label}, standard deviations: {within}, questions among themselves by "
        f"{apart(first.between, metric)}; the mean itself may be off by a standard error of "
        f"{apart(first.error, metric)}, over {first.scored:,} questions.{others}"
    )


def _nothing(found: list[ArmSpread]) -> str:
    scored = any(each.scored for each in found)
    return "One answer to one question has no spread." if scored else "No result has a score yet."


def _of_less(metric: Metric, found: list[ArmSpread]) -> str:
    """Where no arm has scores of two questions."""
    if not any(each.scored for each in found):
        return "Nothing can be said of spread yet: no result has a score."
    one = next((each for each in found if each.pooled is not None), None)
    if one is None or one.pooled is None:
        return "One answer to one question has no spread: neither within questions nor between them."
    return (
        f"{one.arm.label}: answers to its one question differ by {apart(one.pooled, metric)} (standard deviation); how "
        "questions differ among themselves, one alone does not say."
    )


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
        said.append(
            "Where each question has one answer, there is no spread within questions: that is not a spread of 0."
        )
    if any(each.pooled == 0 for each in found):
        said.append(
            "A spread of 0 within questions means that answers to the same question had the same score each time."
        )
    if any(each.between == 0 for each in found):
        said.append("A spread of 0 between questions means that their means came out equal; others may differ.")
    return said
