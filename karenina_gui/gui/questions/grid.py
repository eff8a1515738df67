"""Grid of the question list: its columns and options."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from karenina_gui.gui.questions.rows import TEMPLATE_WORDS


def _columns() -> list[dict[str, Any]]:
    return [
        {
            "field": "finished",
            "headerName": "Finished",
            "width": 78,
            "cellClass": "cell-mark",
            ":valueGetter": "p => kareninaCells.done(p.data)",
            ":cellRenderer": "p => kareninaCells.finished(p.value)",
        },
        {"field": "place", "headerName": "#", "width": 46, "cellClass": "cell-num", "headerClass": "head-num"},
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
            "cellClass": "cell-mut",
            "tooltipField": "keywords",
            ":cellRenderer": "p => kareninaCells.lines(p.value)",
        },
        {
            "field": "template",
            "headerName": "Template",
            "width": 92,
            "tooltipField": "tested",
            ":cellRenderer": f"p => kareninaCells.template(p.value, {json.dumps(TEMPLATE_WORDS)})",
        },
    ]


def question_grid() -> ui.aggrid:
    """Create the grid. The browser fetches its rows and sends clicks and selections as numbers."""
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
        "context": {"current": None},
        "rowClassRules": {":row-here": "p => p.context.current === p.data.number"},
        "suppressCellFocus": False,
        "loading": True,
        "animateRows": False,
        "rowBuffer": 4,
        "rowHeight": 44,
        "enableBrowserTooltips": True,
        "tooltipShowDelay": 800,
    }
    return ui.aggrid(options, auto_size_columns=False).classes("list-grid").props('data-row-menu="question"')
