"""Python source with the places of its syntax nodes as indexes of characters."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

_LINE_END = re.compile(r"\r\n|\r|\n")


class FormError(Exception):
    """An edit that the form cannot make, with the reason for the author."""


@dataclass(frozen=True)
class Span:
    """Characters `start` to `end` (exclusive) of a source."""

    start: int
    end: int


class SourceText:
    """One source. Python counts columns in bytes of UTF-8; here every place is an index of characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    @cached_property
    def line_end(self) -> str:
        """The first line end of the text; a line feed if there is none."""
        match = _LINE_END.search(self.text)
        return match[0] if match else "\n"

    def index(self, line: int, column: int) -> int:
        """Index of a place. `line`: from 1; `column`: bytes from 0."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        return start + len(self.text[start:end].encode()[:column].decode())

    def span(self, node: ast.AST) -> Span:
        """Characters of an expression or a statement, decorators included."""
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda part: (part.lineno, part.col_offset))
        start = self.index(first.lineno, first.col_offset)
        if first is not node:
            # A decorator's node begins after its sign.
            start = self.text.rindex("@", 0, start)
        return Span(start, self.index(getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)))

    def of(self, node: ast.AST) -> str:
        """Source of a node."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def lines_of(self, span: Span) -> Span:
        """The whole lines of a span, with their line end."""
        first = bisect_right(self._starts, span.start) - 1
        # A span that ends at the start of a line does not reach into it.
        last = bisect_right(self._starts, max(span.start, span.end - 1))
        return Span(self._starts[first], self._starts[last] if last < len(self._starts) else len(self.text))

    def indent_at(self, index: int) -> str:
        """White space at the beginning of the line of a place."""
        start = self._starts[bisect_right(self._starts, index) - 1]
        match = re.compile(r"[ \t\f]*").match(self.text, start)
        return match[0] if match else ""

    def is_alone(self, span: Span) -> bool:
        """True if the lines of a span hold nothing else but white space and a comment after it."""
        lines = self.lines_of(span)
        before, after = self.text[lines.start : span.start], self.text[span.end : lines.end].strip()
        return not before.strip() and (not after or after.startswith("#"))

    def replace_span(self, span: Span, new: str) -> str:
        """The text with other characters in a span."""
        return self.text[: span.start] + new + self.text[span.end :]

    def tokens(self, span: Span) -> list[tuple[str, Span]]:
        """Tokens of a piece of an expression in brackets: each with its characters. Line ends are left out."""
        piece = self.text[span.start : span.end]
        inner = SourceText(piece)
        tokens: list[tuple[str, Span]] = []
        try:
            # A line before it, in brackets, lets the piece go over several lines.
            for token in tokenize.generate_tokens(io.StringIO("(\n" + piece).readline):
                if token.start[0] > 1 and token.string.strip():
                    start, end = (inner.character(line - 1, column) for line, column in (token.start, token.end))
                    tokens.append((token.string, Span(span.start + start, span.start + end)))
        except (tokenize.TokenError, IndentationError):
            # The bracket before the piece is never closed.
            pass
        return tokens

    def character(self, line: int, column: int) -> int:
        """Index of a place whose column counts characters, as that of a token does."""
        return self._starts[line - 1] + column
