"""What a run asks of judges, counted before it is started: at most, apart from feedback and passing faults."""

from __future__ import annotations

from karenina_gui.schemas.config import VerificationConfig


def reading_calls(config: VerificationConfig) -> int:
    """Replies in which one answer is read into its template, by way of its evidence (`deep_judgment_mode`), or from an
    agent's report (`agentic_parsing`; what the agent itself asks is not among them)."""
    if config.deep_judgment_mode == "disabled" or config.agentic_parsing:
        return 1
    if config.deep_judgment_mode == "reasoning_only":
        return 2
    return 1 + config.deep_judgment_excerpt_retry_attempts + config.deep_judgment_search_enabled + 2


def calls_by_purpose(config: VerificationConfig, *, answers: int, read: int, traits: int) -> dict[str, int]:
    """Replies by what they are for, as a sentence would say it; those that are not needed are absent.

    `answers`: all there are to judge. `read`: those whose template asks a judge. `traits`: replies for their traits.
    """
    read = 0 if config.evaluation_mode == "rubric_only" else read
    calls = {
        "asking about refusals": answers * config.abstention_enabled,
        "asking about sufficiency": read * config.sufficiency_enabled,
        "reading answers": read * reading_calls(config),
        "comparing meanings": read * config.embedding_check_enabled,
        "rating traits": traits,
    }
    return {purpose: number for purpose, number in calls.items() if number}
