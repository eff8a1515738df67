"""Chart of mean score against cost, tokens or time per answer including judgments, by arm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, rate_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    APPROXIMATE,
    NO_SCORE,
    Unit,
    format_amount,
    format_interval,
    format_value,
    join_first,
    results_of,
    scored_trait,
)
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding, style_index
from karenina_gui.analysis.charts.order import order_caution, paired_differences
from karenina_gui.analysis.estimate import Estimate, PairedDifference
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import LOWER_IS_BETTER, measure
from karenina_gui.analysis.thresholds import (
    MAX_QUESTIONS_FOR_BOOTSTRAP,
    MIN_QUESTIONS_FOR_ACCURATE_BOOTSTRAP,
    MIN_SAVING_SHARE,
    RESAMPLES_OF_MANY_INTERVALS,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Codes, Floats, Integers, Scores

UNITS: tuple[Unit, ...] = ("dollars", "tokens", "seconds")
BY_COST, BY_TOKENS = "Pareto-optimal by cost", "Pareto-optimal by tokens"
COLUMNS = (
    *("Model", "Condition", "Mean", "95% CI low", "95% CI high", "Questions"),
    *("Cost per answer incl. judging ($)", "Cost CI low", "Cost CI high", "Answers with known cost"),
    *("Tokens per answer incl. judging", "Tokens CI low", "Tokens CI high", "Answers with known tokens"),
    *("Tokens of the answer only", "Answers with known tokens (answer only)"),
    *("Seconds per answer incl. judging", "Seconds CI low", "Seconds CI high", "Answers"),
    *(BY_COST, "Pareto-optimal by time"),
)

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
        columns=("Tokens of the answer only", "Answers with known tokens (answer only)"),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


class CostWords(NamedTuple):
    """Words for the extremes of a unit of cost."""

    lowest: str
    also_lowest: str
    """Like `lowest`, inside a sentence."""
    highest: str
    lower: str
    noun: str
    unknown: str
    """Caution about some answers."""


COST_WORDS: dict[Unit, CostWords] = {
    "dollars": CostWords(
        *("Lowest cost", "lowest cost", "Highest cost", "a lower cost", "cost"),
        "The cost of some answers is unknown",
    ),
    "tokens": CostWords(
        *("Fewest tokens", "fewest tokens", "Most tokens", "fewer tokens", "tokens"),
        "The tokens of some answers are unknown",
    ),
    "seconds": CostWords(
        *("Shortest time", "shortest time", "Longest time", "a shorter time", "time"),
        "The time of some answers is unknown",
    ),
}


@dataclass(frozen=True)
class MeanCost:
    """Cost of one answer including its judgments, as the mean over questions."""

    mean: Estimate
    """Mean with a bootstrap interval over questions: costs have no upper bound, and a few long answers dominate them.
    """
    n: int
    """Answers whose cost is known."""

    @property
    def value(self) -> float | None:
        """Mean; None: unknown for every answer."""
        return self.mean.value


@dataclass(frozen=True)
class ArmCost:
    label: str
    arm: int
    style_index: int
    """Index of the arm among all arms of the run."""
    quality: Estimate
    dollars: MeanCost
    tokens: MeanCost
    seconds: MeanCost
    own_tokens: MeanCost
    """Tokens without those of judges."""
    answers: int
    """Answers with a job that has run."""
    best_by: frozenset[Unit] | None = None
    """Units in which no other arm is as good for less (Pareto front); None: the metric has no better end."""

    def cost_in(self, unit: Unit) -> MeanCost:
        return {"dollars": self.dollars, "tokens": self.tokens, "seconds": self.seconds}[unit]


@dataclass(frozen=True)
class CostMarks:
    arms: tuple[ArmCost, ...]
    unit: Unit
    """Unit of cost: dollars if known for all arms, otherwise tokens, otherwise time."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    arms, unit = _arms(scores, data)
    table = ChartTable(
        _columns(unit),
        [_row(scores, arm, unit) for arm in arms],
        [results_of(scores.arms[index], trait=trait) for index in range(len(arms))],
        rate_formats(scores.metric, ("Mean", "95% CI low", "95% CI high")),
    )
    scored = [arm for arm in arms if arm.quality.value is not None]
    if not scored or unit is None:
        unknown = "The cost of the answers is unknown: there are no prices, tokens, or times."
        return empty_finding(scores, unknown if scored else NO_SCORE, table)
    priced = [arm for arm in scored if arm.cost_in(unit).value is not None]
    return make_finding(
        scores,
        sentence(scores.metric, priced, unit, _cost_tests(scores, data, unit)),
        table,
        CostMarks(tuple(arms), unit),
        _cautions(arms, unit, data),
    )


