"""Sections of a judge's prompt: texts between marks that nothing in the text can end."""

from __future__ import annotations

import re

from karenina_gui.schemas.messages import Message

SECTIONS = (
    "question",
    "answer",
    "schema",
    "traits",
    "reference",
    "reasoning",
    "expected",
    "found",
    "trace",
    "investigation",
)
"""Names of all sections that a prompt may have."""

_MARK = re.compile(rf"<(\s*/?\s*)({'|'.join(SECTIONS)})\b", re.IGNORECASE)


def section(name: str, text: str) -> str:
    """Put a text between its marks."""
    return f"<{name}>\n{without_marks(text)}\n</{name}>"


def without_marks(text: str) -> str:
    """Break up the marks in a text, so that it can neither end a section nor begin one."""
    # Prompt injection: an answer could otherwise close its section and add instructions to the judge.
    return _MARK.sub(r"< \1\2", text)


def judge_messages(task: str, sections: list[str], judge: str | None, instructions: str | None) -> tuple[Message, ...]:
    """Messages to a judge. `judge`: its own system prompt; `instructions`: the user's for this purpose."""
    system = "\n\n".join(part for part in (judge, task, instructions) if part)
    return (Message.of("system", system), Message.of("user", "\n\n".join(sections)))
