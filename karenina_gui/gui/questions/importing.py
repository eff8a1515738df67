"""Questions from a table: choose a file, say which column is what, see what came of each row."""

from __future__ import annotations

from pathlib import Path

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.exchange import ImportedQuestions
from karenina_gui.errors import InputError
from karenina_gui.formats.tabular import ImportPlan, ImportReport, guess_columns, import_questions, read_headers
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.elements import button, field, note, text_area, text_input
from karenina_gui.gui.parts.uploads import FileDrop
from karenina_gui.gui.questions.import_preview import draw_faults, draw_preview

KINDS = ".csv,.tsv,.json,.jsonl,.ndjson"
COLUMNS = {
    "question": "Question",
    "raw_answer": "Reference answer",
    "id": "Id",
    "keywords": "Keywords",
    "answer_notes": "Notes",
    "author": "Author",
    "sources": "Sources",
    "answer_template": "Template",
}
NEEDED = ("question", "raw_answer")
NO_COLUMN = "— not imported —"


class QuestionImport(ui.dialog):
    """Opens on the choice of a file."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        super().__init__()
        self.window = window
        self.benchmark_id = benchmark_id
        self.path = Path()
        self._looks = 0
        """How often the file was looked at, so that a late look does not overwrite a newer one."""
        self.props('aria-label="Import questions"')
        with self:
            self.sheet = ui.element("div").classes("dialog")

    def show(self) -> None:
        self._start("Import questions")
        with self.sheet:
            ui.label(
                "A table with one question in each row: CSV, TSV, JSON or JSON Lines, for example saved from a "
                "spreadsheet. Nothing is imported before you have said which column is what."
            ).classes("hint")
            FileDrop("Choose a file, or drop it here", KINDS, self._choose_columns)
            self._actions()
        self.open()

    async def _choose_columns(self, path: Path) -> None:
        try:
            headers = await run.io_bound(read_headers, path)
        except InputError as error:
            self.show()
            with self.sheet:
                note(str(error), "bad")
            return
        self.path = path
        self._draw_columns(headers or [])

    def _draw_columns(self, headers: list[str]) -> None:
        self._start(f"Which column is what? ({self.path.name})")
        guessed = guess_columns(headers)
        choices: dict[str, ui.select] = {}
        with self.sheet:
            with ui.element("div").classes("import-columns"):
                for name, title in COLUMNS.items():
                    ui.label(title + (" *" if name in NEEDED else "")).classes("field-label")
                    choices[name] = ui.select([NO_COLUMN, *headers], value=guessed.get(name, NO_COLUMN))
                    choices[name].props(f'outlined dense options-dense aria-label="Column of {title}"').classes("inp")
            with ui.element("div").classes("field-row"):
                with field("Keywords are separated by"):
                    separator = text_input("Keyword separator", ",")
                with field("Mark the questions"):
                    finished = ui.checkbox("as finished, ready to run").props("dense")
            with field(
                "One template for all rows", "optional; {{raw_answer}} or {{column}} stands for the value in the row"
            ):
                template = text_area("Template for all rows", placeholder="class Answer(BaseAnswer): …").classes("mono")
            self.outlook = ui.element("div").classes("import-outlook").props('role="status"')

            def plan() -> ImportPlan | None:
                columns = {name: choice.value for name, choice in choices.items() if choice.value != NO_COLUMN}
                if any(name not in columns for name in NEEDED):
                    return None
                return ImportPlan(
                    **columns,
                    keyword_separator=separator.value or "",
                    finished=bool(finished.value),
                    template=(template.value.strip() and template.value) or None,
                )

            async def look() -> None:
                await self._look(plan())

            async def go() -> None:
                wanted = plan()
                if wanted is not None:
                    await self._import(wanted)

            self.go = button("Import", go, look="main")
            self._actions(self.go)
        for control in (*choices.values(), separator, template):
            control.on_value_change(look)
        background_tasks.create(look(), name="look at a table", context=self.sheet)

    async def _look(self, plan: ImportPlan | None) -> None:
        """Show what the plan would make of the file. A click on Import that comes earlier counts all the same."""
        self.go.set_enabled(plan is not None)
        self._looks += 1
        number = self._looks
        report: ImportReport | None = None
        problem = "Choose the columns of the question and of the reference answer."
        if plan is not None:
            try:
                report = await run.io_bound(import_questions, self.path, plan)
            except InputError as error:
                problem = str(error)
        if number != self._looks or self.outlook.is_deleted:
            return
        self.outlook.clear()
        with self.outlook:
            if report is None:
                note(problem, "warn")
            else:
                draw_preview(report)
        self.go.set_enabled(report is not None and bool(report.questions))

    async def _import(self, plan: ImportPlan) -> None:
        self.go.set_enabled(False)
        files = self.window.studio.desk.files
        try:
            done = await run.io_bound(files.import_questions, self.benchmark_id, self.path, plan)
        except InputError as error:
            with self.outlook:
                note(str(error), "bad")
            return
        if done is not None:
            self.window.note_saved()
            self._report(done)

    def _report(self, done: ImportedQuestions) -> None:
        self._start("Imported")
        with self.sheet:
            note(f"{done.added:,} questions were added.", "good" if done.added else "warn")
            if done.known:
                note(f"{len(done.known):,} were in the benchmark already and stay as they are there.")
            draw_faults(done.report)
            self._actions()

    def _start(self, title: str) -> None:
        self.sheet.clear()
        with self.sheet:
            ui.label(title).classes("dialog-title").props('role="heading" aria-level="2"')

    def _actions(self, main: ui.button | None = None) -> None:
        with ui.element("div").classes("dialog-actions") as place:
            button("Close", self.close)
            if main is not None:
                main.move(place)
