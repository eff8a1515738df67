"""Messages about a template for somebody who sees its lines: without what only a log needs."""

from __future__ import annotations

import re

_NOISE = re.compile(r"Error executing template code: | ?\(<string>, line \d+\)")


def plainly(message: str) -> str:
    """The message without its technical frame: the line is shown beside it."""
    words = _NOISE.sub("", message).strip()
    return words[:1].upper() + words[1:]