def _arms(scores: Scores, data: ChartData) -> tuple[list[ArmCost], Unit | None]:
    """Return all arms, and the unit to compare their costs by; None: no cost is known."""
    from karenina_gui.analysis.statistics.means import arm_mean

    spent = [
        or_unknown(column, len(scores)) for column in (data.dollars, data.tokens, data.seconds, data.answer_tokens)
    ]
    ran = has_run(scores, data)
    arms = []
    for index, arm in enumerate(scores.arms):
        answer_rows = one_row_per_answer(scores, index, ran)
        money, tokens, time, answer_tokens = (
            _mean_cost(column[answer_rows], scores.question[answer_rows]) for column in spent
        )
        look, answers = style_index(scores, data, index), int((ran[answer_rows] == 1).sum())
        arms.append(
            ArmCost(arm.label, index, look, arm_mean(scores, index), money, tokens, time, answer_tokens, answers)
        )
    unit = _unit([arm for arm in arms if arm.quality.value is not None])
    return (_with_best(arms, scores.metric) if unit else arms), unit


def _cost_tests(scores: Scores, data: ChartData, unit: Unit) -> Differences:
    """Return the test of how much more others cost than an arm, question by question."""
    column = or_unknown({"dollars": data.dollars, "tokens": data.tokens, "seconds": data.seconds}[unit], len(scores))
    ran = has_run(scores, data)

    def differences(arm: ArmCost, others: Sequence[ArmCost]) -> list[PairedDifference]:
        first, *rest = (-costs_by_question(scores, one.arm, column, ran) for one in (arm, *others))
        return paired_differences(first, rest)

    return differences


def _mean_cost(values: Floats, questions: Codes) -> MeanCost:
    import numpy as np

    from karenina_gui.analysis.statistics.means import bootstrap, mean_of_questions

    is_known = ~np.isnan(values)
    answers = np.bincount(questions[is_known])
    means = np.bincount(questions[is_known], weights=values[is_known])[answers > 0] / answers[answers > 0]
    # The t interval is accurate for means of many skewed values, and the bootstrap of many questions is slow.
    if len(means) > MAX_QUESTIONS_FOR_BOOTSTRAP:
        return MeanCost(mean_of_questions(means), int(is_known.sum()))
    return MeanCost(bootstrap(means, draws=RESAMPLES_OF_MANY_INTERVALS), int(is_known.sum()))


def _unit(arms: list[ArmCost]) -> Unit | None:
    for unit in UNITS[:2]:
        costs = [value for arm in arms if (value := arm.cost_in(unit).value) is not None]
        # What is played back costs nothing, which compares nothing.
        if costs and len(costs) == len(arms) and any(costs):
            return unit
    return next((unit for unit in UNITS[::-1] if any(arm.cost_in(unit).value is not None for arm in arms)), None)


def _with_best(arms: list[ArmCost], metric: Metric) -> list[ArmCost]:
    if metric.higher_is_better is None:
        return arms
    fronts = {unit: _pareto_front(arms, unit, metric) for unit in UNITS}
    return [replace(arm, best_by=frozenset(unit for unit, front in fronts.items() if arm.arm in front)) for arm in arms]


def _pareto_front(arms: list[ArmCost], unit: Unit, metric: Metric) -> set[int]:
    """Return the arms that no other arm beats in both score and cost."""
    sign = 1.0 if metric.higher_is_better else -1.0
    points = {
        arm.arm: (sign * arm.quality.value, -spent)
        for arm in arms
        if arm.quality.value is not None and (spent := arm.cost_in(unit).value) is not None
    }

    def is_dominated(one: tuple[float, float]) -> bool:
        return any(other != one and other[0] >= one[0] and other[1] >= one[1] for other in points.values())

    return {index for index, point in points.items() if not is_dominated(point)}


Differences = Callable[[ArmCost, Sequence[ArmCost]], Sequence[PairedDifference]]
"""Amounts by which others cost more than an arm."""


