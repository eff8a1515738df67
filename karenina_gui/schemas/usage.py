"""Tokens in results by step, and their conversion to tokens by model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from karenina_gui.schemas.prices import LENGTHS, ModelTokens, Spending, length_of, merge_tokens
from karenina_gui.schemas.result import VerificationResult

TOTAL = "total"
"""Entry with the sum of the others."""
ANSWERING = "answer_generation"
"""Step whose tokens and cost belong to the answer."""
DOLLARS = "cost_usd"
"""Cost according to the runtime that used an entry's tokens."""
READ = ("cache_read", "cached_tokens")
WRITTEN = ("cache_creation", "cache_write_tokens")
"""Providers' names of tokens read from the prompt cache, and written to it."""
LONG_LIVED = "ephemeral_1h_input_tokens"
"""Anthropic's name of tokens written to the cache for an hour, which cost more; they are among those written."""
_BY_LIFETIME = ("ephemeral_5m_input_tokens", LONG_LIVED)
LONG_REQUESTS = "long_requests"
"""Entry with the part of a step's tokens that belongs to long requests, by the `length_of` these; absent: unknown."""
LARGEST = 2**53
"""Larger numbers in files are not counts."""


def spending_of(result: VerificationResult) -> Spending:
    """Tokens of one result. An answer shared by several judges is counted with the first of them only."""
    by_model: dict[str, list[ModelTokens]] = defaultdict(list)
    for tokens in by_step(result).values():
        by_model[tokens.model].append(tokens)
    untold = result.template is not None and result.template.usage_unavailable
    return Spending(tuple(map(merge_tokens, by_model.values())), int(untold), 1)


def by_step(result: VerificationResult) -> dict[str, ModelTokens]:
    """Tokens of each step that called a model, in order."""
    return tokens_by_step((result.template.usage_metadata if result.template else None) or {})


def tokens_by_step(usage: Mapping[str, Any]) -> dict[str, ModelTokens]:
    """The same from the `usage_metadata` of a result."""
    return {
        step: _tokens(entry)
        for step, entry in usage.items()
        # The sum would count every token twice.
        if step != TOTAL and isinstance(entry, dict) and entry.get("model")
    }


def reported_dollars(result: VerificationResult, step: str) -> float | None:
    """Cost of a step in US dollars according to the runtime; None: unknown."""
    entry = ((result.template.usage_metadata if result.template else None) or {}).get(step)
    dollars = entry.get(DOLLARS) if isinstance(entry, dict) else None
    return float(dollars) if isinstance(dollars, int | float) and 0 <= dollars < LARGEST else None


def count_long_request(entry: dict[str, Any], received: int, written: int, details: Mapping[str, int]) -> None:
    """Note the tokens of a request in the entry of its step, which already has their sum, if it is a long one."""
    if entry["input_tokens"] <= LENGTHS[0]:
        return
    by_length = entry.setdefault(LONG_REQUESTS, {})
    if length := length_of(received):
        part = by_length.setdefault(str(length), {"input_tokens": 0, "output_tokens": 0, "input_token_details": {}})
        part["input_tokens"] += received
        part["output_tokens"] += written
        part["input_token_details"] = dict(Counter(part["input_token_details"]) + Counter(details))


def _tokens(entry: Mapping[str, Any]) -> ModelTokens:
    """Tokens of a step, by the length of its requests."""
    model, whole = str(entry["model"]), _figures(entry)
    by_length = entry.get(LONG_REQUESTS)
    if whole.input <= LENGTHS[0]:
        return ModelTokens(model, *whole)
    if not isinstance(by_length, dict):
        return ModelTokens(model, *whole, length=None)
    long = {int(key): _figures(part) for key, part in by_length.items() if key.isdigit() and isinstance(part, dict)}
    parts = [ModelTokens(model, *part, length=length) for length, part in long.items()]
    short = [max(0, count - sum(of_long)) for count, *of_long in zip(whole, *long.values(), strict=True)]
    return merge_tokens([*parts, *([ModelTokens(model, *short)] if any(short) else [])])


class _Figures(NamedTuple):
    """The figures of `ModelTokens`, in its order."""

    input: int
    output: int
    cache_read: int
    cache_creation: int
    cache_creation_1h: int


def _figures(entry: Mapping[str, Any]) -> _Figures:
    details = entry.get("input_token_details")
    details = details if isinstance(details, dict) else {}
    written, by_lifetime = (sum(_count(details.get(name)) for name in names) for names in (WRITTEN, _BY_LIFETIME))
    return _Figures(
        input=_count(entry.get("input_tokens")),
        output=_count(entry.get("output_tokens")),
        cache_read=sum(_count(details.get(name)) for name in READ),
        # LangChain gives the parts instead of the sum.
        cache_creation=max(written, by_lifetime),
        cache_creation_1h=_count(details.get(LONG_LIVED)),
    )


def _count(value: Any) -> int:
    # NaN and infinities fail these comparisons, too.
    return int(value) if isinstance(value, int | float) and 0 <= value < LARGEST else 0
