"""Texts of models and tools as a reader sees them: rendered as by a terminal, with the mark of a cut set apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from karenina_gui.gui.results.terminal import Style, needs_terminal, rendered
from karenina_gui.schemas.cut_text import Cut, cut_of

CUT_STYLE = "tv-cutmark"


@dataclass(frozen=True)
class ShownText:
    """A text without the codes of terminals, and the classes of its stretches."""

    text: str
    styles: tuple[Style, ...] = ()
    cut: Cut | None = None
    """Sizes as the text itself tells; places are those of the original."""
    raw: str | None = None
    """The text as it came; None: it is the same, but for the ends of its lines."""

    @property
    def data(self) -> dict[str, Any]:
        """As the browser needs it: `styles`, `raw` and `cut` only where there are any; it counts in units of UTF-16."""
        places = browser_places(self.text, (place for begin, end, _ in self.styles for place in (begin, end)))
        styles = [[places[begin], places[end], look] for begin, end, look in self.styles]
        cut = {"before": self.cut.before, "after": self.cut.after} if self.cut else None
        more = {"styles": styles, "raw": self.raw, "cut": cut}
        return {"text": self.text, **{name: value for name, value in more.items() if value}}


def shown(text: str) -> ShownText:
    """Each side of a cut by itself: it may be in the middle of a code."""
    cut = cut_of(text)
    if cut is None:
        return ShownText(*_rendered(text), raw=text if needs_terminal(text) else None)
    (head, styles), (tail, further) = _rendered(text[: cut.begin]), _rendered(text[cut.end :])
    mark = text[cut.begin : cut.end]
    begin, end = len(head), len(head) + len(mark)
    moved = ((first + end, last + end, look) for first, last, look in further)
    raw = text if needs_terminal(text) else None
    return ShownText(head + mark + tail, (*styles, (begin, end, CUT_STYLE), *moved), cut, raw)


def browser_places(text: str, places: Iterable[int]) -> dict[int, int]:
    """{place in a text: the same as JavaScript counts it, in units of sixteen bits}."""
    if text.isascii():
        return {place: place for place in places}
    found: dict[int, int] = {}
    at = units = 0
    for place in sorted(set(places)):
        units += len(text[at:place].encode("utf-16-le", "surrogatepass")) // 2
        at = place
        found[place] = units
    return found


def _rendered(text: str) -> tuple[str, tuple[Style, ...]]:
    return rendered(text) if needs_terminal(text) else (text.replace("\r\n", "\n"), ())
