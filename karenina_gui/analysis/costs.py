"""Cost of results and runs from token counts and the price table. Unknown prices are reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from karenina_gui.schemas.figure import Figure
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.prices import ModelTokens, Price, Spending
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.usage import ANSWERING, by_step, told_dollars

RUN_COST = Figure(
    "run-cost",
    "Cost of the run",
    "Tokens of all calls behind the results of the run, answers and judgments, at the prices on the Prices page.",
    "Calls of replaced results and of jobs without a result. Models without a price, and calls without reported "
    "tokens: then the cost is “at least” or “unknown”.",
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


@dataclass(frozen=True)
class Cost:
    by_model: tuple[ModelCost, ...] = ()
    untold: int = 0
    """Results with a call whose tokens the provider did not tell."""
    results: int = 0

    @property
    def dollars(self) -> float:
        """Dollars of all calls with a price: the total if `is_known`, otherwise a lower bound."""
        return sum(each.dollars or 0.0 for each in self.by_model)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Models without a price."""
        return tuple(each.tokens.model for each in self.by_model if each.dollars is None)

    @property
    def is_known(self) -> bool:
        return not self.unpriced and not self.untold


def cost(spending: Spending, prices: Mapping[str, Price]) -> Cost:
    """Return the cost of all calls; `prices` by model (`interface:model_name`)."""
    by_model = tuple(ModelCost(tokens, dollars(tokens, prices.get(tokens.model))) for tokens in spending.tokens)
    return Cost(by_model, spending.untold, spending.results)


def cost_of_answer(result: VerificationResult, prices: Mapping[str, Price]) -> float | None:
    """Return the US dollars of an answer without its judgments, by price table or as its agent reported.

    None: neither is known, or its tokens are unknown.
    """
    used = by_step(result).get(ANSWERING)
    if used is None:
        return None
    by_price = dollars(used, prices.get(used.model))
    return told_dollars(result, ANSWERING) if by_price is None else by_price


def dollars(tokens: ModelTokens, price: Price | None) -> float | None:
    """Return the US dollars of `tokens`. None: the model has no price."""
    if tokens.model.partition(":")[0] in PLAYED_BACK:
        # Replies played back from a recording cause no request.
        return 0.0
    if price is None:
        return None
    cache_reads, cache_writes = tokens.cache_read, tokens.cache_creation
    uncached = max(0, tokens.input - cache_reads - cache_writes)
    # Providers count cached tokens as input tokens too, but charge other prices for them.
    of_input = uncached * price.input
    of_cache = cache_reads * _or_default(price.cache_read, price.input) + cache_writes * _or_default(
        price.cache_creation, price.input
    )
    return (of_input + of_cache + tokens.output * price.output) / MILLION


def _or_default(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
