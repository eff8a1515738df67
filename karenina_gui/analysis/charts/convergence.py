"""Would more replicates make the result surer? The mean and its interval with each further replicate."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.found import NO_SCORE, found, look_of, nothing
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import apart, between, results_of, scored_trait, some
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.words import MANY, worth_saying
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Scores
    from karenina_gui.analysis.statistics.planning import Outlook

WORTH = 0.15
"""Part by which all replicates that there could be must narrow an interval, for more of them to be worth their cost."""
COLUMNS = (
    *("Model", "Condition", "Replicates", "Mean", "Interval from", "Interval to", "Half width", "Questions"),
    *("Half width with endless replicates", "At most"),
)
WANTED = ("Half width wanted", "Replicates needed", "Questions needed")
"""Further columns, where a reader says how sure a mean shall be."""
FORESEEN = 20
"""Replicates up to which it is drawn how the interval narrows."""
HINT = 10
"""Questions below which what is foreseen is no more than a hint."""
ONCE = "There is one replicate only. Run two or more to see whether a further one changes the result."
NO_INTERVAL = "No mean has an interval: there are too few questions, or they do not differ."

FIGURES = (
    Figure(
        "half-width",
        "Half width",
        "Half the width of the 95% interval of the mean; sentence, axis and table have the same. Near the ends "
        "of the scale the mean is not in its middle.",
        columns=("Half width", "Half width wanted", "Replicates needed", "Questions needed", "Replicates"),
    ),
    Figure(
        "endless",
        "Half width with endless replicates",
        "What would be left if each question’s mean were known: a point, and the most that the data allow.",
        left_out="Where answers and questions cannot be told apart.",
        interval="Upper end of a 95% bound.",
        columns=("Half width with endless replicates", "At most"),
    ),
)
"""Beside those that charts share (`figures`)."""


@dataclass(frozen=True)
class Need:
    """What it takes for the half width that is wanted: numbers in all, of one while the other stays as it is."""

    reached: bool
    """Whether it is that narrow already."""
    replicates: int | None
    """None: no number is enough, or it cannot be told."""
    questions: int
    foreseen: tuple[float, ...] = ()
    """Half widths with one more replicate, two more, up to `replicates`; empty where these are above `FORESEEN`."""
    unsure: bool = False
    """Whether the data allow that a number of replicates is enough, and also that none is."""


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
    limit_most: float | None
    """The greatest that the data allow it to be: few questions tell hardly how much they differ themselves."""
    need: Need | None
    """None: nothing is wanted, or there is no interval to begin with."""

    @property
    def halves(self) -> tuple[float | None, ...]:
        """Half the width of each interval; None: there is none."""
        return tuple(half_width(point) for point in self.points)

    @property
    def lacks(self) -> int:
        """Questions that it takes for the half width that is wanted; 0: nothing is wanted, or that is reached."""
        return 0 if self.need is None or self.need.reached else self.need.questions


def half_width(point: Estimate) -> float | None:
    """Of the interval, whose middle the mean need not be; None: there is none."""
    if point.value is None or point.low is None or point.high is None:
        return None
    return (point.high - point.low) / 2


@dataclass(frozen=True)
class ConvergenceMarks:
    courses: tuple[Course, ...]
    """Of arms with a score."""
    replicates: int
    wanted: float | None
    """Half width that is wanted, in the metric's unit."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    wanted = _wanted(scores.metric, data)
    courses = _courses(scores, data, wanted)
    table = Table(
        (*COLUMNS, *(() if wanted is None else WANTED), "Remark"),
        [row for course in courses for row in _table_rows(scores, course, wanted)],
        [results_of(scores.arms[course.arm], trait=trait) for course in courses for _ in course.points],
    )
    replicates = max((len(course.points) for course in courses), default=0)
    if replicates < 2:
        return nothing(scores, ONCE if scores.scored else NO_SCORE, table)
    if not any(course.halves[-1] for course in courses):
        return nothing(scores, NO_INTERVAL, table)
    marks = ConvergenceMarks(tuple(courses), replicates, wanted)
    return found(scores, sentence(scores.metric, marks), table, marks, _cautions(courses))


def _wanted(metric: Metric, data: ChartData) -> float | None:
    within = data.request.within
    return within / 100 if within is not None and metric.kind == "binary" else within


