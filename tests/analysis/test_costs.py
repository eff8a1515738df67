"""Tests of costs against hand-computed figures; unknown costs are never 0."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from karenina_gui.analysis.costs import cost, dollars, dollars_of_jobs, is_exact
from karenina_gui.gui.pages.prices.price_text import in_dollars, in_words, reasons
from karenina_gui.schemas.job_table import TokenTable
from karenina_gui.schemas.prices import ModelTokens, Price, PriceTier, Spending, merge_tokens
from karenina_gui.schemas.usage import count_long_request, tokens_by_step

PRICE = Price(model="openai:gpt", input=2.0, output=8.0, cache_read=0.5, cache_creation=2.5)
TOKENS = ModelTokens("openai:gpt", input=1_000_000, output=100_000, cache_read=400_000, cache_creation=200_000)


def test_each_kind_of_token_has_its_own_price() -> None:
    spent = cost(Spending((TOKENS,), results=4), {"openai:gpt": PRICE})
    assert spent.dollars == pytest.approx(0.4 * 2.0 + 0.4 * 0.5 + 0.2 * 2.5 + 0.1 * 8.0)
    assert spent.is_known and (spent.results, reasons(spent)) == (4, None)
    assert in_words(spent) == "$2.30"


def test_cached_input_without_a_price_of_its_own_costs_as_other_input() -> None:
    plain = Price(model="openai:gpt", input=2.0, output=8.0)
    assert cost(Spending((TOKENS,)), {"openai:gpt": plain}).dollars == pytest.approx(1.0 * 2.0 + 0.1 * 8.0)
    free = plain.model_copy(update={"cache_read": 0.0})
    assert cost(Spending((TOKENS,)), {"openai:gpt": free}).dollars == pytest.approx(0.6 * 2.0 + 0.1 * 8.0)


TIERED = Price(
    model="openai:gpt", input=2.0, output=8.0, cache_creation=2.5,
    tiers=(PriceTier(start=200_000, input=4.0, output=12.0, cache_creation=5.0),),
)  # fmt: skip


def used(*requests: tuple[int, int]) -> ModelTokens:
    """Tokens of a step with these requests (input, output), as its account keeps them."""
    entry: dict[str, Any] = {"model": "openai:gpt", "input_tokens": 0, "output_tokens": 0}
    for received, written in requests:
        entry["input_tokens"] += received
        entry["output_tokens"] += written
        count_long_request(entry, received, written, {})
    return tokens_by_step({"answer_generation": entry})["answer_generation"]


@pytest.mark.parametrize(
    ("requests", "millionths"),
    [
        ([(200_000, 10)], 200_000 * 2 + 10 * 8),
        ([(200_001, 10)], 200_001 * 4 + 10 * 12),
        ([(150_000, 10)] * 2, 300_000 * 2 + 20 * 8),
        ([(300_000, 10), (1000, 5), (250_000, 1)], 550_000 * 4 + 11 * 12 + 1000 * 2 + 5 * 8),
    ],
)
def test_the_length_of_each_request_decides_about_its_price(requests: list[tuple[int, int]], millionths: float) -> None:
    tokens = used(*requests)
    assert dollars(tokens, TIERED) == pytest.approx(millionths / 1_000_000)
    assert is_exact(tokens, TIERED)
    assert dollars(merge_tokens([tokens, tokens]), TIERED) == pytest.approx(2 * millionths / 1_000_000)


def test_a_cost_that_depends_on_lengths_that_nobody_noted_is_a_least_one() -> None:
    entry = {"model": "openai:gpt", "input_tokens": 300_000, "output_tokens": 10}
    unknown = tokens_by_step({"answer_generation": entry})["answer_generation"]
    spent = cost(Spending((unknown,), results=1), {"openai:gpt": TIERED})
    assert in_words(spent) == "at least $0.6001"
    assert "The price of gpt (openai) depends on the length of single requests" in str(reasons(spent))
    assert cost(Spending((unknown,)), {"openai:gpt": PRICE}).is_known
    short = tokens_by_step({"answer_generation": {**entry, "input_tokens": 30_000}})["answer_generation"]
    assert is_exact(short, TIERED)


def test_writing_for_an_hour_has_a_price_of_its_own() -> None:
    tokens = ModelTokens("openai:gpt", input=100, cache_creation=80, cache_creation_1h=50)
    price = PRICE.model_copy(update={"cache_creation_1h": 4.0})
    assert dollars(tokens, price) == pytest.approx((20 * 2.0 + 30 * 2.5 + 50 * 4.0) / 1_000_000)
    assert is_exact(tokens, price)
    assert dollars(tokens, PRICE) == pytest.approx((20 * 2.0 + 80 * 2.5) / 1_000_000)
    assert not is_exact(tokens, PRICE)


def test_a_model_without_a_price_makes_the_cost_unknown_and_is_named() -> None:
    other = ModelTokens("openai_endpoint:llama", input=10)
    alone = cost(Spending((other,)), {})
    assert (alone.is_known, alone.unpriced, in_words(alone)) == (False, ("openai_endpoint:llama",), "unknown")
    beside = cost(Spending((TOKENS, other)), {"openai:gpt": PRICE})
    assert in_words(beside) == "at least $2.30"
    assert "No price for llama (OpenAI or a compatible server)." in str(reasons(beside))


def test_tokens_that_the_provider_did_not_tell_make_the_cost_unknown() -> None:
    spent = cost(Spending((TOKENS,), untold=2, results=5), {"openai:gpt": PRICE})
    assert in_words(spent) == "at least $2.30"
    assert "didn’t report all tokens of 2 results" in str(reasons(spent))


@pytest.mark.parametrize("model", ["manual:ada", "replay:qwen"])
def test_what_is_played_back_costs_nothing(model: str) -> None:
    spent = cost(Spending((ModelTokens(model, input=9, output=9),)), {})
    assert spent.is_known and spent.dollars == 0
    assert cost(Spending(), {}).is_known


def test_a_price_of_nothing_is_a_price() -> None:
    free = Price(model="openai:gpt", input=0, output=0)
    assert in_words(cost(Spending((TOKENS,)), {"openai:gpt": free})) == "$0"


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (None, "unknown"),
        (0, "$0"),
        (0.00001, "<$0.0001"),
        (0.0031, "$0.0031"),
        (1.005, "$1.00"),
        (1234.5, "$1,234.50"),
    ],
)
def test_small_amounts_keep_figures_that_say_something(amount: float | None, words: str) -> None:
    assert in_dollars(amount) == words


def test_the_cost_of_each_result_is_the_same_in_columns() -> None:
    draw = random.Random(4)
    tiers = (PriceTier(start=200_000, input=6, output=30),)
    prices = {
        "a:plain": Price(model="a:plain", input=3, output=15, cache_read=0.3),
        "a:long": Price(model="a:long", input=3, output=15, tiers=tiers, cache_creation=4, cache_creation_1h=6),
    }
    models = ("a:plain", "a:long", "a:unpriced", "manual:x", None)
    rows = []
    for job in range(200):
        for model in draw.sample(models, draw.choice((0, 1, 1, 2))):
            counts = sorted((draw.choice((0, 100, 300_000)) for _ in range(4)), reverse=True)
            hour = draw.choice((0, 0, counts[3]))
            length = draw.choice((0, 200_000, None))
            rows.append((job, model, length, counts[0], draw.randrange(500), counts[1], counts[3], hour))
    kinds = list(dict.fromkeys(row[1:3] for row in rows))
    table = TokenTable(
        np.array([row[0] for row in rows]),
        np.array([kinds.index(row[1:3]) for row in rows], dtype=np.int32),
        tuple(kinds),
        *(np.array([row[at] for row in rows]) for at in range(3, 8)),
    )
    found = dollars_of_jobs(table, prices, 200)
    for job in range(200):
        own = [row for row in rows if row[0] == job]
        tokens = [ModelTokens(row[1], *row[3:8], length=row[2]) for row in own if row[1] is not None]
        spent = cost(Spending(tuple(tokens), sum(row[1] is None for row in own), 1), prices)
        expected = spent.dollars if own and spent.is_known else float("nan")
        assert found[job] == pytest.approx(expected, nan_ok=True)
