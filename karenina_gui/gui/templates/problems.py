"""Messages about a template for somebody who sees its lines: without what only a log needs."""

from __future__ import annotations

import re

_FRAME = "Error executing template code: "
_SYNTAX = re.compile(r"(.*) \(<(?:string|unknown)>, line \d+\)", re.DOTALL)

_ERROR = re.compile(r"Its answer template has an error(?: \(line (\d+)\))?:.*", re.DOTALL)


def plainly(message: str) -> str:
    """The message without its technical frame: the line is shown beside it."""
    words = message.removeprefix(_FRAME).strip()
    if syntax := _SYNTAX.fullmatch(words):
        return f"Python cannot read this line: {syntax[1]}."
    return words[:1].upper() + words[1:]


def briefly(obstacle: str) -> str:
    """What is in the way of a run, for the head of the editor: the error itself is told once, below the template."""
    found = _ERROR.fullmatch(obstacle)
    if not found:
        return plainly(obstacle)
    place = f" in line {found[1]}" if found[1] else ""
    return f"Its answer template has an error{place}: see the tab Template."
