"""Comparison of quotes with web search results: the risk that the answer is hallucinated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from karenina_gui.adapters.ports import Purpose
from karenina_gui.errors import RunCancelled
from karenina_gui.judging.judge import Judge
from karenina_gui.judging.replies import Checklist
from karenina_gui.schemas.messages import Message

PURPOSE: Purpose = "deep_judgment_hallucination_assessment"
RISKS = ("none", "low", "medium", "high")
"""From supported by the search results to contradicted or unknown."""

Search = Callable[[list[str]], list[str]]
"""Search results as text for each query, in order; empty: nothing found. May raise any exception."""

_ENTRY = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "risk": {"type": "string", "enum": [*RISKS]},
            "justification": {"type": "string", "description": "What in the search results decides, in one sentence."},
        },
        "required": ["risk", "justification"],
        "additionalProperties": False,
    },
}

Messages = Callable[[dict[str, list[dict[str, Any]]]], tuple[Message, ...]]


def look_up(excerpts: Iterable[dict[str, Any]], search: Search | None) -> str | None:
    """Add search results to each quote, as `search_results`. Returns None, or the reason for a failure.

    A failed search never costs a verdict. Raises `RunCancelled`.
    """
    if search is None:
        return "Quotes were not looked up: no search service is set up."
    quotes = list(excerpts)
    try:
        results = list(zip(quotes, search([excerpt["text"] for excerpt in quotes]), strict=True))
    except RunCancelled:
        raise
    except Exception as error:  # an injected tool may fail in any way
        return f"Quotes were not looked up: {error}"
    for excerpt, text in results:
        excerpt["search_results"] = text
    return None


def assess(judge: Judge, excerpts: dict[str, list[dict[str, Any]]], messages: Messages) -> dict[str, str]:
    """Hallucination risk of each subject: the highest risk of its quotes. All are assessed in one call.

    Each quote gets its own risk and a justification. Raises the errors of `Judge.ask`.
    """
    some = {subject: quotes for subject, quotes in excerpts.items() if quotes}
    if not some:
        return {}
    reply = judge.ask(PURPOSE, messages(some), Checklist("Risks", tuple(some), _ENTRY))
    for subject, quotes in some.items():
        # `strict=False`: the judge may return fewer or more entries than quotes.
        for excerpt, verdict in zip(quotes, reply[subject], strict=False):
            excerpt["hallucination_risk"] = verdict["risk"]
            excerpt["hallucination_justification"] = verdict["justification"]
    highest = {subject: _highest_risk(quotes) for subject, quotes in some.items()}
    return {subject: risk for subject, risk in highest.items() if risk is not None}


def _highest_risk(excerpts: list[dict[str, Any]]) -> str | None:
    """Highest risk of the quotes; None if no quote was assessed."""
    risks = [excerpt["hallucination_risk"] for excerpt in excerpts if "hallucination_risk" in excerpt]
    return max(risks, key=RISKS.index, default=None)
