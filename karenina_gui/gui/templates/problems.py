"""Messages about a template without technical prefixes, for an editor that shows the line."""

from __future__ import annotations

import re

_FRAME = "Error executing template code: "
# `compile` names the source <string>, and `ast.parse` <unknown>.
_SYNTAX = re.compile(r"(.*) \(<(?:string|unknown)>, line \d+\)", re.DOTALL)


def plain_message(message: str) -> str:
    """Return the message without its technical prefix and line number."""
    words = message.removeprefix(_FRAME).strip()
    if syntax := _SYNTAX.fullmatch(words):
        return f"Syntax error: {syntax[1]}."
    return words[:1].upper() + words[1:]
