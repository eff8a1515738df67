"""Titles of the purposes for which models are called in a run (`adapters.ports.Purpose`)."""

from __future__ import annotations

PURPOSE_TITLES = {
    "answer_generation": "Generate answer",
    "parsing": "Field extraction",
    "abstention_check": "Refusal check",
    "sufficiency_check": "Sufficiency check",
    "deep_judgment_excerpts": "Quotes",
    "deep_judgment_hallucination_assessment": "Hallucination check",
    "deep_judgment_reasoning": "Reasoning",
    "embedding_check": "Embedding check",
    "rubric_evaluation": "Traits",
    "agentic_parsing_investigation": "Investigation",
    "agentic_parsing_extraction": "Agentic field extraction",
    "agentic_rubric_investigation": "Trait investigation",
    "agentic_rubric_extraction": "Trait extraction",
}
