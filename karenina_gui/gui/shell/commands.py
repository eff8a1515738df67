"""Table of commands, which feeds the menus, the shortcuts, the palette, and the list of shortcuts.

The shell implements a command itself, or the open page does (`Window.register_command`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from nicegui import ui

from karenina_gui.gui.pages.benchmarks.duplicate import duplicate
from karenina_gui.gui.pages.benchmarks.export import export_benchmark, export_questions
from karenina_gui.gui.pages.questions.list import TEXT_OF_NEW_QUESTION
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell import undo

Run = Callable[[Window], Any]


@dataclass(frozen=True)
class Command:
    id: str
    title: str
    menu: str
    """Menu that lists it; empty: reached only by its shortcut."""
    shortcut: str = ""
    """Shortcut by the browser's names of keys, `Ctrl+Alt+N`; single letters work only outside text fields."""
    second_shortcut: str = ""
    """Shortcut of other programs for the same; menus do not show it."""
    run: Run | None = None
    """Action; None: the page or the script implements it."""
    why_not: str = ""
    """Message if the open page does not offer it."""
    line_above: bool = False
    """True if a separator precedes it in its menu."""
    field: str = ""
    """Selector of the field that it focuses; keys typed immediately afterwards go there."""
    opens: str = ""
    """Selector of the field that appears with it; keys typed meanwhile go there."""
    script: str = ""
    """JavaScript that runs in the browser without a round trip, before the next key; empty: the server acts."""
    named_by: Callable[[Window], str] | None = None
    """Title that depends on the window; None: always `title`."""
    stopped_by: Callable[[Window], str | None] | None = None
    """Reason why it is unavailable, if that depends on more than the open page."""

    @property
    def keys(self) -> str:
        """Shortcut as people write it: `Alt+Up`."""
        return self.shortcut.replace("Arrow", "")

    def title_in(self, window: Window) -> str:
        """Return the title that the window shows."""
        return self.named_by(window) if self.named_by else self.title

    def obstacle(self, window: Window) -> str | None:
        """Return the reason why it is unavailable, or None."""
        if self.stopped_by is not None:
            return self.stopped_by(window)
        if self.run is None and not self.script:
            return None if window.command_action(self.id) else self.why_not
        if self.id in NEEDS_BENCHMARK and window.benchmark_id is None:
            return "Open a benchmark first."
        return None

    def do(self, window: Window) -> Any:
        """Run it, or show the reason why it is unavailable."""
        if reason := self.obstacle(window):
            return window.notify(reason)
        if self.script:
            return ui.run_javascript(self.script)
        action = window.command_action(self.id)
        return action() if action else self.run(window) if self.run else None


def go(address: str) -> Run:
    """Return an action that opens an address; `{b}` stands for the window's benchmark."""
    return lambda window: ui.navigate.to(address.format(b=window.benchmark_id))


def export(window: Window) -> None:
    """Download the window's benchmark as a file."""
    if window.benchmark_id is not None:
        export_benchmark(window, window.benchmark_id)


def export_table(window: Window, kind: Literal["csv", "xlsx"]) -> None:
    """Download the questions of the window's benchmark."""
    if window.benchmark_id is not None:
        export_questions(window, window.benchmark_id, kind)


def open_replace(window: Window) -> None:
    """Open *Find and replace* for all questions; the question list also hands over its filter and selection."""
    window.question_choice.pop(window.benchmark_id or 0, None)
    ui.navigate.to(f"/benchmarks/{window.benchmark_id}/replace")


async def duplicate_open(window: Window) -> None:
    """Copy the window's benchmark and open the copy."""
    if window.benchmark_id is not None:
        await duplicate(window, window.benchmark_id)


