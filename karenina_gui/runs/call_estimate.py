"""Number of judge calls of a run, estimated before it starts.

Upper bounds, without feedback rounds and retries.
"""

from __future__ import annotations

from karenina_gui.schemas.verification_config import VerificationConfig

PURPOSE_TEXTS = {
    "refusal": "refusal checks",
    "sufficiency": "sufficiency checks",
    "extraction": "for field extraction",
    "embedding": "embedding checks",
    "traits": "trait ratings",
}
"""Purposes of judge calls, as they follow a number."""


def reading_calls(config: VerificationConfig) -> int:
    """Calls that fill the template of one answer.

    Includes deep judgment (`deep_judgment_mode`). With `agentic_parsing` only the final extraction counts, not the
    calls of the agent itself.
    """
    if config.deep_judgment_mode == "disabled" or config.agentic_parsing:
        return 1
    if config.deep_judgment_mode == "reasoning_only":
        return 2
    return 1 + config.deep_judgment_excerpt_retry_attempts + config.deep_judgment_search_enabled + 2


def calls_by_purpose(config: VerificationConfig, *, answers: int, read: int, traits: int) -> dict[str, int]:
    """Number of calls by purpose; unused purposes are left out.

    `answers`: answers to judge. `read`: answers whose template needs a judge. `traits`: calls for traits.
    """
    read = 0 if config.evaluation_mode == "rubric_only" else read
    calls = {
        "refusal": answers * config.abstention_enabled,
        "sufficiency": read * config.sufficiency_enabled,
        "extraction": read * reading_calls(config),
        "embedding": read * config.embedding_check_enabled,
        "traits": traits,
    }
    return {purpose: number for purpose, number in calls.items() if number}
