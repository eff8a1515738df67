"""Figure in the browser, drawn by the plotly.js of NiceGUI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from nicegui import ui

from karenina_gui.static_files import static_folder

WIDTH, HEIGHT = 1000, 560
"""Size of an exported image in pixels, unless the figure defines its height."""


# plotly.js is more than 1 MB: a browser without it in its cache would draw the first chart late.
LOADING = "import('nicegui-plotly')"
"""JavaScript that loads plotly."""
STAYED = 1500
"""Milliseconds on a page after which it preloads plotly."""


def read_ahead() -> None:
    """Load plotly as soon as the browser has parsed the page."""
    # HTML that is added to a connected window does not run its scripts.
    if not ui.context.client.has_socket_connection:
        ui.add_body_html(f"<script>{LOADING}</script>")


def read_when_idle() -> None:
    """Load plotly when the browser is idle, for pages with links to charts."""
    ui.run_javascript(f"setTimeout(() => requestIdleCallback(() => {LOADING}), {STAYED})")


class ChartView(ui.element, component=static_folder() / "chart_view.js"):
    """Plotly figure.

    `on_themed` is called with the dark mode if the figure was drawn for the other one. `on_chosen` is called with the
    `customdata` of a clicked mark.
    """

    def __init__(self, *, on_themed: Callable[[bool], Any], on_chosen: Callable[[int], Any]) -> None:
        super().__init__()
        self.on("themed", lambda event: on_themed(bool(event.args)))
        self.on("chosen", lambda event: on_chosen(int(event.args)))
        self.props["dark"] = False
        self.props["label"] = ""

    def show(self, figure: dict[str, Any], *, dark: bool, label: str) -> None:
        """Draw a figure; `label`: description for screen readers."""
        self.props["dark"] = dark
        self.props["label"] = label
        self.props["figure"] = figure
        self.update()

    def save(self, figure: dict[str, Any], form: Literal["png", "svg"], name: str) -> None:
        """Let the browser download the figure as an image."""
        size = {"width": WIDTH, "height": figure["layout"].get("height") or HEIGHT}
        # The image is rendered in the browser, which has plotly already; the server would need Kaleido.
        self.run_method("save", form, figure, size, name)
