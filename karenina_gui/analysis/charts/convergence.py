"""Would more replicates make the result surer? The mean and its interval with each further replicate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, rate_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    APPROXIMATE,
    NO_SCORE,
    format_difference,
    format_interval,
    format_value,
    join_first,
    results_of,
    scored_trait,
)
from karenina_gui.analysis.charts.convergence_marks import (
    ConvergenceCurve,
    ConvergenceMarks,
    RequiredSamples,
    about_number,
    format_target,
    half_width,
)
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding, style_index
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import cap_for_display, measure
from karenina_gui.analysis.thresholds import (
    MAX_REPLICATES_PREDICTED,
    MIN_QUESTIONS_FOR_VARIANCE,
    MIN_REDUCTION_SHARE_WORTH_COST,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Scores
    from karenina_gui.analysis.statistics.power import WidthForecast

COLUMNS = (
    *("Model", "Condition", "Replicates", "Mean", "95% CI low", "95% CI high", "Margin of error", "Questions"),
    *("Margin with unlimited replicates", "Upper bound"),
)
TARGET_COLUMNS = ("Target margin", "Replicates needed", "Questions needed")
"""Additional columns if the request has a target half width."""

RATES = ("Mean", "95% CI low", "95% CI high")
MARGINS = ("Margin of error", "Margin with unlimited replicates", "Upper bound", "Target margin")

FIGURES = (
    Figure(
        "half-width",
        "Margin of error",
        "Half the width of the 95% CI of the mean. Near the ends of the scale, the mean is not in its middle. "
        "Replicates or questions needed: so many reach the target margin, the other number unchanged.",
        columns=("Margin of error", "Target margin", "Replicates needed", "Questions needed", "Replicates"),
    ),
    Figure(
        "endless",
        "Margin with unlimited replicates",
        "The margin of error if each question’s mean were known exactly: an estimate, and an upper bound.",
        left_out="Configurations where variation between answers and between questions cannot be separated.",
        interval="Upper bound: with 95% confidence, the margin is not larger.",
        columns=("Margin with unlimited replicates", "Upper bound"),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""
ChoiceCase = Literal["alone", "needs_most", "widest", "widest_of_known"]
OutlookCase = Literal[
    "reached",
    "takes_either",
    "takes_questions",
    "takes_questions_uncertain",
    "takes_questions_unknown",
    "unknown",
    "not_separable",
    "no_effect",
    "little_effect",
    "uncertain_effect",
    "worth_cost",
]
"""The first five with a target, the others without."""


def find(scores: Scores, data: ChartData) -> Finding:
    target = _target(scores.metric, data)
    curves = _curves(scores, data, target)
    table = _table(scores, curves, target, scored_trait(scores, data))
    replicates = max((len(curve.points) for curve in curves), default=0)
    if replicates < 2:
        one = "There is only one replicate. Run at least two to see whether more would change the result."
        return empty_finding(scores, one if scores.scored else NO_SCORE, table)
    if not any(curve.halves[-1] for curve in curves):
        reason = "No mean has an interval: there are too few questions, or they do not differ."
        return empty_finding(scores, reason, table)
    marks = ConvergenceMarks(tuple(curves), replicates, target)
    text = sentence(scores.metric, marks, summarize(scores.metric, marks))
    return make_finding(scores, text, table, marks, cautions(curves))


def _target(metric: Metric, data: ChartData) -> float | None:
    within = data.request.within
    return within / 100 if within is not None and metric.kind == "binary" else within


def _curves(scores: Scores, data: ChartData, target: float | None) -> list[ConvergenceCurve]:
    curves: list[ConvergenceCurve] = []
    row = 0
    for arm in range(len(scores.arms)):
        points = tuple(_points(scores, arm))
        if points:
            curves.append(_curve(scores, data, arm, row, points, target))
            row += len(points)
    return curves


def _curve(
    scores: Scores, data: ChartData, arm: int, row: int, points: tuple[Estimate, ...], target: float | None
) -> ConvergenceCurve:
    between = _question_variance(scores, arm)
    is_separable = between is not None
    outlook = _forecast(scores.metric, points[-1], len(points), between)
    limit = most = None
    if outlook and is_separable:
        limit = outlook.half(replicates=inf)
        # More replicates cannot widen the interval, so that the present half width bounds the upper limit.
        most = min(half_width(points[-1]) or inf, outlook.at_worst.half(replicates=inf))
    need = None if target is None else _need(scores.metric, points, outlook, target, is_separable=is_separable)
    return ConvergenceCurve(scores.arms[arm].label, arm, style_index(scores, data, arm), row, points, limit, most, need)


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
    metric: Metric, points: tuple[Estimate, ...], outlook: WidthForecast | None, target: float, is_separable: bool
) -> RequiredSamples | None:
    """Return the need for the target.

    `is_separable`: True if the variances of answers and questions are separable, so that replicates can be planned.
    """
    from karenina_gui.analysis.statistics.power import questions_for_rate

    last, done = points[-1], len(points)
    now = half_width(last)
    if now is None:
        return None
    reached = now <= target
    if outlook is None:
        # All questions score the same: only Wilson's interval at the end of the scale says how many more help.
        more = questions_for_rate(target / (metric.width or 1.0))
        return RequiredSamples(reached, 1 if reached else None, _consistent_number(more, last.n, reached))
    questions = _consistent_number(outlook.questions_for(target), last.n, reached)
    if not is_separable:
        return RequiredSamples(reached, done if reached else None, questions)
    replicates = outlook.replicates_for(target)
    if replicates is None:
        return RequiredSamples(reached, None, questions)
    if not reached and outlook.at_worst.replicates_for(target) is None:
        return RequiredSamples(reached, None, questions, uncertain=True)
    replicates = _consistent_number(replicates, done, reached)
    return RequiredSamples(reached, replicates, questions, _predict_widths(outlook, done, replicates))


def _predict_widths(outlook: WidthForecast, done: int, replicates: int) -> tuple[float, ...]:
    """Return the half width with each further replicate; empty if there are too many to draw."""
    further = range(done + 1, replicates + 1) if replicates <= MAX_REPLICATES_PREDICTED else ()
    return tuple(outlook.half(replicates=number) for number in further)


def _consistent_number(needed: int, present: int, reached: bool) -> int:
    """Adjust the number needed to whether the target is met."""
    # With one answer per question the planned half width can differ from the computed one in the last digits.
    return min(needed, present) if reached else max(needed, present + 1)


def _table(scores: Scores, curves: list[ConvergenceCurve], target: float | None, trait: str | None) -> ChartTable:
    return ChartTable(
        (*COLUMNS, *(() if target is None else TARGET_COLUMNS), "Remark"),
        [row for curve in curves for row in _table_rows(scores, curve, target)],
        [results_of(scores.arms[curve.arm], trait=trait) for curve in curves for _ in curve.points],
        rate_formats(scores.metric, RATES, MARGINS),
    )


def _table_rows(scores: Scores, curve: ConvergenceCurve, target: float | None) -> list[tuple[Cell, ...]]:
    arm = scores.arms[curve.arm]
    last, need = len(curve.points), curve.need
    numbers = (None, None) if need is None else (cap_for_display(need.replicates), cap_for_display(need.questions))
    return [
        (
            *(arm.answering, arm.condition, k, point.value, point.low, point.high, half_width(point), point.n),
            *((curve.limit or None, curve.limit_most) if k == last else (None, None)),
            *(() if target is None else (target, *numbers) if k == last else (target, None, None)),
            point.why,
        )
        for k, point in enumerate(curve.points, 1)
    ]


@dataclass(frozen=True)
class ConvergenceSummary:
    """Decision about the summary of a convergence chart."""

    curve: ConvergenceCurve
    """Curve that is reported."""
    choice: ChoiceCase
    """Reason why it is reported."""
    outlook: OutlookCase
    """Remedy that narrows the interval or reaches the target."""
    barely: bool = False
    """True if the margin misses the target by less than is shown."""
    saved: float = 0.0
    """Share of the margin that unlimited replicates save; 0: not estimated."""
    surely: float = 0.0
    """Share that they save at least."""


def summarize(metric: Metric, marks: ConvergenceMarks) -> ConvergenceSummary:
    """Decide which arm to report: the one that needs the most questions for the target, or that with the widest
    interval.
    """
    widest = max(marks.curves, key=lambda one: one.width)
    curve = max((one for one in marks.curves if one.lacks), key=lambda one: one.lacks, default=widest)
    choice = _choice(marks, curve, widest)
    if curve.need is not None and marks.target is not None:
        alike = format_difference(curve.width, metric) == format_difference(marks.target, metric)
        return ConvergenceSummary(curve, choice, _target_case(curve, curve.need), barely=bool(curve.lacks) and alike)
    if not curve.limit:
        return ConvergenceSummary(curve, choice, "unknown" if curve.limit is None else "not_separable")
    saved, surely = 1 - curve.limit / curve.width, 1 - (curve.limit_most or curve.limit) / curve.width
    case = _replicates_case(curve, curve.limit, metric, saved, surely)
    return ConvergenceSummary(curve, choice, case, saved=saved, surely=surely)


def _choice(marks: ConvergenceMarks, curve: ConvergenceCurve, widest: ConvergenceCurve) -> ChoiceCase:
    """Decide why this arm of several is reported."""
    if len(marks.curves) == 1:
        return "alone"
    if curve is not widest:
        return "needs_most"
    return "widest" if all(one.halves[-1] for one in marks.curves) else "widest_of_known"


def _replicates_case(curve: ConvergenceCurve, limit: float, metric: Metric, saved: float, surely: float) -> OutlookCase:
    """Decide about the effect of unlimited replicates, with which the half width is `limit`."""
    if format_difference(limit, metric) == format_difference(curve.width, metric):
        return "no_effect"
    if saved < MIN_REDUCTION_SHARE_WORTH_COST:
        return "little_effect"
    return "uncertain_effect" if surely < MIN_REDUCTION_SHARE_WORTH_COST else "worth_cost"


def _target_case(curve: ConvergenceCurve, need: RequiredSamples) -> OutlookCase:
    """Decide about what reaches the target."""
    if need.reached:
        return "reached"
    if need.replicates is not None:
        return "takes_either"
    if need.uncertain:
        return "takes_questions_uncertain"
    return "takes_questions_unknown" if curve.limit is None else "takes_questions"


def sentence(metric: Metric, marks: ConvergenceMarks, summary: ConvergenceSummary) -> str:
    """Summary of the reported arm: the half width, and what would narrow it."""
    curve, last = summary.curve, summary.curve.last
    margin = format_difference(curve.width, metric)
    choice = {
        "alone": "",
        "needs_most": ", the one that needs the most questions",
        "widest": ", the largest of all configurations",
        "widest_of_known": ", the largest of all configurations with a CI",
    }[summary.choice]
    if curve.need is not None and marks.target is not None:
        outlook = _outlook_with_target(summary, curve.need, format_target(marks.target, metric))
    else:
        outlook = _outlook_without_target(metric, summary)
    return (
        f"{curve.label} has a {measure(metric)} of {format_value(last.value, metric)} ({percent(last.level)} CI "
        f"{format_interval(last, metric)}) on {quantity(last.n, 'question')} with "
        f"{quantity(len(curve.points), 'replicate')}: a margin of error of "
        f"{'slightly more than ' if summary.barely else ''}{margin}{choice}. {outlook}"
    )


def _outlook_with_target(summary: ConvergenceSummary, need: RequiredSamples, target: str) -> str:
    """Say how the target can be reached."""
    if summary.outlook == "reached":
        return f"This meets the target of {target}."
    takes = f"For a margin of {target}, you need"
    questions = f"{about_number(need.questions, 'question')} with the same number of replicates"
    if summary.outlook == "takes_either" and need.replicates is not None:
        return f"{takes} {about_number(need.replicates, 'replicate')} of each of these questions, or {questions}."
    if summary.outlook == "takes_questions":
        return f"{takes} {questions}. No number of replicates of these questions is enough."
    if summary.outlook == "takes_questions_uncertain":
        return f"{takes} {questions}. These data do not show whether any number of replicates would be enough."
    return f"{takes} {questions}. The effect of more replicates cannot be estimated from these data."


def _outlook_without_target(metric: Metric, summary: ConvergenceSummary) -> str:
    """Say what unlimited replicates would change."""
    limit = _limit(summary.curve, metric)
    match summary.outlook:
        case "not_separable":
            return (
                "More questions or more replicates reduce it. These data do not show by how much, because answers to "
                "the same question vary as much as answers to different ones."
            )
        case "no_effect":
            return "Unlimited replicates would hardly reduce it; only more questions do."
        case "little_effect":
            return f"Unlimited replicates would reduce it to {limit}; only more questions reduce it much."
        case "uncertain_effect":
            return (
                f"More questions reduce it. Unlimited replicates would reduce it to {limit}, so these data do not show "
                "whether more replicates are worth their cost."
            )
        case "worth_cost":
            return (
                f"Unlimited replicates would reduce it to {limit} ({_less(summary)} less): more replicates are worth "
                "their cost, and so are more questions."
            )
    return "The effect of more replicates cannot be estimated from these data."


def _less(summary: ConvergenceSummary) -> str:
    """Return the share that unlimited replicates save: `23%`, `15% to 23%`."""
    saved, surely = percent(summary.saved), percent(summary.surely)
    return saved if saved == surely else f"{surely} to {saved}"


def _limit(course: ConvergenceCurve, metric: Metric) -> str:
    """Return the half width with unlimited replicates: `about 6 percentage points`, `4 to 9 …`."""
    least, most = course.limit or 0.0, course.limit_most or course.limit or 0.0
    if format_difference(least, metric) == format_difference(most, metric):
        return f"about {format_difference(least, metric)}"
    return f"{format_difference(least, metric, unit=False)} to {format_difference(most, metric)}"


def cautions(courses: Sequence[ConvergenceCurve]) -> list[str]:
    """Return the limitations of intervals and predictions."""
    cautions = [APPROXIMATE] if any(course.last.approximate for course in courses) else []
    if names := _names(courses, lambda course: course.need_is_hint):
        cautions.append(
            f"With fewer than {MIN_QUESTIONS_FOR_VARIANCE} questions, the numbers needed are only a hint ({names})."
        )
    if names := _names(courses, lambda course: course.limit == 0):
        cautions.append(
            "The margin with unlimited replicates is not shown where questions do not differ more than their answers "
            f"({names})."
        )
    if names := _names(courses, lambda course: course.has_late_questions):
        cautions.append(f"Points to the left leave out questions without an answer in the first replicates ({names}).")
    return cautions


def _names(courses: Sequence[ConvergenceCurve], is_about: Callable[[ConvergenceCurve], bool]) -> str:
    return join_first([course.label for course in courses if is_about(course)])