LOADING = "The window is still loading."
NO_LIST = "Open a benchmark’s questions first."
NO_MODEL = "Open the Models page first."
NO_QUESTION = "Open a question first."
NO_WORKSPACE = "Open a question’s Workspace tab first."
NO_RUBRIC = "Open a rubric first."
NO_REVIEW = "Open a question’s Review tab first."
NO_RUN = "Open a run first."
NO_RESULTS = "Open the results of a run first."
NO_TEMPLATE = "Open a question’s Template tab first."
NO_TRAIT = "Select a trait first."

COMMANDS: tuple[Command, ...] = (
    Command("question.new", "New question", "File", "Ctrl+Alt+N", why_not=NO_LIST, opens=TEXT_OF_NEW_QUESTION),
    Command("benchmark.new", "New benchmark…", "File", run=go("/benchmarks?new=1"), line_above=True),
    Command("benchmark.open", "Open benchmark…", "File", "Ctrl+O", run=go("/benchmarks")),
    Command("benchmark.restore", "Restore deleted benchmarks…", "File", run=go("/benchmarks?restore=1")),
    Command("benchmark.details", "Benchmark details…", "File", run=go("/benchmarks/{b}/details")),
    Command("benchmark.duplicate", "Duplicate benchmark", "File", run=duplicate_open),
    Command(
        "benchmark.compare",
        "Compare benchmark with…",
        "File",
        run=go("/benchmarks/{b}/versions/compare"),
        line_above=True,
    ),
    Command("benchmark.publish", "Publish version…", "File", run=go("/benchmarks/{b}/versions?publish=1")),
    Command("benchmark.link", "Link benchmark file…", "File", run=go("/benchmarks/{b}/versions?link=1")),
    Command("questions.import", "Import questions…", "File", why_not=NO_LIST, line_above=True),
    Command("benchmark.import", "Import benchmark file…", "File", run=go("/benchmarks?import=1")),
    Command("k-eval.open", "Import k-eval configuration…", "File", run=go("/benchmarks?k-eval=1")),
    Command("results.open", "Import results…", "File", run=go("/runs?open=1")),
    Command("benchmark.export", "Export benchmark file…", "File", run=export),
    Command("questions.csv", "Export questions as CSV…", "File", run=lambda window: export_table(window, "csv")),
    Command("questions.xlsx", "Export questions as XLSX…", "File", run=lambda window: export_table(window, "xlsx")),
    Command("workspace.file", "New workspace file…", "File", why_not=NO_WORKSPACE, line_above=True),
    Command("workspace.folder", "New workspace folder…", "File", why_not=NO_WORKSPACE),
    Command(
        "edit.undo",
        "Undo",
        "Edit",
        "Ctrl+Z",
        run=undo.undo_last,
        named_by=undo.undo_title,
        stopped_by=undo.undo_obstacle,
    ),
    Command(
        "edit.redo",
        "Redo",
        "Edit",
        "Ctrl+Shift+Z",
        "Ctrl+Y",
        run=undo.redo_last,
        named_by=undo.redo_title,
        stopped_by=undo.redo_obstacle,
    ),
    Command("question.duplicate", "Duplicate question", "Edit", why_not=NO_QUESTION, line_above=True),
    Command("question.delete", "Delete question", "Edit", why_not=NO_QUESTION),
    Command("questions.restore", "Restore deleted questions…", "Edit", why_not=NO_LIST),
    Command("workspace.rename", "Rename file or folder…", "Edit", why_not=NO_WORKSPACE),
    Command("workspace.delete", "Delete file or folder", "Edit", why_not=NO_WORKSPACE),
    Command("questions.select", "Select all questions", "Edit", "Ctrl+Alt+A", why_not=NO_LIST),
    Command(
        "questions.search",
        "Find questions or results",
        "Edit",
        "/",
        why_not=NO_LIST,
        line_above=True,
        field=".question-search input, .results-search input",
    ),
    Command("questions.replace", "Find and replace…", "Edit", "Ctrl+Shift+H", run=open_replace),
    Command("template.draft", "Draft template with model…", "Edit", why_not=NO_TEMPLATE, line_above=True),
    Command("template.shelve", "Save template to library…", "Edit", why_not=NO_TEMPLATE),
    Command("template.restart", "Start template over", "Edit", why_not=NO_TEMPLATE),
    Command("trait.new", "New trait…", "Edit", why_not=NO_RUBRIC, line_above=True),
    Command("trait.suggest", "Suggest traits…", "Edit", why_not=NO_RUBRIC),
    Command("trait.from", "Add existing traits…", "Edit", why_not=NO_RUBRIC),
    Command("trait.duplicate", "Duplicate trait", "Edit", why_not=NO_TRAIT),
    Command("trait.copy", "Copy trait", "Edit", why_not=NO_TRAIT),
    Command("trait.paste", "Paste trait", "Edit", why_not=NO_RUBRIC),
    Command("trait.spread", "Copy trait to other rubrics…", "Edit", why_not=NO_TRAIT),
    Command("trait.shelve", "Save trait to library", "Edit", why_not=NO_TRAIT),
    Command("trait.up", "Move trait up", "Edit", "Alt+ArrowUp", why_not=NO_TRAIT),
    Command("trait.down", "Move trait down", "Edit", "Alt+ArrowDown", why_not=NO_TRAIT),
    Command("trait.delete", "Delete trait", "Edit", why_not=NO_TRAIT),
    Command("edit.settings", "Settings…", "Edit", "Ctrl+,", run=go("/settings"), line_above=True),
    Command("question.finish", "Mark finished or unfinished", "Review", "Ctrl+Enter", why_not=NO_QUESTION),
    Command("review.finish", "Finish and next", "Review", "F", why_not=NO_REVIEW),
    Command("review.return", "Return to author…", "Review", "R", why_not=NO_REVIEW),
    Command("review.next", "Review next question", "Review", "N", why_not=NO_REVIEW),
    Command("review.key", "Show or hide answer key", "Review", "X", why_not=NO_REVIEW),
    Command("templates.draft", "Draft templates…", "Review", why_not=NO_LIST, line_above=True),
    Command("templates.review", "Review drafts…", "Review", why_not=NO_LIST),
    Command("templates.test", "Test all templates", "Review", why_not=NO_LIST, line_above=True),
    Command("questions.duplicates", "Find duplicates…", "Review", why_not=NO_LIST),
    Command("samples.read", "Read sample answers…", "Review", why_not=NO_LIST),
    Command("trait.calibrate", "Calibrate trait…", "Review", why_not=NO_TRAIT, line_above=True),
    Command("result.keep", "Keep answer as sample", "Review", "A", why_not="Open a result with an answer first."),
    Command("run.configure", "New run…", "Run", "Ctrl+Alt+R", run=go("/benchmarks/{b}/run")),
    Command("run.list", "All runs", "Run", run=go("/runs")),
    Command("run.cancel", "Stop run", "Run", why_not="Open a run in progress first.", line_above=True),
    Command("run.resume", "Resume run", "Run", why_not="Open an unfinished run first."),
    Command("run.again", "Run again…", "Run", why_not="Open a run first."),
    Command("run.retry", "Retry failed calls", "Run", why_not="Open a run with failed calls first."),
    Command("go.summary", "Summary of run", "Run", why_not=NO_RUN, line_above=True),
    Command("go.results", "Results of run", "Run", why_not=NO_RUN),
    Command("go.charts", "Charts of run", "Run", why_not=NO_RUN),
    Command("go.record", "Reproducibility record of run", "Run", why_not=NO_RUN),
    Command("results.filter", "Filter results…", "Run", why_not=NO_RESULTS, line_above=True),
    Command("results.group", "Group results…", "Run", why_not=NO_RESULTS),
    Command("results.columns", "Columns of results…", "Run", why_not=NO_RESULTS),
    Command("results.export", "Export results…", "Run", why_not=NO_RUN),
    Command("run.models", "Models…", "Run", run=go("/models"), line_above=True),
    Command("model.new", "New model", "Run", why_not=NO_MODEL),
    Command("model.test", "Test model connection", "Run", why_not=NO_MODEL),
    Command("model.duplicate", "Duplicate model", "Run", why_not=NO_MODEL),
    Command("model.delete", "Delete model", "Run", why_not=NO_MODEL),
    Command("keys.open", "API keys…", "Run", run=go("/keys")),
    Command("prices.open", "Prices…", "Run", run=go("/prices")),
    Command("run.presets", "Presets…", "Run", run=go("/presets")),
    Command("preset.import", "Import preset…", "Run", run=go("/presets?import=1")),
    Command("go.questions", "Questions", "View", "Ctrl+Alt+Q", run=go("/benchmarks/{b}/questions")),
    Command("go.table", "Table of questions", "View", run=go("/benchmarks/{b}/table")),
    Command("go.rubric", "Rubric: traits for every question", "View", run=go("/benchmarks/{b}/rubric")),
    Command("go.benchmarks", "Benchmarks", "View", run=go("/benchmarks")),
    Command("go.history", "History", "View", run=go("/benchmarks/{b}/history")),
    Command("go.versions", "Versions", "View", run=go("/benchmarks/{b}/versions")),
    Command("question.history", "History of this question", "View", why_not=NO_QUESTION),
    Command("go.library_history", "Library history", "View", run=go("/history")),
    Command(
        "question.next",
        "Next question or result",
        "View",
        "J",
        why_not="Open a question or a result first.",
        line_above=True,
    ),
    Command(
        "question.previous", "Previous question or result", "View", "K", why_not="Open a question or a result first."
    ),
    Command("problems.next", "Next problem", "View", "F8", why_not=LOADING, line_above=True),
    Command("problems.previous", "Previous problem", "View", "Shift+F8", why_not=LOADING),
    Command("view.problems", "Show or hide problems", "View", "Ctrl+Alt+P", why_not=LOADING),
    Command(
        "view.navigation",
        "Show or hide sidebar",
        "View",
        "Ctrl+B",
        why_not=LOADING,
        line_above=True,
    ),
    Command("view.part", "Focus next pane", "View", "F6", script="goToPart(1)"),
    Command("view.part_before", "Focus previous pane", "View", "Shift+F6", script="goToPart(-1)"),
    Command("view.light", "Light theme", "View", why_not=LOADING, line_above=True),
    Command("view.dark", "Dark theme", "View", why_not=LOADING),
    Command("view.system", "System theme", "View", why_not=LOADING),
    Command("help.guide", "Help on this page", "Help", "F1", why_not=LOADING),
    Command("help.contents", "Guide", "Help", run=go("/guide")),
    Command("help.shortcuts", "Keyboard shortcuts", "Help", "?", why_not=LOADING),
    Command(
        "view.palette",
        "Find a command…",
        "Help",
        "Ctrl+K",
        why_not=LOADING,
        field=".palette input",
    ),
    Command("help.start", "Ways to start", "Help", run=go("/benchmarks?start=1"), line_above=True),
    Command("help.tour", "Take the tour", "Help", why_not=LOADING),
)

ROW_COMMANDS = (
    Command("row.open", "Open", ""),
    Command("row.tab", "Open in new tab", ""),
    Command("benchmark.delete", "Delete benchmark", ""),
    Command("run.charts", "Open charts", ""),
    Command("run.delete", "Delete run", ""),
)
"""Commands of context menus alone: they need a row. The others there are those of the menus."""

NEEDS_BENCHMARK = {
    *("benchmark.details", "benchmark.duplicate", "benchmark.export", "questions.csv", "questions.xlsx"),
    *("go.history", "run.configure", "go.questions", "go.table", "go.rubric", "questions.replace"),
    *("benchmark.compare", "benchmark.publish", "benchmark.link", "go.versions"),
}
MENUS = ("File", "Edit", "Review", "Run", "View", "Help")
BY_ID = {command.id: command for command in COMMANDS}
