"""Every figure of a run counted once more, in the plainest way and from nothing but what became of each job.

Nothing of the application is used. Means are fractions, so that no rounding hides a difference.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from tests.figures.random_run import Row

JUDGED = ("passed", "wrong", "abstained", "autofail")
Arm = tuple[str, str | None]
Value = Callable[[Row], Fraction | None]


@dataclass(frozen=True)
class Mean:
    """Over questions with equal weight, each the mean of its answers, each the mean of its judgments."""

    value: Fraction | None
    questions: int
    scored: int
    """Judgments with a score."""
    passed: int
    """Of these, those that are 1."""
    left_out: int
    """Judgments that ended and have none."""
    planned: int


class Recount:
    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.ended = [row for row in rows if row.outcome]
        self.outcomes = Counter(row.outcome for row in self.ended)
        self.compared = any(row.outcome in ("passed", "wrong") for row in self.ended) or not any(
            row.outcome == "unscored" for row in self.ended
        )
        self.arms = list(dict.fromkeys((row.answering, row.condition) for row in rows))

    @property
    def judged(self) -> int:
        return sum(self.outcomes[outcome] for outcome in JUDGED) if self.compared else 0

    @property
    def has_verdicts(self) -> bool:
        return self.judged > 0 or not any(row.scores for row in self.rows)

    def verdict(self, rows: Iterable[Row]) -> Mean:
        return mean([row for row in rows if row.question not in self._without_template], self._verdict)

    def trait(self, name: str, rows: Iterable[Row]) -> Mean:
        return mean([row for row in rows if self.asked(name, row)], lambda row: _fraction(row.scores.get(name)))

    def asked(self, name: str, row: Row) -> bool:
        """True if the rubric of its question has the trait."""
        return name in row.asked

    def of(self, arm: Arm) -> list[Row]:
        return [row for row in self.rows if (row.answering, row.condition) == arm]

    @property
    def traits(self) -> list[str]:
        """With a score."""
        return sorted({name for row in self.rows for name in row.scores})

    @property
    def _without_template(self) -> set[str]:
        idle = {row.question for row in self.ended if row.outcome == "unscored"}
        return idle - {row.question for row in self.ended if row.outcome in JUDGED}

    def _verdict(self, row: Row) -> Fraction | None:
        if not self.compared or row.outcome not in JUDGED:
            return None
        return Fraction(row.outcome == "passed")

    def tokens(self, arm: Arm, *, judging: bool) -> Fraction | None:
        """Of an answer, mean over questions; `judging`: with all judgments of it."""
        spent: dict[tuple[str, int], list[int | None]] = defaultdict(list)
        for row in self.of(arm):
            if not judging and not row.counts_answer:
                continue
            own = row.answer_tokens if row.counts_answer else 0
            number = own + (row.judge_tokens if judging else 0)
            spent[row.question, row.replicate].append(number if row.outcome else None)
        by_question: dict[str, list[Fraction]] = defaultdict(list)
        for (question, _), numbers in spent.items():
            if None not in numbers:
                by_question[question].append(Fraction(sum(n for n in numbers if n is not None)))
        return _mean([_mean(each) for each in by_question.values()])

    def same(self, one: str, other: str) -> Counter[str]:
        """First judgments of two judges on the same answers: how often alike, and how often each is the higher."""
        found: dict[tuple[object, ...], dict[str, Fraction]] = defaultdict(dict)
        for row in self.rows:
            if row.judgment == 1 and row.judge and (value := self._verdict(row)) is not None:
                found[row.question, row.answering, row.condition, row.replicate][row.judge] = value
        both = [each for each in found.values() if one in each and other in each]
        return Counter(
            "same" if each[one] == each[other] else "first" if each[one] > each[other] else "second" for each in both
        )

    def good(self, arm: Arm, question: str) -> tuple[int, int, int]:
        """Answers that are good by most of their judgments (of two halves the worse), scored ones, planned ones."""
        answers = _by(self.of(arm), lambda row: (row.question, row.replicate))
        here = [rows for (of, _), rows in answers.items() if of == question]
        shares = [share for rows in here if (share := _mean([self._verdict(row) for row in rows])) is not None]
        return sum(share > Fraction(1, 2) for share in shares), len(shares), len(here)

    def difference(self, first: Arm, second: Arm) -> tuple[Fraction | None, int]:
        """Second minus first over the questions that both have a score for, and how many these are."""
        means = [
            {q: m for q in {row.question for row in self.rows}
             if (m := self.verdict([row for row in self.of(arm) if row.question == q]).value) is not None}
            for arm in (first, second)
        ]  # fmt: skip
        both = means[0].keys() & means[1].keys()
        return _mean([means[1][q] - means[0][q] for q in both]), len(both)

    @property
    def pairs_of_judges(self) -> list[tuple[str, str]]:
        return list(combinations(dict.fromkeys(row.judge for row in self.rows if row.judge), 2))


def mean(rows: Sequence[Row], value: Value) -> Mean:
    rows = list(rows)
    scored = [each for row in rows if (each := value(row)) is not None]
    answers = _by(rows, lambda row: (row.question, row.answering, row.condition, row.replicate))
    questions: dict[str, list[Fraction | None]] = defaultdict(list)
    for (question, *_), judgments in answers.items():
        questions[question].append(_mean([value(row) for row in judgments]))
    means = [each for answers_of in questions.values() if (each := _mean(answers_of)) is not None]
    ended = sum(bool(row.outcome) for row in rows)
    return Mean(_mean(means), len(means), len(scored), scored.count(Fraction(1)), ended - len(scored), len(rows))


def _by(rows: Iterable[Row], key: Callable[[Row], tuple[object, ...]]) -> dict[tuple[object, ...], list[Row]]:
    found: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return found


def _mean(values: Iterable[Fraction | None]) -> Fraction | None:
    known = [each for each in values if each is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def _fraction(score: bool | int | float | None) -> Fraction | None:
    return None if score is None else Fraction(score)
