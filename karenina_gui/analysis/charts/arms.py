"""Chart of mean scores by arm, with intervals and the mean of each replicate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, rate_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    APPROXIMATE,
    NO_SCORE,
    format_interval,
    format_value,
    group_reasons,
    join_first,
    results_of,
    scored_trait,
)
from karenina_gui.analysis.charts.comparison import tested_difference
from karenina_gui.analysis.charts.order import OrderDoubt, doubt_of
from karenina_gui.analysis.estimate import Estimate, PairedDifference
from karenina_gui.analysis.keyword_clusters import clusters_of
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import describe_estimate, in_clusters, measure
from karenina_gui.analysis.thresholds import (
    MIN_CLUSTERS_FOR_NORMAL,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Arm, Scores

COLUMNS = (
    *("Model", "Condition", "Mean", "95% CI low", "95% CI high", "Questions", "Scored", "Planned"),
    *("Minimum replicate mean", "Maximum replicate mean", "Method"),
)

RATES = ("Mean", "95% CI low", "95% CI high", "Minimum replicate mean", "Maximum replicate mean")

FIGURES = (
    Figure(
        "replicate-mean",
        "Mean of a replicate",
        "Mean over the questions of one replicate (small dots). The table has the minimum and maximum.",
        left_out="Answers without a score in this replicate.",
        weighed="Each question equally.",
        columns=("Minimum replicate mean", "Maximum replicate mean"),
    ),
    Figure(
        "clusters",
        "Clusters",
        "Groups of questions that share a keyword, directly or through others. Intervals are made from these groups.",
        columns=("Clusters",),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class ArmMark:
    """Row of the figure."""

    label: str
    style_index: int
    """Index among all arms of the run."""
    estimate: Estimate
    replicates: tuple[tuple[int, float], ...]
    """(1-based replicate number, mean over its questions) for replicates with a score; empty: only one replicate."""
    scored: int
    planned: int
    link: int
    """Index of the first replicate's link in `Finding.mark_links`."""


