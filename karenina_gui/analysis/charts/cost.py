"""What does quality cost? The mean of each arm against what its answers, with all judgments, have cost and taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.found import NO_SCORE, found, look_of, nothing
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import between, number, results_of, said, scored_trait, some
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.words import APPROXIMATE, measure
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Integers, Scores

Unit = Literal["dollars", "tokens", "seconds"]
COLUMNS = (
    *("Model", "Condition", "Mean", "95% CI low", "95% CI high", "Questions"),
    *("Cost per answer incl. judging ($)", "Cost CI low", "Cost CI high", "Answers with known cost"),
    *("Tokens per answer incl. judging", "Tokens CI low", "Tokens CI high", "Answers with known tokens"),
    *("Tokens of the answer only", "Answers with known own tokens"),
    *("Seconds per answer incl. judging", "Seconds CI low", "Seconds CI high", "Answers", "Pareto-optimal"),
)
MANY = 1000
"""Questions above which Student's t is taken: faster, and right as often (`tests/benchmarks/coverage.py`)."""
NO_COST = "The cost of the answers is unknown: there are no prices, tokens, or times."

FIGURES = (
    Figure(
        "answer-cost",
        "Cost per answer, including judging",
        "Dollars, tokens, or seconds of an answer with all its judgments, including those by other judges. Judging "
        "often costs more than the answer.",
        left_out="Answers with unknown cost; the table counts them.",
        weighed="Each question equally.",
        interval="95% CI: BCa bootstrap over questions (2,499 resamples); Student’s t above 1,000 questions.",
        columns=(
            *("Cost per answer incl. judging ($)", "Cost CI low", "Cost CI high", "Answers with known cost"),
            *("Tokens per answer incl. judging", "Tokens CI low", "Tokens CI high", "Answers with known tokens"),
            *("Seconds per answer incl. judging", "Seconds CI low", "Seconds CI high"),
        ),
    ),
    Figure(
        "answer-tokens",
        "Tokens of the answer only",
        "Input and output tokens of all turns of the answering model, without judging.",
        left_out="Answers whose provider reported no tokens; the table counts them.",
        weighed="Each question equally.",
        columns=("Tokens of the answer only", "Answers with known own tokens"),
    ),
)
"""Beside those that charts share (`figures`)."""


@dataclass(frozen=True)
class Spent:
    """What one answer, with all its judgments, takes in the mean over questions."""

    mean: Estimate
    """Its interval is drawn from the questions: costs have no upper end, and few long answers make most of them."""
    n: int
    """Answers of which it is known."""

    @property
    def value(self) -> float | None:
        """None: nobody knows it of any answer."""
        return self.mean.value


@dataclass(frozen=True)
class ArmCost:
    label: str
    arm: int
    look: int
    """Place of the arm among all of the run."""
    quality: Estimate
    dollars: Spent
    tokens: Spent
    seconds: Spent
    own_tokens: Spent
    """Without those of judges."""
    answers: int
    """Of which a job has run."""
    best: bool | None = None
    """Whether no other arm is as good for less; None: nobody knows which end of the metric is the better one."""

    def spent(self, unit: Unit) -> Spent:
        return {"dollars": self.dollars, "tokens": self.tokens, "seconds": self.seconds}[unit]


