"""Texts of models and tools for display: rendered as by a terminal, with truncation marks separated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from karenina_gui.gui.results.terminal import Style, needs_terminal, render_terminal
from karenina_gui.text.truncation import Cut, cut_of

CUT_STYLE = "trace-cut-mark"


@dataclass(frozen=True)
class RenderedText:
    """Text without terminal codes, and the styles of its ranges."""

    text: str
    styles: tuple[Style, ...] = ()
    cut: Cut | None = None
    """Sizes from the truncation mark; offsets are those of the original."""
    raw: str | None = None
    """Original text; None: equal except for line ends."""

    @property
    def data(self) -> dict[str, Any]:
        """Return the fields for the browser, with offsets in UTF-16 units.

        `styles`, `raw` and `cut` are omitted if empty.
        """
        places = browser_places(self.text, (place for begin, end, _ in self.styles for place in (begin, end)))
        styles = [[places[begin], places[end], look] for begin, end, look in self.styles]
        cut = {"before": self.cut.before, "after": self.cut.after} if self.cut else None
        more = {"styles": styles, "raw": self.raw, "cut": cut}
        return {"text": self.text, **{name: value for name, value in more.items() if value}}


def render_text(text: str) -> RenderedText:
    """Render a text."""
    cut = cut_of(text)
    if cut is None:
        return RenderedText(*_render(text), raw=text if needs_terminal(text) else None)
    # Both sides of a cut are rendered separately, because it can split a terminal code.
    (head, styles), (tail, further) = _render(text[: cut.begin]), _render(text[cut.end :])
    mark = text[cut.begin : cut.end]
    begin, end = len(head), len(head) + len(mark)
    moved = ((first + end, last + end, look) for first, last, look in further)
    raw = text if needs_terminal(text) else None
    return RenderedText(head + mark + tail, (*styles, (begin, end, CUT_STYLE), *moved), cut, raw)


def browser_places(text: str, places: Iterable[int]) -> dict[int, int]:
    """Return {offset in characters: offset in UTF-16 units}, as JavaScript counts."""
    if text.isascii():
        return {place: place for place in places}
    found: dict[int, int] = {}
    at = units = 0
    for place in sorted(set(places)):
        units += len(text[at:place].encode("utf-16-le", "surrogatepass")) // 2
        at = place
        found[place] = units
    return found


def _render(text: str) -> tuple[str, tuple[Style, ...]]:
    return render_terminal(text) if needs_terminal(text) else (text.replace("\r\n", "\n"), ())
