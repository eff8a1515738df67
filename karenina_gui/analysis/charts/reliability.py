"""Chart of questions by quality and variation of their answers: always, sometimes or never passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import product
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, rate_formats, share_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    NO_SCORE,
    count_each,
    format_number,
    only_in_table,
    quote,
    results_of,
    scored_trait,
    split_judgments,
)
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding, style_index
from karenina_gui.analysis.charts.reliability_marks import (
    Kind,
    QuestionPoint,
    ReliabilityMarks,
    deviation_limit,
    kind_of,
    kinds_in_words,
    names_of,
    scale_middle,
)
from karenina_gui.analysis.charts.replicate_counts import (
    count_replicates,
    pooled_deviation,
)
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import with_configurations
from karenina_gui.analysis.thresholds import (
    MAX_MARKS_DRAWN,
    MAX_TIES_NAMED,
    MIN_ANSWERS_FOR_CONSISTENCY,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import join_list, percent, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.charts.replicate_counts import ReplicateCounts
    from karenina_gui.analysis.scores import Floats, Scores

COLUMNS = (
    *("Question", "Model", "Condition", "Kind", "Mean", "Good answers", "Share of good answers", "Flip probability"),
    *("Standard deviation", "Tokens per answer incl. judging", "Answers scored", "Answers planned"),
)

SHARES = ("Share of good answers", "Flip probability")

FIGURES = (
    Figure(
        "reliability-share",
        "Share of good answers",
        "Good answers to one question by one configuration, of those with a score. An answer is good if most of its "
        "judgments are; where judges disagree, the share differs from the mean.",
        left_out="Answers without a score.",
        weighed="Each answer equally.",
        columns=("Share of good answers",),
    ),
    Figure(
        "reliability-tokens",
        "Tokens per answer incl. judging",
        "Input and output tokens of an answer and all its judgments: the mean over the answers to one question by one "
        "configuration. Larger marks mean more tokens.",
        left_out="Answers whose provider reported no tokens.",
        weighed="Each answer equally.",
        columns=("Tokens per answer incl. judging",),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    points, split = _points(scores, data)

    def results(point: QuestionPoint) -> dict[str, str]:
        return results_of(scores.arms[point.arm], question=point.question_id, trait=trait)

    table = ChartTable.of_items(
        COLUMNS,
        points,
        lambda point: (_row(scores, point), results(point)),
        rate_formats(scores.metric, ["Mean"], ["Standard deviation"]) | share_formats(SHARES),
        data.most_rows,
    )
    repeated = [point for point in points if point.spread is not None]
    if not repeated:
        once = "No question has two scored answers by one configuration. Run at least two replicates."
        return empty_finding(scores, once if scores.scored else NO_SCORE, table)
    drawn = sample_groups([(point.kind, point.arm) for point in repeated])
    marks = _marks(scores, data, repeated, drawn)
    cautions = _cautions(scores.metric, points, repeated, split)
    links = [results(repeated[index]) for index in drawn]
    return make_finding(scores, sentence(scores.metric, repeated, marks), table, marks, cautions, links)


def _marks(scores: Scores, data: ChartData, repeated: list[QuestionPoint], drawn: list[int]) -> ReliabilityMarks:
    arms, in_arms = range(len(scores.arms)), Counter(point.arm for point in repeated)
    kinds: Counter[Kind] = Counter(point.kind for point in repeated if point.kind)
    return ReliabilityMarks(
        points=tuple(repeated[index] for index in drawn),
        arms=tuple(arm.label for arm in scores.arms),
        style_indices=tuple(style_index(scores, data, arm) for arm in arms),
        kinds=kinds,
        limit=deviation_limit(scores.metric),
        middle=scale_middle(scores.metric),
        by_arm=tuple(in_arms[arm] for arm in arms),
    )


def sample_groups(groups: Sequence[Hashable], most: int = MAX_MARKS_DRAWN) -> list[int]:
    """Return the indices to draw, in order: all, or an evenly spaced sample of each group.

    `groups`: group of each item. Each group keeps at least one item unless there are more than `most` groups.
    """
    places: dict[Hashable, list[int]] = {}
    for index, group in enumerate(groups):
        places.setdefault(group, []).append(index)
    if len(groups) <= most:
        return list(range(len(groups)))
    shares = {group: most * len(members) / len(groups) for group, members in places.items()}
    number = {group: max(1, int(share)) for group, share in shares.items()}
    # Rounding down leaves a remainder: it goes to the largest fractions.
    for group in sorted(shares, key=lambda group: number[group] - shares[group]):
        number[group] += sum(number.values()) < most
    # Groups with at least one item can exceed the total: the largest groups give way.
    while sum(number.values()) > most:
        number[max(number, key=number.__getitem__)] -= 1
    return sorted(
        members[at * len(members) // number[group]] for group, members in places.items() for at in range(number[group])
    )


def _points(scores: Scores, data: ChartData) -> tuple[list[QuestionPoint], int]:
    """Return planned points, flakiest first, and the number of answers with conflicting judgments."""
    metric, counts = scores.metric, count_replicates(scores)
    binary = metric.kind == "binary"
    columns = [counts.trials, counts.successes, scores.cells.planned, scores.cells.mean]
    spreads, tokens = _spreads(scores, counts), _tokens(scores, data).tolist()
    trials, passed, planned, means = (column.tolist() for column in columns)

    def point(question: int, arm: int) -> QuestionPoint:
        n, c, mean = trials[question][arm], passed[question][arm], means[question][arm]
        level = (c / n if binary else mean) if n else None
        name, spread = scores.questions[question], spreads[question][arm]
        return QuestionPoint(
            question=data.text(name),
            question_id=name,
            arm=arm,
            mean=_none_if_nan(mean),
            spread=spread,
            good=c if binary else None,
            answers=n,
            planned=planned[question][arm],
            tokens=_none_if_nan(tokens[question][arm]),
            kind=kind_of(metric, level, spread),
        )

    cells = product(range(len(scores.questions)), range(len(scores.arms)))
    points = [point(question, arm) for question, arm in cells if planned[question][arm]]
    sign = -1.0 if metric.higher_is_better is False and not binary else 1.0
    points.sort(
        key=lambda point: (-1.0 if point.spread is None else point.spread, -sign * (point.level or 0)), reverse=True
    )
    return points, counts.split if binary else 0


def _spreads(scores: Scores, counts: ReplicateCounts) -> list[list[float | None]]:
    """Return flip probability or standard deviation of each cell; None: fewer than two scored answers."""
    from karenina_gui.analysis.statistics.pass_at_k import flip_probability

    trials = counts.trials.tolist()
    if scores.metric.kind == "binary":
        return [
            [flip_probability(n, c) for n, c in zip(*row, strict=True)]
            for row in zip(trials, counts.successes.tolist(), strict=True)
        ]
    cells = zip(trials, scores.cells.deviation.tolist(), scores.cells.mean.tolist(), strict=True)
    return [
        [_deviation(deviation, mean) if n > 1 else None for n, deviation, mean in zip(*row, strict=True)]
        for row in cells
    ]


def _none_if_nan(value: float) -> float | None:
    return value if value == value else None


def _deviation(deviation: float, mean: float) -> float:
    """Return the deviation, or 0 if it is only rounding error."""
    return deviation if deviation > 1e-9 * max(1.0, abs(mean)) else 0.0


def _tokens(scores: Scores, data: ChartData) -> Floats:
    """Return the mean tokens per answer by question and arm; NaN: unknown."""
    import numpy as np

    shape = (len(scores.questions), len(scores.arms))
    if data.tokens is None:
        return np.full(shape, np.nan)
    tokens = data.tokens
    is_known = ~np.isnan(tokens)
    cell = scores.cell[is_known]
    number = np.bincount(cell, minlength=shape[0] * shape[1])
    total = np.bincount(cell, weights=tokens[is_known], minlength=shape[0] * shape[1])
    return np.where(number > 0, total / np.maximum(number, 1), np.nan).reshape(shape)


def sentence(metric: Metric, repeated: list[QuestionPoint], marks: ReliabilityMarks) -> str:
    """Summary of the kinds; `repeated`: points with two or more answers, flakiest first."""
    basis = _basis(repeated, marks)
    often = count_each([point.answers for point in repeated], "answer")
    deviation = format_number(pooled_deviation([(point.answers, point.spread) for point in repeated]))
    flakiest = _flakiest_sentence(repeated, marks)
    if not marks.kinds:
        return (
            f"“{metric.title}” scores of answers to the same question have a standard deviation of {deviation} (pooled "
            f"over {basis}, {often}). Without a range of scores, no question is called consistent or flaky.{flakiest}"
        )
    start = basis if metric.trait is None else f"“{metric.trait}” on {basis}"
    counts = f"{start} ({often}): {join_list(_counts(metric, marks))}."
    if metric.kind == "binary":
        probability = percent(sum(point.spread or 0.0 for point in repeated) / len(repeated))
        return f"{counts} Two answers to the same question differ with a probability of {probability}.{flakiest}"
    return f"{counts} Answers to the same question have a standard deviation of {deviation}.{flakiest}"


def _counts(metric: Metric, marks: ReliabilityMarks) -> list[str]:
    """Return the number of points of each kind that occurs; for traits with the meaning of the kind."""
    names, meanings = names_of(metric), kinds_in_words(metric)
    counts = {kind: f"{marks.kinds[kind]:,} {name}" for kind, name in names.items() if kind in marks.kinds}
    return [count if metric.trait is None else f"{count} ({meanings[kind]})" for kind, count in counts.items()]


def _basis(repeated: list[QuestionPoint], marks: ReliabilityMarks) -> str:
    if len(marks.arms) == 1:
        return f"{quantity(len(repeated), 'question')} {with_configurations(marks.arms)}"
    return quantity(len(repeated), "question–configuration pair")


def _flakiest_sentence(repeated: list[QuestionPoint], marks: ReliabilityMarks) -> str:
    """Return the sentence about the flakiest point and its ties; empty if the flakiest is one of many."""
    first = repeated[0]
    if not first.spread:
        return ""
    others = sum(point.spread > first.spread - 1e-9 for point in repeated if point.spread is not None) - 1
    if others > MAX_TIES_NAMED:
        return ""
    several = len(marks.arms) > 1
    counted = quantity(others, "other pair") if several else f"{others:,} more"
    where = f" with {marks.arms[first.arm]}" if several else ""
    return f" Most variation: {quote(first.question)}{where}{f' and {counted}' if others else ''}."


def _cautions(metric: Metric, points: list[QuestionPoint], repeated: list[QuestionPoint], split: int) -> list[str]:
    cautions = []
    if len(repeated) > MAX_MARKS_DRAWN:
        cautions.append(
            f"The figure shows {MAX_MARKS_DRAWN} of {len(repeated):,} marks, sampled by kind. Counts and table include "
            "all."
        )
    if len(points) > len(repeated):
        cautions.append(only_in_table(len(points) - len(repeated)))
    least = min(point.answers for point in repeated)
    if metric.kind == "binary" and least < MIN_ANSWERS_FOR_CONSISTENCY:
        cautions.append(
            f"With {quantity(least, 'answer')}, a question that passes 90% of the time still looks consistent in "
            f"{percent(0.9**least)} of cases."
        )
    if split:
        cautions.append(split_judgments(split))
    return cautions


def _row(scores: Scores, point: QuestionPoint) -> tuple[Cell, ...]:
    arm, binary = scores.arms[point.arm], scores.metric.kind == "binary"
    kind = None if point.kind is None else names_of(scores.metric)[point.kind]
    return (
        *(
            point.question,
            arm.answering,
            arm.condition,
            kind,
            point.mean,
            point.good,
            point.share,
        ),
        *((point.spread, None) if binary else (None, point.spread)),
        *(point.tokens, point.answers, point.planned),
    )
