"""Benchmarks page: create, open, import, export, delete and restore benchmarks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, run, ui

from karenina_gui import example
from karenina_gui.authoring.benchmark_update import BenchmarkUpdate, FileDifferences
from karenina_gui.authoring.import_export import BenchmarkFile, ImportedBenchmark
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.consent import access_note
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.dialogs import FileDialog, dialog, dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import (
    button,
    empty_state,
    field,
    heading,
    hold_typing,
    icon_button,
    note,
    on_enter,
    one_at_a_time,
    pane,
    scrolling,
    text_input,
    toolbar,
)
from karenina_gui.gui.kit.routing import navigate_if_present, open_tab
from karenina_gui.gui.pages.benchmarks.deleted_benchmarks import DeletedBenchmarks
from karenina_gui.gui.pages.benchmarks.duplicate import duplicate
from karenina_gui.gui.pages.benchmarks.export import export_benchmark, export_questions
from karenina_gui.gui.pages.benchmarks.k_eval import KEvalImportDialog
from karenina_gui.gui.pages.benchmarks.start import NAME_OF_BENCHMARK, StartWays, start_cards
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.runs.agent_safety import unagreed_in_document
from karenina_gui.schemas.benchmark_summaries import BenchmarkSummary
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.text import plural, quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


def draw(window: Window, route: PageRoute) -> None:
    page = BenchmarkList(window, welcome="start" in route.query)
    # Menu commands on other pages link here with a query.
    if "new" in route.query:
        page.ask_name()
    if "import" in route.query:
        page.ask_file()
    if "restore" in route.query:
        page.deleted.show()
    if "k-eval" in route.query:
        page.k_eval.show()


class BenchmarkList:
    def __init__(self, window: Window, *, welcome: bool = False) -> None:
        """`welcome`: show the ways to start above the list, too."""
        self.window = window
        self.editor = window.services.editor
        self._last_drawn: tuple[list[BenchmarkSummary], bool] | None = None
        with pane("Benchmarks"):
            with toolbar("Benchmarks"):
                heading("Benchmarks", 1)
                ui.space()
                self.bring_back = button("Restore deleted…", self.show_deleted, icon="restore_from_trash", look="quiet")
                button("Medicines example", self.open_example, icon="science")
                button("Agents example", self.open_agent_example, icon="smart_toy")
                button("Import benchmark file…", self.ask_file, icon="upload_file")
                new = button("New benchmark", self.ask_name, icon="add", look="main")
                hold_typing(new, NAME_OF_BENCHMARK)
            with scrolling():
                welcomed = ui.element("div").classes("start-part when-filled")
                self.rows = ui.element("div").classes("shelf")
        self.asking = ui.element("div")
        """Container of dialogs. The rows are redrawn while runs progress, which would remove a dialog in them."""
        self.ways = StartWays(
            window, self.asking, self.open_example, self.open_agent_example, self.ask_name, self.ask_file
        )
        if welcome and window.services.library.benchmarks.numbers():
            with welcomed:
                start_cards(self.ways)
        self.deleted = DeletedBenchmarks(window)
        self.k_eval = KEvalImportDialog(window)
        self.refresh()
        window.listen(window.services.changes_debounced, self.refresh)
        window.register_command("benchmark.restore", self.show_deleted)
        window.register_command("k-eval.open", self.k_eval.show)
        self._register_row_menu()

    def _register_row_menu(self) -> None:
        questions = "/benchmarks/{}/questions"
        self.window.register_row_menu(
            "benchmark",
            {
                "row.open": lambda number: ui.navigate.to(questions.format(number)),
                "row.tab": lambda number: open_tab(questions.format(number)),
                "run.configure": lambda number: ui.navigate.to(f"/benchmarks/{number}/run"),
                "benchmark.details": lambda number: ui.navigate.to(f"/benchmarks/{number}/details"),
                "benchmark.duplicate": partial(duplicate, self.window),
                "benchmark.export": partial(export_benchmark, self.window),
                "questions.csv": lambda number: export_questions(self.window, number, "csv"),
                "questions.xlsx": lambda number: export_questions(self.window, number, "xlsx"),
                "benchmark.delete": self._delete_row,
            },
        )

    async def _delete_row(self, number: int) -> None:
        try:
            benchmark = self.window.services.library.benchmarks.summary(number)
        except NotFoundError as error:
            self.window.notify(str(error))
            return
        await self.delete(benchmark)

    def refresh(self) -> None:
        """Redraw the rows if they changed. Runs emit many times a second, and a redraw would swallow clicks."""
        stored = self.window.services.library.benchmarks
        benchmarks, some_deleted = stored.summaries(), bool(stored.list_deleted())
        if self._last_drawn == (benchmarks, some_deleted):
            return
        self._last_drawn = benchmarks, some_deleted
        self.bring_back.set_visibility(some_deleted)
        self.rows.clear()
        with self.rows:
            if not benchmarks:
                with empty_state(
                    "inventory_2",
                    "No benchmarks" if some_deleted else "No benchmarks yet",
                    "A benchmark is a set of questions with known answers. Choose how to start.",
                ):
                    start_cards(self.ways)
                    if some_deleted:
                        button("Restore deleted benchmarks…", self.show_deleted, icon="restore_from_trash")
                return
            with (
                ui.element("table")
                .classes("plain-table shelf-table")
                .props('aria-label="Benchmarks" data-row-menu="benchmark"')
            ):
                _head()
                with ui.element("tbody"):
                    for benchmark in benchmarks:
                        self._row(benchmark)

    def show_deleted(self) -> None:
        self.deleted.show()

    def ask_name(self) -> None:
        """Ask for the name of a new benchmark, create it and open it."""
        with dialog("New benchmark") as sheet:
            with field("Name"):
                name = text_input("Name", placeholder="Oncology drug targets").props("autofocus")
            with field("Description", "optional"):
                about = text_input("Description")
            problem = ui.label().classes("field-error")

            @one_at_a_time
            async def create() -> None:
                try:
                    made = await self.window.write(self.editor.create_benchmark, name.value or "", about.value or "")
                except InputError as error:
                    problem.text = str(error)
                    return
                sheet.close()
                self.window.note_saved()
                navigate_if_present(self.asking, f"/benchmarks/{made}/questions")

            on_enter(name, create)
            with dialog_actions():
                button("Cancel", sheet.close)
                button("Create", create, look="main")

    def ask_file(self) -> None:
        """Import a benchmark file and open the benchmark."""

        async def import_file(path: Path) -> None:
            file = await run.io_bound(self.editor.files.read_benchmark, path)
            # NiceGUI's `io_bound` returns None while the application shuts down.
            if file is None:
                return
            importer = FileImport(self.window, file_dialog)
            if file.same_name is None:
                await importer.add(file)
            else:
                await importer.ask(file, file.same_name)

        file_dialog = FileDialog(
            "Import benchmark file",
            "A karenina checkpoint (.jsonld) becomes a new benchmark. Its code isn’t run during the import. "
            "To import a table of questions, open a benchmark and choose Import questions.",
            ".jsonld,.json",
            import_file,
        )
        if handed := self.window.pop_staged_file():
            background_tasks.create(
                file_dialog.use_file(handed), name="read a dropped benchmark", context=file_dialog.sheet
            )

    async def open_example(self) -> None:
        """Import a new copy of the example and open it."""
        files = self.editor.files
        await self._open(lambda: files.add_file(files.read_benchmark(example.BENCHMARK), numbered=True))

    async def open_agent_example(self) -> None:
        """Import a new copy of the agent example with its workspace and open it."""
        files = self.editor.files
        await self._open(partial(files.import_with_workspaces, example.agents.BENCHMARK, example.agents.WORKSPACES))

    async def _open(self, imports: Callable[[], ImportedBenchmark]) -> None:
        try:
            imported = await self.window.write_long(imports)
        except InputError as error:
            self.window.notify(str(error), "bad")
            return
        navigate_if_present(self.asking, f"/benchmarks/{imported.benchmark_id}/questions")

    async def delete(self, benchmark: BenchmarkSummary) -> None:
        """Delete a benchmark, with undo. If that stops runs, ask the user first."""
        going = self.window.services.runs.going(benchmark.id)
        with self.asking:
            if going and not await _confirm_delete(benchmark.name, going):
                return
        try:
            deleted = await self.window.write(as_one(self.editor.delete_benchmark), benchmark.id)
        except NotFoundError:
            self.window.notify(f"“{benchmark.name}” is already deleted.")
            return
        # Menus and the header show the open benchmark, which no longer exists.
        if self.window.benchmark_id == benchmark.id:
            self.window.benchmark_id = None
            self.window.benchmark_switched.emit()
        restore = partial(self.window.undo, deleted.command_id)
        self.window.notify(f"Deleted “{benchmark.name}” with its runs.", undo=restore)

    def _row(self, benchmark: BenchmarkSummary) -> None:
        address = f"/benchmarks/{benchmark.id}"
        with ui.element("tr").props(f'data-row="{benchmark.id}"'):
            with ui.element("td").classes("shelf-name"):
                ui.link(benchmark.name, f"{address}/questions")
                if benchmark.description:
                    ui.label(benchmark.description).classes("shelf-about hint")
            for figure in (benchmark.questions, benchmark.finished, benchmark.runs):
                with ui.element("td").classes("numeric"):
                    ui.label(f"{figure:,}")
            with ui.element("td").classes("one-line muted"):
                ui.label(day_and_time(benchmark.updated_at))
            with ui.element("td").classes("shelf-actions"), ui.element("div"):
                icon_button("edit", f"Edit {benchmark.name}", lambda: ui.navigate.to(f"{address}/details"))
                icon_button("content_copy", f"Duplicate {benchmark.name}", lambda: duplicate(self.window, benchmark.id))
                icon_button("download", f"Export {benchmark.name}", lambda: export_benchmark(self.window, benchmark.id))
                icon_button("delete", f"Delete {benchmark.name}", lambda: self.delete(benchmark))


async def _confirm_delete(name: str, going: Sequence[RunSummary]) -> bool:
    """Ask whether to delete the benchmark although that stops its runs; True: delete."""
    runs = plural(len(going), "run")
    with dialog("Delete benchmark", f"Delete “{name}” and stop its {runs}?") as confirmation:
        for summary in going:
            ui.label(f"“{summary.name}” is running: {summary.done:,} of {summary.total:,} jobs done.")
        ui.label(
            f"Deleting the benchmark stops its {runs}: no new model calls. Finished results come back if you restore "
            "the benchmark, and you can resume what is left."
        ).classes("hint")
        with dialog_actions():
            button("Keep benchmark", lambda: confirmation.submit(False), look="main")
            button("Stop and delete", lambda: confirmation.submit(True)).classes("button-danger")
    return bool(await confirmation)


def _head() -> None:
    columns = (
        ("Name", ""),
        ("Questions", "numeric"),
        ("Finished", "numeric"),
        ("Runs", "numeric"),
        # Of this library, by which the list is sorted. The benchmark’s own *Modified* came with its file.
        ("Last saved here", ""),
        ("", ""),
    )
    with ui.element("thead"), ui.element("tr"):
        for title, look in columns:
            with ui.element("th" if title else "td").props('scope="col"' if title else "").classes(look):
                ui.label(title)


class FileImport:
    """Steps of an import in the sheet of its dialog."""

    def __init__(self, window: Window, file_dialog: FileDialog) -> None:
        self.window = window
        self.files = window.services.editor.files
        self._file_dialog = file_dialog
        self._sheet = file_dialog.sheet

    async def add(self, file: BenchmarkFile) -> None:
        """Make a new benchmark and open it; a second one gets a number after its name."""
        imported = await self.window.write_long(self.files.add_file, file, numbered=True)
        if imported.name != file.document.name:
            self.window.notify(f"Imported a second copy as “{imported.name}”.")
        reach = await run.io_bound(unagreed_in_document, file.document, self.window.services.runs.consents)
        if imported.notes or reach:
            self._show_notes(imported, reach or [])
        else:
            self._open(imported.benchmark_id)

    async def ask(self, file: BenchmarkFile, benchmark_id: int) -> None:
        """Ask whether the file updates the benchmark of its name, or becomes a second copy."""
        differences = await run.io_bound(self.files.updates.compare, benchmark_id, file.document)
        # As bytes until the user decides: a collection of garbage would stop at each part of a large file.
        packed = await run.io_bound(pickle.dumps, (file, differences))
        if differences is None or packed is None or self._sheet.is_deleted:
            return
        name = file.document.name

        def unpack() -> tuple[BenchmarkFile, FileDifferences]:
            content: tuple[BenchmarkFile, FileDifferences] = pickle.loads(packed)
            return content

        self._sheet.clear()
        with self._sheet:
            dialog_title(f"“{name}” already exists")
            ui.label(_comparison(differences))
            ui.label(
                "An update keeps the runs and results, and questions that the file doesn’t have. You can undo it."
            ).classes("hint")
            self._problems = ui.element("div")
            with dialog_actions():
                button("Import second copy", lambda: self.add(unpack()[0]))
                if differences.some:
                    button("Compare…", lambda: self._compare(unpack()[0], benchmark_id))
                    button("Update benchmark", lambda: self._update(name, unpack()[1]), look="main")
                else:
                    button("Open benchmark", lambda: self._open(benchmark_id), look="main")

    async def _compare(self, file: BenchmarkFile, benchmark_id: int) -> None:
        """Open the comparison, which takes over what the user chooses there."""
        comparisons = self.window.services.editor.comparisons
        address = await run.io_bound(comparisons.add_document, file.file, file.document, file.notes)
        if address is not None:
            self._file_dialog.close()
            navigate_if_present(self._sheet, f"/benchmarks/{benchmark_id}/versions/compare?with={address}")

    async def _update(self, name: str, differences: FileDifferences) -> None:
        try:
            logged = await self.window.write_long(as_one(self.files.updates.apply), differences)
        except InputError as error:
            with self._problems:
                note(str(error), "bad")
            return
        done, undo = logged.outcome, partial(self.window.undo, logged.command_id)
        self.window.note_saved()
        self.window.notify(f"Updated “{name}”. {_counts(done)}", "good", undo=undo)
        self._open(done.benchmark_id)

    def _show_notes(self, imported: ImportedBenchmark, reach: Sequence[Any]) -> None:
        """`reach`: what models of its traits would reach without consent."""
        self._sheet.clear()
        with self._sheet:
            dialog_title("Imported with warnings")
            if imported.notes:
                ui.label("Everything in the file is preserved, but these parts can’t be used:").classes("hint")
                ui.label("\n".join(imported.notes)).classes("import-report").props('tabindex="0"')
            if reach:
                access_note("Models of its traits", reach)
            with dialog_actions():
                button("Open benchmark", lambda: self._open(imported.benchmark_id), look="main")

    def _open(self, benchmark_id: int) -> None:
        self._file_dialog.close()
        navigate_if_present(self._sheet, f"/benchmarks/{benchmark_id}/questions")


def _comparison(differences: FileDifferences) -> str:
    """Summarize what differs in one or two sentences."""
    if not differences.some:
        return "The file has nothing new: all of its questions and details are already here."
    parts = [
        quantity(len(differences.added), "new question"),
        f"{len(differences.changed):,} changed",
        f"{differences.same:,} the same",
    ]
    sentence = f"The file has {', '.join(parts)}."
    if differences.details:
        sentence += " Its description, rubric, or other details differ, too."
    if differences.missing:
        sentence += f" It lacks {quantity(differences.missing, 'question')} of the benchmark."
    return sentence


def _counts(done: BenchmarkUpdate) -> str:
    return f"{quantity(len(done.added), 'question')} added, {done.changed:,} changed."
