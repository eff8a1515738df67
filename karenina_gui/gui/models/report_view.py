"""Report of a connection test as a list."""

from __future__ import annotations

from karenina_gui.gui.components.html import Html, icon, tag
from karenina_gui.gui.models.model_text import enter_key
from karenina_gui.runs.models import CheckState, ConnectionReport, KeyState, Part
from karenina_gui.text import duration

_MARKS: dict[CheckState, tuple[str, str]] = {
    "ok": ("check_circle", "OK"),
    "doubt": ("warning", "Check"),
    "failed": ("cancel", "Failed"),
    "open": ("remove_circle_outline", "Not tested"),
}
_PARTS: dict[Part, str] = {
    "address": "Base URL",
    "key": "API key",
    "model": "Model",
    "answer": "Reply",
    "schema": "Structured output",
    "recording": "Recording",
    "tools": "Tools of {server}",
}


def report_view(report: ConnectionReport, key: KeyState | None) -> Html:
    """Return the report, one line for each part. A failed key has a link to enter it."""
    lines = []
    for step in report.steps:
        glyph, word = _MARKS[step.state]
        name = tag("span", _PARTS[step.part].format(server=step.server), class_="connection-name")
        mark = tag("span", icon(glyph), tag("span", f"{word}:", class_="sr-only"), class_="connection-mark")
        link = enter_key(key) if step.part == "key" and step.state == "failed" and key else None
        message = tag("span", step.message, " " if link else None, link, class_="connection-said")
        lines.append(tag("li", mark, name, message, class_=f"connection connection-{step.state}"))
    took = tag("p", f"Tested just now in {duration(report.seconds)}.", class_="hint") if report.seconds else None
    return tag("div", tag("ul", *lines, aria_label="Test result"), took, class_="connection-box")


def waiting(servers: int) -> Html:
    """Return a progress message. `servers`: number of MCP servers tested."""
    text = "Testing the model and its MCP servers…" if servers else "Testing the model…"
    return tag("div", tag("p", text, class_="hint"), class_="connection-box")
