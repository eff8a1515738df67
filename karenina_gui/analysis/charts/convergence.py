"""Would more replicates make the result surer? The mean and its interval with each further replicate."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    format_difference,
    format_interval,
    format_value,
    join_first,
    results_of,
    scored_trait,
)
from karenina_gui.analysis.charts.finding_factory import NO_SCORE, empty_finding, make_finding, style_index
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import APPROXIMATE, cap_for_display, measure
from karenina_gui.analysis.thresholds import (
    MAX_REPLICATES_PREDICTED,
    MAX_REPORTED_NUMBER,
    MIN_QUESTIONS_FOR_VARIANCE,
    MIN_REDUCTION_SHARE_WORTH_COST,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, plural, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Scores
    from karenina_gui.analysis.statistics.power import WidthForecast

COLUMNS = (
    *("Model", "Condition", "Replicates", "Mean", "95% CI low", "95% CI high", "Margin of error", "Questions"),
    *("Margin with unlimited replicates", "At most"),
)
WANTED = ("Target margin", "Replicates needed", "Questions needed")
"""Additional columns if the request has a target half width."""
ONCE = "There is only one replicate. Run at least two to see whether more would change the result."
NO_INTERVAL = "No mean has an interval: there are too few questions, or they do not differ."

FIGURES = (
    Figure(
        "half-width",
        "Margin of error",
        "Half the width of the 95% CI of the mean. Near the ends of the scale, the mean is not in its middle.",
        columns=("Margin of error", "Target margin", "Replicates needed", "Questions needed", "Replicates"),
    ),
    Figure(
        "endless",
        "Margin with unlimited replicates",
        "The margin of error if each question’s mean were known exactly: an estimate, and an upper bound.",
        left_out="Configurations where variation between answers and between questions cannot be separated.",
        interval="95% upper bound.",
        columns=("Margin with unlimited replicates", "At most"),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class RequiredSamples:
    """Replicates or questions needed for the target half width; each with the other unchanged."""

    reached: bool
    """True if the half width already meets the target."""
    replicates: int | None
    """Total replicates; None: no number is enough, or unknown."""
    questions: int
    predicted: tuple[float, ...] = ()
    """Half widths with each further replicate, up to `replicates`; empty above `MAX_REPLICATES_PREDICTED`."""
    uncertain: bool = False
    """True if the data do not show whether any number of replicates is enough."""


@dataclass(frozen=True)
class ConvergenceCurve:
    """Means of one arm over its first k replicates, for k = 1, 2, …"""

    label: str
    arm: int
    style_index: int
    """Index of the arm among all arms of the run."""
    row: int
    """Index of its first row in the table."""
    points: tuple[Estimate, ...]
    limit: float | None
    """Half width with unlimited replicates of the same questions; None: unknown."""
    limit_most: float | None
    """Upper limit of `limit`: with few questions, the variance between them is uncertain."""
    need: RequiredSamples | None
    """None: no target is set, or there is no interval."""

    @property
    def halves(self) -> tuple[float | None, ...]:
        """Half width of each interval; None: no interval."""
        return tuple(half_width(point) for point in self.points)

    @property
    def lacks(self) -> int:
        """Return the questions needed for the target; 0: no target is set, or it is met."""
        return 0 if self.need is None or self.need.reached else self.need.questions


def half_width(point: Estimate) -> float | None:
    """Return (high - low) / 2, although the interval need not be symmetric; None: no interval."""
    if point.value is None or point.low is None or point.high is None:
        return None
    return (point.high - point.low) / 2


@dataclass(frozen=True)
class ConvergenceMarks:
    curves: tuple[ConvergenceCurve, ...]
    """Courses of the arms with a score."""
    replicates: int
    target: float | None
    """Target half width in the metric's unit."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    wanted = _target(scores.metric, data)
    courses = _curves(scores, data, wanted)
    table = ChartTable(
        (*COLUMNS, *(() if wanted is None else WANTED), "Remark"),
        [row for course in courses for row in _table_rows(scores, course, wanted)],
        [results_of(scores.arms[course.arm], trait=trait) for course in courses for _ in course.points],
    )
    replicates = max((len(course.points) for course in courses), default=0)
    if replicates < 2:
        return empty_finding(scores, ONCE if scores.scored else NO_SCORE, table)
    if not any(course.halves[-1] for course in courses):
        return empty_finding(scores, NO_INTERVAL, table)
    marks = ConvergenceMarks(tuple(courses), replicates, wanted)
    return make_finding(scores, sentence(scores.metric, marks), table, marks, _cautions(courses))


