"""What a test of the connection found, as a list of marks."""

from __future__ import annotations

from karenina_gui.gui.models.words import enter_key
from karenina_gui.gui.parts.markup import Html, icon, tag
from karenina_gui.runs.models import CheckState, ConnectionReport, KeyState

_MARKS: dict[CheckState, tuple[str, str]] = {
    "ok": ("check_circle", "in order"),
    "doubt": ("warning", "look at this"),
    "failed": ("cancel", "failed"),
    "open": ("remove_circle_outline", "not reached"),
}


def drawn(report: ConnectionReport, key: KeyState | None) -> Html:
    """One line for each part; where the key failed, a link to enter it."""
    lines = []
    for step in report.steps:
        glyph, word = _MARKS[step.state]
        name = tag("span", step.title, class_="cc-name")
        mark = tag("span", icon(glyph), tag("span", f"{word}:", class_="sr-only"), class_="cc-mark")
        link = enter_key(key) if step.title == "Key" and step.state == "failed" and key else None
        said = tag("span", step.message, " " if link else None, link, class_="cc-said")
        lines.append(tag("li", mark, name, said, class_=f"cc cc-{step.state}"))
    took = tag("p", f"Tested just now, in {report.seconds:.1f} s.", class_="hint") if report.seconds else None
    return tag("div", tag("ul", *lines, aria_label="Result of the test"), took, class_="cc-box")


def waiting(servers: int) -> Html:
    """`servers`: of MCP, that are tried as well."""
    tools = ", and its MCP servers" if servers else ""
    words = f"Testing: a short question, then one in JSON{tools} …"
    return tag("div", tag("p", words, class_="hint"), class_="cc-box")