def sentence(metric: Metric, arms: list[ArmCost], unit: Unit, differences: Differences) -> str:
    """Summary of the best and the cheapest arm; of a metric without a better end, of the cheapest and the dearest.

    `arms`: with a mean and a cost; `differences`: how much more others cost than an arm.
    """
    names, score = COST_WORDS[unit], measure(metric)
    cheapest = min(arms, key=lambda arm: (_cost(arm, unit), _rank(metric, arm)))
    figures = _in_words(metric, cheapest, unit)
    if len(arms) == 1:
        return f"{cheapest.label} has a {score} of {figures}."
    more = differences(cheapest, _without(arms, cheapest))
    if metric.higher_is_better is not None:
        return _best_and_cheapest(metric, arms, cheapest, unit, order_caution(more, f" by {names.noun}"))
    dearest = max(arms, key=lambda arm: _cost(arm, unit))
    order = order_caution([*more, *_savings(dearest, arms, differences)], f" by {names.noun}")
    return (
        f"{names.lowest}: {cheapest.label}, {score} {figures}. {names.highest}: {dearest.label}, {score} "
        f"{_in_words(metric, dearest, unit)}.{order}"
    )


def _best_and_cheapest(metric: Metric, arms: list[ArmCost], cheapest: ArmCost, unit: Unit, order: str) -> str:
    best = min(arms, key=lambda arm: (_rank(metric, arm), _cost(arm, unit)))
    names, score, figures = COST_WORDS[unit], measure(metric), _in_words(metric, best, unit)
    is_lower_better = metric.higher_is_better is False
    first = f"{'Lowest (best)' if is_lower_better else 'Highest'} {score}"
    if best is not cheapest:
        second = f"{names.lowest}: {cheapest.label}, {_in_words(metric, cheapest, unit)}"
        return f"{first}: {best.label}, {figures}. {second}{_saving(best, cheapest, unit)}.{order}"
    if any(one is not best and _is_tied(one, best, unit) for one in arms):
        better = LOWER_IS_BETTER if is_lower_better else ""
        return f"No configuration has a better {score} or {names.lower} than {best.label}: {figures}.{better}{order}"
    return f"{first} and {names.also_lowest}: {best.label}, {figures}.{order}"


def _without(arms: list[ArmCost], one: ArmCost) -> list[ArmCost]:
    return [arm for arm in arms if arm is not one]


def _savings(dearest: ArmCost, arms: list[ArmCost], differences: Differences) -> list[PairedDifference]:
    """Amounts by which the other arms cost less than the dearest."""
    return [difference for arm in _without(arms, dearest) for difference in differences(arm, [dearest])]


def _rank(metric: Metric, arm: ArmCost) -> float:
    """Return a sort key with the best mean first; 0 if the metric has no better end."""
    value = arm.quality.value or 0.0
    return 0.0 if metric.higher_is_better is None else -value if metric.higher_is_better else value


def _is_tied(one: ArmCost, other: ArmCost, unit: Unit) -> bool:
    """Return True if two arms have equal means or equal costs."""
    return one.quality.value == other.quality.value or _cost(one, unit) == _cost(other, unit)


def _saving(best: ArmCost, cheapest: ArmCost, unit: Unit) -> str:
    """Return the saving of the cheapest arm in words."""
    saved = 1 - _cost(cheapest, unit) / _cost(best, unit)
    return f", {percent(saved)} less" if saved >= MIN_SAVING_SHARE else ", about the same"


def _in_words(metric: Metric, arm: ArmCost, unit: Unit) -> str:
    """`72% (95% CI 58% to 83%) on 50 questions, $0.02 per answer including judging (150 answers)`."""
    ends = format_interval(arm.quality, metric)
    level = f"{format_value(arm.quality.value, metric)}{f' (95% CI {ends})' if ends else ''}"
    return f"{level} on {quantity(arm.quality.n, 'question')}, {_price(arm, unit)}{_basis(arm, unit)}"


def _basis(arm: ArmCost, unit: Unit) -> str:
    """Return the number of answers, and whether it is all of them."""
    n = arm.cost_in(unit).n
    return f" ({quantity(n, 'answer')})" if n == arm.answers else f" (known for {n:,} of {arm.answers:,} answers)"


def _price(arm: ArmCost, unit: Unit) -> str:
    return f"{format_amount(_cost(arm, unit), unit)} per answer including judging"


def _cost(arm: ArmCost, unit: Unit) -> float:
    return arm.cost_in(unit).value or 0.0


