"""Heat map of questions by arms, the least reliable questions first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, rate_formats, share_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    NO_SCORE,
    count_each,
    count_ties,
    format_number,
    join_first,
    quote,
    results_of,
    split_judgments,
)
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding
from karenina_gui.analysis.charts.replicate_counts import (
    ReplicateCounts,
    bad_label,
    count_replicates,
    good_label,
)
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import with_configurations
from karenina_gui.analysis.thresholds import (
    MAX_QUESTIONS_DRAWN,
    MAX_REPLICATE_COLUMNS_DRAWN,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.schemas.outcome import OUTCOMES, Outcome
from karenina_gui.text import join_list, percent, quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Scores

OUTCOME_NAMES: dict[Outcome | None, str] = {
    None: "not run",
    "error": "error",
    "unscored": "not scored",
    "passed": "scored",
    "wrong": "scored",
    "abstained": "not answered",
    "autofail": "auto-failed",
}
"""Outcomes of answers without a yes/no score, in words."""
COLUMNS = (
    *("Question", "Model", "Condition", "Good answers", "Answers scored", "Answers planned", "Mean"),
    *("Flip probability", "Each replicate"),
)
TIED_NAME = 40
"""Characters of a question where several are named."""

FIGURES = (
    Figure(
        "heat-mean",
        "Mean of a question",
        "Mean of the answers to one question by one configuration.",
        left_out="Answers without a score.",
        weighed="Each answer equally.",
        columns=("Mean",),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class HeatCell:
    """One question in one arm."""

    trials: int
    """Answers with a score."""
    successes: int
    mean: float | None
    """None: no scored answer."""
    flip: float | None
    """Probability that two answers differ; None: fewer than two scored answers, or not a yes/no metric."""
    outcomes: tuple[Outcome | None, ...]
    """Outcome of each planned answer, in the order of replicates; empty: the arm does not include the question."""
    scores: tuple[float | None, ...] = ()
    """Score of each planned answer; None: it has no score. Empty for a yes/no metric, which has outcomes alone."""

    @property
    def lacks_score(self) -> bool:
        """Return True if there are planned answers, and none has a score."""
        return self.mean is None and bool(self.outcomes)

    @property
    def flaky(self) -> bool:
        return 0 < self.successes < self.trials


@dataclass(frozen=True)
class HeatRow:
    question: str
    question_id: str
    cells: tuple[HeatCell, ...]
    """By arm."""

    @property
    def flaky(self) -> bool:
        return any(cell.flaky for cell in self.cells)

    @property
    def means(self) -> list[float]:
        """Means of the cells with a score."""
        return [cell.mean for cell in self.cells if cell.mean is not None]

    @property
    def flip(self) -> float:
        """Mean over the arms; -1 if no arm has two answers."""
        flips = [cell.flip for cell in self.cells if cell.flip is not None]
        return sum(flips) / len(flips) if flips else -1.0

    @property
    def share(self) -> float:
        """Share of good answers; 2 if there is no score."""
        trials = sum(cell.trials for cell in self.cells)
        return sum(cell.successes for cell in self.cells) / trials if trials else 2.0


@dataclass(frozen=True)
class HeatMarks:
    rows: tuple[HeatRow, ...]
    """The first `MAX_QUESTIONS_DRAWN`, as in the table."""
    arms: tuple[str, ...]
    replicates: tuple[tuple[int, ...], ...]
    """Replicate numbers by arm if each replicate has its own column; empty: one cell per arm."""
    good: str
    """Words for good and bad answers."""
    bad: str
    others: int
    """Questions shown only in the table."""


def find(scores: Scores, data: ChartData) -> Finding:
    counts = count_replicates(scores)
    columns = _replicates(scores)
    rows = _rows(scores, data, counts, columns)
    table = ChartTable.of_items(
        COLUMNS,
        [(row, arm) for row in rows for arm in range(len(scores.arms))],
        lambda cell: (_row(scores, *cell), results_of(scores.arms[cell[1]], question=cell[0].question_id)),
        rate_formats(scores.metric, ["Mean"]) | share_formats(["Flip probability"]),
        data.most_rows,
    )
    if not scores.planned:
        return empty_finding(scores, NO_SCORE, table)
    marks = _marks(scores, rows, columns)
    text = sentence(scores.metric, rows, scores)
    return make_finding(scores, text, table, marks, _cautions(marks, counts), _links(scores, marks))


def _marks(scores: Scores, rows: list[HeatRow], columns: list[tuple[int, ...]]) -> HeatMarks:
    metric, single = scores.metric, sum(map(len, columns)) <= MAX_REPLICATE_COLUMNS_DRAWN
    return HeatMarks(
        rows=tuple(rows[:MAX_QUESTIONS_DRAWN]),
        arms=tuple(arm.label for arm in scores.arms),
        replicates=tuple(columns) if single and metric.kind == "binary" else (),
        good=good_label(metric),
        bad=bad_label(metric),
        others=max(0, len(rows) - MAX_QUESTIONS_DRAWN),
    )


def _links(scores: Scores, marks: HeatMarks) -> Sequence[dict[str, str]]:
    """Return the links of single replicates; empty: the marks are those of the table."""
    if max(map(len, marks.replicates), default=0) < 2:
        return ()
    return [
        results_of(arm, question=row.question_id, replicate=number)
        for row in marks.rows
        for arm, numbers in zip(scores.arms, marks.replicates, strict=True)
        for number in numbers
    ]


def _replicates(scores: Scores) -> list[tuple[int, ...]]:
    """Return the replicate numbers of each arm."""
    import numpy as np

    answers = scores.answers
    return [tuple(np.unique(answers.replicate[answers.arm == arm]).tolist()) for arm in range(len(scores.arms))]


def _rows(scores: Scores, data: ChartData, counts: ReplicateCounts, columns: list[tuple[int, ...]]) -> list[HeatRow]:
    """Return the rows by flip probability, then by share of good answers: flaky first, then failing."""
    arms, binary = range(len(scores.arms)), scores.metric.kind == "binary"
    means, trials, successes = scores.cells.mean.tolist(), counts.trials.tolist(), counts.successes.tolist()
    flips = _flips(trials, successes) if binary else {}
    grid = _outcomes(scores, data)
    outcomes = [grid[:, arm, numbers].tolist() for arm, numbers in enumerate(columns)]
    values = None if binary else [_values(scores)[:, arm, numbers].tolist() for arm, numbers in enumerate(columns)]

    def cell(question: int, arm: int) -> HeatCell:
        n, good, codes = trials[question][arm], successes[question][arm], tuple(outcomes[arm][question])
        is_planned = any(code != NOT_PLANNED for code in codes)
        return HeatCell(
            trials=n,
            successes=good if binary else 0,
            mean=means[question][arm] if n else None,
            flip=flips.get((n, good)),
            outcomes=_names(codes) if is_planned else (),
            scores=_scores(values[arm][question]) if is_planned and values else (),
        )

    rows = [
        HeatRow(data.text(name), name, tuple(cell(question, arm) for arm in arms))
        for question, name in enumerate(scores.questions)
    ]
    if binary:
        return sorted(rows, key=lambda row: (-row.flip, row.share))
    sign = -1 if scores.metric.higher_is_better is False else 1
    return sorted(rows, key=lambda row: min((sign * mean for mean in row.means), default=1e300))


def _flips(trials: list[list[int]], successes: list[list[int]]) -> dict[tuple[int, int], float | None]:
    from karenina_gui.analysis.statistics.pass_at_k import flip_probability

    pairs = {pair for row in zip(trials, successes, strict=True) for pair in zip(*row, strict=True)}
    return {(n, c): flip_probability(n, c) for n, c in pairs}


NO_RESULT, NOT_PLANNED = -1, -2
"""Codes of answers without an outcome."""


@cache
def _names(codes: tuple[int, ...]) -> tuple[Outcome | None, ...]:
    """Outcomes by their codes, one object for all equal ones: a large run has many."""
    return tuple(OUTCOMES[code] if code >= 0 else None for code in codes)


def _scores(values: list[float]) -> tuple[float | None, ...]:
    # NaN, an answer without a score, differs from itself.
    return tuple(value if value == value else None for value in values)


def _values(scores: Scores) -> Floats:
    """Return the mean over judgments by question, arm, and replicate (from 0); NaN: no score."""
    import numpy as np

    answers = scores.answers
    values = np.full(_shape(scores), np.nan)
    values[answers.question, answers.arm, answers.replicate] = answers.value
    return values


def _shape(scores: Scores) -> tuple[int, int, int]:
    return len(scores.questions), len(scores.arms), int(scores.replicate.max(initial=0)) + 1


def _outcomes(scores: Scores, data: ChartData) -> Any:
    """Return the code of the outcome by question, arm, and replicate (from 0).

    Of several judgments the most frequent outcome counts; on a tie the worst. An error or a missing score says nothing
    about the answer, so that any judgment outweighs them.
    """
    import numpy as np

    shape = _shape(scores)
    answers, answer = np.unique(
        np.ravel_multi_index((scores.question, scores.arm, scores.replicate), shape), return_inverse=True
    )
    rank = np.argsort(_WORST_FIRST)[_job_outcomes(scores, data) + 1]
    size = len(_WORST_FIRST)
    counts = np.bincount(answer * size + rank, minlength=len(answers) * size).reshape(-1, size)
    judged = len(OUTCOMES) - 2
    counts[counts[:, :judged].any(axis=1), judged:] = 0
    grid = np.full(shape, NOT_PLANNED, dtype=np.int8)
    grid.flat[answers] = np.array(_WORST_FIRST)[counts.argmax(axis=1)] - 1
    return grid


_WORST_FIRST = [
    *(1 + OUTCOMES.index(outcome) for outcome in ("wrong", "autofail", "abstained", "passed", "unscored", "error")),
    1 + NO_RESULT,
]
"""Codes of outcomes, from 0; the last three do not judge an answer."""


def _job_outcomes(scores: Scores, data: ChartData) -> Any:
    """Return the code of the outcome of each job for this metric. A yes/no trait passes at its better end."""
    import numpy as np

    code = np.full(len(scores), NO_RESULT) if data.outcome is None else data.outcome.astype(np.int64)
    if scores.metric.trait is None:
        return code
    passed, wrong, abstained, unscored, error = (
        OUTCOMES.index(name) for name in ("passed", "wrong", "abstained", "unscored", "error")
    )
    is_good = (scores.value > 0.5) != (scores.metric.higher_is_better is False)
    by_score = np.where(is_good, passed, wrong)
    by_score[np.isnan(scores.value)] = unscored
    by_score[np.isnan(scores.value) & (code == abstained)] = abstained
    return np.where((code == NO_RESULT) | (code == error), code, by_score)


def sentence(metric: Metric, rows: list[HeatRow], scores: Scores) -> str:
    if not scores.scored:
        planned = scores.planned
        return f"{NO_SCORE} {quantity(planned, 'job')} {verb(planned, 'is', 'are')} planned."
    basis = f"{quantity(len(rows), 'question')} {with_configurations([arm.label for arm in scores.arms])}"
    if metric.kind != "binary":
        return _extreme(metric, rows, basis)
    start = basis if metric.trait is None else f"“{metric.trait}” on {basis}"
    counts = _counts(rows, good_label(metric))
    if not any(cell.trials > 1 for row in rows for cell in row.cells):
        return f"{start}: {join_list(counts)}. Flaky questions are unknown, as no question has two scored answers."
    text = f"{start}: {join_list([*counts, _flaky_count(rows, len(scores.arms))])}."
    return f"{text} {_flakiest(rows)}" if any(row.flaky for row in rows) else text


def _flaky_count(rows: list[HeatRow], arms: int) -> str:
    """`2 flaky in at least one configuration (4%, 3 answers each)`."""
    flaky = sum(row.flaky for row in rows)
    numbers = count_each([cell.trials for row in rows for cell in row.cells if cell.trials > 1], "answer")
    if not flaky:
        return f"0 flaky ({numbers})"
    where = " in at least one configuration" if arms > 1 else ""
    return f"{flaky:,} flaky{where} ({percent(flaky / len(rows))}, {numbers})"


def _counts(rows: list[HeatRow], word: str) -> list[str]:
    """Return the numbers of consistent, mixed and unscored questions; `word`: `passed` or the like."""
    judged = [row for row in rows if row.share <= 1]
    always, never = (sum(row.share == end for row in judged) for end in (1, 0))
    unscored = len(rows) - len(judged)
    mixed = len(judged) - always - never - sum(row.flaky for row in rows)
    return [
        f"{always:,} always {word}",
        f"{never:,} never {word}",
        *([f"{mixed:,} {word} in some configurations only"] if mixed else []),
        *([f"{unscored:,} without a score"] if unscored else []),
    ]


def _flakiest(rows: list[HeatRow]) -> str:
    """Return the flakiest question, or those that are tied."""
    most = count_ties([row.flip for row in rows])
    if most == 1:
        return f"Flakiest: {quote(rows[0].question)}."
    return f"Flakiest, tied: {join_first([quote(row.question, TIED_NAME) for row in rows[:most]])}."


def _extreme(metric: Metric, rows: list[HeatRow], basis: str) -> str:
    """Return the worst mean, its question, and how many more have it; the lowest if neither end is better."""
    first = next(row for row in rows if row.means)
    least = metric.higher_is_better is not False
    value = min(first.means) if least else max(first.means)
    alike = sum(value in row.means for row in rows) - 1
    more = f" and {alike:,} more" if alike else ""
    return (
        f"{'Lowest' if least else 'Highest'} mean “{metric.trait}” score of {basis}: {format_number(value)}, for "
        f"{quote(first.question)}{more}."
    )


def _cautions(marks: HeatMarks, counts: ReplicateCounts) -> list[str]:
    more = []
    if marks.others:
        more.append(f"The figure shows the first {MAX_QUESTIONS_DRAWN} questions; the table has {marks.others:,} more.")
    if counts.split and marks.replicates:
        more.append(split_judgments(counts.split))
    return more


def _row(scores: Scores, row: HeatRow, arm: int) -> tuple[Cell, ...]:
    cell, of = row.cells[arm], scores.arms[arm]
    binary = scores.metric.kind == "binary"
    return (
        *(row.question, of.answering, of.condition, cell.successes if binary else None, cell.trials),
        *(len(cell.outcomes), cell.mean, cell.flip, ", ".join(_replicate_words(scores.metric, cell))),
    )


def _replicate_words(metric: Metric, cell: HeatCell) -> list[str]:
    """Return the outcome of each answer, or its score where it has one."""
    if not cell.scores:
        labels = OUTCOME_NAMES | {"passed": good_label(metric), "wrong": bad_label(metric)}
        return [labels[outcome] for outcome in cell.outcomes]
    pairs = zip(cell.outcomes, cell.scores, strict=True)
    return [OUTCOME_NAMES[outcome] if score is None else format_number(score) for outcome, score in pairs]
