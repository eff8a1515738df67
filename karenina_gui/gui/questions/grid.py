"""Grid of the question list: its columns and options."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from karenina_gui.gui.questions.rows import TEMPLATE_WORDS

FINISHED = {
    "field": "finished",
    "headerName": "Finished",
    "width": 78,
    "cellClass": "cell-mark",
    ":valueGetter": "p => kareninaCells.done(p.data)",
    ":cellRenderer": "p => kareninaCells.finished(p.value)",
}
PLACE = {"field": "place", "headerName": "#", "width": 46, "cellClass": "cell-num", "headerClass": "head-num"}
TEMPLATE = {
    "field": "template",
    "headerName": "Template",
    "width": 92,
    "tooltipField": "tested",
    ":cellRenderer": f"p => kareninaCells.template(p.value, {json.dumps(TEMPLATE_WORDS)})",
}
SELECTABLE = {
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
    "loading": True,
    "animateRows": False,
    "rowHeight": 44,
}
"""Options of every grid whose rows are questions, which can be selected."""


def _columns() -> list[dict[str, Any]]:
    return [
        FINISHED,
        PLACE,
        {
            "field": "question",
            "headerName": "Question",
            "flex": 4,
            "minWidth": 140,
            "tooltipField": "question",
            ":cellRenderer": "p => kareninaCells.lines(p.value)",
        },
        {
            "field": "keywords",
            "headerName": "Keywords",
            "flex": 1.3,
            "minWidth": 70,
            "hide": True,  # until a question has some
            "cellClass": "muted",
            "tooltipField": "keywords",
            ":cellRenderer": "p => kareninaCells.lines(p.value)",
        },
        TEMPLATE,
    ]


def question_grid() -> ui.aggrid:
    """Create the grid. The browser fetches its rows and sends clicks and selections as numbers."""
    options = {
        **SELECTABLE,
        "columnDefs": _columns(),
        "context": {"current": None},
        "rowClassRules": {":row-here": "p => p.context.current === p.data.number"},
        "suppressCellFocus": False,
        "rowBuffer": 4,
        "overlayNoRowsTemplate": "<span></span>",  # the page beside the list says what to do
        "enableBrowserTooltips": True,
        "tooltipShowDelay": 800,
    }
    return ui.aggrid(options, auto_size_columns=False).classes("list-grid wide fills").props('data-row-menu="question"')
