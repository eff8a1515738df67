"""Prices and numbers of tokens by model, as providers bill them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field


class PriceSource(BaseModel):
    """The source of a list price."""

    model_config = ConfigDict(frozen=True)

    provider: str
    address: str | None = None
    """URL of the provider's own price list."""
    list: str
    """Name and version of the list that contains it, such as `genai-prices 0.2.3`."""
    as_of: str | None = None
    """ISO date of the last comparison of the price, or else of the whole list, with its source; None: unknown."""


LENGTHS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Numbers of input tokens above which some provider charges another price for the whole request."""


def length_of(tokens: int) -> int:
    """Class of a request by its input tokens: the greatest of `LENGTHS` that it exceeds; 0: none."""
    return max((length for length in LENGTHS if tokens > length), default=0)


class Rates(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(frozen=True)

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cache_read: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """For input read from the provider's prompt cache; None: as other input."""
    cache_creation: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """For input written to the prompt cache; None: as other input."""
    cache_creation_1h: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """For input written to the prompt cache for an hour; None: unknown, but not less than other writing."""


class PriceTier(Rates):
    """Rates of requests with more than `start` input tokens."""

    start: int


class Price(Rates):
    """US dollars for a million tokens of one model."""

    model: str = Field(min_length=1)
    """`interface:model_name`, as in results."""
    tiers: tuple[PriceTier, ...] = ()
    """Rates of long requests, by ascending `start`; empty: the same for all requests."""
    listing: PriceSource | None = None
    """None: entered by the user."""


@dataclass(frozen=True)
class ModelTokens:
    """Tokens of one model, from the provider's own figures."""

    model: str
    """`interface:model_name`."""
    input: int = 0
    """Input tokens, including those read from and written to the prompt cache."""
    output: int = 0
    """Output tokens, including the model's thinking."""
    cache_read: int = 0
    cache_creation: int = 0
    """Tokens written to the prompt cache."""
    cache_creation_1h: int = 0
    """Those of them that were written for an hour."""
    length: int | None = 0
    """Length of each of the requests, see `length_of`; None: unknown, or different ones."""
    parts: tuple[ModelTokens, ...] = ()
    """The same tokens by length; empty: all have the same `length`."""


def merge_tokens(tokens: Iterable[ModelTokens]) -> ModelTokens:
    """Sum of tokens of one model, at least one."""
    by_length: dict[int | None, list[ModelTokens]] = defaultdict(list)
    for whole in tokens:
        for part in whole.parts or (whole,):
            by_length[part.length].append(part)
    parts = tuple(_sum(same, length) for length, same in by_length.items())
    return parts[0] if len(parts) == 1 else _sum(parts, None, parts)


def _sum(tokens: Iterable[ModelTokens], length: int | None, parts: tuple[ModelTokens, ...] = ()) -> ModelTokens:
    tokens = list(tokens)
    return ModelTokens(
        tokens[0].model,
        input=sum(part.input for part in tokens),
        output=sum(part.output for part in tokens),
        cache_read=sum(part.cache_read for part in tokens),
        cache_creation=sum(part.cache_creation for part in tokens),
        cache_creation_1h=sum(part.cache_creation_1h for part in tokens),
        length=length,
        parts=parts,
    )


@dataclass(frozen=True)
class Spending:
    """All tokens of a result or of a run."""

    tokens: tuple[ModelTokens, ...] = ()
    untold: int = 0
    """Number of results with a call whose tokens the provider did not report."""
    results: int = 0
    """Number of results."""