@dataclass(frozen=True)
class ArmMarks:
    arms: tuple[ArmMark, ...]
    """In the order of the run; the first is the baseline."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    marks, links = _marks(scores, data)
    has_mean = any(mark.estimate.value is not None for mark in marks)
    return Finding(
        metric=scores.metric,
        sentence=sentence(
            scores.metric,
            summarize(scores.metric, marks, partial(tested_difference, scores, data)),
            len(scores.questions),
        ),
        table=ChartTable(
            (*COLUMNS, "Clusters") if data.request.clustered else COLUMNS,
            [_row(arm, mark) for arm, mark in zip(scores.arms, marks, strict=True)],
            [results_of(arm, trait=trait) for arm in scores.arms],
            rate_formats(scores.metric, RATES),
        ),
        scored=scores.scored,
        planned=scores.planned,
        lacking=scores.lacking,
        cautions=tuple(cautions(marks)),
        marks=ArmMarks(tuple(marks)) if has_mean else None,
        empty_reason="" if has_mean else NO_SCORE,
        mark_links=links,
    )


def _marks(scores: Scores, data: ChartData) -> tuple[list[ArmMark], list[dict[str, str]]]:
    """Return the mark of each arm, and the links of all marks."""
    # Statistics are imported on use: the application imports this module for its types, and must not load SciPy.
    from karenina_gui.analysis.statistics.means import arm_mean

    trait = scored_trait(scores, data)
    clusters = clusters_of(data.keywords) if data.request.clustered else None
    marks: list[ArmMark] = []
    # Links of the arms come first, those of their replicates after them; each mark stores the index of its first.
    links = [results_of(arm, trait=trait) for arm in scores.arms]
    for index, arm in enumerate(scores.arms):
        marks.append(_mark(scores, data, index, arm_mean(scores, index, clusters), len(links)))
        links += [results_of(arm, replicate=number, trait=trait) for number, _ in marks[-1].replicates]
    return marks, links


def _mark(scores: Scores, data: ChartData, index: int, mean: Estimate, link: int) -> ArmMark:
    answers = scores.answers
    here = answers.arm == index
    return ArmMark(
        label=scores.arms[index].label,
        style_index=data.places.get(scores.arms[index], index),
        estimate=mean,
        replicates=_by_replicate(scores, index),
        scored=int(answers.scored[here].sum()),
        planned=int(answers.planned[here].sum()),
        link=link,
    )


def _by_replicate(scores: Scores, index: int) -> tuple[tuple[int, float], ...]:
    import numpy as np

    answers = scores.answers
    here = (answers.arm == index) & ~np.isnan(answers.value)
    numbers = np.unique(answers.replicate[answers.arm == index])
    # The mean of a single replicate is the mean of the arm, which is drawn already.
    if len(numbers) < 2:
        return ()
    replicates = ((int(number), answers.value[here & (answers.replicate == number)]) for number in numbers)
    return tuple((number, float(values.mean())) for number, values in replicates if len(values))


@dataclass(frozen=True)
class ArmsSummary:
    """Decision about the summary of an arms chart."""

    case: Literal["no_score", "single", "only_scored", "equal", "ranked"]
    ranked: tuple[ArmMark, ...] = ()
    """Arms with a mean, the best first."""
    tied: tuple[int, int] = (0, 0)
    """Other arms with the same mean as the best, and as the worst."""
    doubt: OrderDoubt | None = None
    """Reason why the order of the first two arms is uncertain; None: it is not."""


def summarize(
    metric: Metric, marks: Sequence[ArmMark], difference: Callable[[int, int], PairedDifference]
) -> ArmsSummary:
    """Decide what can be said about one arm, or about the best and the worst of several.

    `difference`: that of the arm at the first index from the one at the second.
    """
    scored = [mark for mark in marks if mark.estimate.value is not None]
    if len(marks) == 1:
        return ArmsSummary("single", tuple(marks))
    if len(scored) < 2:
        return ArmsSummary("only_scored" if scored else "no_score", tuple(scored))
    if len({_value(mark) for mark in scored}) == 1:
        return ArmsSummary("equal", tuple(scored), (len(scored) - 1,) * 2)
    ranked = tuple(sorted(scored, key=_value, reverse=metric.higher_is_better is not False))
    values = [_value(mark) for mark in ranked]
    tied = (values.count(values[0]) - 1, values.count(values[-1]) - 1)
    if tied[0]:  # arms with the same mean have no order that could be uncertain
        return ArmsSummary("ranked", ranked, tied)
    higher, lower = sorted(ranked[:2], key=_value, reverse=True)
    return ArmsSummary("ranked", ranked, tied, doubt_of([difference(marks.index(higher), marks.index(lower))]))


def sentence(metric: Metric, summary: ArmsSummary, questions: int) -> str:
    """Summary of one arm, or of the best and the worst of several and whether the first two differ.

    `questions`: number of questions asked.
    """
    marks = summary.ranked
    if summary.case == "no_score":
        return f"Not available: {NO_SCORE}"
    first, last = marks[0], marks[-1]
    if summary.case in ("single", "only_scored"):
        several = _has_several_answers(first)
        estimate = describe_estimate(first.estimate, first.label, metric, questions, several=several)
        return estimate if summary.case == "single" else f"{estimate} No other configuration has a score."
    figure = f"{measure(metric)} on {_question_count(marks, questions)}"
    if summary.case == "equal":
        names = join_first([mark.label for mark in marks])
        return (
            f"{names} have the same {figure}: {format_value(_value(first), metric)}{_intervals_within(marks, metric)}."
        )
    top, bottom = ("Lowest (best)", "Highest") if metric.higher_is_better is False else ("Highest", "Lowest")
    order = summary.doubt.sentence(f" of the two {top.partition(' ')[0].lower()}") if summary.doubt else ""
    return (
        f"{top} {figure}: {first.label}{_tie(summary.tied[0])}, {_mean_with_interval(metric, first)}. "
        f"{bottom}: {last.label}{_tie(summary.tied[1])}, {_mean_with_interval(metric, last)}.{order}"
    )


def _tie(others: int) -> str:
    """Return ` (tied with 2 others)`; empty: there are none."""
    return f" (tied with {quantity(others, 'other')})" if others else ""


def _has_several_answers(mark: ArmMark) -> bool:
    """Return True if a question has several answers; repeated judgments of one answer do not count."""
    return bool(mark.replicates)


def _intervals_within(marks: Sequence[ArmMark], metric: Metric) -> str:
    """Return the range that contains all intervals of equal means; empty: no interval."""
    ends = [(one.estimate.low, one.estimate.high) for one in marks]
    both = [(low, high) for low, high in ends if low is not None and high is not None]
    if not both:
        return ""
    low, high = format_value(min(low for low, _ in both), metric), format_value(max(high for _, high in both), metric)
    return "" if low == high else f" (95% CIs within {low} to {high})"


def _question_count(marks: Sequence[ArmMark], questions: int) -> str:
    """`50 questions`, `48 to 50 of 50 questions in 12 clusters`."""
    least, most = min(mark.estimate.n for mark in marks), max(mark.estimate.n for mark in marks)
    clusters = max((mark.estimate.clusters or 0 for mark in marks), default=0) or None
    total = quantity(questions, "question")
    scored = (
        f"{least:,} to {most:,} of {total}" if least < most else f"{most:,} of {total}" if most < questions else total
    )
    return in_clusters(scored, clusters)


def _mean_with_interval(metric: Metric, mark: ArmMark) -> str:
    """`72% (95% CI 58% to 83%)`."""
    ends = format_interval(mark.estimate, metric)
    return format_value(mark.estimate.value, metric) + (f" (95% CI {ends})" if ends else "")


def cautions(marks: Sequence[ArmMark]) -> list[str]:
    scored = [mark for mark in marks if mark.estimate.value is not None]
    return [*_reasons(marks, scored), *_approximations([mark.estimate for mark in scored])] if scored else []


def _reasons(marks: Sequence[ArmMark], scored: Sequence[ArmMark]) -> list[str]:
    """Reasons for missing intervals; the sentence gives that of the only configuration with a score."""
    return group_reasons((mark.label, mark.estimate.why) for mark in marks if [mark] != scored)


def _approximations(estimates: Sequence[Estimate]) -> list[str]:
    bounded = [estimate for estimate in estimates if estimate.low is not None]
    if any(_has_few_clusters(estimate) for estimate in bounded):
        return [f"With fewer than {MIN_CLUSTERS_FOR_NORMAL} clusters, the intervals are approximate."]
    return [APPROXIMATE] if any(estimate.approximate for estimate in bounded) else []


def _has_few_clusters(estimate: Estimate) -> bool:
    return estimate.clusters is not None and estimate.clusters < MIN_CLUSTERS_FOR_NORMAL


def _row(arm: Arm, mark: ArmMark) -> tuple[Cell, ...]:
    mean, replicates = mark.estimate, [value for _, value in mark.replicates]
    return (
        *(arm.answering, arm.condition, mean.value, mean.low, mean.high, mean.n, mark.scored, mark.planned),
        *(min(replicates, default=None), max(replicates, default=None), mean.method),
        *(() if mean.clusters is None else (mean.clusters,)),
    )


def _value(mark: ArmMark) -> float:
    assert mark.estimate.value is not None
    return mark.estimate.value
