"""What tokens cost, and how many were used: by model, as providers bill them."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field


class Listing(BaseModel):
    """The source of a list price."""

    model_config = ConfigDict(frozen=True)

    provider: str
    address: str | None = None
    """Of its own price list."""
    list: str
    """Name and version of the list that has it, such as `genai-prices 0.2.3`."""
    as_of: str | None = None
    """ISO date on which the price, or else the list as a whole, was compared with its source last; None: untold."""


class Price(BaseModel):
    """US dollars for a million tokens of one model."""

    model_config = ConfigDict(frozen=True)

    model: str = Field(min_length=1)
    """As results name it: `interface:model_name`."""
    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cache_read: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """For input that was read from the provider's prompt cache; None: as other input."""
    cache_creation: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """For input that was written to it; None: as other input."""
    listing: Listing | None = None
    """None: a person entered it."""


@dataclass(frozen=True)
class ModelTokens:
    """Tokens of one model, from the provider's own figures."""

    model: str
    """`interface:model_name`."""
    input: int = 0
    """With what was read from and written to the prompt cache."""
    output: int = 0
    """With what the model thought."""
    cache_read: int = 0
    cache_creation: int = 0


@dataclass(frozen=True)
class Spending:
    """All tokens of a result or of a run."""

    tokens: tuple[ModelTokens, ...] = ()
    untold: int = 0
    """Results with a call whose tokens the provider did not tell."""
    results: int = 0
    """Out of so many."""
