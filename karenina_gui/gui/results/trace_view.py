"""A conversation in the browser: a virtual list that fetches its own messages."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.static_files import static_folder


class TraceView(ui.element, component=static_folder() / "trace_view.js"):
    """Messages with tool calls, their results, thinking and a search over all of them.

    `url` answers with the list that `conversation` makes. The address's `#message-3` opens at message 3; `anchor` is
    the word in it. `facts` and `ended` stand above: what it took, and what kept it from its end. `last` and `told` are
    what the final message and those before the model's first are called; None: as in a conversation.
    """

    def __init__(
        self, url: str, *, empty: str, facts: str = "", ended: str | None = None,
        label: str | None = None, anchor: str | None = None, last: str | None = None, told: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        given = {"facts": facts or None, "ended": ended, "label": label, "anchor": anchor, "last": last, "told": told}
        self._props["url"] = url
        self._props["empty"] = empty
        for name, value in given.items():
            if value is not None:
                self._props[name] = value
