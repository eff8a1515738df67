"""Table of pages, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from karenina_gui.gui.charts.addresses import WITHIN
from karenina_gui.gui.frame.window import Window


@dataclass(frozen=True)
class Place:
    """Address of a page in parts: the numbers in its path, and the query parameters."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> int:
        return self.numbers[name]


Build = Callable[[Window, Place], Any]


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
    within: tuple[str, ...] = ("tab",)
    """Query parameters that the page follows by itself; a change of only these does not redraw it."""

    @property
    def needs_benchmark(self) -> bool:
        return "{b}" in self.path

    def load(self) -> Build:
        """Import the module and return its `draw` function."""
        # Imported late: the start needs only the modules of the first page.
        build: Build = import_module(f"karenina_gui.gui.{self.drawn_by}").draw
        return build


def _questions(window: Window) -> str:
    benchmark = window.benchmark()
    return f"{benchmark.questions:,}" if benchmark else ""


PAGES: tuple[Page, ...] = (
    Page("/benchmarks/{b}/questions", "Questions", "quiz", "questions.page", "Write", _questions, chapter="questions"),
    Page(
        "/benchmarks/{b}/details",
        "Benchmark details",
        "tune",
        "benchmarks.details",
        "Write",
        chapter="rubrics",
    ),
    Page(
        "/benchmarks",
        "Benchmarks",
        "inventory_2",
        "benchmarks.page",
        "Write",
        lambda window: f"{len(window.studio.desk.benchmark_numbers()):,}",
        chapter="start",
    ),
    Page("/benchmarks/{b}/run", "Run", "play_arrow", "runs.form", "Evaluate", chapter="options"),
    Page(
        "/runs",
        "Runs",
        "playlist_play",
        "runs.list",
        "Evaluate",
        lambda window: f"{window.studio.runs.runs.count():,}",
        chapter="interruptions",
    ),
    Page("/runs/{r}", "Run", "play_circle", "runs.view", chapter="outcomes"),
    Page("/runs/{r}/charts", "Charts", "insights", "charts.page", within=WITHIN, chapter="charts"),
    Page("/runs/{r}/results/{id}", "Result", "fact_check", "results.page", chapter="results"),
    Page(
        "/presets",
        "Presets",
        "bookmarks",
        "presets.page",
        "Evaluate",
        lambda window: f"{len(window.studio.runs.presets.kept.all()):,}",
        chapter="before-running",
    ),
    Page("/models", "Models", "smart_toy", "models.page", "Evaluate", chapter="models"),
    Page("/keys", "API keys", "key", "settings.keys", "Evaluate", chapter="models"),
    Page("/prices", "Prices", "payments", "prices.page", "Evaluate", chapter="before-running"),
    Page("/settings", "Settings", "settings", "settings.page", "Application", chapter="keyboard"),
    Page("/guide", "Guide", "menu_book", "guide.page", "Application"),
)
