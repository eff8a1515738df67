"""Cost of results and runs from token counts and the price table. Unknown prices are reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from karenina_gui.schemas.figure import Figure
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.prices import LENGTHS, ModelTokens, Price, Rates, Spending
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.usage import ANSWERING, by_step, reported_dollars

if TYPE_CHECKING:
    from karenina_gui.schemas.job_table import Floats, TokenTable

RUN_COST = Figure(
    "run-cost",
    "Cost of the run",
    "Tokens of all calls behind the results of the run, answers and judgments, at the prices on the Prices page.",
    "Calls of replaced results and of jobs without a result. Models without a price, and calls without reported "
    "tokens: then the cost is “at least” or “unknown”. It is “at least”, too, if a price depends on the length of "
    "requests and that isn’t known.",
)
RESULT_COST = Figure(
    "result-cost",
    "Cost per result",
    "Cost of the run, divided by the number of its results.",
    "The same as for “Cost of the run”.",
)
TOKENS = Figure(
    "tokens",
    "Tokens in and out",
    "Input and output tokens of a model, as reported by its provider.",
    "Calls whose tokens the provider did not report.",
)
STEP_COST = Figure(
    "step-cost",
    "Cost of a step",
    "Tokens of one step of a result, at the price of its model. The total adds up all steps.",
    "The same as for “Cost of the run”. Replies replayed from recordings cost nothing.",
)
RESULT_TIME = Figure(
    "result-time",
    "Time of a result",
    "Seconds from the start of the job to its end, with all calls. If judgments share an answer, its time counts with "
    "the first of them.",
    "Time the job waited in the queue, for an unavailable provider, or while the run was paused.",
)
PARTIAL_CREDIT = Figure(
    "partial-credit",
    "Partial credit",
    "Weighted mean of the fields’ credit, from 0 to 1. Only comparisons with “Partial credit” in their name give "
    "values in between; all others give 0 or 1.",
    "Nothing. Fields without a value have no credit, but their weight counts.",
    "Each field by its weight. If one field or a number of fields is enough, the credit of the best ones is divided "
    "by the weights of all, so a passed answer may stay below 1.",
)

MILLION = 1_000_000


@dataclass(frozen=True)
class ModelCost:
    tokens: ModelTokens
    dollars: float | None
    """None: the model has no price."""
    exact: bool = True
    """False: the tokens cost at least this; see `is_exact`."""


@dataclass(frozen=True)
class Cost:
    by_model: tuple[ModelCost, ...] = ()
    untold: int = 0
    """Results with a call whose tokens the provider did not tell."""
    results: int = 0

    @property
    def dollars(self) -> float:
        """Dollars of all calls with a price: the total if `is_known`, otherwise a lower bound."""
        return sum(cost.dollars or 0.0 for cost in self.by_model)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Models without a price."""
        return tuple(cost.tokens.model for cost in self.by_model if cost.dollars is None)

    @property
    def inexact(self) -> tuple[str, ...]:
        """Models whose price depends on something unknown."""
        return tuple(cost.tokens.model for cost in self.by_model if not cost.exact)

    @property
    def is_known(self) -> bool:
        return not self.unpriced and not self.untold and not self.inexact


def cost(spending: Spending, prices: Mapping[str, Price]) -> Cost:
    """Return the cost of all calls; `prices` by model (`interface:model_name`)."""
    priced = ((tokens, prices.get(tokens.model)) for tokens in spending.tokens)
    by_model = tuple(ModelCost(tokens, dollars(tokens, price), is_exact(tokens, price)) for tokens, price in priced)
    return Cost(by_model, spending.untold, spending.results)


def cost_of_answer(result: VerificationResult, prices: Mapping[str, Price]) -> float | None:
    """Return the US dollars of an answer without its judgments, by price table or as its agent reported.

    None: neither is exactly known, or its tokens are unknown.
    """
    used = by_step(result).get(ANSWERING)
    if used is None:
        return None
    price = prices.get(used.model)
    by_price = dollars(used, price) if is_exact(used, price) else None
    return reported_dollars(result, ANSWERING) if by_price is None else by_price


