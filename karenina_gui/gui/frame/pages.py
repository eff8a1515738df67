"""Every page of the application, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.gui.benchmarks import details as benchmark_details, page as benchmarks
from karenina_gui.gui.charts import page as charts, query as chart_query
from karenina_gui.gui.frame import guide
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.models import page as models
from karenina_gui.gui.presets import page as presets
from karenina_gui.gui.prices import page as prices
from karenina_gui.gui.questions import page as questions
from karenina_gui.gui.results import page as result_page
from karenina_gui.gui.runs import form as run_form, list as runs_list, view as run_view
from karenina_gui.gui.settings import keys, page as settings_page


@dataclass(frozen=True)
class Place:
    """Where a page is shown: the numbers in its address, and what follows the question mark."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> int:
        return self.numbers[name]


Build = Callable[[Window, Place], Any]


@dataclass(frozen=True)
class Page:
    path: str
    """Address; `{b}`, `{r}` and so on are numbers."""
    title: str
    icon: str
    build: Build
    group: str = ""
    """Heading under which the navigation lists it; empty: it is reached from another page."""
    count: Callable[[Window], str] | None = None
    """The figure beside its name in the navigation."""
    within: tuple[str, ...] = ("tab",)
    """Parts of the query that the page itself follows; with another one it stays, and is not drawn anew."""

    @property
    def needs_benchmark(self) -> bool:
        return "{b}" in self.path


def _questions(window: Window) -> str:
    benchmark = window.benchmark()
    return f"{benchmark.questions:,}" if benchmark else ""


PAGES: tuple[Page, ...] = (
    Page("/benchmarks/{b}/questions", "Questions", "quiz", questions.draw, "Write", _questions),
    Page(
        "/benchmarks/{b}/details",
        "About and rubric",
        "tune",
        lambda window, place: benchmark_details.draw(window, place["b"]),
        "Write",
    ),
    Page(
        "/benchmarks",
        "Benchmarks",
        "inventory_2",
        benchmarks.draw,
        "Write",
        lambda window: f"{len(window.studio.desk.benchmark_numbers()):,}",
    ),
    Page("/benchmarks/{b}/run", "Run", "play_arrow", run_form.draw, "Evaluate"),
    Page(
        "/runs",
        "Runs",
        "playlist_play",
        runs_list.draw,
        "Evaluate",
        lambda window: f"{window.studio.runs.runs.count():,}",
    ),
    Page("/runs/{r}", "Run", "play_circle", run_view.draw),
    Page("/runs/{r}/charts", "Charts", "insights", charts.draw, within=chart_query.WITHIN),
    Page("/runs/{r}/results/{id}", "Result", "fact_check", result_page.draw),
    Page(
        "/presets",
        "Presets",
        "bookmarks",
        presets.draw,
        "Evaluate",
        lambda window: f"{len(window.studio.runs.presets.kept.all()):,}",
    ),
    Page("/models", "Models", "smart_toy", models.draw, "Evaluate"),
    Page("/keys", "Keys", "key", keys.draw, "Evaluate"),
    Page("/prices", "Prices", "payments", prices.draw, "Evaluate"),
    Page("/settings", "Settings", "settings", settings_page.draw, "Application"),
    Page("/guide", "Guide", "menu_book", lambda window, place: guide.draw(), "Application"),
)
