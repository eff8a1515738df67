"""Trace view: a virtual list in the browser that fetches its own messages."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from nicegui import ui

from karenina_gui.static_files import static_folder


@dataclass(frozen=True)
class TraceWords:
    """Words of a trace; None: as in a conversation."""

    label: str | None = None
    """Accessible name of the list."""
    anchor: str | None = None
    """Word before the number of a message in addresses."""
    last: str | None = None
    """Label of the final message."""
    told: str | None = None
    """Label of the messages before the model's first."""


CONVERSATION = TraceWords()


class TraceView(ui.element, component=static_folder() / "trace_view.js"):
    """Messages with tool calls, results and thinking, and a search over them.

    `url` returns the list of `conversation`. The fragment `#message-3` opens message 3. `facts` and `ended` appear
    above the list: resources used, and why it ended early.
    """

    def __init__(
        self,
        url: str,
        *,
        empty: str,
        facts: str = "",
        ended: str | None = None,
        labels: TraceWords = CONVERSATION,
    ) -> None:
        super().__init__()
        self.props["url"] = url
        self.props["empty"] = empty
        for name, value in {"facts": facts or None, "ended": ended, **asdict(labels)}.items():
            if value is not None:
                self.props[name] = value
