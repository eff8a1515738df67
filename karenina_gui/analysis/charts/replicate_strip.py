"""Strip chart of the answers to each question in each arm, the most varying first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, rate_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    NO_SCORE,
    count_each,
    count_ties,
    format_difference,
    format_number,
    format_value,
    only_in_table,
    quote,
    results_of,
    scored_trait,
)
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding, style_index
from karenina_gui.analysis.charts.replicate_counts import (
    cells_with_answers,
    count_replicates,
    good_label,
    pooled_deviation,
)
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import scores_of, with_configurations
from karenina_gui.analysis.thresholds import (
    MAX_QUESTIONS_DRAWN,
    MIN_ANSWERS_FOR_SPREAD,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores

COLUMNS = (
    *("Question", "Model", "Condition", "Mean", "95% CI low", "95% CI high", "Standard deviation"),
    *("Minimum", "Maximum", "Answers scored", "Answers planned"),
)

FIGURES = (
    Figure(
        "answer-range",
        "Minimum and maximum answer",
        "Lowest, highest, and mean score of the answers to one question, each the mean of its judgments.",
        left_out="Answers without a score.",
        weighed="Each answer equally.",
        interval="95% CI of the question’s mean, over its answers.",
        columns=("Mean", "95% CI low", "95% CI high", "Minimum", "Maximum"),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class Strip:
    """Answers to one question in one arm."""

    question: str
    """Text of the question."""
    question_id: str
    arm: int
    values: tuple[float, ...]
    """Scores of the answers, each the mean of its judgments."""
    estimate: Estimate
    """Mean of `values`; n is answers."""
    deviation: float | None
    """Standard deviation; None: fewer than two scored answers."""
    good: int | None
    """Answers at the better end by majority of judgments; None: not a yes/no metric."""
    flip: float | None
    """Flip probability by majority of judgments; None: fewer than two scored answers, or not a yes/no metric."""
    planned: int

    @property
    def variation(self) -> float | None:
        """Flip probability for yes/no metrics, otherwise the standard deviation."""
        return self.deviation if self.good is None else self.flip


@dataclass(frozen=True)
class StripMarks:
    strips: tuple[Strip, ...]
    """The first `MAX_QUESTIONS_DRAWN` strips, the most varying first."""
    arms: tuple[str, ...]
    """Labels of the arms."""
    style_indices: tuple[int, ...]
    """Index of each arm among all arms of the run."""
    others: int
    """Strips shown only in the table."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    strips = _strips(scores, data)
    table = ChartTable.of_items(
        COLUMNS,
        strips,
        lambda strip: (
            _row(scores, strip),
            results_of(scores.arms[strip.arm], question=strip.question_id, trait=trait),
        ),
        rate_formats(
            scores.metric, ("Mean", "95% CI low", "95% CI high", "Minimum", "Maximum"), ["Standard deviation"]
        ),
        data.most_rows,
    )
    repeated = [strip for strip in strips if strip.variation is not None]
    if not repeated:
        once = "No question has two scored answers. Run at least two replicates to see how answers vary."
        return empty_finding(scores, once if scores.scored else NO_SCORE, table)
    drawn = tuple(repeated[:MAX_QUESTIONS_DRAWN])
    arms = range(len(scores.arms))
    marks = StripMarks(
        drawn,
        tuple(arm.label for arm in scores.arms),
        tuple(style_index(scores, data, arm) for arm in arms),
        len(strips) - len(drawn),
    )
    split = count_replicates(scores).split if scores.metric.kind == "binary" else 0
    return make_finding(
        scores, sentence(scores.metric, repeated, marks.arms), table, marks, _cautions(strips, repeated, marks, split)
    )


def _strips(scores: Scores, data: ChartData) -> list[Strip]:
    """Return the strips, the most varying first and those with one answer last."""
    import numpy as np

    from karenina_gui.analysis.statistics.pass_at_k import flip_probability

    mean_of, counts = _means(scores.metric), count_replicates(scores)
    trials, passed = counts.trials.tolist(), counts.successes.tolist()
    binary = scores.metric.kind == "binary"
    # Few distinct sets of answers occur.
    deviation_of = cache(lambda values: float(np.std(values, ddof=1)) if len(values) > 1 else None)
    strips = []
    for question, arm, answers in cells_with_answers(scores):
        values = tuple(answers[~np.isnan(answers)].tolist())
        deviation = deviation_of(values)
        name = scores.questions[question]
        # Of equal answers the computer's rounding is no variation.
        is_constant = deviation is not None and min(values) == max(values)
        n, c = trials[question][arm], passed[question][arm]
        strips.append(
            Strip(
                question=data.text(name),
                question_id=name,
                arm=arm,
                values=values,
                estimate=mean_of(values),
                deviation=0.0 if is_constant else deviation,
                good=c if binary else None,
                flip=flip_probability(n, c) if binary else None,
                planned=len(answers),
            )
        )
    return sorted(strips, key=lambda strip: (_none_last(strip.variation), _none_last(strip.deviation)), reverse=True)


