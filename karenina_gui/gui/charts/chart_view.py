"""A figure in the browser, drawn by plotly as it comes with the window's library; its Python half is not loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from nicegui import ui

from karenina_gui.static_files import static_folder

WIDTH, HEIGHT = 1000, 560
"""Of a picture, in pixels, unless the figure has its own height."""


LOADING = "import('nicegui-plotly')"
"""Its code is large: reading it takes a window that never had it a moment, which is better spent ahead."""
STAYED = 1500
"""Milliseconds after which somebody is taken to stay on a page from which charts are opened."""


def read_ahead() -> None:
    """Let the browser read the code of plotly as soon as it has the page's text."""
    if not ui.context.client.has_socket_connection:
        ui.add_body_html(f"<script>{LOADING}</script>")


def read_when_idle() -> None:
    """The same once nothing else is to do, on a page from which charts are opened."""
    ui.run_javascript(f"setTimeout(() => requestIdleCallback(() => {LOADING}), {STAYED})")


class ChartView(ui.element, component=static_folder() / "chart_view.js"):
    """`on_themed` is called with whether the window is dark, where that is not how the figure was drawn; `on_chosen`
    with the row of the table behind a mark that was clicked.
    """

    def __init__(self, *, on_themed: Callable[[bool], Any], on_chosen: Callable[[int], Any]) -> None:
        super().__init__()
        self.on("themed", lambda event: on_themed(bool(event.args)))
        self.on("chosen", lambda event: on_chosen(int(event.args)))
        self._props["dark"] = False
        self._props["label"] = ""

    def show(self, figure: dict[str, Any], *, dark: bool, label: str) -> None:
        """`label`: what it shows, for those who do not see it."""
        self._props["dark"] = dark
        self._props["label"] = label
        self._props["figure"] = figure
        self.update()

    def save(self, figure: dict[str, Any], form: Literal["png", "svg"], name: str) -> None:
        """Let the browser save the picture of a figure under this name."""
        size = {"width": WIDTH, "height": figure["layout"].get("height") or HEIGHT}
        self.run_method("save", form, figure, size, name)
