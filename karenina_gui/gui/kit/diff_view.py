"""Side-by-side table of two versions of a text, with marked differences and colors of Python."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from karenina_gui.gui.kit.diff import DiffRow, Piece, side_by_side
from karenina_gui.gui.kit.html import Html, join_html, tag
from karenina_gui.text import quantity

MOST_ROWS = 300
"""Maximum number of rows."""
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


def diff_table(left: str, right: str, titles: tuple[str, str], *, code: bool = False, aligned: bool = False) -> Html:
    """Table of both versions; `titles`: the column headings.

    `code`: they are Python and are colored. `aligned`: their indentation matters.
    """
    look = "versions versions-code" if code or aligned else "versions"
    return tag("table", diff_head(titles), tag("tbody", *_rows(left, right, code=code)), class_=look)


def diff_head(titles: tuple[str, str]) -> Html:
    """Head of a table of two columns."""
    return tag("thead", tag("tr", *(tag("th", title, scope="col") for title in titles)))


def diff_section(title: str, left: str, right: str, *, look: str | None = None) -> Html:
    """Part of a table of two columns: a heading, and the aligned lines of both versions below it.

    Two equal texts are shown in full.
    """
    head = tag("tr", tag("th", title, colspan="2", scope="rowgroup"))
    if left == right:
        return tag("tbody", head, tag("tr", tag("td", left), tag("td", right)), class_=look)
    return tag("tbody", head, *_rows(left, right), class_=look)


def _rows(left: str, right: str, *, code: bool = False) -> list[Html]:
    rows = side_by_side(left, right)
    sides = _Column(left if code else None), _Column(right if code else None)
    body = [tag("tr", *_cells(row, sides)) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        body.append(_note(f"{quantity(len(rows) - MOST_ROWS, 'more line')}"))
    return body


def colored_python(source: str) -> Html:
    """Whole source with colors, line by line."""
    lines = zip(source.split("\n"), tokens_by_line(source), strict=True)
    return join_html(part for line, tokens in lines for part in (*_parts(line, 0, tokens), "\n"))


class _Column:
    """One version, line by line. `source` None: it is not colored."""

    def __init__(self, source: str | None) -> None:
        self._tokens = None if source is None else tokens_by_line(source)
        self._line = 0

    def skip(self, lines: int) -> None:
        self._line += lines

    def cell(self, pieces: tuple[Piece, ...] | None) -> Html:
        if pieces is None:
            return tag("td", class_="versions-none")
        tokens = self._tokens[self._line] if self._tokens is not None and self._line < len(self._tokens) else []
        self._line += 1
        if not any(text for text, _ in pieces):
            # Blank lines are usual in code; in a text, one could be taken for a missing line.
            return tag(
                "td", "\N{NO-BREAK SPACE}" if self._tokens is not None else tag("span", "(empty)", class_="hint")
            )
        return tag("td", *_with_colors(pieces, tokens))


def _cells(row: DiffRow, sides: tuple[_Column, _Column]) -> tuple[Html, ...]:
    if row.left_out:
        for side in sides:
            side.skip(row.left_out)
        return (tag("td", quantity(row.left_out, "unchanged line"), colspan="2", class_="versions-note"),)
    return sides[0].cell(row.local), sides[1].cell(row.remote)


def _with_colors(pieces: Sequence[Piece], tokens: Sequence[Token]) -> Iterator[Html]:
    start = 0
    for text, only in pieces:
        parts = join_html(_parts(text, start, tokens))
        yield tag("mark", parts) if only else parts
        start += len(text)


def _parts(text: str, start: int, tokens: Sequence[Token]) -> Iterator[Html | str]:
    """Yield a piece that begins at `start` in its line, cut where tokens begin and end."""
    at, end = start, start + len(text)
    for first, last, kind in tokens:
        first, last = max(first, at), min(last, end)
        if first < last:
            yield text[at - start : first - start]
            yield tag("span", text[first - start : last - start], class_=f"code-{kind}")
            at = last
    yield text[at - start :]


def _note(text: str) -> Html:
    return tag("tr", tag("td", text, colspan="2", class_="versions-note"))


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
