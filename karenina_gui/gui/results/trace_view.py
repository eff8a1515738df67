"""Trace view: a virtual list in the browser that fetches its own messages."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.static_files import static_folder


class TraceView(ui.element, component=static_folder() / "trace_view.js"):
    """Messages with tool calls, results and thinking, and a search over them.

    `url` returns the list of `conversation`. The fragment `#message-3` opens message 3; `anchor` is its word. `facts`
    and `ended` appear above the list: resources used, and why it ended early. `last` and `told` label the final message
    and those before the model's first; None: as in a conversation.
    """

    def __init__(
        self,
        url: str,
        *,
        empty: str,
        facts: str = "",
        ended: str | None = None,
        label: str | None = None,
        anchor: str | None = None,
        last: str | None = None,
        told: str | None = None,
    ) -> None:
        super().__init__()
        given = {"facts": facts or None, "ended": ended, "label": label, "anchor": anchor, "last": last, "told": told}
        self.props["url"] = url
        self.props["empty"] = empty
        for name, value in given.items():
            if value is not None:
                self.props[name] = value