def _cautions(arms: list[ArmCost], unit: Unit, data: ChartData) -> list[str]:
    cautions = []
    if data.request.judge is not None:
        cautions.append("Costs include all judgments of an answer, also those by other judges.")
    if any(_is_approximate(arm.cost_in(unit).mean) for arm in arms):
        cautions.append(
            f"Cost intervals may be too narrow with fewer than {MIN_QUESTIONS_FOR_ACCURATE_BOOTSTRAP} questions."
        )
    if any(_is_approximate(arm.quality) for arm in arms):
        cautions.append(APPROXIMATE)
    incomplete = [arm.label for arm in arms if 0 < arm.cost_in(unit).n < arm.answers]
    if incomplete:
        cautions.append(f"{COST_WORDS[unit].unknown}: {join_first(incomplete)}.")
    if unit != "dollars":
        cautions.append(_no_dollars(arms))
    return cautions


def _is_approximate(estimate: Estimate) -> bool:
    return estimate.approximate and estimate.low is not None


def _no_dollars(arms: list[ArmCost]) -> str:
    """Say why costs are not compared in dollars."""
    if all(arm.dollars.value == 0 for arm in arms):
        return "Costs are 0, because replies were replayed from a recording."
    if any(arm.dollars.value is not None for arm in arms):
        return "Costs in dollars are unknown for some configurations: enter the prices of their models."
    return "Costs in dollars are unknown: enter the prices of the models."


def _columns(unit: Unit | None) -> tuple[str, ...]:
    return tuple(BY_TOKENS if name == BY_COST and unit == "tokens" else name for name in COLUMNS)


def _is_best(arm: ArmCost, unit: Unit | None) -> str | None:
    """Return the cell about the Pareto front of a unit; None: it has none."""
    if unit is None or arm.best_by is None or arm.cost_in(unit).value is None or arm.quality.value is None:
        return None
    return "yes" if unit in arm.best_by else "no"


def _row(scores: Scores, arm: ArmCost, unit: Unit | None) -> tuple[Cell, ...]:
    of, mean = scores.arms[arm.arm], arm.quality
    spent = [spent.mean for spent in (arm.dollars, arm.tokens, arm.seconds)]
    money, tokens, time = ((mean.value, mean.low, mean.high) for mean in spent)
    return (
        *(of.answering, of.condition, mean.value, mean.low, mean.high, mean.n, *money, arm.dollars.n),
        *(*tokens, arm.tokens.n, arm.own_tokens.value, arm.own_tokens.n, *time, arm.answers),
        *(None if unit == "seconds" else _is_best(arm, unit), _is_best(arm, "seconds")),
    )


def one_row_per_answer(scores: Scores, arm: int, ran: Floats) -> Integers:
    """Return one row per answer of the arm, from a job that has run if there is one."""
    import numpy as np

    rows = np.flatnonzero(scores.arm == arm)
    # `np.unique` keeps the first row of each answer: jobs that have run go first.
    rows = rows[np.argsort(np.isnan(ran[rows]), kind="stable")]
    # Several judgments share an answer, whose cost must count once.
    answers = np.stack([scores.question[rows], scores.replicate[rows]], axis=1)
    return rows[np.unique(answers, axis=0, return_index=True)[1]]


def has_run(scores: Scores, data: ChartData) -> Floats:
    """1 for each row whose job has run, otherwise NaN."""
    import numpy as np

    outcome = np.full(len(scores), -1) if data.outcome is None else data.outcome
    return np.where(outcome >= 0, 1.0, np.nan)


def costs_by_question(scores: Scores, arm: int, column: Floats, ran: Floats) -> Floats:
    """Mean cost of an answer of each question; NaN: unknown. `column`: costs by row; `ran`: see `has_run`."""
    import numpy as np

    rows = one_row_per_answer(scores, arm, ran)
    rows = rows[~np.isnan(column[rows])]
    size = len(scores.questions)
    answers = np.bincount(scores.question[rows], minlength=size)
    sums = np.bincount(scores.question[rows], weights=column[rows], minlength=size)
    return np.where(answers > 0, sums / np.maximum(answers, 1), np.nan)


def or_unknown(column: Floats | None, n: int) -> Floats:
    """Return the column; NaN everywhere if it is None."""
    import numpy as np

    return np.full(n, np.nan) if column is None else column
