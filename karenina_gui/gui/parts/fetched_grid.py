"""A table whose columns and rows a function in `run_tables.js` brings, so that none of it passes through the page."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from karenina_gui.gui.parts.quoting import aria_label
from karenina_gui.static_files import module

BLOCK = 100
"""Rows that a table asks for at a time."""


class FetchedGrid(ui.aggrid):
    """`function` of the module is called with the grid and `arguments` (JSON) as soon as the grid is there."""

    def __init__(
        self, function: str, *arguments: Any, label: str, empty: str, infinite: bool = False, key: str = "id"
    ) -> None:
        rows = (
            {
                "rowModelType": "infinite",
                "cacheBlockSize": BLOCK,
                "maxBlocksInCache": 6,  # while a run is going, each of them is fetched again and again
                "blockLoadDebounceMillis": 20,
            }
            if infinite
            else {"loading": True}
        )
        options = {**rows, "columnDefs": [], ":getRowId": f"p => String(p.data.{key})", "overlayNoRowsTemplate": empty}
        super().__init__(options, auto_size_columns=False)
        given = "".join(f", {json.dumps(argument)}" for argument in (*arguments, self.id))
        self.options[":onGridReady"] = f"e => {module('run_tables')}.then(m => m.{function}(e.api{given}))"
        self.props(f'role="group" {aria_label(label)}')


def fetch_ahead(path: str, script: str = "run_tables") -> None:
    """Let the browser ask for this, and for the table's own script, as soon as it has the page's text.

    The table that needs them is not even built then.
    """
    if not ui.context.client.has_socket_connection:
        ask = f"(window.ahead ??= {{}})[{json.dumps(path)}] = fetch((window.path_prefix || '') + {json.dumps(path)})"
        ui.add_body_html(f"<script>{ask.replace('<', chr(92) + 'u003c')}; {module(script)}</script>")


def in_browser(function: str, *arguments: Any) -> None:
    """Call a function of the module in this window."""
    given = ", ".join(json.dumps(argument) for argument in arguments)
    ui.run_javascript(f"{module('run_tables')}.then(m => m.{function}({given}))")
