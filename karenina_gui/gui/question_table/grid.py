"""Grid of the question table: its columns and options."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from karenina_gui.gui.questions.rows import TEMPLATE_WORDS

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
        "minWidth": 110,
        "editable": True,
        "cellEditor": "agLargeTextCellEditor" if of_lines else "agTextCellEditor",
        "cellEditorPopup": of_lines,
        "cellEditorParams": {"maxLength": _LONGEST, "rows": 6, "cols": 52} if of_lines else {"maxLength": 2_000},
        ":cellRenderer": "p => kareninaCells.lines(p.value ?? '')",
    }


def _columns() -> list[dict[str, Any]]:
    return [
        {
            "field": "finished",
            "headerName": "Finished",
            "width": 84,
            "cellClass": "cell-mark",
            ":valueGetter": "p => kareninaCells.done(p.data)",
            ":cellRenderer": "p => kareninaCells.finished(p.value)",
        },
        {
            "field": "place",
            "headerName": "#",
            "width": 60,
            "cellClass": "cell-num",
            "headerClass": "head-num",
            ":cellRenderer": "p => kareninaTable.link(p.data)",
        },
        *map(_editable, HEADERS),
        {
            "field": "template",
            "headerName": "Template",
            "width": 100,
            "tooltipField": "tested",
            ":cellRenderer": f"p => kareninaCells.template(p.value, {json.dumps(TEMPLATE_WORDS)})",
        },
    ]


def table_grid() -> ui.aggrid:
    """Create the grid. The browser fetches its rows and sends edits of cells."""
    options = {
        "columnDefs": _columns(),
        "defaultColDef": {"sortable": True, "resizable": True, "suppressMovable": True},
        ":getRowId": "p => String(p.data.number)",
        "rowSelection": {
            "mode": "multiRow",
            "checkboxes": True,
            "headerCheckbox": True,
            "selectAll": "filtered",
            "enableClickSelection": False,
        },
        "selectionColumnDef": {"width": 36, "pinned": None, "cellClass": "cell-check"},
        "overlayNoRowsTemplate": '<span class="hint">No questions. Add one, or paste rows from a spreadsheet.</span>',
        "enterNavigatesVerticallyAfterEdit": True,
        "stopEditingWhenCellsLoseFocus": True,
        "loading": True,
        "animateRows": False,
        "rowHeight": 44,
    }
    return (
        ui.aggrid(options, auto_size_columns=False)
        .classes("list-grid question-table")
        .props('role="group" aria-label="Table of questions"')
    )
