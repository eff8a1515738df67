"""Table of pages, one row each."""

from __future__ import annotations

from karenina_gui.gui.charts.query import WITHIN
from karenina_gui.gui.session.page import Page
from karenina_gui.gui.session.window import Window


def _questions(window: Window) -> str:
    benchmark = window.benchmark()
    return f"{benchmark.questions:,}" if benchmark else ""


def _versions(window: Window) -> str:
    """Number of published versions, once there is one."""
    number = window.benchmark_id
    count = 0 if number is None else len(window.services.read_shared(window.services.library.published.all, number))
    return f"{count:,}" if count else ""


PAGES: tuple[Page, ...] = (
    Page(
        "/benchmarks/{b}/questions",
        "Questions",
        "quiz",
        "pages.questions.page",
        "Write",
        _questions,
        within=("tab", "import", "at"),  # the first imported question opens, and the report of the import stays
        chapter="questions",
    ),
    Page(
        "/benchmarks/{b}/table", "Table", "table_chart", "pages.question_table.page", "Write", chapter="many-questions"
    ),
    Page("/benchmarks/{b}/rubric", "Rubric", "rule", "pages.rubric.page", "Write", chapter="rubrics"),
    Page(
        "/benchmarks/{b}/details",
        "Benchmark details",
        "tune",
        "pages.benchmarks.details",
        "Write",
        chapter="workspaces",
    ),
    Page(
        "/benchmarks/{b}/calibration",
        "Calibration",
        "balance",
        "pages.calibration.page",
        chapter="calibration",
        marked_in_sidebar="/benchmarks/{b}/questions",
    ),
    Page(
        "/benchmarks/{b}/history",
        "History",
        "history",
        "pages.history.page",
        "Write",
        within=("command",),
        chapter="saving",
    ),
    Page(
        "/benchmarks/{b}/replace",
        "Find and replace",
        "find_replace",
        "pages.replace.page",
        chapter="problems",
        marked_in_sidebar="/benchmarks/{b}/questions",
    ),
    Page(
        "/benchmarks/{b}/versions",
        "Versions",
        "verified",
        "pages.comparison.versions_page",
        "Write",
        _versions,
        chapter="versions",
    ),
    Page(
        "/benchmarks/{b}/versions/compare",
        "Comparison",
        "difference",
        "pages.comparison.page",
        within=("question", "part"),
        chapter="versions",
    ),
    Page("/history", "Library history", "history", "pages.history.library_page", within=("command",), chapter="saving"),
    Page(
        "/benchmarks",
        "Benchmarks",
        "inventory_2",
        "pages.benchmarks.page",
        "Write",
        lambda window: f"{len(window.services.read_shared(window.services.library.benchmarks.numbers)):,}",
        chapter="start",
    ),
    Page("/benchmarks/{b}/run", "New run", "play_arrow", "pages.run_setup.form", "Evaluate", chapter="options"),
    Page(
        "/runs",
        "Runs",
        "playlist_play",
        "pages.runs.list",
        "Evaluate",
        lambda window: f"{window.services.read_shared(window.services.library.runs.count):,}",
        chapter="interruptions",
    ),
    Page("/runs/{r}", "Run", "play_circle", "pages.runs.view", chapter="outcomes"),
    Page("/runs/{r}/summary", "Run", "play_circle", "pages.runs.summary_view", chapter="outcomes"),
    Page("/runs/{r}/results", "Results", "table_rows", "pages.runs.results_view", chapter="outcomes"),
    Page("/runs/{r}/charts", "Charts", "insights", "pages.runs.charts_view", within=WITHIN, chapter="charts"),
    Page("/runs/{r}/record", "Record", "fingerprint", "pages.runs.record_page", chapter="reproducibility"),
    Page("/runs/{r}/results/{id}", "Result", "fact_check", "pages.results.page", chapter="results"),
    Page(
        "/presets",
        "Presets",
        "bookmarks",
        "pages.presets.page",
        "Evaluate",
        lambda window: f"{len(window.services.read_shared(window.services.library.presets.all)):,}",
        chapter="before-running",
    ),
    Page("/models", "Models", "smart_toy", "pages.models.page", "Evaluate", chapter="models"),
    Page("/keys", "API keys", "key", "pages.settings.keys", "Evaluate", chapter="models"),
    Page("/prices", "Prices", "payments", "pages.prices.page", "Evaluate", chapter="before-running"),
    Page("/settings", "Settings", "settings", "pages.settings.page", "Application", chapter="keyboard"),
    Page("/guide", "Guide", "menu_book", "pages.guide.page", "Application"),
)
