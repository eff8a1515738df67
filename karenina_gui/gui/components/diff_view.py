"""Side-by-side table of two versions of a text with marked differences."""

from __future__ import annotations

from karenina_gui.gui.components.diff import DiffRow, Piece, side_by_side
from karenina_gui.gui.components.html import Html, tag
from karenina_gui.text import quantity

MOST_ROWS = 300
"""Maximum number of rows."""


def diff_table(left: str, right: str, titles: tuple[str, str]) -> Html:
    """Table of both versions; `titles`: the column headings."""
    rows = side_by_side(left, right)
    body = [tag("tr", *_cells(row)) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        body.append(_note(f"{quantity(len(rows) - MOST_ROWS, 'more line')}"))
    head = tag("tr", *(tag("th", title, scope="col") for title in titles))
    return tag("table", tag("thead", head), tag("tbody", *body), class_="versions")


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
