"""Grid of the question table: its columns and options."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.components.grid import PLACE, Grid
from karenina_gui.gui.questions.grid import FINISHED, OF_QUESTIONS, TEMPLATE

HEADERS = {
    "question": "Question",
    "raw_answer": "Reference answer",
    "answer_notes": "Notes",
    "keywords": "Keywords",
    "author": "Author",
}
"""Titles of the columns that can be edited, by field."""
_WIDTHS = {"question": 4.0, "raw_answer": 3.0, "answer_notes": 2.0, "keywords": 1.7, "author": 1.0}
_LONGEST = 1_000_000
"""Characters of a cell; AG Grid's own limit is 200."""


def _editable(name: str) -> dict[str, Any]:
    # One line is enough for keywords and names; the others open in a box, where Shift+Enter begins a line.
    of_lines = name not in ("keywords", "author")
    return {
        "field": name,
        "headerName": HEADERS[name],
        "flex": _WIDTHS[name],
        "minWidth": 128 if name == "keywords" else 110,
        "editable": True,
        "cellEditor": "agLargeTextCellEditor" if of_lines else "agTextCellEditor",
        "cellEditorPopup": of_lines,
        "cellEditorParams": {"maxLength": _LONGEST, "rows": 6, "cols": 52} if of_lines else {"maxLength": 2_000},
        ":cellRenderer": "p => kareninaCells.lines(p.value ?? '')",
    }


def _columns() -> list[dict[str, Any]]:
    return [
        FINISHED | {"width": 84},
        PLACE | {"width": 60, ":cellRenderer": "p => kareninaTable.link(p.data)"},
        *map(_editable, HEADERS),
        TEMPLATE | {"width": 100},
    ]


def table_grid() -> Grid:
    """Create the grid. The browser fetches its rows and sends edits of cells."""
    grid = Grid(
        "question_table",
        label="Table of questions",
        empty='<span class="hint">No questions. Add one, or paste rows from a spreadsheet.</span>',
        columns=_columns(),
        **OF_QUESTIONS,
        enterNavigatesVerticallyAfterEdit=True,
        stopEditingWhenCellsLoseFocus=True,
    )
    return grid.classes("list-grid question-table wide fills").props('data-row-menu="question"')
