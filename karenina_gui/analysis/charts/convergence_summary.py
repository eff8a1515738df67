"""Summary and cautions of the convergence chart: which arm is reported, and what would narrow its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from karenina_gui.analysis.charts.chart_text import format_difference, format_interval, format_value, join_first
from karenina_gui.analysis.charts.convergence_marks import (
    ConvergenceCurve,
    ConvergenceMarks,
    RequiredSamples,
    about_number,
    format_target,
)
from karenina_gui.analysis.charts.sentences import (
    ADDED_LATER,
    APPROXIMATE,
    CHOICES,
    CONVERGENCE,
    NEED_IS_HINT,
    NO_LIMIT_SHOWN,
    OUTLOOKS,
    ChoiceCase,
    OutlookCase,
)
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import measure
from karenina_gui.analysis.thresholds import (
    MIN_REDUCTION_SHARE_WORTH_COST,
)
from karenina_gui.text import percent, quantity


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
    start = CONVERGENCE.format(
        label=curve.label,
        measure=measure(metric),
        mean=format_value(last.value, metric),
        level=percent(last.level),
        interval=format_interval(last, metric),
        questions=quantity(last.n, "question"),
        replicates=quantity(len(curve.points), "replicate"),
        margin=f"slightly more than {margin}" if summary.barely else margin,
        choice=CHOICES[summary.choice],
    )
    need = curve.need
    outlook = OUTLOOKS[summary.outlook].format(
        target="" if marks.target is None else format_target(marks.target, metric),
        replicates="" if need is None or need.replicates is None else about_number(need.replicates, "replicate"),
        questions="" if need is None else about_number(need.questions, "question"),
        limit=_limit(curve, metric),
        less=_less(summary),
    )
    return f"{start} {outlook}"


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
    said = [APPROXIMATE] if any(course.last.approximate for course in courses) else []
    for caution, is_about in COURSE_CAUTIONS.items():
        if labels := [course.label for course in courses if is_about(course)]:
            said.append(caution.format(names=join_first(labels)))
    return said


COURSE_CAUTIONS: dict[str, Callable[[ConvergenceCurve], bool]] = {
    NEED_IS_HINT: lambda course: course.need_is_hint,
    NO_LIMIT_SHOWN: lambda course: course.limit == 0,
    ADDED_LATER: lambda course: course.has_late_questions,
}
"""Cautions by the courses that they are about, in their order."""