def _target(metric: Metric, data: ChartData) -> float | None:
    within = data.request.within
    return within / 100 if within is not None and metric.kind == "binary" else within


def _curves(scores: Scores, data: ChartData, wanted: float | None) -> list[ConvergenceCurve]:
    courses: list[ConvergenceCurve] = []
    for arm, of in enumerate(scores.arms):
        points = tuple(_points(scores, arm))
        if points:
            row = sum(len(course.points) for course in courses)
            between = _question_variance(scores, arm)
            outlook, is_separable = _forecast(scores.metric, points[-1], len(points), between), between is not None
            limit = outlook.half(replicates=inf) if outlook and is_separable else None
            # More replicates cannot widen the interval, so that the present half width bounds the upper limit.
            most = (
                min(half_width(points[-1]) or inf, outlook.at_worst.half(replicates=inf))
                if outlook and is_separable
                else None
            )
            need = None if wanted is None else _need(scores.metric, points, outlook, wanted, is_separable=is_separable)
            courses.append(
                ConvergenceCurve(of.label, arm, style_index(scores, data, arm), row, points, limit, most, need)
            )
    return courses


def _points(scores: Scores, arm: int) -> list[Estimate]:
    """Return one estimate per number of replicates; empty: the arm has no score."""
    import numpy as np

    from karenina_gui.analysis.statistics.means import score_mean

    answers, metric = scores.answers, scores.metric
    is_scored = (answers.arm == arm) & ~np.isnan(answers.value)
    questions, replicates, values = answers.question[is_scored], answers.replicate[is_scored], answers.value[is_scored]
    points = []
    for number in np.unique(replicates).tolist():
        is_early = replicates <= number
        means = _question_means(questions[is_early], values[is_early], len(scores.questions))
        points.append(score_mean(means, low=metric.low, high=metric.high))
    return points


def _question_means(questions: Floats, values: Floats, number: int) -> Floats:
    """Return the mean of each question; NaN: no score."""
    import numpy as np

    answers = np.bincount(questions, minlength=number)
    total = np.bincount(questions, weights=values, minlength=number)
    return np.where(answers > 0, total / np.maximum(answers, 1), np.nan)


def _question_variance(scores: Scores, arm: int) -> float | None:
    """Return the variance between an arm's questions; None: not separable from that of answers."""
    from karenina_gui.analysis.statistics.variance_components import variance_components

    split = variance_components(scores.select(scores.arm == arm))
    # Without repeated answers, the variance between questions includes that between answers.
    return None if split.answer is None else split.question


def _forecast(metric: Metric, last: Estimate, replicates: int, between: float | None) -> WidthForecast | None:
    """Return the planning model of the last interval; None: no variance, or no interval."""
    from karenina_gui.analysis.statistics.power import WidthForecast

    if last.value is None or not last.deviation or not half_width(last):
        return None
    total_variance = last.deviation**2
    # The method of moments can estimate more variance between questions than their means have.
    between_questions = total_variance if between is None else min(between, total_variance)
    return WidthForecast(
        last.value, last.n, replicates, between_questions, total_variance - between_questions, metric.low, metric.high
    )


