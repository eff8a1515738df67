"""What a run asks of judges, counted before it is started: at most, apart from feedback and passing faults."""

from __future__ import annotations

from karenina_gui.schemas.config import VerificationConfig


def reading_calls(config: VerificationConfig) -> int:
    """Replies in which one answer is read into its template, by way of its evidence (`deep_judgment_mode`).

    One where an agent has investigated before; its turns are not among them.
    """
    if config.agentic_parsing:
        return 1
    if config.deep_judgment_mode == "disabled":
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


def investigations(config: VerificationConfig, *, read: int, traits: int) -> int:
    """How often judging agents look into answers; each time takes several calls, which no table here counts.

    `read`: answers whose template asks a judge. `traits`: investigations for the sake of traits.
    """
    of_templates = read if config.agentic_parsing and config.evaluation_mode != "rubric_only" else 0
    return of_templates + traits
