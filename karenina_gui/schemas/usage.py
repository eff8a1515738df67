"""Tokens in results by step, and their conversion to tokens by model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from karenina_gui.schemas.prices import ModelTokens, Spending
from karenina_gui.schemas.result import VerificationResult

TOTAL = "total"
"""Entry with the sum of the others."""
ANSWERING = "answer_generation"
"""Step whose tokens and cost belong to the answer."""
DOLLARS = "cost_usd"
"""Cost according to the runtime that used an entry's tokens."""
READ = ("cache_read", "cached_tokens")
WRITTEN = ("cache_creation",)
"""Providers' names of tokens read from the prompt cache, and written to it."""
LARGEST = 2**53
"""Larger numbers in files are not counts."""


def spending_of(result: VerificationResult) -> Spending:
    """Tokens of one result. An answer shared by several judges is counted with the first of them only."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for tokens in by_step(result).values():
        figures = asdict(tokens)
        found[figures.pop("model")].update(figures)
    untold = result.template is not None and result.template.usage_unavailable
    return Spending(tuple(ModelTokens(model, **figures) for model, figures in found.items()), int(untold), 1)


def by_step(result: VerificationResult) -> dict[str, ModelTokens]:
    """Tokens of each step that called a model, in order."""
    return tokens_by_step((result.template.usage_metadata if result.template else None) or {})


def tokens_by_step(usage: Mapping[str, Any]) -> dict[str, ModelTokens]:
    """The same from the `usage_metadata` of a result."""
    return {
        step: ModelTokens(str(entry["model"]), **_figures(entry))
        for step, entry in usage.items()
        # The sum would count every token twice.
        if step != TOTAL and isinstance(entry, dict) and entry.get("model")
    }


def told_dollars(result: VerificationResult, step: str) -> float | None:
    """Cost of a step in US dollars according to the runtime; None: unknown."""
    entry = ((result.template.usage_metadata if result.template else None) or {}).get(step)
    told = entry.get(DOLLARS) if isinstance(entry, dict) else None
    return float(told) if isinstance(told, int | float) and 0 <= told < LARGEST else None


def _figures(entry: Mapping[str, Any]) -> dict[str, int]:
    details = entry.get("input_token_details")
    details = details if isinstance(details, dict) else {}
    return {
        "input": _count(entry.get("input_tokens")),
        "output": _count(entry.get("output_tokens")),
        "cache_read": sum(_count(details.get(name)) for name in READ),
        "cache_creation": sum(_count(details.get(name)) for name in WRITTEN),
    }


def _count(value: Any) -> int:
    # NaN and infinities fail these comparisons, too.
    return int(value) if isinstance(value, int | float) and 0 <= value < LARGEST else 0
