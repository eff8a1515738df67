"""Providers' stop reasons."""

from __future__ import annotations

# OpenAI: length, max_output_tokens; Anthropic: max_tokens, model_context_window_exceeded; Mistral: model_length.
_NO_TOKENS_LEFT = ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")


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


def is_cut_off(stop_reason: str | None) -> bool:
    """True if the reply ends because the model had no tokens left."""
    return stop_reason is not None and stop_reason.lower() in _NO_TOKENS_LEFT


def refusal_sentence(stop_reason: str | None) -> str | None:
    """Sentence that the provider stopped the reply because of its content; None: it did not."""
    if stop_reason is None or stop_reason.lower() not in _STOPPED:
        return None
    if stop_reason.lower() in _FILTERS:
        return "The provider’s content filter stopped the reply."
    return f"The provider stopped the reply (stop reason: {stop_reason})."
