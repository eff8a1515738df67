"""Formatting of figures in sentences: rates in percent, their differences in points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.formatting import with_unit
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.thresholds import MIN_QUESTIONS_FOR_NORMAL
from karenina_gui.schemas.outcome import JUDGED
from karenina_gui.text import join_list, percent, quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.charts.chart_request import ChartData
    from karenina_gui.analysis.scores import Arm, Scores

Unit = Literal["dollars", "tokens", "seconds"]

NO_FIGURE = "no value"
NO_SCORE = "No result has a score yet."
APPROXIMATE = (
    f"The intervals are approximate, because there are fewer than {MIN_QUESTIONS_FOR_NORMAL} questions or nearly all "
    "scores are at one end of the scale."
)
"""Caution about several intervals together."""


def format_value(value: float | None, metric: Metric) -> str:
    """Format a value: `71%` for a rate, `3.4` for a score."""
    if value is None:
        return NO_FIGURE
    return percent(value) if metric.kind == "binary" else format_number(value)


def format_difference(difference: float, metric: Metric, *, unit: bool = True) -> str:
    """Format the size of a difference without sign: `6 percentage points` for rates, `0.4` for scores."""
    size = abs(difference)
    if metric.kind != "binary":
        return format_number(size)
    points = size * 100
    text = f"{points:.0f}" if points >= 1 or points == 0 else f"{points:.1f}"
    return with_unit(text, metric) if unit else text


def format_signed(difference: float, metric: Metric) -> str:
    """Format a difference: `+6 percentage points`, `−0.4`, `0 percentage points`."""
    sign = "+" if difference > 0 else "−" if difference < 0 else ""
    return f"{sign}{format_difference(difference, metric)}"


def format_interval(estimate: Estimate, metric: Metric) -> str:
    """Format an interval: `61% to 79%`; empty: no interval."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{format_value(estimate.low, metric)} to {format_value(estimate.high, metric)}"


def format_number(value: float) -> str:
    """Format a score: `3`, `3.4`, `0.27`, `1,204`; never `-0`."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def format_p(p: float) -> str:
    """Format a p-value: `< 0.001`, `0.0039`, `0.27`, `1.00`."""
    if p < 0.001:
        return "< 0.001"
    return f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def only_in_table(rows: int) -> str:
    """Return the caution about rows without repeated answers."""
    are = verb(rows, "is", "are")
    return f"{quantity(rows, 'row')} with fewer than two scored answers {are} only in the table."


def split_judgments(answers: int) -> str:
    """Return the caution about answers with conflicting judgments."""
    return (
        f"{quantity(answers, 'answer')} had conflicting judgments. The majority counts, and a tie counts as the worse "
        "result."
    )


def count_each(numbers: Sequence[int], noun: str) -> str:
    """Format the number per item: `3 answers each`, `1 answer each`, `2 to 3 answers each`."""
    least, most = min(numbers, default=0), max(numbers, default=0)
    return f"{quantity(most, noun)} each" if least == most else f"{least:,} to {quantity(most, noun)} each"


def quote(text: str, longest: int = 60) -> str:
    """Return the beginning of a text in quotation marks."""
    return f"“{shorten(text, longest, placeholder='…') or text[:longest]}”"


def opens_all(trait: str | None, of: str = "") -> str:
    """Return the hint of a mark whose link shows more results than the mark represents."""
    return f"Click to open all results{of}{'' if trait is None else f' with “{trait}”'}"


def opens_scored(metric: Metric, judge: str | None = None) -> str:
    """Return the hint of a mark that links to `results_with` this metric."""
    by = "" if judge is None else f" judged by {judge}"
    return opens_all(metric.trait, f"{by}{'' if metric.trait else ' with a verdict'}")


def count_ties(values: Sequence[float]) -> int:
    """Return how many leading values equal the first (the highest) up to rounding."""
    # Flip probabilities of equal counts can differ in the last digit.
    return sum(value > values[0] - 1e-9 * max(1.0, abs(values[0])) for value in values)


def join_first(items: list[str], most: int = 3) -> str:
    """List the first of many words: `a, b, c, and 9 more`."""
    return join_list(items if len(items) <= most + 1 else [*items[:most], f"{len(items) - most} more"])


def group_reasons(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """List each reason once after the names it is about; `reasons`: (name, reason), empty ones are left out."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        if reason:
            names.setdefault(reason, []).append(name)
    return [f"{join_first(of)}: {reason}" for reason, of in names.items()]


def results_of(
    arm: Arm | None = None,
    *,
    question: str | None = None,
    replicate: int | None = None,
    trait: str | None = None,
    judge: str | None = None,
) -> dict[str, str]:
    """Return the query of the results table for these results (see `ChartTable.links`)."""
    query = {
        "model": arm.answering if arm else None,
        "condition": arm.condition if arm else None,
        "question": question,
        "replicate": None if replicate is None else str(replicate),
        "trait": trait,
        "judge": judge,
    }
    return {word: value for word, value in query.items() if value}


def scored_trait(scores: Scores, data: ChartData) -> str | None:
    """Return the trait that filters linked results to scored ones; None: include results without a score."""
    return None if data.request.errors_as_failures else scores.metric.trait


def results_with(metric: Metric, *, errors: bool = False, judge: str | None = None) -> dict[str, str]:
    """Return the query of the results table for results with a score of this metric.

    `errors`: include errors, which count as failures. `judge`: only of this judge.
    """
    query = results_of(trait=metric.trait, judge=judge)
    return query if metric.trait else query | {"outcome": ",".join((*JUDGED, *(["error"] if errors else [])))}


def format_amount(value: float, unit: Unit) -> str:
    """`$0.0031`, `1,204 tokens`, `2.4 seconds`."""
    if unit == "tokens":
        return f"{value:,.0f} tokens" if value >= 1 else f"{format_number(value)} tokens"
    if unit == "seconds":
        return f"{format_number(value)} seconds"
    if value == 0:
        return "$0"
    return f"${value:,.2f}" if value >= 1 else f"${value:.3g}" if value >= 0.0001 else "less than $0.0001"