def _need(
    metric: Metric, points: tuple[Estimate, ...], outlook: WidthForecast | None, wanted: float, is_separable: bool
) -> RequiredSamples | None:
    """Return the need for the target.

    `is_separable`: True if the variances of answers and questions are separable, so that replicates can be planned.
    """
    from karenina_gui.analysis.statistics.power import questions_for_rate

    last, done = points[-1], len(points)
    now = half_width(last)
    if now is None:
        return None
    reached = now <= wanted
    if outlook is None:
        # All questions score the same: only Wilson's interval at the end of the scale says how many more help.
        more = questions_for_rate(wanted / (metric.width or 1.0))
        return RequiredSamples(reached, 1 if reached else None, _consistent_number(more, last.n, reached))
    questions = _consistent_number(outlook.questions_for(wanted), last.n, reached)
    replicates = outlook.replicates_for(wanted) if is_separable else done if reached else None
    if replicates is None:
        return RequiredSamples(reached, None, questions)
    if not reached and outlook.at_worst.replicates_for(wanted) is None:
        return RequiredSamples(reached, None, questions, uncertain=True)
    replicates = _consistent_number(replicates, done, reached)
    further = range(done + 1, replicates + 1) if replicates <= MAX_REPLICATES_PREDICTED else ()
    return RequiredSamples(reached, replicates, questions, tuple(outlook.half(replicates=number) for number in further))


def _consistent_number(needed: int, present: int, reached: bool) -> int:
    """Adjust the number needed to whether the target is met."""
    # With one answer per question the planned half width can differ from the computed one in the last digits.
    return min(needed, present) if reached else max(needed, present + 1)


def sentence(metric: Metric, marks: ConvergenceMarks) -> str:
    """Summary of the arm that needs the most questions for the target, or of the widest interval.

    Reports the half width and the effect of further replicates.
    """
    widest = max(marks.curves, key=lambda course: course.halves[-1] or 0.0)
    course = max((one for one in marks.curves if one.lacks), key=lambda one: one.lacks, default=widest)
    width, last = course.halves[-1] or 0.0, course.points[-1]
    barely = (
        bool(course.lacks)
        and marks.target is not None
        and format_difference(width, metric) == format_difference(marks.target, metric)
    )
    margin = f"slightly more than {format_difference(width, metric)}" if barely else format_difference(width, metric)
    reason = _reason_for_choice(marks, course, widest)
    start = (
        f"{course.label} has a {measure(metric)} of {format_value(last.value, metric)} ({percent(last.level)} CI "
        f"{format_interval(last, metric)}) on {quantity(last.n, 'question')} with "
        f"{quantity(len(course.points), 'replicate')}: a margin of error of {margin}{reason}."
    )
    if course.need is not None and marks.target is not None:
        return f"{start} {_target_sentence(course, course.need, format_target(marks.target, metric))}"
    return f"{start} {_effect_of_replicates(course, width, metric)}"


def _reason_for_choice(marks: ConvergenceMarks, course: ConvergenceCurve, widest: ConvergenceCurve) -> str:
    """Return the reason why this arm of several is reported."""
    if len(marks.curves) == 1:
        return ""
    if course is not widest:
        return ", the one that needs the most questions"
    every = all(one.halves[-1] for one in marks.curves)
    return ", the largest of all configurations" if every else ", the largest of all configurations with a CI"


def _effect_of_replicates(course: ConvergenceCurve, width: float, metric: Metric) -> str:
    """Return the sentence about the effect of unlimited replicates."""
    if course.limit is None:
        return "The effect of more replicates cannot be estimated from these data."
    if not course.limit:
        return (
            "The effect of more replicates cannot be estimated, because the questions do not differ more than their "
            "answers."
        )
    if format_difference(course.limit, metric) == format_difference(width, metric):
        return "Unlimited replicates would hardly reduce it; only more questions do."
    start = f"Unlimited replicates would reduce it to {_limit(course, metric)}"
    saved, surely = 1 - course.limit / width, 1 - (course.limit_most or course.limit) / width
    if saved < MIN_REDUCTION_SHARE_WORTH_COST:
        return f"{start}; only more questions reduce it much."
    if surely < MIN_REDUCTION_SHARE_WORTH_COST:
        return f"{start}: these data do not show whether more replicates are worth their cost. More questions are."
    less = percent(saved) if percent(saved) == percent(surely) else f"{percent(surely)} to {percent(saved)}"
    return f"{start} ({less} less): more replicates are worth their cost, and so are more questions."