def _none_last(value: float | None) -> float:
    return -1.0 if value is None else value


def _means(metric: Metric) -> Callable[[tuple[float, ...]], Estimate]:
    """Return a function for the mean of answers with its interval."""
    import numpy as np

    from karenina_gui.analysis.statistics.means import score_mean

    # Few distinct sets of answers occur: thousands of questions share a dozen intervals.
    @cache
    def mean(values: tuple[float, ...]) -> Estimate:
        return score_mean(np.array(values, dtype=float), low=metric.low, high=metric.high, unit="answer")

    return lambda values: mean(tuple(sorted(values)))


def sentence(metric: Metric, repeated: list[Strip], arms: Sequence[str]) -> str:
    """Summary of the variation; `repeated`: strips with two or more answers; `arms`: labels."""
    changing = [strip for strip in repeated if strip.variation]
    scores, basis = scores_of(metric), _basis(repeated, arms)
    often = count_each([len(strip.values) for strip in repeated], "answer")
    if not changing:
        majority = ", by majority of judgments" if any(strip.deviation for strip in repeated) else ""
        return f"No variation in {scores} between answers to the same question ({basis}, {often}{majority})."
    most_varying = _most_varying(metric, changing)
    if metric.kind == "binary":
        share, have = percent(len(changing) / len(repeated)), verb(len(changing), "has", "have")
        return f"{len(changing):,} of {basis} ({share}) {have} answers with different {scores} ({often}).{most_varying}"
    deviation = format_number(pooled_deviation([(len(strip.values), strip.deviation) for strip in repeated]))
    return (
        f"{scores} of answers to the same question have a standard deviation of {deviation} (pooled over {basis}, "
        f"{often}).{most_varying}"
    )


def _most_varying(metric: Metric, changing: Sequence[Strip]) -> str:
    """Return the sentence about the most varying strip; empty if all vary equally."""
    ties = count_ties([strip.variation or 0.0 for strip in changing])
    if ties == 1:
        return f" Most variation: {quote(changing[0].question)} ({_answers(metric, changing[0])})."
    return f" The {ties:,} that vary most are tied." if ties < len(changing) else ""


def _basis(repeated: list[Strip], arms: Sequence[str]) -> str:
    present = {strip.arm for strip in repeated}
    if len(present) == 1:
        return f"{quantity(len(repeated), 'question')} {with_configurations([arms[arm] for arm in present])}"
    return quantity(len(repeated), "question–configuration pair")


def _answers(metric: Metric, strip: Strip) -> str:
    """`2 of 3 passed`, or `1 to 4 in 3 answers`."""
    if metric.kind == "binary":
        return f"{strip.good} of {len(strip.values)} {good_label(metric)}"
    low, high = format_number(min(strip.values)), format_number(max(strip.values))
    return f"{low} to {high} in {len(strip.values)} answers"


def _cautions(strips: list[Strip], repeated: list[Strip], marks: StripMarks, split: int) -> list[str]:
    cautions = []
    if marks.others:
        cautions.append(
            f"The figure shows the {len(marks.strips)} that vary most; the table has all {len(strips):,}."
            if len(repeated) > MAX_QUESTIONS_DRAWN
            else only_in_table(marks.others)
        )
    numbers = [len(strip.values) for strip in repeated]
    if min(numbers) < MIN_ANSWERS_FOR_SPREAD:
        often = count_each(numbers, "answer")
        cautions.append(f"With so few answers per question ({often}), rare variation may go unseen.")
    if split:
        cautions.append(
            f"{quantity(split, 'answer')} had conflicting judgments; their marks are means. In the summary, the "
            "majority counts, and a tie counts as the worse result."
        )
    return cautions


def _row(scores: Scores, strip: Strip) -> tuple[Cell, ...]:
    arm, mean = scores.arms[strip.arm], strip.estimate
    ends = (min(strip.values), max(strip.values)) if strip.values else (None, None)
    return (
        *(strip.question, arm.answering, arm.condition, mean.value, mean.low, mean.high, strip.deviation),
        *(*ends, len(strip.values), strip.planned),
    )


def mark_label(metric: Metric, strip: Strip) -> str:
    """Return the hover text of a strip."""
    spread = "" if strip.deviation is None else f" · standard deviation {format_difference(strip.deviation, metric)}"
    mean, scored = format_value(strip.estimate.value, metric), len(strip.values)
    return f"mean {mean} ({scored} of {quantity(strip.planned, 'answer')} scored){spread}"