def dollars(tokens: ModelTokens, price: Price | None) -> float | None:
    """Return the US dollars of `tokens`, or the least that they cost (see `is_exact`). None: the model has no price."""
    if _is_played_back(tokens):
        return 0.0
    if price is None:
        return None
    return float(sum(_dollars(part, _rates(part, price)) for part in tokens.parts or (tokens,))) / MILLION


def is_exact(tokens: ModelTokens, price: Price | None) -> bool:
    """False if the price depends on the length of single requests, or on the lifetime of a cache, which are unknown.

    True if the model has no price.
    """
    if price is None or _is_played_back(tokens):
        return True
    return all(_has_rates(part, price) for part in tokens.parts or (tokens,))


def _is_played_back(tokens: ModelTokens) -> bool:
    """True for replies played back from a recording, which cause no request."""
    return tokens.model.partition(":")[0] in PLAYED_BACK


def _rates(tokens: ModelTokens, price: Price) -> Rates:
    """Rates of requests of this length; those of the shortest if it is unknown."""
    length = tokens.length or 0
    return next((tier for tier in reversed(price.tiers) if tier.start <= length), price)


def _has_rates(tokens: ModelTokens, price: Price) -> bool:
    if tokens.cache_creation_1h and _rates(tokens, price).cache_creation_1h is None:
        return False
    if tokens.length is None:
        return not price.tiers or tokens.input <= price.tiers[0].start
    longest = next((length for length in LENGTHS if length > tokens.length), inf)
    return all(tier.start >= longest for tier in price.tiers if tier.start > tokens.length)


def dollars_of_jobs(tokens: TokenTable, prices: Mapping[str, Price], jobs: int) -> Floats:
    """US dollars of the result of each of `jobs` jobs; NaN: not exactly known, or it called no model."""
    import numpy as np

    spent = np.where(np.bincount(tokens.job, minlength=jobs) > 0, 0.0, np.nan)
    for code, (model, length) in enumerate(tokens.kinds):
        rows = tokens.select(tokens.kind == code)
        kind = None if model is None else ModelTokens(model, length=length)
        np.add.at(spent, rows.job, np.nan if kind is None else _exact_dollars(rows, kind, prices.get(kind.model)))
    return spent


def _exact_dollars(rows: TokenTable, kind: ModelTokens, price: Price | None) -> Floats | float:
    """US dollars of each row of one model and length, likewise."""
    import numpy as np

    if _is_played_back(kind) or price is None:
        return 0.0 if _is_played_back(kind) else np.nan
    rates = _rates(kind, price)
    # Of unknown length, only what is short for all tiers has known rates.
    if kind.length is None and price.tiers:
        exact = rows.input <= price.tiers[0].start
    else:
        exact = np.full(len(rows.job), _has_rates(kind, price))
    if rates.cache_creation_1h is None:
        exact = exact & (rows.cache_creation_1h == 0)
    return np.where(exact, _dollars(rows, rates, np.maximum, np.minimum) / MILLION, np.nan)


def _dollars(tokens: Any, rates: Rates, larger: Callable[..., Any] = max, smaller: Callable[..., Any] = min) -> Any:
    """Millionths of US dollars of a `ModelTokens`, or of each row of a `TokenTable`."""
    # Providers count cached tokens as input tokens too, but charge other prices for them.
    uncached = larger(0, tokens.input - tokens.cache_read - tokens.cache_creation)
    for_an_hour = smaller(tokens.cache_creation_1h, tokens.cache_creation)
    write = _or_default(rates.cache_creation, rates.input)
    return (
        uncached * rates.input
        + tokens.cache_read * _or_default(rates.cache_read, rates.input)
        + (tokens.cache_creation - for_an_hour) * write
        + for_an_hour * _or_default(rates.cache_creation_1h, write)
        + tokens.output * rates.output
    )


def _or_default(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
