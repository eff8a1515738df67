"""Questions from a table: choose a file, say which column is what, see what came of each row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import run, ui

from karenina_gui.authoring.exchange import ImportedQuestions
from karenina_gui.errors import InputError
from karenina_gui.formats.tabular import ImportPlan, guess_columns, read_headers
from karenina_gui.gui.elements import button, field, note, text_area, text_input
from karenina_gui.gui.uploads import FileDrop
from karenina_gui.gui.window import Window

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
ROWS_SHOWN = 200


class QuestionImport(ui.dialog):
    """Opens on the choice of a file."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        super().__init__()
        self.window = window
        self.benchmark_id = benchmark_id
        self.path = Path()
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
            self.problem = ui.element("div")

            async def go() -> None:
                columns = {name: choice.value for name, choice in choices.items() if choice.value != NO_COLUMN}
                more = {
                    "keyword_separator": separator.value or "",
                    "finished": bool(finished.value),
                    "template": (template.value.strip() and template.value) or None,
                }
                await self._import(columns, more)

            self._actions(button("Import", go, look="main"))

    async def _import(self, columns: dict[str, str], more: dict[str, Any]) -> None:
        self.problem.clear()
        missing = [COLUMNS[name] for name in NEEDED if name not in columns]
        if missing:
            with self.problem:
                note(f"Choose the column for: {', '.join(missing)}.", "bad")
            return
        files = self.window.studio.desk.files
        try:
            plan = ImportPlan(**{**columns, **more})
            done = await run.io_bound(files.import_questions, self.benchmark_id, self.path, plan)
        except InputError as error:
            with self.problem:
                note(str(error), "bad")
            return
        if done is not None:
            self.window.note_saved()
            self._report(done)

    def _report(self, done: ImportedQuestions) -> None:
        self._start("Imported")
        refused = [(row.row, row.reason) for row in done.report.refused]
        repeated = [
            (
                row.row,
                f"the same question as row {row.first_row}" + ("" if row.same_answer else ", with another answer"),
            )
            for row in done.report.duplicates
        ]
        with self.sheet:
            note(f"{done.added:,} questions were added.", "good" if done.added else "warn")
            if done.known:
                note(f"{len(done.known):,} were in the benchmark already and stay as they are there.")
            for title, rows in (("Rows that could not be used", refused), ("Repeated rows", repeated)):
                if rows:
                    self._rows(title, rows)
            self._actions()

    def _rows(self, title: str, rows: list[tuple[int, str]]) -> None:
        ui.label(f"{title}: {len(rows):,}").classes("h3")
        lines = [f"Row {row}: {reason}" for row, reason in rows[:ROWS_SHOWN]]
        if len(rows) > ROWS_SHOWN:
            lines.append(f"… and {len(rows) - ROWS_SHOWN:,} more")
        ui.label("\n".join(lines)).classes("import-report").props('tabindex="0"')

    def _start(self, title: str) -> None:
        self.sheet.clear()
        with self.sheet:
            ui.label(title).classes("dialog-title").props('role="heading" aria-level="2"')

    def _actions(self, main: ui.button | None = None) -> None:
        with ui.element("div").classes("dialog-actions") as place:
            button("Close", self.close)
            if main is not None:
                main.move(place)
