"""Terminal output as plain text with styles, after colors, overwriting and cursor movements.

Emulated by pyte. The screen is as large as the output needs and stores only written cells, so that time is proportional
to the length of the output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pyte import Screen, Stream, modes as mo
from pyte.screens import Char
from wcwidth import wcwidth

LONGEST = 400_000
"""Maximum characters of an output that is rendered."""
Style = tuple[int, int, str]
"""Begin, end and CSS classes of a range of text."""

_CODES = re.compile(r"[\x1b\b]|\r(?!\n)")
_SUPPORTED = re.compile(r"\x1b\[([\d;:]*)([A-GJKHXdefm`])")
"""Supported sequences: cursor movements, erasing, colors."""
_IGNORED = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"
    r"|\x1b\[[0-?]*[ -/]*(?:[@-~]|$)"
    r"|\x1b[ -/]+[0-~]?|\x1b.?|[\x80-\x9f\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]",
    re.DOTALL,
)
_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_COLORS = {name: index for index, name in enumerate((*_NAMES, *(f"bright{name}" for name in _NAMES)))}
_PALETTE = (
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
)
_TABS = 8
_MAX_COLUMN = 400
"""Maximum column that the cursor can reach without text."""


def needs_terminal(text: str) -> bool:
    """Return True if the text has codes that only a terminal interprets."""
    return len(text) <= LONGEST and _CODES.search(text) is not None


@lru_cache(maxsize=64)
def render_terminal(text: str) -> tuple[str, tuple[Style, ...]]:
    """Return the text as a terminal displays it, and the styles of its ranges in order."""
    screen = _Screen(max(map(len, text.split("\n"))) + 1, text.count("\n") + 1)
    stream = Stream(screen)
    at = 0
    for match in _SUPPORTED.finditer(text):
        stream.feed(_IGNORED.sub("", text[at : match.start()]))
        stream.feed(_limited_sequence(match[1], match[2]))
        at = match.end()
    stream.feed(_IGNORED.sub("", text[at:]))
    return screen.text()


def _limited_sequence(numbers: str, final: str) -> str:
    """Return the sequence without excess numbers."""
    parameters = numbers.replace(":", ";").split(";")
    # pyte raises an error for more numbers than a sequence takes.
    return f"\x1b[{';'.join(parameters if final == 'm' else parameters[: 2 if final in 'Hf' else 1])}{final}"


class _Screen(Screen):
    """Screen that grows downward in place of scrolling, and erases only written cells."""

    def __init__(self, columns: int, lines: int) -> None:
        super().__init__(columns, lines)
        # LNM: a line feed also returns to the first column, because programs write bare line feeds.
        self.mode = {mo.LNM}

    def draw(self, data: str) -> None:
        """Write characters, including those of zero width."""
        line, cursor = self.buffer[self.cursor.y], self.cursor
        for char in data:
            width = wcwidth(char)
            before = line.get(cursor.x - 1)
            # pyte stops at combining characters.
            if width < 1 and before is not None:
                line[cursor.x - 1] = before._replace(data=before.data + char)
                continue
            line[cursor.x] = cursor.attrs._replace(data=char)
            if width == 2:
                line[cursor.x + 1] = cursor.attrs._replace(data="")
            cursor.x += max(1, width)

    def index(self) -> None:
        self.cursor.y += 1
        self.lines = max(self.lines, self.cursor.y + 1)

    def tab(self) -> None:
        self.cursor.x = (self.cursor.x // _TABS + 1) * _TABS

    def ensure_hbounds(self) -> None:
        self.cursor.x = min(max(0, self.cursor.x), max(_MAX_COLUMN, 1 + max(self.buffer[self.cursor.y], default=0)))

    def erase_characters(self, count: int | None = None) -> None:
        self._erase(self.cursor.y, self.cursor.x, self.cursor.x + (count or 1))

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        # pyte fills every erased cell of a line, and lines are as wide as the longest one.
        first, last = {0: (self.cursor.x, None), 1: (0, self.cursor.x + 1)}.get(how, (0, None))
        self._erase(self.cursor.y, first, last)

    def erase_in_display(self, how: int = 0, *_: Any, **__: Any) -> None:
        here = self.cursor.y
        for y in [y for y in self.buffer if how > 1 or (y < here if how else y > here)]:
            del self.buffer[y]
        if how < 2:
            self.erase_in_line(how)

    def text(self) -> tuple[str, tuple[Style, ...]]:
        """Return all lines and the styled ranges."""
        parts: list[str] = []
        styles: list[Style] = []
        at = 0
        for data, look in self._cells():
            if look and styles and styles[-1][1:] == (at, look):
                styles[-1] = (styles[-1][0], at + len(data), look)
            elif look:
                styles.append((at, at + len(data), look))
            parts.append(data)
            at += len(data)
        return "".join(parts), tuple(styles)

    def _cells(self) -> Iterator[tuple[str, str]]:
        last = max([self.cursor.y, *(y for y, line in self.buffer.items() if line)])
        for y in range(last + 1):
            line: Mapping[int, Char] = self.buffer.get(y, {})
            reached = 0
            for x in sorted(line):
                yield " " * (x - reached), ""
                yield line[x].data, _style(line[x])
                reached = x + 1
            yield "\n" if y < last else "", ""

    def _erase(self, y: int, first: int, last: int | None) -> None:
        line = self.buffer[y]
        for x in [x for x in line if x >= first and (last is None or x < last)]:
            del line[x]


@lru_cache(maxsize=1024)
def _style_classes(fg: str, bg: str, marks: tuple[str, ...]) -> str:
    fore, back = _color(fg), _color(bg)
    if "reverse" in marks:
        fore, back = back if back is not None else "back", fore if fore is not None else "text"
    parts = [f"ansi-{name}" for name in marks if name != "reverse"]
    if fore is not None:
        parts.append(f"ansi-{fore}")
    if back is not None and back != fore:  # what would be hidden is seen
        parts.append(f"ansi-on-{back}")
    return " ".join(parts)


def _style(char: Char) -> str:
    marks = ("bold", "italics", "underscore", "strikethrough", "reverse")
    return _style_classes(char.fg, char.bg, tuple(name for name in marks if getattr(char, name)))


def _color(name: str) -> int | str | None:
    """Return the index of the nearest of sixteen colors; None: default."""
    if name == "default":
        return None
    if name in _COLORS:
        return _COLORS[name]
    try:
        red, green, blue = (int(name[at : at + 2], 16) for at in (0, 2, 4))
    except ValueError:
        return None
    # Only the sixteen colors of the style sheet are legible in light and dark mode.
    return min(range(16), key=lambda i: sum((a - b) ** 2 for a, b in zip(_PALETTE[i], (red, green, blue), strict=True)))