def _courses(scores: Scores, data: ChartData, wanted: float | None) -> list[Course]:
    courses: list[Course] = []
    for arm, of in enumerate(scores.arms):
        points = tuple(_points(scores, arm))
        if points:
            row = sum(len(course.points) for course in courses)
            between = _between(scores, arm)
            ahead, told = _outlook(scores.metric, points[-1], len(points), between), between is not None
            limit = ahead.half(replicates=inf) if ahead and told else None
            most = min(half_width(points[-1]) or inf, ahead.at_worst.half(replicates=inf)) if ahead and told else None
            need = None if wanted is None else _need(scores.metric, points, ahead, wanted, told=told)
            courses.append(Course(of.label, arm, look_of(scores, data, arm), row, points, limit, most, need))
    return courses


def _points(scores: Scores, arm: int) -> list[Estimate]:
    """Empty: the arm has no score."""
    import numpy as np

    from karenina_gui.analysis.statistics.means import score_mean

    answers, metric = scores.answers, scores.metric
    here = (answers.arm == arm) & ~np.isnan(answers.value)
    questions, replicates, values = answers.question[here], answers.replicate[here], answers.value[here]
    points = []
    for number in np.unique(replicates).tolist():
        first = replicates <= number
        means = _question_means(questions[first], values[first], len(scores.questions))
        points.append(score_mean(means, low=metric.low, high=metric.high))
    return points


def _question_means(questions: Floats, values: Floats, number: int) -> Floats:
    """NaN: the question has no score."""
    import numpy as np

    answers = np.bincount(questions, minlength=number)
    total = np.bincount(questions, weights=values, minlength=number)
    return np.where(answers > 0, total / np.maximum(answers, 1), np.nan)


def _between(scores: Scores, arm: int) -> float | None:
    """Variance between the questions of an arm, which no replicate takes away; None: it cannot be told apart."""
    from karenina_gui.analysis.statistics.components import variance_components

    split = variance_components(scores.only(scores.arm == arm))
    return None if split.answer is None else split.question


def _outlook(metric: Metric, last: Estimate, replicates: int, between: float | None) -> Outlook | None:
    """None: the questions do not differ, or there is no interval to begin with."""
    from karenina_gui.analysis.statistics.planning import Outlook

    if last.value is None or not last.deviation or not half_width(last):
        return None
    whole = last.deviation**2
    known = whole if between is None else min(between, whole)
    return Outlook(last.value, last.n, replicates, known, whole - known, metric.low, metric.high)


def _need(
    metric: Metric, points: tuple[Estimate, ...], ahead: Outlook | None, wanted: float, told: bool
) -> Need | None:
    """`told`: whether answers and questions vary each for itself, so that further replicates can be foreseen."""
    from karenina_gui.analysis.statistics.planning import questions_for_rate

    last, done = points[-1], len(points)
    now = half_width(last)
    if now is None:
        return None
    reached = now <= wanted
    if ahead is None:
        more = questions_for_rate(wanted / (metric.width or 1.0))
        return Need(reached, 1 if reached else None, _in_keeping(more, last.n, reached))
    questions = _in_keeping(ahead.questions_for(wanted), last.n, reached)
    replicates = ahead.replicates_for(wanted) if told else done if reached else None
    if replicates is None:
        return Need(reached, None, questions)
    if not reached and ahead.at_worst.replicates_for(wanted) is None:
        return Need(reached, None, questions, unsure=True)
    replicates = _in_keeping(replicates, done, reached)
    further = range(done + 1, replicates + 1) if replicates <= FORESEEN else ()
    return Need(reached, replicates, questions, tuple(ahead.half(replicates=number) for number in further))


def _in_keeping(needed: int, present: int, reached: bool) -> int:
    """Where questions have one answer each, the interval as it is may differ by a hair from the one foreseen."""
    return min(needed, present) if reached else max(needed, present + 1)


def sentence(metric: Metric, marks: ConvergenceMarks) -> str:
    """Of the arm that needs most for what is wanted, else of the one with the widest interval: how wide that is, and
    what further replicates could still change.
    """
    widest = max(marks.courses, key=lambda course: course.halves[-1] or 0.0)
    course = max((one for one in marks.courses if one.lacks), key=lambda one: one.lacks, default=widest)
    width, n = course.halves[-1] or 0.0, course.points[-1].n
    least = "mean" if all(one.halves[-1] for one in marks.courses) else "of the means that have an interval"
    name = f"the mean of {course.label}"
    if len(marks.courses) > 1:
        which = f"the least sure {least}" if course is widest else "the mean that takes the most questions"
        name = f"{which}, that of {course.label},"
    barely = bool(course.lacks) and marks.wanted is not None and apart(width, metric) == apart(marks.wanted, metric)
    start = (
        f"With {quantity(len(course.points), 'replicate')} of {quantity(n, 'question')} {name} "
        f"{_known(course.points[-1], width, metric, barely=barely)}"
    )
    if course.need is not None and marks.wanted is not None:
        return f"{start}{_to_reach(course, course.need, as_wanted(marks.wanted, metric))}."
    if course.limit is None:
        return f"{start}; what further replicates would change these data cannot say."
    if not course.limit:
        return (
            f"{start}; questions are not seen to differ beyond what their answers do, so that these data do not say "
            "how far more replicates would narrow that."
        )
    if apart(course.limit, metric) == apart(width, metric):
        return f"{start}; endless replicates would hardly narrow that, only more questions do."
    ends = f"{start}; endless replicates would bring that to {_limit(course, metric)}"
    saved, surely = 1 - course.limit / width, 1 - (course.limit_most or course.limit) / width
    if saved < WORTH:
        return f"{ends}, so that only more questions make it much surer."
    if surely < WORTH:
        return f"{ends}: whether more replicates are worth their cost these data do not say; more questions are."
    less = percent(saved) if percent(saved) == percent(surely) else f"{percent(surely)} to {percent(saved)}"
    return f"{ends}, {less} less: more replicates are worth their cost, as more questions are."


