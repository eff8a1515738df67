"""Side-by-side table of two versions of a text with marked differences."""

from __future__ import annotations

from karenina_gui.gui.components.diff import DiffRow, Piece, side_by_side
from karenina_gui.gui.components.html import Html, tag
from karenina_gui.text import quantity

MOST_ROWS = 300
"""Maximum number of rows."""


def diff_table(left: str, right: str, titles: tuple[str, str]) -> Html:
    """Table of both versions; `titles`: the column headings."""
    return tag("table", diff_head(titles), tag("tbody", *_rows(left, right)), class_="versions")


def diff_head(titles: tuple[str, str]) -> Html:
    """Head of a table of two columns."""
    return tag("thead", tag("tr", *(tag("th", title, scope="col") for title in titles)))


def diff_section(title: str, left: str, right: str, *, look: str | None = None) -> Html:
    """Part of a table of two columns: a heading, and the aligned lines of both versions below it."""
    head = tag("tr", tag("th", title, colspan="2", scope="rowgroup"))
    return tag("tbody", head, *_rows(left, right), class_=look)


def _rows(left: str, right: str) -> list[Html]:
    rows = side_by_side(left, right)
    body = [tag("tr", *_cells(row)) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        body.append(_note(f"{quantity(len(rows) - MOST_ROWS, 'more line')}"))
    return body


def _cells(row: DiffRow) -> tuple[Html, ...]:
    if row.left_out:
        return (tag("td", quantity(row.left_out, "unchanged line"), colspan="2", class_="versions-note"),)
    return _cell(row.local), _cell(row.remote)


def _cell(pieces: tuple[Piece, ...] | None) -> Html:
    if pieces is None:
        return tag("td", class_="versions-none")
    if not any(text for text, _ in pieces):
        return tag("td", tag("span", "(empty)", class_="hint"))
    return tag("td", *(tag("mark", text) if only else text for text, only in pieces))


def _note(text: str) -> Html:
    return tag("tr", tag("td", text, colspan="2", class_="versions-note"))
