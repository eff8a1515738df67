"""Messages about a template for somebody who sees its lines: without what only a log needs."""

from __future__ import annotations

import re

_FRAME = "Error executing template code: "
_SYNTAX = re.compile(r"(.*) \(<(?:string|unknown)>, line \d+\)", re.DOTALL)


def plainly(message: str) -> str:
    """The message without its technical frame: the line is shown beside it."""
    words = message.removeprefix(_FRAME).strip()
    if syntax := _SYNTAX.fullmatch(words):
        return f"Syntax error: {syntax[1]}."
    return words[:1].upper() + words[1:]
