"""Passages that a judge quotes from an answer, each found there again before it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.adapters.ports import Purpose
from karenina_gui.evidence.quotes import similarity
from karenina_gui.judging.judge import Judge
from karenina_gui.judging.replies import Checklist
from karenina_gui.schemas.messages import Message

PURPOSE: Purpose = "deep_judgment_excerpts"
CONFIDENCES = ("low", "medium", "high")
_ENTRY = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "A passage of the answer, word for word."},
            "confidence": {"type": "string", "enum": [*CONFIDENCES], "description": "How clearly it decides."},
            "explanation": {"type": "string", "description": "Why it decides, in one sentence."},
        },
        "required": ["text", "confidence", "explanation"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True)
class Demand:
    """What an excerpt must be, and how often a judge is asked again for those that are not in the answer."""

    most: int
    """Excerpts of one subject at most."""
    threshold: float
    """Least `similarity` to a passage of the answer, 0 to 1."""
    retries: int
    """Further rounds at most."""
    every: bool = True
    """Whether one quote that is not in the answer is enough to ask again; False: only a subject that has no other."""


@dataclass
class Excerpts:
    """{subject: its excerpts}, each `{text, confidence, similarity_score, explanation}`, in the judge's order."""

    found: dict[str, list[dict[str, Any]]]
    rounds: int = 1
    refused: dict[str, list[str]] = field(default_factory=dict)
    """{subject: quotes of the last round that are not in the answer}."""

    @property
    def retries(self) -> int:
        return self.rounds - 1

    @property
    def missing(self) -> list[str]:
        """Subjects without any excerpt."""
        return [subject for subject, found in self.found.items() if not found]

    @property
    def each(self) -> Iterable[dict[str, Any]]:
        return (excerpt for found in self.found.values() for excerpt in found)


Messages = Callable[[dict[str, list[str]]], tuple[Message, ...]]
"""The request of a round, given {subject: quotes that were not found}; empty in the first."""


def gather(judge: Judge, subjects: Iterable[str], text: str, demand: Demand, messages: Messages) -> Excerpts:
    """Excerpts of `text` for each subject; a quote that is not in it is asked for again, then left out.

    A subject keeps the quotes that were found in any round. Errors: those of `Judge.ask`.
    """
    names = tuple(subjects)
    excerpts = Excerpts({name: [] for name in names})
    while True:
        reply = judge.ask(PURPOSE, messages(excerpts.refused), Checklist("Excerpts", names, _ENTRY))
        _add(excerpts, reply, text, demand)
        unsettled = excerpts.refused if demand.every else excerpts.refused.keys() & excerpts.missing
        if not unsettled or excerpts.retries >= demand.retries:
            return excerpts
        excerpts.rounds += 1


def _add(excerpts: Excerpts, reply: dict[str, Any], text: str, demand: Demand) -> None:
    excerpts.refused = {}
    for subject, found in excerpts.found.items():
        known = {excerpt["text"] for excerpt in found}
        for given in reply[subject]:
            if given["text"] in known or not given["text"].strip():
                continue
            score = similarity(given["text"], text)
            if score < demand.threshold:
                excerpts.refused.setdefault(subject, []).append(given["text"])
            elif len(found) < demand.most:
                known.add(given["text"])
                found.append({**given, "similarity_score": round(score, 4)})
