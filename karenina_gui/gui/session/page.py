"""A page of the application, and the place that an address leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from karenina_gui.gui.session.window import Window


@dataclass(frozen=True)
class PageRoute:
    """Address of a page in parts: the numbers in its path, and the query parameters."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> int:
        return self.numbers[name]


Build = Callable[[Window, PageRoute], Any]


@dataclass(frozen=True)
class Page:
    path: str
    """Address pattern; `{b}`, `{r}` and so on are numbers."""
    title: str
    icon: str
    drawn_by: str
    """Module below `karenina_gui.gui` with a `draw` function; imported when the page first opens."""
    group: str = ""
    """Group in the sidebar; empty: the page is reached from another page."""
    count: Callable[[Window], str] | None = None
    """Figure beside the title in the sidebar."""
    chapter: str = ""
    """Chapter of the guide; empty: the first one."""
    marked_in_sidebar: str = ""
    """Path of the page that the sidebar highlights instead; empty: this one, or the one whose address it continues."""
    within: tuple[str, ...] = ("tab", "at")
    """Query parameters that the page follows by itself; a change of only these does not redraw it."""

    @property
    def needs_benchmark(self) -> bool:
        return "{b}" in self.path

    def load(self) -> Build:
        """Import the module and return its `draw` function."""
        # Imported late: the start needs only the modules of the first page.
        build: Build = import_module(f"karenina_gui.gui.{self.drawn_by}").draw
        return build
