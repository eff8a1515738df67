"""Retries of failed model calls: number and backoff."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

RetryCategory = Literal["connection", "timeout", "rate_limit", "server_error"]
RETRY_CATEGORIES: tuple[RetryCategory, ...] = ("connection", "timeout", "rate_limit", "server_error")


class RetryBudget(BaseModel):
    """Retries for one category. The wait before retry n is random up to `min(max, min * multiplier^(n-1))` seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_attempts: int = Field(ge=0)
    """Retries after the first call; 0: none."""
    backoff_min: float = Field(default=1.0, ge=0)
    backoff_max: float = Field(default=30.0, ge=0)
    backoff_multiplier: float = Field(default=2.0, ge=1)


class RetryPolicy(BaseModel):
    """Budgets by category (defaults: upstream's).

    A provider's `Retry-After` takes precedence.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    connection: RetryBudget = RetryBudget(max_attempts=3, backoff_min=1, backoff_max=10)
    timeout: RetryBudget = RetryBudget(max_attempts=3, backoff_min=5, backoff_max=30)
    rate_limit: RetryBudget = RetryBudget(max_attempts=5, backoff_min=5, backoff_max=30)
    server_error: RetryBudget = RetryBudget(max_attempts=2, backoff_min=2, backoff_max=15)
    timeout_escalation: dict[str, float | str] | None = None

    @classmethod
    def none(cls) -> RetryPolicy:
        """Policy without retries."""
        return cls(**{category: RetryBudget(max_attempts=0) for category in RETRY_CATEGORIES})

    def budget(self, category: str) -> RetryBudget:
        """Budget of the category; no retries for an unknown category."""
        return getattr(self, category) if category in RETRY_CATEGORIES else RetryBudget(max_attempts=0)
