"""Table whose columns and rows the browser fetches by a function in `run_tables.js`."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.static_files import module

BLOCK = 100
"""Rows per request."""


class FetchedGrid(ui.aggrid):
    """Grid that calls `function` of the module with its API and `arguments` (JSON) once it is ready."""

    def __init__(
        self, function: str, *arguments: Any, label: str, empty: str, infinite: bool = False, key: str = "id"
    ) -> None:
        rows = (
            {
                "rowModelType": "infinite",
                "cacheBlockSize": BLOCK,
                "maxBlocksInCache": 6,  # each cached block is fetched again as a run progresses
                "blockLoadDebounceMillis": 20,
            }
            if infinite
            else {"loading": True}
        )
        options = {**rows, "columnDefs": [], ":getRowId": f"p => String(p.data.{key})", "overlayNoRowsTemplate": empty}
        super().__init__(options, auto_size_columns=False)
        extra = "".join(f", {json.dumps(argument)}" for argument in (*arguments, self.id))
        # Rows by HTTP instead of the websocket: thousands of them would block the window's other messages.
        self.options[":onGridReady"] = f"e => {module('run_tables')}.then(m => m.{function}(e.api{extra}))"
        self.props(f'role="group" {aria_label(label)}')


def fetch_ahead(path: str, script: str = "run_tables") -> None:
    """Let the browser fetch data and the table's script while it still loads the page."""
    if not ui.context.client.has_socket_connection:
        # In a script element, `</script>` in the path would end the script.
        ask = f"(window.ahead ??= {{}})[{json.dumps(path)}] = fetch((window.path_prefix || '') + {json.dumps(path)})"
        ui.add_body_html(f"<script>{ask.replace('<', chr(92) + 'u003c')}; {module(script)}</script>")


def in_browser(function: str, *arguments: Any) -> None:
    """Call a function of the module in this window."""
    values = ", ".join(json.dumps(argument) for argument in arguments)
    ui.run_javascript(f"{module('run_tables')}.then(m => m.{function}({values}))")
