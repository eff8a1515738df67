"""Excerpts against what a search finds: how likely the answer has made them up."""

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
"""From well supported to contradicted or unheard of."""

Search = Callable[[list[str]], list[str]]
"""What is found for each query, as text, in their order; empty where nothing is. It may raise whatever it likes."""

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
    """Put what is found for each excerpt beside it, under `search_results`.

    None: done; else why nothing was found, as a sentence: a search is an extra, and what it fails at costs no verdict.
    Errors: `RunCancelled`.
    """
    if search is None:
        return "Excerpts were not searched for: no search tool is set up."
    asked = list(excerpts)
    try:
        found = list(zip(asked, search([excerpt["text"] for excerpt in asked]), strict=True))
    except RunCancelled:
        raise
    except Exception as error:  # an injected tool may fail in any way
        return f"Excerpts were not searched for: {error}"
    for excerpt, text in found:
        excerpt["search_results"] = text
    return None


def assess(judge: Judge, excerpts: dict[str, list[dict[str, Any]]], messages: Messages) -> dict[str, str]:
    """The risk of each subject, the highest of its excerpts; the excerpts get theirs and its justification.

    One call for all of them. Errors: those of `Judge.ask`.
    """
    some = {subject: found for subject, found in excerpts.items() if found}
    if not some:
        return {}
    reply = judge.ask(PURPOSE, messages(some), Checklist("Risks", tuple(some), _ENTRY))
    for subject, found in some.items():
        for excerpt, verdict in zip(found, reply[subject], strict=False):
            excerpt["hallucination_risk"] = verdict["risk"]
            excerpt["hallucination_justification"] = verdict["justification"]
    assessed = {
        subject: [e["hallucination_risk"] for e in found if "hallucination_risk" in e]
        for subject, found in some.items()
    }
    return {subject: max(risks, key=RISKS.index) for subject, risks in assessed.items() if risks}
