"""List prices for models without a user's price, at the provider's own URL only."""

from __future__ import annotations

import re

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot

from karenina_gui.analysis.costs import cost, dollars, is_exact
from karenina_gui.runs.price_list import PROVIDERS, PriceList, _starts, listed_price
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.prices import LENGTHS, ModelTokens, Price, Spending, length_of
from karenina_gui.store.library import Library

SONNET = "claude_tool:claude-sonnet-4-5"


def test_a_listed_price_has_its_cache_its_date_and_its_source() -> None:
    price = listed_price(SONNET)
    assert price is not None and price.listing is not None
    assert (price.input, price.output, price.cache_read, price.cache_creation) == (3.0, 15.0, 0.3, 3.75)
    assert price.listing.provider == "Anthropic" and str(price.listing.address).startswith("https://")
    assert re.fullmatch(r"genai-prices \d+\.\d+\.\d+", price.listing.list)
    openai = listed_price("openai_endpoint:gpt-5-mini")
    assert openai is not None and openai.listing is not None
    assert all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", each.listing.as_of or "") for each in (price, openai) if each.listing)
    used = ModelTokens(SONNET, input=1_000_000, output=1_000_000, cache_read=500_000)
    assert dollars(used, price) == pytest.approx(0.5 * 3 + 0.5 * 0.3 + 15)


@pytest.mark.parametrize(
    ("model", "provider", "request_of"),
    [
        ("openai_endpoint:gpt-5.6", "openai", {"input_tokens": 100_000, "cache_write_tokens": 90_000}),
        ("openai_endpoint:gpt-5.6", "openai", {"input_tokens": 272_001, "output_tokens": 500}),
        (SONNET, "anthropic", {"input_tokens": 250_000, "output_tokens": 9, "cache_read_tokens": 50_000}),
        (SONNET, "anthropic", {"input_tokens": 9000, "cache_write_tokens": 8000, "cache_write_1h_tokens": 5000}),
    ],
)
def test_a_request_costs_what_the_list_says(model: str, provider: str, request_of: dict[str, int]) -> None:
    listed = calc_price(Usage(**request_of), model_ref=model.partition(":")[2], provider_id=provider)
    names = {"cache_read_tokens": "cache_read", "cache_write_tokens": "cache_creation"}
    names |= {"cache_write_1h_tokens": "cache_creation_1h", "input_tokens": "input", "output_tokens": "output"}
    figures = {names[name]: count for name, count in request_of.items()}
    tokens = ModelTokens(model, **figures, length=length_of(request_of["input_tokens"]))
    price = listed_price(model)
    assert dollars(tokens, price) == pytest.approx(float(listed.total_price))
    assert is_exact(tokens, price)


def test_every_length_at_which_a_listed_price_changes_is_told_apart() -> None:
    """A list with another one makes the costs of long requests uncertain until it is in `LENGTHS`."""
    prices = [
        getattr(price, "prices", price)
        for provider in get_snapshot().providers
        if provider.id in PROVIDERS.values()
        for model in provider.models
        for price in (model.prices if isinstance(model.prices, list) else [model.prices])
    ]
    assert {start for price in prices for start in _starts(price)} <= set(LENGTHS)


@pytest.mark.parametrize(
    "model",
    ["openai_endpoint:llama-on-my-desk", "claude_tool:gpt-5-mini", "manual:gpt-5-mini", "replay:gpt-5-mini", "x", ""],
)
def test_what_the_list_does_not_know_is_unknown(model: str) -> None:
    assert listed_price(model) is None
    assert not cost(Spending((ModelTokens("openai_endpoint:llama-on-my-desk", 1, 1),), 0, 1), {}).is_known


def test_ones_own_price_wins_and_an_own_address_has_none(library: Library) -> None:
    prices = PriceList(library)
    library.models.save("remote", ModelConfig(id="remote", model_name="claude-sonnet-4-5", interface="claude_tool"))
    library.models.save(
        "mine",
        ModelConfig(
            id="mine", model_name="gpt-5-mini", interface="openai_endpoint", endpoint_base_url="http://127.0.0.1:1/v1"
        ),
    )
    assert list(prices.all()) == [SONNET]
    assert prices.list_prices(["openai_endpoint:gpt-5-mini"]) == {}
    own = Price(model=SONNET, input=1, output=2)
    library.prices.save(own)
    assert prices.all() == {SONNET: own}
    assert prices.list_prices([SONNET])[SONNET].input == 3
    library.prices.delete(SONNET)
    assert prices.all()[SONNET].listing is not None
    library.prices.save(prices.all()[SONNET])  # as it is listed: from now on it is one's own
    assert prices.all()[SONNET].listing is None
