"""Model prices: entered by the user, else the list prices of the `genai-prices` package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import Any

from karenina_gui.schemas.prices import Price, PriceSource, PriceTier
from karenina_gui.store.library import Library

PACKAGE = "genai-prices"
PROVIDERS: dict[str, str | None] = {
    "openai_endpoint": "openai",
    "openai": "openai",
    "claude_tool": "anthropic",
    "claude_agent_sdk": "anthropic",
    "anthropic": "anthropic",
    "openrouter": "openrouter",
    "langchain": None,
}
"""Provider by interface; None: derived from the model name. Other interfaces have no list price."""
_VERIFIED = re.compile(r"verified on (\d{4}-\d{2}-\d{2})")


class PriceList:
    """Prices of all models that are saved or that results report; the user's own are in `store.prices.Prices`."""

    def __init__(self, library: Library) -> None:
        self._own = library.prices
        self._library = library

    def all(self) -> dict[str, Price]:
        """Prices by model: the user's own, else the list price."""
        models = (f"{model.interface}:{model.model_name}" for model in self._library.models.all().values())
        return self.list_prices({*models, *self._own.used()}) | self._own.all()

    def list_prices(self, models: Iterable[str]) -> dict[str, Price]:
        """List prices of these models (`interface:model_name`), including models with a price of the user.

        Models without a list price, and models called at a custom base URL, are left out.
        """
        custom = self._own.at_own_addresses()
        prices = {model: listed_price(model) for model in models if model not in custom}
        return {model: price for model, price in prices.items() if price is not None}


@cache
def listed_price(model: str) -> Price | None:
    """Today's list price for standard priority; None: unknown model."""
    interface, _, name = model.partition(":")
    if interface not in PROVIDERS or not name:
        return None
    # Imported late: the snapshot contains the prices of all providers.
    from genai_prices.data_snapshot import get_snapshot

    try:
        provider, info = get_snapshot().find_provider_model(name, None, PROVIDERS[interface], None)
    except LookupError:
        return None
    rates = info.get_prices(datetime.now(UTC))
    base = _rates(rates, 0)
    if base["input"] is None or base["output"] is None:
        return None
    return Price(
        model=model,
        **base,
        tiers=tuple(PriceTier(start=start, **_rates(rates, start)) for start in _starts(rates)),
        listing=PriceSource(
            provider=provider.name,
            address=next(iter(provider.pricing_urls or ()), None),
            list=f"{PACKAGE} {version(PACKAGE)}",
            as_of=max(_VERIFIED.findall(info.price_comments or ""), default=_newest_date()),
        ),
    )


@cache
def _newest_date() -> str | None:
    """Latest date on which any price of the list was verified with its provider."""
    from genai_prices.data_snapshot import get_snapshot

    comments = (info.price_comments or "" for provider in get_snapshot().providers for info in provider.models)
    return max((date for comment in comments for date in _VERIFIED.findall(comment)), default=None)


_UNITS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_creation": "cache_write_mtok",
    "cache_creation_1h": "cache_write_1h_mtok",
}
"""Names of the package for our rates."""


def _starts(rates: Any) -> list[int]:
    """Numbers of input tokens above which any rate is another one, ascending."""
    tiers = (tier for unit in _UNITS.values() for tier in getattr(getattr(rates, unit), "tiers", ()))
    return sorted({tier.start for tier in tiers})


def _rates(rates: Any, start: int) -> dict[str, Any]:
    """US dollars per million tokens, for requests with more than `start` input tokens; None: no such rate."""
    return {name: _dollars(getattr(rates, unit), start) for name, unit in _UNITS.items()}


def _dollars(rate: Any, start: int) -> float | None:
    tiers = [tier.price for tier in getattr(rate, "tiers", ()) if tier.start <= start]
    dollars = tiers[-1] if tiers else getattr(rate, "base", rate)
    return float(dollars) if isinstance(dollars, Decimal | int | float) else None
