"""Prices and numbers of tokens by model, as providers bill them."""

from __future__ import annotations

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


class Price(BaseModel):
    """US dollars for a million tokens of one model."""

    model_config = ConfigDict(frozen=True)

    model: str = Field(min_length=1)
    """`interface:model_name`, as in results."""
    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cache_read: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """For input read from the provider's prompt cache; None: as other input."""
    cache_creation: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """For input written to the prompt cache; None: as other input."""
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


@dataclass(frozen=True)
class Spending:
    """All tokens of a result or of a run."""

    tokens: tuple[ModelTokens, ...] = ()
    untold: int = 0
    """Number of results with a call whose tokens the provider did not report."""
    results: int = 0
    """Number of results."""
