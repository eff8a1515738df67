"""Which questions always pass, sometimes pass, or never pass? How good their answers are, and how much they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.found import NO_SCORE, found, look_of, nothing
from karenina_gui.analysis.charts.repeats import SPLIT, bad, good, pooled, repeats
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import each, number, only_in_table, quoted, results_of, scored_trait
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.words import with_configurations
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import join_list, percent, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Scores

Kind = Literal["always", "sometimes", "never", "same"]
"""same: always or never, where nobody knows which end of the metric is the better one."""
FLAKY = 0.25
"""Part of the scale that the standard deviation between answers may have before their question is called flaky, where
scores are more than yes and no."""
FEW = 10
"""Answers to a question below which a rare failure mostly stays unseen."""
DRAWN = 800
"""Marks that one figure shows."""
MANY = 3
"""Others as flaky as the flakiest, from which on it is not worth naming."""
COLUMNS = (
    *("Question", "Model", "Condition", "Kind", "Mean", "Good answers", "Share of good answers", "Flip probability"),
    *("Standard deviation", "Tokens per answer incl. judging", "Answers scored", "Answers planned"),
)
ONCE = "No question has two scored answers by one configuration. Run at least two replicates."

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
"""Beside those that charts share (`figures`)."""


@dataclass(frozen=True)
class Spot:
    """One question in one arm."""

    question: str
    """Its text."""
    question_id: str
    arm: int
    mean: float | None
    """Over its answers, each the mean of its judgments."""
    spread: float | None
    """Probability that two answers differ where the metric is yes or no, else their standard deviation; None: fewer
    than two answers have a score."""
    good: int | None
    """Answers at the better end by most of their judgments; None: the scores are no yes and no."""
    answers: int
    """With a score."""
    planned: int
    tokens: float | None
    """Of an answer with all its judgments, on average; None: no provider told."""
    kind: Kind | None
    """None: that cannot be told."""

    @property
    def share(self) -> float | None:
        """Good answers of those with a score; None: there is none, or the scores are no yes and no."""
        return None if self.good is None or not self.answers else self.good / self.answers

    @property
    def level(self) -> float | None:
        """How good its answers are: the share of good ones where the metric is yes or no, else the mean."""
        return self.mean if self.good is None else self.share


@dataclass(frozen=True)
class ReliabilityMarks:
    spots: tuple[Spot, ...]
    """The flakiest first, as in the table: what has a spread, or the part of it that `drawn_of` chooses."""
    arms: tuple[str, ...]
    """Labels."""
    looks: tuple[int, ...]
    """Of each arm: its place among all of the run."""
    kinds: Mapping[Kind, int]
    """How many there are of each, also of those that are not drawn."""
    limit: float | None
    """Standard deviation above which a question is called flaky; None: there is none."""
    middle: float | None
    """Of the scale, between always and never; None: neither is told."""
    number: int
    """Spots with a spread."""
    by_arm: tuple[int, ...]
    """The same of each arm, drawn or not."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    spots, split = _spots(scores, data)
    table = Table(
        COLUMNS,
        [_row(scores, spot) for spot in spots],
        [results_of(scores.arms[spot.arm], question=spot.question_id, trait=trait) for spot in spots],
    )
    repeated = [spot for spot in spots if spot.spread is not None]
    if not repeated:
        return nothing(scores, ONCE if scores.scored else NO_SCORE, table)
    metric, arms = scores.metric, range(len(scores.arms))
    kinds: Counter[Kind] = Counter(spot.kind for spot in repeated if spot.kind)
    drawn = drawn_of([(spot.kind, spot.arm) for spot in repeated])
    in_arms = Counter(spot.arm for spot in repeated)
    marks = ReliabilityMarks(
        spots=tuple(repeated[place] for place in drawn),
        arms=tuple(arm.label for arm in scores.arms),
        looks=tuple(look_of(scores, data, arm) for arm in arms),
        kinds=kinds,
        limit=_limit(metric),
        middle=_middle(metric),
        number=len(repeated),
        by_arm=tuple(in_arms[arm] for arm in arms),
    )
    cautions = _cautions(metric, spots, repeated, split)
    links = [table.links[place] for place in drawn]  # what has a spread comes first
    return found(scores, sentence(metric, repeated, marks), table, marks, cautions, links)


