"""Dialog that imports recorded answers: choose a file, map its columns, preview the matched questions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.formats.recorded_answers import (
    MatchedTraces,
    RecordedFile,
    TraceColumns,
    answers_by_question,
    guess_trace_columns,
    match_traces,
    traces_of,
)
from karenina_gui.formats.tables.rows import Table
from karenina_gui.gui.components.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.components.elements import button, note
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.components.table_choice import TableChoice, read_table
from karenina_gui.gui.components.uploads import FileDrop, busy
from karenina_gui.gui.models.answer_preview import draw_answers, summary
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.question import Question

KINDS = ".json,.jsonl,.ndjson,.csv,.tsv,.xlsx"
OTHER_KINDS = ",.xlsm,.xls,.xlsb,.ods,.numbers,.txt"
COLUMNS = {"question": "Question (ID or text)", "answer": "Answer", "replicate": "Replicate"}
NONE = "— order in the file —"
NOT_CHOSEN = "— choose —"

Found = tuple[RecordedFile, MatchedTraces]


class AnswerImport(ui.dialog):
    """Import dialog. `keep` is called with {question id: answers} and a summary sentence."""

    def __init__(self, window: Window, keep: Callable[[dict[str, Any], str], Awaitable[None]]) -> None:
        super().__init__()
        self._window, self._keep = window, keep
        self._path = Path()
        self._table: Table | None = None
        self._found: Found | None = None
        self._previews = 0
        self.props('aria-label="Import recorded answers"')
        with self:
            self._sheet = ui.element("div").classes("dialog")

    def show(self) -> None:
        self._questions = self._questions_of_benchmark()
        self._draw_choice_of_file()
        self.open()

    def _draw_choice_of_file(self, problem: str = "") -> None:
        benchmark = self._window.benchmark()
        self._start("Import recorded answers", wide=False)
        with self._sheet:
            ui.label(
                "A table with one question and answer per row, or JSON with answers by question. Answers are matched "
                f"to the questions of “{benchmark.name if benchmark else ''}” by ID or text."
            ).classes("hint")
            FileDrop("Choose a file, or drop it here", KINDS, self._read_file, also=OTHER_KINDS)
            if problem:
                note(problem, "bad")
            with dialog_actions():
                button("Cancel", self.close)

    async def _read_file(self, path: Path) -> None:
        self._path = path
        self._start(f"Reading {path.name}")
        with self._sheet:
            busy("Reading the file…")
        try:
            whole = await run.io_bound(answers_by_question, path)
            file = None if whole is not None else await read_table(path)
        except InputError as error:
            self._draw_choice_of_file(str(error))
            return
        if self._sheet.is_deleted:
            return
        self._start(f"Recorded answers from {path.name}")
        with self._sheet:
            choice = TableChoice(file, self._draw_table) if file is not None else None
            self._body = ui.element("div").classes("import-body")
            self._draw_foot()
        if choice is not None:
            await choice.start()
        elif whole is not None:
            with self._body:
                self._preview_area = ui.element("div").classes("import-outlook")
            self._previews += 1
            self._show((whole, match_traces(whole.answers, self._questions)))

    def _draw_foot(self) -> None:
        with ui.element("div").classes("import-foot"):
            self._state = ui.label().classes("import-state").props('role="status"')
            button("Another file…", self._draw_choice_of_file, look="quiet")
            button("Cancel", self.close)
            self._go = button("Import answers", self._import, look="main")
            self._go.set_enabled(False)

    async def _draw_table(self, table: Table | InputError) -> None:
        self._body.clear()
        self._table = None if isinstance(table, InputError) else table
        self._previews += 1
        if isinstance(table, InputError):
            with self._body:
                note(str(table), "bad")
            self._set_state(None, "")
            return
        guessed = guess_trace_columns(table.headers)
        self._columns: dict[str, ui.select] = {}
        with self._body:
            with ui.element("div").classes("answer-columns"):
                for name, title in COLUMNS.items():
                    self._column(table, name, title, guessed.get(name))
            self._preview_area = ui.element("div").classes("import-outlook")
        await self._preview()

    def _column(self, table: Table, name: str, title: str, guessed: str | None) -> None:
        nothing = NONE if name == "replicate" else NOT_CHOSEN
        ui.label(title + ("" if name == "replicate" else " *")).classes("field-label")
        chosen = ui.select([nothing, *table.headers], value=guessed or nothing, on_change=self._preview)
        chosen.props(f"outlined dense options-dense {aria_label(title)}").classes("input")
        self._columns[name] = chosen

    async def _preview(self) -> None:
        """Preview the questions that have an answer."""
        self._previews += 1
        number = self._previews
        columns, table = self._chosen_columns(), self._table
        if columns is None or table is None:
            self._preview_area.clear()
            self._set_state(None, "Select the question column and the answer column.")
            return
        try:
            found = await run.io_bound(self._match, table, columns)
        except InputError as error:
            found, problem = None, str(error)
        else:
            problem = ""
        # A newer preview has started, or the dialog is closed.
        if number != self._previews or self._preview_area.is_deleted:
            return
        if found is None:
            self._preview_area.clear()
            self._set_state(None, problem)
        else:
            self._show(found)

    def _match(self, table: Table, columns: TraceColumns) -> Found:
        recorded = traces_of(table, columns, self._path)
        return recorded, match_traces(recorded.answers, self._questions)

    def _show(self, found: Found) -> None:
        recorded, matched = found
        self._preview_area.clear()
        with self._preview_area:
            draw_answers(recorded, matched, self._questions)
        self._set_state(
            found, f"{len(matched.traces):,} of {len(self._questions):,} questions have an answer in this file."
        )

    def _set_state(self, found: Found | None, words: str) -> None:
        self._found = found
        self._state.text = words
        self._go.set_enabled(found is not None and bool(found[1].traces))

    def _chosen_columns(self) -> TraceColumns | None:
        values = {name: str(each.value) for name, each in self._columns.items()}
        if NOT_CHOSEN in values.values():
            return None
        replicate = values["replicate"]
        return TraceColumns(values["question"], values["answer"], None if replicate == NONE else replicate)

    async def _import(self) -> None:
        if self._found is not None:
            _, matched = self._found
            self.close()
            await self._keep(matched.traces, summary(matched, len(self._questions)))

    def _questions_of_benchmark(self) -> list[Question]:
        benchmark_id = self._window.benchmark_id
        return [] if benchmark_id is None else self._window.services.editor.files.questions(benchmark_id)

    def _start(self, title: str, *, wide: bool = True) -> None:
        self._sheet.clear()
        self._sheet.classes(**{"add" if wide else "remove": "import-dialog"})
        with self._sheet:
            heading = dialog_title(title).props('tabindex="-1"')
        # Quasar sets its own focus when the dialog opens, so set it afterward.
        self.client.run_javascript(f"setTimeout(() => getHtmlElement({heading.id})?.focus(), 80)")