def _limit(course: Course, metric: Metric) -> str:
    """`about 6 points`, `4 to 9 points`: what the data allow."""
    least, most = course.limit or 0.0, course.limit_most or course.limit or 0.0
    if apart(least, metric) == apart(most, metric):
        return f"about {apart(least, metric)}"
    return f"{apart(least, metric, unit=False)} to {apart(most, metric)}"


def _known(point: Estimate, width: float, metric: Metric, *, barely: bool) -> str:
    """How surely. `barely`: it is a little less sure than the rounded figure says, which matters here."""
    half = f"a half width of {'a little more than ' if barely else ''}{apart(width, metric)}"
    return f"has a {percent(point.level)} interval of {between(point, metric)}, {half}"


def _to_reach(course: Course, need: Need, wanted: str) -> str:
    """What the sentence says of the half width that is wanted."""
    if need.reached:
        return f", which is no more than wanted ({wanted})"
    so = f"; a half width of {wanted} takes"
    questions = f"{_about(need.questions, 'question')} with as many replicates"
    if need.replicates is not None:
        return f"{so} {_about(need.replicates, 'replicate')} of each of these questions, or {questions}"
    if need.unsure:
        return f"{so} {questions}; whether any number of replicates of these is enough these data do not say"
    if course.limit is None:
        return f"{so} {questions}; what further replicates would change these data cannot say"
    return f"{so} {questions}; no number of replicates of these is enough"


def as_wanted(half: float, metric: Metric) -> str:
    """As the reader gave it: `12.5 points`, `0.25`."""
    if metric.kind != "binary":
        return f"{half:.10g}"
    points = f"{100 * half:.10g}"
    return f"{points} {'point' if points == '1' else 'points'}"


def needed(course: Course) -> str:
    """`7 replicates or 98 questions`; empty where nothing is wanted or can be told."""
    need = course.need
    if need is None:
        return ""
    if need.reached:
        return "reached"
    ways = [] if need.replicates is None else [_about(need.replicates, "replicate")]
    return " or ".join([*ways, _about(need.questions, "question")])


def _about(number: int, noun: str) -> str:
    return f"more than {MANY:,} {noun}s" if number > MANY else f"about {quantity(number, noun)}"


def _cautions(courses: list[Course]) -> list[str]:
    said = []
    if any(course.points[-1].approximate for course in courses):
        said.append("The intervals are approximate: below 30 questions, or with nearly all at one end.")
    hints = [
        course.label for course in courses if course.need and not course.need.reached and course.points[-1].n < HINT
    ]
    if hints:
        said.append(f"Below {HINT} questions, what more of them would show is no more than a hint ({some(hints)}).")
    alike = [course.label for course in courses if course.limit == 0]
    if alike:
        said.append(
            "What endless replicates would give is not told where questions are not seen to differ beyond what their "
            f"answers do ({some(alike)})."
        )
    grown = [course.label for course in courses if len({point.n for point in course.points}) > 1]
    if grown:
        said.append(f"Questions without an answer in the first replicates come in later ({some(grown)}).")
    return said


def _table_rows(scores: Scores, course: Course, wanted: float | None) -> list[tuple[Cell, ...]]:
    arm = scores.arms[course.arm]
    last, need = len(course.points), course.need
    numbers = (None, None) if need is None else (worth_saying(need.replicates), worth_saying(need.questions))
    return [
        (
            *(arm.answering, arm.condition, k, point.value, point.low, point.high, half_width(point), point.n),
            *((course.limit or None, course.limit_most) if k == last else (None, None)),
            *(() if wanted is None else (wanted, *numbers) if k == last else (wanted, None, None)),
            point.why,
        )
        for k, point in enumerate(course.points, 1)
    ]