def _limit(course: ConvergenceCurve, metric: Metric) -> str:
    """Return the half width with unlimited replicates: `about 6 percentage points`, `4 to 9 …`."""
    least, most = course.limit or 0.0, course.limit_most or course.limit or 0.0
    if format_difference(least, metric) == format_difference(most, metric):
        return f"about {format_difference(least, metric)}"
    return f"{format_difference(least, metric, unit=False)} to {format_difference(most, metric)}"


def _target_sentence(course: ConvergenceCurve, need: RequiredSamples, wanted: str) -> str:
    """Return the sentence about reaching the target."""
    if need.reached:
        return f"This meets the target of {wanted}."
    questions = f"{_about(need.questions, 'question')} with as many replicates"
    start = f"A margin of {wanted} takes"
    if need.replicates is not None:
        return f"{start} {_about(need.replicates, 'replicate')} of each of these questions, or {questions}."
    if need.uncertain:
        return f"{start} {questions}. These data do not show whether any number of replicates would be enough."
    if course.limit is None:
        return f"{start} {questions}. The effect of more replicates cannot be estimated from these data."
    return f"{start} {questions}. No number of replicates of these questions is enough."


def format_target(half: float, metric: Metric) -> str:
    """Format the target as the user entered it: `12.5 percentage points`, `0.25`."""
    if metric.kind != "binary":
        return f"{half:.10g}"
    points = f"{100 * half:.10g}"
    return f"{points} {plural(1 if points == '1' else 2, 'percentage point')}"


def needed_text(course: ConvergenceCurve) -> str:
    """Return `7 replicates or 98 questions`; empty if no target is set or nothing is known."""
    need = course.need
    if need is None:
        return ""
    if need.reached:
        return "reached"
    ways = [] if need.replicates is None else [_about(need.replicates, "replicate")]
    return " or ".join([*ways, _about(need.questions, "question")])


def _about(number: int, noun: str) -> str:
    return (
        f"more than {quantity(MAX_REPORTED_NUMBER, noun)}"
        if number > MAX_REPORTED_NUMBER
        else f"about {quantity(number, noun)}"
    )


def _cautions(courses: list[ConvergenceCurve]) -> list[str]:
    said = []
    if any(course.points[-1].approximate for course in courses):
        said.append(APPROXIMATE)
    hints = [
        course.label
        for course in courses
        if course.need and not course.need.reached and course.points[-1].n < MIN_QUESTIONS_FOR_VARIANCE
    ]
    if hints:
        least = MIN_QUESTIONS_FOR_VARIANCE
        said.append(f"With fewer than {least} questions, the numbers needed are only a hint ({join_first(hints)}).")
    without_limit = [course.label for course in courses if course.limit == 0]
    if without_limit:
        said.append(
            "The margin with unlimited replicates is not shown where questions do not differ more than their answers "
            f"({join_first(without_limit)})."
        )
    with_late_questions = [course.label for course in courses if len({point.n for point in course.points}) > 1]
    if with_late_questions:
        said.append(
            f"Questions without an answer in the first replicates are added later ({join_first(with_late_questions)})."
        )
    return said


def _table_rows(scores: Scores, course: ConvergenceCurve, wanted: float | None) -> list[tuple[Cell, ...]]:
    arm = scores.arms[course.arm]
    last, need = len(course.points), course.need
    numbers = (None, None) if need is None else (cap_for_display(need.replicates), cap_for_display(need.questions))
    return [
        (
            *(arm.answering, arm.condition, k, point.value, point.low, point.high, half_width(point), point.n),
            *((course.limit or None, course.limit_most) if k == last else (None, None)),
            *(() if wanted is None else (wanted, *numbers) if k == last else (wanted, None, None)),
            point.why,
        )
        for k, point in enumerate(course.points, 1)
    ]
