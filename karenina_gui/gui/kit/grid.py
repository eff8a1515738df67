"""Table of AG Grid, as all pages have it; what they have in common in the browser is `static/lib/grids.js`."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.static_files import module

BLOCK = 100
"""Rows per request of a table whose rows the server sorts and filters."""
FROM_SERVER: dict[str, Any] = {
    "rowModelType": "infinite",
    "cacheBlockSize": BLOCK,
    "maxBlocksInCache": 6,  # each cached block is fetched again as a run progresses
    "blockLoadDebounceMillis": 20,
}
"""Options of a table that holds only the rows near those that are visible."""
FIXED_COLUMNS: dict[str, Any] = {
    "defaultColDef": {"sortable": True, "resizable": True, "suppressMovable": True},
    "animateRows": False,
}
"""Options of a table whose columns stay in their order."""
ARRANGED: dict[str, Any] = {"suppressDragLeaveHidesColumns": True}
"""Options of a table whose columns each person arranges (`ColumnPanel`)."""
CHECKBOXES: dict[str, Any] = {
    "rowSelection": {
        "mode": "multiRow",
        "checkboxes": True,
        "headerCheckbox": True,
        "selectAll": "filtered",
        "enableClickSelection": False,
    },
    "selectionColumnDef": {"width": 36, "pinned": None, "cellClass": "cell-check"},
}
"""Options of a table whose rows are selected by checkboxes."""
MARKED_ROW: dict[str, Any] = {
    "context": {"current": None},
    "rowClassRules": {":row-here": "p => String(p.context.current) === p.node.id"},
}
"""Options of a table with one marked row; its id is `context.current`."""
PLACE: dict[str, Any] = {"field": "place", "headerName": "#", "cellClass": "cell-num", "headerClass": "head-num"}
"""Column with the number of a question."""


class Grid(ui.aggrid):
    """Table whose rows the browser fetches, as the module `script` of `static/` says.

    Once the table is there, `attach` calls a function of the module with the number of the grid and further arguments
    (JSON). `key`: field with the id of a row. `empty`: HTML that stands in a table without rows. `loading`: whether a
    sign says so until the module has the rows. `options`: of AG Grid, such as
    `columnDefs`.
    """

    def __init__(
        self,
        script: str,
        *,
        label: str,
        empty: str,
        key: str = "id",
        loading: bool = True,
        **options: Any,
    ) -> None:
        # Rows by HTTP instead of the websocket: thousands of them would block the window's other messages.
        common = {
            "defaultColDef": {"resizable": True, "sortable": True, "suppressHeaderMenuButton": True},
            ":getRowId": f"p => String(p.data.{key})",
            "overlayNoRowsTemplate": empty,
        }
        super().__init__(common | ({"loading": True} if loading else {}) | options, auto_size_columns=False)
        self._script = script
        self.props(f'role="group" {aria_label(label)}')

    def attach(self, *arguments: Any, function: str = "attach") -> None:
        self.options[":onGridReady"] = f"() => {self._expression(function, *arguments)}"

    def call(self, method: str, *arguments: Any) -> None:
        """Call a method of the table in the browser, once it is attached."""
        self.client.run_javascript(self._expression("call", method, *arguments))

    def _expression(self, function: str, *arguments: Any) -> str:
        values = ", ".join(json.dumps(argument) for argument in (self.id, *arguments))
        return f"{module(self._script)}.then(m => m.{function}({values}))"


def fetch_ahead(path: str, script: str = "run_tables") -> None:
    """Let the browser fetch data and the table's script while it still loads the page."""
    if not ui.context.client.has_socket_connection:
        # In a script element, `</script>` in the path would end the script.
        ask = f"(window.ahead ??= {{}})[{json.dumps(path)}] = fetch((window.path_prefix || '') + {json.dumps(path)})"
        ui.add_body_html(f"<script>{ask.replace('<', chr(92) + 'u003c')}; {module(script)}</script>")
