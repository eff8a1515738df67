"""A conversation in the browser: a virtual list that fetches its own messages."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.static_files import static_folder


class TraceView(ui.element, component=static_folder() / "trace_view.js"):
    """Messages with tool calls, their results, thinking and a search over all of them.

    `url` answers with the list that `conversation` makes. The address's `#message-3` opens at message 3.
    """

    def __init__(self, url: str, *, empty: str) -> None:
        super().__init__()
        self._props["url"] = url
        self._props["empty"] = empty