def drawn_of(groups: Sequence[Hashable], most: int = DRAWN) -> list[int]:
    """Places of those that are drawn, in order: all, or of each group its share, from its beginning to its end.

    `groups`: the one of each. No group is left out, unless there are more than `most`.
    """
    places: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, []).append(place)
    if len(groups) <= most:
        return list(range(len(groups)))
    shares = {group: most * len(its) / len(groups) for group, its in places.items()}
    number = {group: max(1, int(share)) for group, share in shares.items()}
    for group in sorted(shares, key=lambda each: number[each] - shares[each]):
        number[group] += sum(number.values()) < most
    while sum(number.values()) > most:
        number[max(number, key=number.__getitem__)] -= 1
    return sorted(its[at * len(its) // number[group]] for group, its in places.items() for at in range(number[group]))


def _spots(scores: Scores, data: ChartData) -> tuple[list[Spot], int]:
    """All that were planned, the flakiest first and of equal ones the worst; and answers whose judgments disagree."""
    from karenina_gui.analysis.statistics.repeated import flip_probability

    metric, cells, counts = scores.metric, scores.cells, repeats(scores)
    binary = metric.kind == "binary"
    trials, passed, planned = (each_one.tolist() for each_one in (counts.trials, counts.successes, cells.planned))
    means, deviations, tokens = cells.mean.tolist(), cells.deviation.tolist(), _tokens(scores, data).tolist()
    flips = {(n, c): flip_probability(n, c) for n, c in zip(_flat(trials), _flat(passed), strict=True)}
    spots = []
    for question, name in enumerate(scores.questions):
        text = data.text(name)
        for arm in range(len(scores.arms)):
            n, c, mean = trials[question][arm], passed[question][arm], means[question][arm]
            if not planned[question][arm]:
                continue
            level = (c / n if binary else mean) if n else None
            spread = flips[n, c] if binary else _deviation(deviations[question][arm], mean) if n > 1 else None
            spots.append(
                Spot(
                    question=text, question_id=name, arm=arm, mean=_known(mean), spread=spread,
                    good=c if binary else None,
                    answers=n, planned=planned[question][arm], tokens=_known(tokens[question][arm]),
                    kind=_kind(metric, level, spread),
                )
            )  # fmt: skip
    sign = -1.0 if metric.higher_is_better is False and not binary else 1.0
    spots.sort(key=lambda spot: (-1.0 if spot.spread is None else spot.spread, -sign * (spot.level or 0)), reverse=True)
    return spots, counts.split if binary else 0


def _flat(rows: Sequence[Sequence[int]]) -> list[int]:
    return [value for row in rows for value in row]


def _known(value: float) -> float | None:
    return value if value == value else None


def _deviation(deviation: float, mean: float) -> float:
    """0 where it is nothing but rounding."""
    return deviation if deviation > 1e-9 * max(1.0, abs(mean)) else 0.0


def _tokens(scores: Scores, data: ChartData) -> Floats:
    """Mean over the answers of each question and arm; NaN: not known."""
    import numpy as np

    shape = (len(scores.questions), len(scores.arms))
    if len(data.tokens) != len(scores):
        return np.full(shape, np.nan)
    told = np.array(data.tokens, dtype=np.float64)
    known = ~np.isnan(told)
    place = (scores.question * shape[1] + scores.arm)[known]
    number = np.bincount(place, minlength=shape[0] * shape[1])
    total = np.bincount(place, weights=told[known], minlength=shape[0] * shape[1])
    return np.where(number > 0, total / np.maximum(number, 1), np.nan).reshape(shape)


def _range(metric: Metric) -> tuple[float, float] | None:
    if metric.low is None or metric.high is None or metric.high <= metric.low:
        return None
    return metric.low, metric.high


def _limit(metric: Metric) -> float | None:
    ends = _range(metric)
    return None if metric.kind == "binary" or ends is None else FLAKY * (ends[1] - ends[0])


def _middle(metric: Metric) -> float | None:
    ends = _range(metric)
    return None if metric.kind == "binary" or ends is None or metric.higher_is_better is None else sum(ends) / 2


def _kind(metric: Metric, level: float | None, spread: float | None) -> Kind | None:
    """Of yes and no: whether all answers are good, some or none. Of scores: by how much they differ, and by the half of
    the scale in which their mean is."""
    if level is None or spread is None:
        return None
    if metric.kind == "binary":
        if spread:
            return "sometimes"
        return "same" if metric.higher_is_better is None else "always" if level else "never"
    limit, middle = _limit(metric), _middle(metric)
    if limit is None:
        return None
    if spread > limit * (1 + 1e-9):
        return "sometimes"
    if middle is None:
        return "same"
    return "always" if (level >= middle) == (metric.higher_is_better is True) or level == middle else "never"


def sentence(metric: Metric, repeated: list[Spot], marks: ReliabilityMarks) -> str:
    """`repeated`: those with two answers or more, the flakiest first."""
    basis, often = _basis(repeated, marks), each([spot.answers for spot in repeated], "answer")
    most = _most(repeated, marks)
    if not marks.kinds:
        return (
            f"“{metric.title}” scores of answers to the same question have a standard deviation of "
            f"{_deviation_within(repeated)} (pooled over {basis}, {often}). Without bounds, no question is called "
            f"consistent or flaky.{most}"
        )
    names, meanings = names_of(metric), kinds_in_words(metric)
    counts = [
        f"{marks.kinds[kind]:,} {names[kind]}{'' if metric.trait is None else f' ({meanings[kind]})'}"
        for kind in names
        if kind in marks.kinds
    ]
    start = basis if metric.trait is None else f"“{metric.trait}” on {basis}"
    if metric.kind == "binary":
        chance = sum(spot.spread or 0.0 for spot in repeated) / len(repeated)
        differ = f"Two answers to the same question differ with a probability of {percent(chance)}."
    else:
        deviation = _deviation_within(repeated)
        differ = f"Answers to the same question have a standard deviation of {deviation}."
    return f"{start} ({often}): {join_list(counts)}. {differ}{most}"


def names_of(metric: Metric) -> dict[Kind, str]:
    """What each kind is called."""
    if metric.trait is None:
        return {"always": "consistent pass", "sometimes": "flaky", "never": "consistent fail", "same": "consistent"}
    return {"always": "consistently good", "sometimes": "flaky", "never": "consistently bad", "same": "consistent"}


def kinds_in_words(metric: Metric) -> dict[Kind, str]:
    """What each kind stands for with this metric."""
    if metric.kind == "binary":
        return {
            "always": f"{good(metric)} each time",
            "sometimes": f"sometimes {good(metric)}, sometimes {bad(metric)}",
            "never": f"{bad(metric)} each time",
            "same": "the same each time",
        }
    limit = "" if (most := _limit(metric)) is None else number(most)
    return {
        "always": "in the better half of the scale",
        "sometimes": f"standard deviation over {limit}",
        "never": "in the worse half of the scale",
        "same": f"standard deviation up to {limit}",
    }


def _basis(repeated: list[Spot], marks: ReliabilityMarks) -> str:
    if len(marks.arms) == 1:
        return f"{quantity(len(repeated), 'question')} {with_configurations(marks.arms)}"
    return quantity(len(repeated), "question–configuration pair")


def _most(repeated: list[Spot], marks: ReliabilityMarks) -> str:
    """Which one is the flakiest, and how many others are as flaky; empty where it is one of many."""
    first = repeated[0]
    if not first.spread:
        return ""
    others = sum(spot.spread > first.spread - 1e-9 for spot in repeated if spot.spread is not None) - 1
    if others >= MANY:
        return ""
    several = len(marks.arms) > 1
    where = f" with {marks.arms[first.arm]}" if several else ""
    more = f" and {quantity(others, 'other pair') if several else f'{others:,} more'}" if others else ""
    return f" Most variation: {quoted(first.question)}{where}{more}."


def _deviation_within(repeated: list[Spot]) -> str:
    return number(pooled([(spot.answers, spot.spread) for spot in repeated]))


def _cautions(metric: Metric, spots: list[Spot], repeated: list[Spot], split: int) -> list[str]:
    said = []
    if len(repeated) > DRAWN:
        said.append(
            f"The figure shows {DRAWN} of {len(repeated):,} marks, sampled by kind. Counts and table include all."
        )
    if len(spots) > len(repeated):
        said.append(only_in_table(len(spots) - len(repeated)))
    least = min(spot.answers for spot in repeated)
    if metric.kind == "binary" and least < FEW:
        said.append(
            f"With {quantity(least, 'answer')}, a question that passes 90% of the time still looks consistent in "
            f"{percent(0.9**least)} of cases."
        )
    if split:
        said.append(SPLIT.format(n=quantity(split, "answer")))
    return said


def _row(scores: Scores, spot: Spot) -> tuple[Cell, ...]:
    arm, binary = scores.arms[spot.arm], scores.metric.kind == "binary"
    kind = None if spot.kind is None else names_of(scores.metric)[spot.kind]
    return (
        *(
            spot.question,
            arm.answering,
            arm.condition,
            kind,
            spot.mean,
            spot.good,
            spot.share,
        ),
        *((spot.spread, None) if binary else (None, spot.spread)),
        *(spot.tokens, spot.answers, spot.planned),
    )
