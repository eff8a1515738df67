"""HTML for tables and marks: text is escaped here, and the browser sanitizes it again.

A table of plain HTML is one element to NiceGUI instead of hundreds, and its links navigate without a reload.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from karenina_gui.gui.kit.verdicts import ENDINGS, outcome_style
from karenina_gui.schemas.outcome import Outcome, Reason


class Html(str):
    """Safe markup; other values are escaped when they are joined."""

    __slots__ = ()


def tag(name: str, *content: Any, **attributes: str | None) -> Html:
    """Build an element; None attributes are omitted, `class_` and `aria_label` become HTML names."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(with_named_characters(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{join_html(content)}</{name}>")


def join_html(parts: Iterable[Any]) -> Html:
    """Join markup and escaped values; None is empty.

    Bidirectional controls and invisible characters become visible and lose their effect on the text around them.
    """
    # Trojan Source (CVE-2021-42574): such characters could make an answer look like another one.
    return Html("".join(part if isinstance(part, Html) else _escape(str(part)) for part in parts if part is not None))


_SIGNS = re.compile(
    "\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f"  # the flag of a region, which is seen
    "|(?P<sign>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]|\r(?!\n))"
)
"""Invisible characters without effect on the shape of their neighbors: bidirectional controls, zero-width spaces,
control codes that are not white space, lone carriage returns, tags. Joiners and soft hyphens do have an effect. As in
`static/trace_view.js`.
"""


def _escape(text: str) -> str:
    return _SIGNS.sub(_mark_sign, escape(text))


def with_named_characters(text: str) -> str:
    """Replace such characters by their names (`U+202E`), for plain text."""
    return _SIGNS.sub(_name, text)


def _mark_sign(match: re.Match[str]) -> str:
    return f'<span class="sign" data-sign="{_name(match)}">{match[0]}</span>' if match["sign"] else match[0]


def _name(match: re.Match[str]) -> str:
    return f"U+{ord(match['sign']):04X}" if match["sign"] else match[0]


def icon(name: str) -> Html:
    return tag("i", name, class_="q-icon material-icons notranslate", aria_hidden="true")


def link(target: str, *content: Any, **attributes: str | None) -> Html:
    """Link inside the application; `target` begins with a slash."""
    return tag("a", *content, href=target, **attributes)


def mark(outcome: Outcome, reason: Reason | None = None, *, scored: bool = False, after: str = "") -> Html:
    """Outcome with its icon and title, followed by `after`; `scored`: True if any trait was scored."""
    style = outcome_style(outcome, reason, scored=scored)
    return tag("span", icon(style.icon), style.title, after, class_=f"outcome outcome-{outcome}", title=style.meaning)


def tick(passed: bool | None, *, yes: str = "matches", no: str = "differs", none: str = "not compared") -> Html:
    """Passed, failed, or not compared, with its icon."""
    look: Outcome = "unscored" if passed is None else "passed" if passed else "wrong"
    word = none if passed is None else yes if passed else no
    return tag("span", icon(ENDINGS[look].icon), word, class_=f"outcome outcome-{look}")


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]], *, caption: str, numeric: Sequence[int] = ()) -> Html:
    """Table; `caption` is its accessible name, `numeric` lists the right-aligned columns."""

    def kind(column: int) -> str | None:
        return "numeric" if column in numeric else None

    head = tag("tr", *(tag("th", text, scope="col", class_=kind(i)) for i, text in enumerate(headers)))
    body = (tag("tr", *(tag("td", cell, class_=kind(i)) for i, cell in enumerate(row))) for row in rows)
    return tag("table", tag("thead", head), tag("tbody", *body), class_="plain-table", aria_label=caption)
