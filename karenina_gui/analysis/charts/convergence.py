"""Would more replicates make the result surer? The mean and its interval with each further replicate."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.found import NO_SCORE, found, look_of, nothing
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import apart, counted, results_of, some
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.percent import percent

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Scores

WORTH = 0.15
"""Part by which all replicates that there could be must narrow an interval, for more of them to be worth their cost."""
COLUMNS = (
    *("Model", "Condition", "Replicates", "Mean", "Interval from", "Interval to", "Half width", "Questions"),
    *("Half width with endless replicates", "Remark"),
)
ONCE = "There is one replicate only. Run two or more to see whether a further one changes the result."
NO_INTERVAL = "No mean has an interval: there are too few questions, or they do not differ."


@dataclass(frozen=True)
class Course:
    """One arm, with its first k replicates for k = 1, 2, ..."""

    label: str
    arm: int
    look: int
    """Place of the arm among all of the run."""
    row: int
    """Of its first row in the table."""
    points: tuple[Estimate, ...]
    limit: float | None
    """Half width of the interval with endless replicates of the same questions; None: it cannot be told."""

    @property
    def halves(self) -> tuple[float | None, ...]:
        """Half the width of each interval; None: it has none."""
        return tuple(half(point) for point in self.points)


@dataclass(frozen=True)
class ConvergenceMarks:
    courses: tuple[Course, ...]
    """Of arms with a score."""
    replicates: int


def half(point: Estimate) -> float | None:
    return None if point.low is None or point.high is None else (point.high - point.low) / 2


def find(scores: Scores, data: ChartData) -> Finding:
    courses = _courses(scores, data)
    table = Table(
        COLUMNS,
        [row for course in courses for row in _table_rows(scores, course)],
        [results_of(scores.arms[course.arm]) for course in courses for _ in course.points],
    )
    replicates = max((len(course.points) for course in courses), default=0)
    if replicates < 2:
        return nothing(scores, ONCE if scores.scored else NO_SCORE, table)
    if not any(course.halves[-1] for course in courses):
        return nothing(scores, NO_INTERVAL, table)
    marks = ConvergenceMarks(tuple(courses), replicates)
    return found(scores, sentence(scores.metric, marks), table, marks, _cautions(courses))


def _courses(scores: Scores, data: ChartData) -> list[Course]:
    courses: list[Course] = []
    for arm, of in enumerate(scores.arms):
        points = tuple(_points(scores, arm))
        if points:
            row = sum(len(course.points) for course in courses)
            limit = _limit(scores, arm, points[-1])
            courses.append(Course(of.label, arm, look_of(scores, data, arm), row, points, limit))
    return courses


def _points(scores: Scores, arm: int) -> list[Estimate]:
    """Empty: the arm has no score."""
    import numpy as np

    from karenina_gui.analysis.statistics.means import mean_of_questions

    answers, metric = scores.answers, scores.metric
    here = (answers.arm == arm) & ~np.isnan(answers.value)
    questions, replicates, values = answers.question[here], answers.replicate[here], answers.value[here]
    points = []
    for number in np.unique(replicates).tolist():
        first = replicates <= number
        means = _question_means(questions[first], values[first], len(scores.questions))
        points.append(mean_of_questions(means, low=metric.low, high=metric.high))
    return points


def _question_means(questions: Floats, values: Floats, number: int) -> Floats:
    """NaN: the question has no score."""
    import numpy as np

    answers = np.bincount(questions, minlength=number)
    total = np.bincount(questions, weights=values, minlength=number)
    return np.where(answers > 0, total / np.maximum(answers, 1), np.nan)


def _limit(scores: Scores, arm: int, last: Estimate) -> float | None:
    """What is left of the interval when nothing but the differences between questions is.

    The width goes with the standard deviation of the question means, of which replicates take away all that is not
    between questions.
    """
    from karenina_gui.analysis.statistics.components import variance_components

    width = half(last)
    split = variance_components(scores.only(scores.arm == arm))
    if width is None or not last.deviation or split.question is None or split.answer is None:
        return None
    return width * min(1.0, sqrt(split.question) / last.deviation)


def sentence(metric: Metric, marks: ConvergenceMarks) -> str:
    """Of the arm with the widest interval: how wide, and what further replicates could still change."""
    widest = max(marks.courses, key=lambda course: course.halves[-1] or 0.0)
    width, n = widest.halves[-1] or 0.0, widest.points[-1].n
    name = f"the mean of {widest.label}" if len(marks.courses) == 1 else f"the least sure mean, that of {widest.label},"
    start = (
        f"With {counted(len(widest.points), 'replicate')} of {counted(n, 'question')} {name} is known to within "
        f"{apart(width, metric)} either way"
    )
    if widest.limit is None:
        return f"{start}; what further replicates would change these data cannot say."
    saved = 1 - widest.limit / width
    if apart(widest.limit, metric) == apart(width, metric):
        return f"{start}; endless replicates would hardly narrow that, only more questions do."
    ends = f"{start}; endless replicates would bring that to about {apart(widest.limit, metric)}"
    if not widest.limit:
        return f"{start}; the questions are not seen to differ, so that each further replicate makes it surer."
    if saved < WORTH:
        return f"{ends}, so that only more questions make it much surer."
    return f"{ends}, {percent(saved)} less: more replicates are worth their cost, as more questions are."


def _cautions(courses: list[Course]) -> list[str]:
    said = []
    if any(course.points[-1].approximate for course in courses):
        said.append("The intervals are approximate: below 30 questions, or with nearly all at one end.")
    grown = [course.label for course in courses if len({point.n for point in course.points}) > 1]
    if grown:
        said.append(f"Questions without an answer in the first replicates come in later ({some(grown)}).")
    return said


def _table_rows(scores: Scores, course: Course) -> list[tuple[Cell, ...]]:
    arm = scores.arms[course.arm]
    last = len(course.points)
    return [
        (
            *(arm.answering, arm.condition, k, point.value, point.low, point.high, half(point), point.n),
            *(course.limit if k == last else None, point.why),
        )
        for k, point in enumerate(course.points, 1)
    ]
