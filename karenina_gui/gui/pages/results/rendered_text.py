"""Texts of models and tools for display, with truncation marks separated; output of commands as in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from karenina_gui.gui.pages.results.terminal import Style, needs_terminal, render_terminal
from karenina_gui.text.truncation import Cut, cut_of

CUT_STYLE = "trace-cut-mark"


@dataclass(frozen=True)
class RenderedText:
    """Text as displayed, and the styles of its ranges."""

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
        places = browser_places(self.text, (offset for begin, end, _ in self.styles for offset in (begin, end)))
        styles = [[places[begin], places[end], look] for begin, end, look in self.styles]
        cut = {"before": self.cut.before, "after": self.cut.after} if self.cut else None
        more = {"styles": styles, "raw": self.raw, "cut": cut}
        return {"text": self.text, **{name: value for name, value in more.items() if value}}


def render_text(text: str, *, terminal: bool = False) -> RenderedText:
    """Render a text.

    `terminal`: True if it is output of commands, in which codes for a terminal act. In any other text they could hide
    what was judged, so they stay.
    """
    terminal = terminal and needs_terminal(text)
    render, raw = (render_terminal, text) if terminal else (_keep_codes, None)
    cut = cut_of(text)
    if cut is None:
        return RenderedText(*render(text), raw=raw)
    # Both sides of a cut are rendered separately, because it can split a terminal code.
    (head, styles), (tail, further) = render(text[: cut.begin]), render(text[cut.end :])
    mark = text[cut.begin : cut.end]
    begin, end = len(head), len(head) + len(mark)
    moved = ((first + end, last + end, look) for first, last, look in further)
    return RenderedText(head + mark + tail, (*styles, (begin, end, CUT_STYLE), *moved), cut, raw)


def browser_places(text: str, places: Iterable[int]) -> dict[int, int]:
    """Return {offset in characters: offset in UTF-16 units}, as JavaScript counts."""
    if text.isascii():
        return {offset: offset for offset in places}
    result: dict[int, int] = {}
    at = units = 0
    for position in sorted(set(places)):
        units += len(text[at:position].encode("utf-16-le", "surrogatepass")) // 2
        at = position
        result[position] = units
    return result


def _keep_codes(text: str) -> tuple[str, tuple[Style, ...]]:
    return text.replace("\r\n", "\n"), ()
