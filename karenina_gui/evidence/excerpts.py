"""Quotes from an answer, each searched in the answer before it is accepted."""

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
    """Requirements for quotes, and the number of retries for those not found in the answer."""

    most: int
    """Maximum quotes of one subject."""
    threshold: float
    """Minimum `similarity` to a passage of the answer, 0 to 1."""
    retries: int
    """Maximum additional rounds."""
    every: bool = True
    """True: any quote that is not found causes a retry. False: only if its subject has no other quote."""


@dataclass
class Excerpts:
    """Accepted quotes of an answer."""

    by_subject: dict[str, list[dict[str, Any]]]
    """Quotes by subject, each `{text, confidence, similarity_score, explanation}`, in the judge's order."""
    rounds: int = 1
    refused: dict[str, list[str]] = field(default_factory=dict)
    """Quotes of the last round that are not in the answer, by subject."""

    @property
    def retries(self) -> int:
        return self.rounds - 1

    @property
    def missing(self) -> list[str]:
        """Subjects without any quote."""
        return [subject for subject, quotes in self.by_subject.items() if not quotes]

    @property
    def quotes(self) -> Iterable[dict[str, Any]]:
        return (excerpt for quotes in self.by_subject.values() for excerpt in quotes)


Messages = Callable[[dict[str, list[str]]], tuple[Message, ...]]
"""Builds the request of a round from the rejected quotes by subject, which are empty in the first round."""


def gather(judge: Judge, subjects: Iterable[str], text: str, demand: Demand, messages: Messages) -> Excerpts:
    """Quotes from `text` for each subject. A quote that is not found is requested again, then dropped.

    Quotes found in any round are kept. Raises the errors of `Judge.ask`.
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
    for subject, quotes in excerpts.by_subject.items():
        texts = {excerpt["text"] for excerpt in quotes}
        for quote in reply[subject]:
            # A judge may repeat its quotes of an earlier round.
            if quote["text"] in texts or not quote["text"].strip():
                continue
            score = similarity(quote["text"], text)
            if score < demand.threshold:
                excerpts.refused.setdefault(subject, []).append(quote["text"])
            elif len(quotes) < demand.most:
                texts.add(quote["text"])
                quotes.append({**quote, "similarity_score": round(score, 4)})