@dataclass(frozen=True)
class CostMarks:
    arms: tuple[ArmCost, ...]
    unit: Unit
    """What stands for the cost: dollars where all arms have some, else tokens, else time."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    arms, unit = _arms(scores, data)
    table = Table(
        COLUMNS,
        [_row(scores, arm) for arm in arms],
        [results_of(scores.arms[place], trait=trait) for place in range(len(arms))],
    )
    known = [arm for arm in arms if arm.quality.value is not None]
    if not known or unit is None:
        return nothing(scores, NO_COST if known else NO_SCORE, table)
    told = [arm for arm in known if arm.spent(unit).value is not None]
    return found(
        scores, sentence(scores.metric, told, unit), table, CostMarks(tuple(arms), unit), _cautions(arms, unit, data)
    )


def _arms(scores: Scores, data: ChartData) -> tuple[list[ArmCost], Unit | None]:
    """All arms, and what their costs are compared by; None: nothing is known of any."""
    from karenina_gui.analysis.statistics.means import arm_mean

    spent = [_figures(each, len(scores)) for each in (data.dollars, data.tokens, data.seconds, data.answer_tokens)]
    ran = _figures([None if outcome is None else 1.0 for outcome in data.outcome], len(scores))
    arms = []
    for place, arm in enumerate(scores.arms):
        here = _firsts(scores, place, ran)
        money, words, time, own = (_spent(column[here], scores.question[here]) for column in spent)
        look, answers = look_of(scores, data, place), int((ran[here] == 1).sum())
        arms.append(ArmCost(arm.label, place, look, arm_mean(scores, place), money, words, time, own, answers))
    unit = _unit([arm for arm in arms if arm.quality.value is not None])
    return (_with_best(arms, unit, scores.metric) if unit else arms), unit


def _firsts(scores: Scores, arm: int, ran: Floats) -> Integers:
    """Rows of the arm, one for each answer: of a job that has run, where there is one."""
    import numpy as np

    rows = np.flatnonzero(scores.arm == arm)
    rows = rows[np.argsort(np.isnan(ran[rows]), kind="stable")]
    answers = np.stack([scores.question[rows], scores.replicate[rows]], axis=1)
    return rows[np.unique(answers, axis=0, return_index=True)[1]]


def _figures(column: Sequence[float | None], n: int) -> Floats:
    """NaN where there is no figure."""
    import numpy as np

    return np.array(column, dtype=np.float64) if len(column) == n else np.full(n, np.nan)


def _spent(values: Floats, questions: Integers) -> Spent:
    import numpy as np

    from karenina_gui.analysis.statistics.means import QUICK_DRAWS, bootstrap, mean_of_questions

    known = ~np.isnan(values)
    answers = np.bincount(questions[known])
    means = np.bincount(questions[known], weights=values[known])[answers > 0] / answers[answers > 0]
    if len(means) > MANY:
        return Spent(mean_of_questions(means), int(known.sum()))
    return Spent(bootstrap(means, draws=QUICK_DRAWS), int(known.sum()))


def _unit(arms: list[ArmCost]) -> Unit | None:
    units: tuple[Unit, ...] = ("dollars", "tokens", "seconds")
    for unit in units[:2]:
        known = [value for arm in arms if (value := arm.spent(unit).value) is not None]
        # What is played back costs nothing, which compares nothing.
        if known and len(known) == len(arms) and any(known):
            return unit
    return next((unit for unit in units[::-1] if any(arm.spent(unit).value is not None for arm in arms)), None)


def _with_best(arms: list[ArmCost], unit: Unit, metric: Metric) -> list[ArmCost]:
    if metric.higher_is_better is None:
        return arms
    sign = 1.0 if metric.higher_is_better else -1.0
    points = {
        arm.arm: (sign * arm.quality.value, -spent)
        for arm in arms
        if arm.quality.value is not None and (spent := arm.spent(unit).value) is not None
    }

    def beaten(one: tuple[float, float]) -> bool:
        return any(other != one and other[0] >= one[0] and other[1] >= one[1] for other in points.values())

    return [replace(arm, best=not beaten(points[arm.arm])) if arm.arm in points else arm for arm in arms]


def sentence(metric: Metric, known: list[ArmCost], unit: Unit) -> str:
    """`known`: arms with a mean and a cost."""
    if len(known) == 1:
        return f"{known[0].label} has a {measure(metric)} of {_told(metric, known[0], unit)}."
    cheapest = min(known, key=lambda arm: (_cost(arm, unit), _rank(metric, arm)))
    if metric.higher_is_better is None:
        dearest = max(known, key=lambda arm: _cost(arm, unit))
        return (
            f"Lowest cost: {cheapest.label}, {measure(metric)} {_told(metric, cheapest, unit)}. Highest cost: "
            f"{dearest.label}, {measure(metric)} {_told(metric, dearest, unit)}."
            f"{_overlap([cheapest, dearest], known, unit)}"
        )
    best = min(known, key=lambda arm: (_rank(metric, arm), _cost(arm, unit)))
    highest = f"Highest {measure(metric)}" if metric.higher_is_better else f"Lowest (best) {measure(metric)}"
    overlap = _overlap([cheapest], known, unit)
    if best is cheapest and any(one is not best and _ties(one, best, unit) for one in known):
        lower = " Lower is better." if metric.higher_is_better is False else ""
        return (
            f"No configuration has a better {measure(metric)} or a lower cost than {best.label}: "
            f"{_told(metric, best, unit)}.{lower}{overlap}"
        )
    if best is cheapest:
        return f"{highest} and lowest cost: {best.label}, {_told(metric, best, unit)}.{overlap}"
    return (
        f"{highest}: {best.label}, {_told(metric, best, unit)}. Lowest cost: {cheapest.label}, "
        f"{_told(metric, cheapest, unit)}{_less(best, cheapest, unit)}.{overlap}"
    )


def _rank(metric: Metric, arm: ArmCost) -> float:
    """The better, the smaller; alike where nobody knows which end is the better one."""
    value = arm.quality.value or 0.0
    return 0.0 if metric.higher_is_better is None else -value if metric.higher_is_better else value


def _ties(one: ArmCost, other: ArmCost, unit: Unit) -> bool:
    """Whether one is as good or costs as much as the other."""
    return one.quality.value == other.quality.value or _cost(one, unit) == _cost(other, unit)


def _overlap(named: list[ArmCost], known: list[ArmCost], unit: Unit) -> str:
    """What may not be read into the order by cost; empty where the intervals of those that are named lie apart from
    those of all others.
    """
    apart = all(_lie_apart(one.spent(unit).mean, other.spent(unit).mean) for one in named for other in known
                if other is not one)  # fmt: skip
    return "" if apart else OVERLAP


OVERLAP = " The order by cost is uncertain: the 95% CIs of costs overlap or are missing."


def _lie_apart(one: Estimate, other: Estimate) -> bool:
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.high < other.low or other.high < one.low


def _less(best: ArmCost, cheapest: ArmCost, unit: Unit) -> str:
    """How much the cheapest saves."""
    saved = 1 - _cost(cheapest, unit) / _cost(best, unit)
    return f", {percent(saved)} less" if saved >= 0.05 else ", about the same"


def _told(metric: Metric, arm: ArmCost, unit: Unit) -> str:
    """`72% (95% CI 58% to 83%) on 50 questions, $0.02 per answer including judging (150 answers)`."""
    ends = between(arm.quality, metric)
    level = f"{said(arm.quality.value, metric)}{f' (95% CI {ends})' if ends else ''}"
    return f"{level} on {quantity(arm.quality.n, 'question')}, {_price(arm, unit)}{_basis(arm, unit)}"


def _basis(arm: ArmCost, unit: Unit) -> str:
    """Over how many answers, and whether that is not all of them."""
    n = arm.spent(unit).n
    return f" ({quantity(n, 'answer')})" if n == arm.answers else f" (known for {n:,} of {arm.answers:,} answers)"


def _price(arm: ArmCost, unit: Unit) -> str:
    return f"{spoken(_cost(arm, unit), unit)} per answer including judging"


UNKNOWN: dict[Unit, str] = {
    "dollars": "The cost of some answers is unknown",
    "tokens": "The tokens of some answers are unknown",
    "seconds": "The time of some answers is unknown",
}
SOME_UNPRICED = "Costs in dollars are unknown for some configurations: enter the prices of their models."
NONE_PRICED = "Costs in dollars are unknown: enter the prices of the models."


def spoken(value: float, unit: Unit) -> str:
    """`$0.0031`, `1,204 tokens`, `2.4 seconds`."""
    if unit != "dollars":
        return f"{number(value)} {unit}"
    if value == 0:
        return "$0"
    return f"${value:,.2f}" if value >= 1 else f"${value:.3g}" if value >= 0.0001 else "less than $0.0001"


def _cost(arm: ArmCost, unit: Unit) -> float:
    return arm.spent(unit).value or 0.0


def _cautions(arms: list[ArmCost], unit: Unit, data: ChartData) -> list[str]:
    said = []
    if data.request.judge is not None:
        said.append("Costs include all judgments of an answer, also those by other judges.")
    if any(arm.spent(unit).mean.approximate and arm.spent(unit).mean.low is not None for arm in arms):
        said.append("Cost intervals may be too narrow with fewer than 100 questions.")
    if any(arm.quality.approximate and arm.quality.low is not None for arm in arms):
        said.append(APPROXIMATE)
    partly = [arm.label for arm in arms if 0 < arm.spent(unit).n < arm.answers]
    if partly:
        said.append(f"{UNKNOWN[unit]}: {some(partly)}.")
    if unit != "dollars" and all(arm.dollars.value == 0 for arm in arms):
        said.append("Costs are 0, because replies were played back from a recording.")
    elif unit != "dollars":
        known = any(arm.dollars.value is not None for arm in arms)
        said.append(SOME_UNPRICED if known else NONE_PRICED)
    return said


def _row(scores: Scores, arm: ArmCost) -> tuple[Cell, ...]:
    of, mean = scores.arms[arm.arm], arm.quality
    best = None if arm.best is None else "yes" if arm.best else "no"
    spent = [spent.mean for spent in (arm.dollars, arm.tokens, arm.seconds)]
    money, words, time = ((mean.value, mean.low, mean.high) for mean in spent)
    return (
        *(of.answering, of.condition, mean.value, mean.low, mean.high, mean.n, *money, arm.dollars.n),
        *(*words, arm.tokens.n, arm.own_tokens.value, arm.own_tokens.n, *time, arm.answers, best),
    )
