"""Small pieces of HTML for tables and marks: every text is escaped here, and the browser sanitises it once more.

A table of plain HTML is one element to NiceGUI instead of hundreds, and its links navigate without a reload.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from karenina_gui.gui.results.verdicts import ENDINGS, ending
from karenina_gui.schemas.outcome import Outcome, Reason


class Html(str):
    """Markup that is already safe; everything else is escaped when it is put together."""

    __slots__ = ()


def tag(name: str, *content: Any, **attributes: str | None) -> Html:
    """An element; `None` attributes are left out, `class_` and `aria_label` are written as HTML has them."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(with_signs_named(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{joined(content)}</{name}>")


def joined(parts: Iterable[Any]) -> Html:
    """The parts one after another; plain values are escaped, None is nothing.

    Signs that turn the direction of writing are seen, and have no effect on what is around them; so are other signs
    that nobody would see.
    """
    return Html("".join(part if isinstance(part, Html) else _escaped(str(part)) for part in parts if part is not None))


_SIGNS = re.compile(
    "\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f"  # the flag of a region, which is seen
    "|(?P<sign>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f])"
)
"""What is not seen and has no part in how its neighbors look: marks of direction, spaces without a width, control codes
that are not blanks, tags. Joiners and soft hyphens have one. As in `static/trace_view.js`."""


def _escaped(text: str) -> str:
    return _SIGNS.sub(_marked, escape(text))


def with_signs_named(text: str) -> str:
    """The text with `U+202E` in the place of such a sign, for where no markup can be."""
    return _SIGNS.sub(_name, text)


def _marked(found: re.Match[str]) -> str:
    return f'<span class="sign" data-sign="{_name(found)}">{found[0]}</span>' if found["sign"] else found[0]


def _name(found: re.Match[str]) -> str:
    return f"U+{ord(found['sign']):04X}" if found["sign"] else found[0]


def icon(name: str) -> Html:
    return tag("i", name, class_="q-icon material-icons notranslate", aria_hidden="true")


def link(target: str, *content: Any, **attributes: str | None) -> Html:
    """A link inside the application; `target` begins with a slash."""
    return tag("a", *content, href=target, **attributes)


def mark(outcome: Outcome, reason: Reason | None = None, *, scored: bool = False, after: str = "") -> Html:
    """An outcome as icon and word, the word of its reason where there is one; `after` follows it. `scored`: whether any
    trait was."""
    shown = ending(outcome, reason, scored=scored)
    return tag("span", icon(shown.icon), shown.title, after, class_=f"oc oc-{outcome}", title=shown.meaning)


def tick(passed: bool | None, *, yes: str = "matches", no: str = "differs", none: str = "not compared") -> Html:
    """Pass, fail or neither, with its word."""
    look: Outcome = "unscored" if passed is None else "passed" if passed else "wrong"
    word = none if passed is None else yes if passed else no
    return tag("span", icon(ENDINGS[look].icon), word, class_=f"oc oc-{look}")


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]], *, caption: str, numeric: Sequence[int] = ()) -> Html:
    """A table; `caption` names it for screen readers, `numeric` are the columns that stand to the right."""

    def kind(column: int) -> str | None:
        return "rz-num" if column in numeric else None

    head = tag("tr", *(tag("th", text, scope="col", class_=kind(i)) for i, text in enumerate(headers)))
    body = (tag("tr", *(tag("td", cell, class_=kind(i)) for i, cell in enumerate(row))) for row in rows)
    return tag("table", tag("thead", head), tag("tbody", *body), class_="tb", aria_label=caption)
