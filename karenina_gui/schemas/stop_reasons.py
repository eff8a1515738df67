"""Providers' words for why a reply ended."""

from __future__ import annotations

_NO_TOKENS_LEFT = ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")


_FILTERS = ("content_filter", "content_filtered", "guardrail_intervened")
_STOPPED = (
    *_FILTERS, "refusal", "safety", "blocklist", "prohibited_content", "recitation", "spii", "sensitive", "error_toxic",
)  # fmt: skip


def is_cut_off(stop_reason: str | None) -> bool:
    """Whether the reply ends where the model had no tokens left."""
    return stop_reason is not None and stop_reason.lower() in _NO_TOKENS_LEFT


def stopped(stop_reason: str | None) -> str | None:
    """That the provider stopped the reply for what it says, in words; None: it did not."""
    if stop_reason is None or stop_reason.lower() not in _STOPPED:
        return None
    if stop_reason.lower() in _FILTERS:
        return "The provider's content filter stopped the reply."
    return f"The provider stopped the reply (stop reason: {stop_reason})."
