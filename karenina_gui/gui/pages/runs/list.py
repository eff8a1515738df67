"""Page of all runs, newest first, and the dialog that imports results as runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nicegui import background_tasks, run, ui

from karenina_gui.analysis.rates import OUTCOMES, RESULTS_PASSED
from karenina_gui.errors import KareninaError
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.gui.kit.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import button, empty_state, field, heading, note, pane, toolbar
from karenina_gui.gui.kit.figure_links import figure_list as listed_figures
from karenina_gui.gui.kit.grid import Grid
from karenina_gui.gui.kit.html import Html, icon, join_html, link, mark, tag
from karenina_gui.gui.kit.routing import open_tab, redraw
from karenina_gui.gui.kit.uploads import LARGEST_BODY, FileDrop
from karenina_gui.gui.pages.results.table import ROW
from karenina_gui.gui.pages.runs.deleted_runs import DeletedRuns, delete
from karenina_gui.gui.pages.runs.resume_panel import InterruptedRuns, find_interrupted, mark_seen
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.progress import JOBS_DONE
from karenina_gui.runs.results_import import ImportPreview, MatchingBenchmark, questions_of
from karenina_gui.schemas.outcome import judged_count
from karenina_gui.schemas.results_file import SHAPES, FoundResults, FoundRun
from karenina_gui.text import quantity, quote_list

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

KINDS = ".json,.csv,.xlsx"
NEW = 0
"""Value for a new benchmark."""
FAULTS_SHOWN = 50
RUNS_SHOWN = 30
ALREADY_SHOWN = 3
T = TypeVar("T")


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs`; `?benchmark=3` shows those of one benchmark, `?open=1` opens the import of results."""
    benchmark = route.query.get("benchmark", "")
    benchmark_id = int(benchmark) if benchmark.isdecimal() else None
    find_interrupted(window)
    mark_seen(window)
    listed = window.services.library.runs.all(benchmark_id)
    with pane("Runs"):
        opening, deleted = ResultsImportDialog(window), DeletedRuns(window)
        window.register_command("results.open", opening.show)
        with toolbar():
            heading("Runs", 1)
            if benchmark_id is not None and listed:
                ui.label(f"Benchmark: {listed[0].benchmark_name}").classes("hint")
                button("Show all", lambda: ui.navigate.to("/runs"), look="quiet")
            ui.space()
            bring_back = button("Restore deleted…", deleted.show, icon="restore_from_trash", look="quiet")
            button("Import results…", opening.show, icon="upload_file")
        if route.query.get("open"):
            opening.show()

        def look_again(_news: object = None) -> None:
            bring_back.set_visibility(bool(window.services.library.runs.list_deleted()))
            if opening.value or deleted.value:
                return  # a redraw of the page would close its dialog
            # The page without runs has no table that could refresh itself.
            if bool(listed) != bool(window.services.library.runs.all(benchmark_id)):
                redraw("/runs")

        look_again()
        for sheet in (opening, deleted):
            sheet.on("hide", look_again)
        window.listen(window.services.run_changed, look_again)
        if not listed:
            _nothing_yet(window)
            return
        interrupted = InterruptedRuns(window, benchmark_id)
        tooltips = {"jobs": JOBS_DONE.short, "passed": RESULTS_PASSED.short, "errors": OUTCOMES.short}
        grid = Grid("run_tables", label="Runs", empty="<span>No runs.</span>", rowHeight=ROW)
        grid.attach(benchmark_id, tooltips, function="runs")
        grid.classes("result-grid wide fills").props('data-row-menu="run"')
        ui.html(listed_figures((JOBS_DONE, RESULTS_PASSED, OUTCOMES))).classes("run-list-figures")
    window.listen(window.services.run_changed, lambda _: grid.call("start"))
    window.listen(window.services.benchmark_changed, lambda change: grid.call("start") if change.of_presence else None)
    window.listen(window.services.changes_debounced, interrupted.show)
    _register_row_menu(window)


def _register_row_menu(window: Window) -> None:
    library = window.services.library

    async def delete_row(number: int) -> None:
        await delete(window, number, library.runs.summary(number).title)

    window.register_row_menu(
        "run",
        {
            "row.open": lambda number: ui.navigate.to(f"/runs/{number}"),
            "row.tab": lambda number: open_tab(f"/runs/{number}"),
            "run.charts": lambda number: ui.navigate.to(f"/runs/{number}/charts"),
            "go.questions": lambda number: ui.navigate.to(
                f"/benchmarks/{library.runs.summary(number).benchmark_id}/questions"
            ),
            "run.delete": delete_row,
        },
    )


def _nothing_yet(window: Window) -> None:
    with empty_state(
        "play_circle",
        "No runs" if window.services.library.runs.list_deleted() else "No runs yet",
        "A run sends finished questions to models and checks every answer.",
    ):
        if window.benchmark_id is not None:
            button("Run this benchmark", lambda: ui.navigate.to(f"/benchmarks/{window.benchmark_id}/run"), look="main")
        button("All benchmarks", lambda: ui.navigate.to("/benchmarks"))


