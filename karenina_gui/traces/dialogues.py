"""Recorded conversations: the part of them that is judged.

A conversation may end with a user or a tool, above all a dialogue with a simulated user. The specification judges its
last message only if it is the model's. The choice of an import is stored with the conversation:
`{"messages": [...], "judged": "whole"}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from karenina_gui.schemas.messages import (
    Message,
    final_answer,
    final_answer_of_text,
    is_dialogue,
    last_answer,
    render_trace,
    to_stored,
    with_thoughts,
)
from karenina_gui.text import join_list, quantity, verb
from karenina_gui.traces.provider_formats import replicates, to_messages
from karenina_gui.traces.text_parser import messages_of_text

JudgedPart = Literal["last", "whole", "specified"]
"""Part of a conversation that is judged.

- last: the last message of the model that has a text.
- whole: all messages of model, tools, and user.
- specified: the last message, which must be the model's.
"""

PARTS: dict[JudgedPart, str] = {
    "last": "the last message of the model",
    "whole": "the whole dialogue, with the user’s messages",
    "specified": "as specified, the last message if it is the model’s",
}
"""The parts in words."""

Ending = Literal["model", "user", "tool", "nothing"]
"""Role that a conversation ends with; model: with a text; nothing: the model never writes one."""

_ENDINGS: dict[Ending, str] = {
    "model": "a message of the model",
    "user": "a message of the user",
    "tool": "a tool call or its result",
    "nothing": "no text of the model at all",
}


def judged_part(trace: Any) -> JudgedPart | None:
    """Choice stored with a conversation; None: the last message of the model in dialogues, else as specified."""
    part = trace.get("judged") if isinstance(trace, dict) else None
    return part if part in get_args(JudgedPart) else None


def judged_text(messages: Sequence[Message], part: JudgedPart | None = None) -> str | None:
    """Text to judge in place of the last message; None: there is no other."""
    if part == "whole":
        return render_trace(messages, with_user=True) or None
    if part == "last" or (part is None and is_dialogue(messages)):
        return last_answer(messages)
    return None


def with_judged_part(answers: dict[str, Any], part: JudgedPart | None) -> dict[str, Any]:
    """Recorded answers with the choice in each conversation; texts without messages stay as they are."""
    if part is None:
        return answers
    chosen = {}
    for key, value in answers.items():
        marked = [_mark(answer, part) for answer in replicates(value)]
        chosen[key] = marked[0] if len(marked) == 1 else marked
    return chosen


@dataclass(frozen=True)
class Conversations:
    """Conversations among recorded answers."""

    endings: Counter[Ending]
    """Number of conversations by their ending."""
    dialogues: int
    """Number of conversations in which a user writes after the model did."""

    @classmethod
    def of(cls, answers: Iterable[Any]) -> Conversations:
        """`answers`: one or several replicates each, as recorded."""
        read = [_messages(answer) for value in answers for answer in replicates(value)]
        conversations = [messages for messages in read if messages]
        return cls(Counter(map(_ending, conversations)), sum(map(is_dialogue, conversations)))

    @property
    def need_choice(self) -> bool:
        """True if it matters which part of them is judged."""
        return self.dialogues > 0 or self.endings.total() > self.endings["model"]

    @property
    def default(self) -> JudgedPart:
        return "last" if self.dialogues else "specified"

    def describe(self) -> str:
        """Sentence: `80 conversations end with a message of the user (67) and a tool call or its result (13).`"""
        parts = [f"{name} ({self.endings[ending]:,})" for ending, name in _ENDINGS.items() if self.endings[ending]]
        total = self.endings.total()
        return f"{quantity(total, 'conversation')} {verb(total, 'ends', 'end')} with {join_list(parts)}."


def _messages(answer: Any) -> list[Message]:
    """Messages of a conversation; empty for a plain text or a missing answer."""
    if isinstance(answer, str):
        # Only a trace in text form has more than one message.
        return [] if final_answer_of_text(answer)[0] else with_thoughts(messages_of_text(answer))
    return [] if answer is None else to_messages(answer)


def _mark(answer: Any, part: JudgedPart) -> Any:
    messages = _messages(answer)
    return {"messages": to_stored(messages), "judged": part} if messages else answer


def _ending(messages: Sequence[Message]) -> Ending:
    if final_answer(messages)[0]:
        return "model"
    if last_answer(messages) is None:
        return "nothing"
    return "user" if messages[-1].role == "user" else "tool"
