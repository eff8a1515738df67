"""Thoughts that a model or its server left in the text of a reply, between tags such as `<think>` and `</think>`."""

from __future__ import annotations

import re

_NAMES = "(?:[a-z]+:)?(?:think|thinking|thought)"
_OPENED = re.compile(rf"\s*(?:<{_NAMES}>|\[THINK\]|◁think▷)", re.IGNORECASE)
_CLOSED = re.compile(rf"</{_NAMES}>|\[/THINK\]|◁/think▷", re.IGNORECASE)
_OPENING = re.compile(rf"<{_NAMES}>|\[THINK\]|◁think▷", re.IGNORECASE)


def split_thought(text: str) -> tuple[str, str]:
    """Split a reply into the thought at its head and the answer; the thought is empty if there is none.

    A thought without an end is all of the text. Many servers send only the end tag, because the start tag is part of
    their prompt. Tags further down, quoted tags, and tags in code are part of the answer.
    """
    thoughts: list[str] = []
    at = 0
    if (end := _end_without_start(text)) is not None:
        thoughts.append(text[: end.start()].strip())
        at = end.end()
    while opened := _OPENED.match(text, at):
        closed = _CLOSED.search(text, opened.end())
        thoughts.append(text[opened.end() : closed.start() if closed else len(text)].strip())
        at = closed.end() if closed else len(text)
    return "\n\n".join(filter(None, thoughts)), text[at:].lstrip() if at else text


def _end_without_start(text: str) -> re.Match[str] | None:
    """The first end tag, if it ends a thought: no start tag before it, and not part of a sentence, string or code."""
    end = _CLOSED.search(text)
    if end is None or _OPENING.search(text, 0, end.start()) or text.count("```", 0, end.start()) % 2:
        return None
    before, after = text[: end.start()], text[end.end() :]
    line = before.rpartition("\n")[2]
    if not line.strip():
        return end
    # At the end of a line with text only if nothing but a thought ends like that: "… again.</think>42".
    attached = line[-1].isalnum() or line[-1] in ".!?…"
    goes_on = not after or after[0].isspace() or after[0].isalnum()
    return end if attached and goes_on and line.lstrip()[0] not in '{["' else None


def next_thought(text: str, start: int) -> tuple[int, int] | None:
    """Start and end of the next thought with both tags, from a position on; None: there is none."""
    opened = _OPENING.search(text, start)
    closed = _CLOSED.search(text, opened.end()) if opened else None
    return (opened.start(), closed.end()) if opened and closed else None