class ResultsImportDialog(ui.dialog):
    """Dialog that imports results."""

    def __init__(self, window: Window) -> None:
        super().__init__()
        self.window = window
        self.opener = window.services.runs.opener
        self.props('aria-label="Import results"')
        with self:
            self.sheet = ui.element("div").classes("dialog opening")

    def show(self) -> None:
        """Open the dialog; reads a file that was dropped on the window."""
        handed = self.window.pop_staged_file()
        self._start("Import results")
        with self.sheet:
            ui.label(
                "JSON or CSV exports, lists of results, files with several runs, and Excel workbooks exported here. "
                "You see what a file contains before anything is imported. Nothing in it is executed."
            ).classes("hint")
            FileDrop("Choose a file, or drop it here", KINDS, self._preview_file, largest=LARGEST_BODY)
            self._actions()
        self.open()
        if handed is not None:
            background_tasks.create(self._preview_file(handed), name="look at dropped results", context=self.sheet)

    async def _preview_file(self, path: Path) -> None:
        self._start("Import results")
        with self.sheet, ui.element("div").classes("opening-wait line gap-10").props('role="status"'):
            ui.spinner(size="20px")
            ui.label(f"Reading {path.name}…")
        saved = SavedResults(path)
        try:
            outlook = await run.io_bound(lambda: self.opener.outlook(saved.look()))
        except KareninaError as error:
            self.show()
            with self.sheet:
                note(str(error), "bad").move(target_index=2)
            return
        if outlook is not None and not self.sheet.is_deleted:
            self._draw(saved, outlook)

    def _draw(self, saved: SavedResults, outlook: ImportPreview) -> None:
        file = outlook.file
        self._start(f"Import {file.name}")
        with self.sheet:
            ui.html(_contents(file)).classes("full-width")
            if outlook.already:
                ui.html(_already(outlook)).classes("full-width")
            if file.notes:
                ui.html(_note("info", *(tag("p", text) for text in file.notes))).classes("full-width")
            if file.faulty:
                _draw_faults(file)
            choice = self._benchmark_select(outlook)
            if doubt := _doubt(outlook):
                note(doubt, "warn")
            status = ui.element("div").classes("full-width")

            async def go() -> None:
                act.set_enabled(False)
                act.props("loading")
                status.clear()
                with status:
                    reading = _Reading(file.results)
                try:
                    await self._open(saved, file, int(choice.value), reading)
                except KareninaError as error:
                    if not status.is_deleted:
                        status.clear()
                        with status:
                            note(str(error), "bad")
                finally:
                    if not act.is_deleted:
                        act.props(remove="loading")
                        act.set_enabled(True)

            act = button("Import anyway" if outlook.already else "Import results", go, look="main")
            act.bind_enabled_from(choice, "value", lambda value: value is not None)
            self._actions(act)

    def _benchmark_select(self, outlook: ImportPreview) -> ui.select:
        of = len(outlook.file.questions)
        options = {belonging.benchmark_id: _option_title(belonging, of) for belonging in outlook.belongings}
        options[NEW] = f"New benchmark from {quantity(of, 'question')} (unfinished, no templates)"
        likely = [match.benchmark_id for match in (*outlook.candidates, *outlook.doubtful)]
        first = None if _doubt(outlook) else likely[0] if likely else NEW
        with field("Benchmark", "that these results belong to"):
            choice = ui.select(options, value=first).props('outlined dense options-dense aria-label="Benchmark"')
            return choice.classes("input wide")

    async def _open(self, saved: SavedResults, file: FoundResults, benchmark_id: int, reading: _Reading) -> None:
        """Import the file even if the dialog is closed meanwhile. Raises `KareninaError`, and then saves nothing."""
        editor = self.window.services.editor
        made = None
        if benchmark_id == NEW:
            title = file.runs[0].name if len(file.runs) == 1 else Path(file.name).stem
            made = benchmark_id = await self.window.write(editor.files.add_benchmark, questions_of(file, title))
        try:
            ids = await run.io_bound(self.opener.open, file, reading.count(saved.each()), benchmark_id)
        # A failed or canceled import must not leave an empty benchmark behind.
        except BaseException:
            if made is not None:
                await self.window.write(editor.delete_benchmark, made)
            raise
        if not ids:
            return

        def discard() -> None:
            self.opener.discard(ids)
            if made is not None:
                editor.delete_benchmark(made)

        def undo() -> None:
            ui.navigate.to("/runs")
            background_tasks.create(run.io_bound(discard), name="undo an import of results")

        runs = f"run “{file.runs[0].name}”" if len(ids) == 1 else quantity(len(ids), "run")
        self.window.notify(f"Imported {quantity(file.results, 'result')} as {runs}.", "good", undo)
        if self.value and not self.is_deleted:
            self.close()
            ui.navigate.to(f"/runs/{ids[0]}" if len(ids) == 1 else "/runs")

    def _start(self, title: str) -> None:
        self.sheet.clear()
        with self.sheet:
            dialog_title(title)

    def _actions(self, main: ui.button | None = None) -> None:
        with dialog_actions() as row:
            if main is not None:
                button("Choose another file", self.show)
            button("Cancel", self.close)
            if main is not None:
                main.move(row)


