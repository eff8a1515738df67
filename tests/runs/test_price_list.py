"""List prices for models without a user's price, at the provider's own URL only."""

from __future__ import annotations

import re

import pytest

from karenina_gui.analysis.costs import cost, dollars
from karenina_gui.runs.price_list import PriceList, listed_price
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.prices import ModelTokens, Price, Spending
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
