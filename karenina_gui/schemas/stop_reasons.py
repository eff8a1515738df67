"""Providers' stop reasons."""

from __future__ import annotations

# OpenAI: length, max_output_tokens; Anthropic and Gemini: max_tokens; Mistral: model_length; Cohere: error_limit.
_NO_TOKENS_LEFT = ("length", "max_tokens", "max_output_tokens", "model_length")
# Anthropic and Zhipu: model_context_window_exceeded; Cohere: error_limit.
_CONTEXT_FULL = (
    "model_context_window_exceeded",
    "context_window_exceeded",
    "context_length_exceeded",
    "max_context_length",
    "error_limit",
)
# DeepSeek: insufficient_system_resource; Zhipu: network_error; Cohere: timeout; watsonx: time_limit, cancelled.
_BROKEN_OFF = ("insufficient_system_resource", "network_error", "timeout", "time_limit", "cancelled", "abort")


# OpenAI and Azure: content_filter; Bedrock: content_filtered, guardrail_intervened; Anthropic: refusal; Cohere:
# error_toxic; Gemini: most others.
_FILTERS = ("content_filter", "content_filtered", "guardrail_intervened")
_STOPPED = (
    *_FILTERS,
    "refusal",
    "safety",
    "blocklist",
    "prohibited_content",
    "recitation",
    "spii",
    "sensitive",
    "error_toxic",
)
CUT_OFF = "The answer was cut off:"
"""Beginning of the warning about an answer that ends early."""


def early_end(stop_reason: str | None) -> str | None:
    """Reason why a reply ends before the model had finished, as a part of a sentence; None: it does not."""
    reason = (stop_reason or "").lower()
    if reason in _NO_TOKENS_LEFT:
        return "the model reached its token limit"
    if reason in _CONTEXT_FULL:
        return "the model’s context window was full"
    if reason in _BROKEN_OFF:
        return f"the provider broke it off (stop reason: {stop_reason})"
    sentence = refusal_sentence(stop_reason)
    return sentence and f"{sentence[0].lower()}{sentence[1:]}".rstrip(".")


def is_cut_off(stop_reason: str | None) -> bool:
    """True if the reply ends before the model had finished."""
    return early_end(stop_reason) is not None


def has_no_tokens_left(stop_reason: str | None) -> bool:
    """True if the reply ends because the model reached its own limit of tokens."""
    return (stop_reason or "").lower() in _NO_TOKENS_LEFT


def is_failure(stop_reason: str | None, *, complete: bool) -> bool:
    """True if the provider failed, so that the reply says nothing about the model.

    `complete` False: the reply has no text, or calls of tools. With a text, a reply that was broken off is the
    beginning of an answer.
    """
    reason = (stop_reason or "").lower()
    return reason == "error" or (not complete and reason in _BROKEN_OFF)


def refusal_sentence(stop_reason: str | None) -> str | None:
    """Sentence that the provider stopped the reply because of its content; None: it did not."""
    if stop_reason is None or stop_reason.lower() not in _STOPPED:
        return None
    if stop_reason.lower() in _FILTERS:
        return "The provider’s content filter stopped the reply."
    return f"The provider stopped the reply (stop reason: {stop_reason})."
