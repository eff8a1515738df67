"""Grid of the question list: its columns and options."""

from __future__ import annotations

import json
from typing import Any

from karenina_gui.gui.kit.grid import CHECKBOXES, FIXED_COLUMNS, MARKED_ROW, PLACE, Grid
from karenina_gui.gui.pages.questions.rows import TEMPLATE_WORDS

FINISHED = {
    "field": "finished",
    "headerName": "Finished",
    "width": 78,
    "cellClass": "cell-mark",
    ":valueGetter": "p => kareninaCells.done(p.data)",
    ":cellRenderer": "p => kareninaCells.finished(p.value)",
}
TEMPLATE = {
    "field": "template",
    "headerName": "Template",
    "width": 92,
    "tooltipField": "tested",
    ":cellRenderer": f"p => kareninaCells.template(p.value, {json.dumps(TEMPLATE_WORDS)})",
}
OF_QUESTIONS: dict[str, Any] = {**FIXED_COLUMNS, **CHECKBOXES, "key": "number", "rowHeight": 44}
"""Options of every grid whose rows are questions, which can be selected."""


def _columns() -> list[dict[str, Any]]:
    return [
        FINISHED,
        PLACE | {"width": 46},
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


def question_grid() -> Grid:
    """Create the grid. The browser fetches its rows and sends clicks and selections as numbers."""
    grid = Grid(
        "question_list",
        label="List of questions",
        empty="<span></span>",  # the page beside the list says what to do
        columnDefs=_columns(),
        **OF_QUESTIONS,
        **MARKED_ROW,
        suppressCellFocus=False,
        rowBuffer=4,
        enableBrowserTooltips=True,
        tooltipShowDelay=800,
    )
    return grid.classes("list-grid wide fills").props('data-row-menu="question"')