class _Reading:
    """Progress of reading a large file."""

    def __init__(self, results: int) -> None:
        self._results = results
        self._done = 0
        self._line = ui.label().classes("hint").props('role="status"')
        ui.timer(0.5, self._show)

    def count(self, results: Iterable[T]) -> Iterator[T]:
        for result in results:
            self._done += 1
            yield result

    def _show(self) -> None:
        self._line.text = f"Importing {self._done:,} of {quantity(self._results, 'result')}…"


def _option_title(benchmark: MatchingBenchmark, of: int) -> str:
    how = "by ID and text" if benchmark.by == "id" else "by text"
    has = [f"has {benchmark.matched:,} of {quantity(of, 'question')}, matched {how}"] if benchmark.matched else []
    ids = [f"{quantity(benchmark.doubtful, 'ID')} with another text"] if benchmark.doubtful else []
    return f"{benchmark.name} ({'; '.join(has + ids)})"


def _doubt(outlook: ImportPreview) -> str:
    """Question to the user about the benchmark; empty: it is certain."""
    if len(outlook.candidates) > 1:
        names = quote_list(match.name for match in outlook.candidates)
        return f"{names} have these questions. Select the benchmark that the results belong to."
    if outlook.doubtful:
        names = quote_list(match.name for match in outlook.doubtful)
        return (
            f"The question IDs are also in {names}, but with other texts. Select the benchmark if these are the same "
            "questions, or a new one."
        )
    return ""


def _contents(file: FoundResults) -> Html:
    """Table of the runs in the file."""
    rows = [_row(found_run) for found_run in file.runs[:RUNS_SHOWN]]
    more = len(file.runs) - RUNS_SHOWN
    heads = ("Run", "Results", "Models", "Judges", "Replicates", "Questions", "Passed")
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    made = tag(
        "table", tag("caption", SHAPES[file.shape]), tag("thead", head), tag("tbody", *rows), class_="plain-table"
    )
    return join_html([made, tag("p", f"and {quantity(more, 'more run')}", class_="result-muted") if more > 0 else None])


def _row(found_run: FoundRun) -> Html:
    part = "" if found_run.results == found_run.total else f" of {found_run.total:,}"
    passed = f"{found_run.outcomes.get('passed', 0):,} of {judged_count(found_run.outcomes):,}"
    outcomes = [
        tag("span", mark(outcome), f" {count:,}", class_="overview-count")
        for outcome, count in found_run.outcomes.items()
    ]
    cells = (
        tag("th", found_run.name, scope="row"),
        tag(
            "td",
            f"{found_run.results:,}{part}",
            None if found_run.complete else tag("small", " incomplete", class_="result-muted"),
        ),
        tag("td", ", ".join(model.label for model in found_run.answering.values())),
        tag("td", ", ".join(model.label for model in found_run.judges.values()) or "none"),
        tag("td", f"{found_run.replicates:,}"),
        tag("td", f"{len(found_run.questions):,}"),
        tag("td", passed, tag("div", *outcomes, class_="opening-outcomes flow")),
    )
    return tag("tr", *cells)


def _already(outlook: ImportPreview) -> Html:
    named = [
        (link(f"/runs/{earlier.id}", earlier.name), f" (imported from {earlier.origin})" if earlier.origin else "")
        for earlier in outlook.already[:ALREADY_SHOWN]
    ]
    more = len(outlook.already) - ALREADY_SHOWN
    listed = [part for parts in named for part in (", ", *parts)][1:]
    sentence = ("Already in the library: ", *listed, f" and {more:,} more" if more > 0 else "", ".")
    return _note("warning", tag("p", *sentence), tag("p", "Importing creates another run."), tone="warn")


def _note(glyph: str, *content: Html, tone: str = "plain") -> Html:
    return tag("div", icon(glyph), tag("div", *content), class_=f"note note-{tone}", role="status")


def _draw_faults(file: FoundResults) -> None:
    note(
        f"{quantity(file.faulty, 'unreadable result')} will be skipped; "
        f"{quantity(file.results, 'result')} can be imported.",
        "warn",
    )
    lines = [f"Result {fault.row}: {fault.reason}" for fault in file.faults[:FAULTS_SHOWN]]
    if file.faulty > len(lines):
        lines.append(f"and {file.faulty - len(lines):,} more")
    ui.label("\n".join(lines)).classes("import-report").props('tabindex="0" role="region" aria-label="Skipped results"')
