"""Python source divided into strings, comments, keywords, and numbers, for colored text outside of an editor."""

from __future__ import annotations

import keyword
import re
from typing import Literal

TokenKind = Literal["comment", "string", "keyword", "number"]
Token = tuple[int, int, TokenKind]
"""Start and end in its line, and kind."""

_TOKENS = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<string>[rbfu]{0,2}(?:\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'))"
    r"|(?P<number>\b\d[\w.]*)"
    r"|(?P<word>\b[^\W\d]\w*)",
    re.DOTALL | re.IGNORECASE,
)


def tokens_by_line(source: str) -> list[list[Token]]:
    """Colored parts of each line, in order. Text that is no Python yet has fewer."""
    lines: list[list[Token]] = [[] for _ in range(source.count("\n") + 1)]
    line = start_of_line = 0
    for match in _TOKENS.finditer(source):
        kind = match.lastgroup
        if kind == "word" and not keyword.iskeyword(match[0]):
            continue
        # Counted from the last token on: from the start, a long template would be read once for each token.
        line += source.count("\n", start_of_line, match.start())
        start_of_line = source.rfind("\n", 0, match.start()) + 1
        at = match.start() - start_of_line
        # A string may run over several lines.
        for offset, part in enumerate(match[0].split("\n")):
            lines[line + offset].append((at, at + len(part), _kind(kind)))
            at = 0
    return lines


def _kind(group: str | None) -> TokenKind:
    if group == "word":
        return "keyword"
    return "comment" if group == "comment" else "string" if group == "string" else "number"
