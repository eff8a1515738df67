"""Providers' words for why a reply ended."""

from __future__ import annotations

_NO_TOKENS_LEFT = ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")


def is_cut_off(stop_reason: str | None) -> bool:
    """Whether the reply ends where the model had no tokens left."""
    return stop_reason is not None and stop_reason.lower() in _NO_TOKENS_LEFT
