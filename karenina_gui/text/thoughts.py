"""Thoughts that a model or its server left in the text of a reply, between tags such as `<think>` and `</think>`."""

from __future__ import annotations

import re

_NAMES = "(?:[a-z]+:)?(?:think|thinking|thought|reasoning)"
_START = (
    rf"(?:<{_NAMES}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|"
    r"(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>)"
)
_END = (
    rf"(?:</{_NAMES}\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|"
    r"(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>)"
)
_OPENED = re.compile(rf"[\s\ufeff\u200b]*{_START}", re.IGNORECASE)
_CLOSED = re.compile(_END, re.IGNORECASE)
_OPENING = re.compile(_START, re.IGNORECASE)


_ALSO_XML = re.compile("thought|reasoning")


def split_thought(text: str, *, has_thought: bool = False) -> tuple[str, str]:
    """Split a reply into the thought at its head and the answer; the thought is empty if there is none.

    A thought without an end is all of the text. Many servers send only the end tag, because the start tag is part of
    their prompt. Tags further down, quoted tags, and tags in code are part of the answer. `has_thought`: the thought
    came apart from the text, so that an end tag without a start is part of the answer.
    """
    thoughts: list[str] = []
    at = 0
    if not has_thought and (end := _end_without_start(text)) is not None:
        thoughts.append(text[: end.start()].strip())
        at = end.end()
    while opened := _OPENED.match(text, at):
        closed = _closing(text, opened.end())
        end_of_thought = closed.end() if closed else len(text)
        # Nothing but an answer in XML is all in such tags.
        if _ALSO_XML.search(opened[0]) and not text[end_of_thought:].strip():
            break
        thoughts.append(text[opened.end() : closed.start() if closed else len(text)].strip())
        at = end_of_thought
    return "\n\n".join(filter(None, thoughts)), text[at:].lstrip() if at else text


def _closing(text: str, start: int) -> re.Match[str] | None:
    """The first end tag from a position on that is not quoted."""
    tags = _CLOSED.finditer(text, start)
    return next((tag for tag in tags if not _is_quoted(text[start : tag.start()], text[tag.end() :])), None)


def _end_without_start(text: str) -> re.Match[str] | None:
    """The first end tag, if it ends a thought: no start tag before it, and not part of a sentence, string or code."""
    end = _CLOSED.search(text)
    if end is None or _OPENING.search(text, 0, end.start()):
        return None
    before, after = text[: end.start()], text[end.end() :]
    if _is_quoted(before, after):
        return None
    # "It ends with </think>": a blank stands before the tag, but no sentence or object has ended there.
    line = before.rpartition("\n")[2]
    in_sentence = line.strip() and line[-1] in " \t" and not (line.rstrip()[-1] in ".!?…。}]" and "\n" in after)
    return None if in_sentence else end


def _is_quoted(before: str, after: str) -> bool:
    """True if what stands between these texts is in quotes, in a string of JSON, or in a block of code."""
    pair = before[-1:] + after[:1]
    # A straight quote may also end a quotation: the first, third, … of them begins one.
    in_quotes = pair in _PAIRS or (pair in ('""', "''", "``") and before.count(pair[0]) % 2 == 1)
    in_string = before.lstrip()[:1] in ("{", "[", '"') and before.replace('\\"', "").count('"') % 2 == 1
    in_block = any(before.count(mark) % 2 == 1 and mark in after for mark in ("```", "~~~", '"""'))
    return in_quotes or in_string or in_block


_PAIRS = ("“”", "‘’", "«»", "**", "||", "__", "()")


def next_thought(text: str, start: int) -> tuple[int, int] | None:
    """Start and end of the next thought with both tags, from a position on; None: there is none."""
    opened = _OPENING.search(text, start)
    closed = _CLOSED.search(text, opened.end()) if opened else None
    return (opened.start(), closed.end()) if opened and closed else None
