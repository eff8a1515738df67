"""Page with the table of all questions: cells are edited in place, and blocks pasted from spreadsheets."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from karenina_gui.authoring.cell_edits import CELL_FIELDS, CellEdit
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.elements import button, heading, hold_typing, pane, text_input, toolbar
from karenina_gui.gui.kit.grid import PLACE, Grid, fetch_ahead
from karenina_gui.gui.kit.routing import open_tab
from karenina_gui.gui.pages.question_table.rows import table_rows
from karenina_gui.gui.pages.questions.bulk_edits import BulkEdits
from karenina_gui.gui.pages.questions.finished_marks import FinishedMarks
from karenina_gui.gui.pages.questions.grid import FINISHED, OF_QUESTIONS, TEMPLATE
from karenina_gui.gui.pages.questions.list import TEXT_OF_NEW_QUESTION
from karenina_gui.gui.pages.questions.selection_bar import SelectionBar, SelectionCommands
from karenina_gui.gui.records.row_updates import RowUpdates
from karenina_gui.gui.session.outbox import BufferedText
from karenina_gui.gui.session.window import Window, as_one

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

HINT = "Enter or F2 edits a cell, Shift+Enter begins a line in it, Esc cancels. Ctrl+V pastes from a spreadsheet."
HEADERS = {
    "question": "Question",
    "raw_answer": "Reference answer",
    "answer_notes": "Notes",
    "keywords": "Keywords",
    "author": "Author",
}
"""Titles of the columns that can be edited, by field."""
_WIDTHS = {"question": 4.0, "raw_answer": 3.0, "answer_notes": 2.0, "keywords": 1.7, "author": 1.0}
_LONGEST = 1_000_000
_TEXTS = {"question", "raw_answer", "answer_notes"}
"""Columns whose cells hold the text of a field as it is saved."""
"""Characters of a cell; AG Grid's own limit is 200."""


def draw(window: Window, route: PageRoute) -> None:
    QuestionTable(window, route["b"])


class QuestionTable:
    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self.editor, self.library = window.services.editor, window.services.library
        self.bulk, self.marks = BulkEdits(window, benchmark_id), FinishedMarks(window, benchmark_id)
        with pane("Question table") as self.pane:
            with toolbar():
                heading("Table", 1)
                search = text_input("Search table", placeholder="Search all columns").classes("question-search")
                search.props('clearable data-own-keys="Escape"')
                with search.add_slot("prepend"):
                    ui.icon("search")
                ui.html('<span class="question-count" role="status"></span>', sanitize=False).classes("hint")
                hold_typing(button("New question", self.add, icon="add"), TEXT_OF_NEW_QUESTION)
            commands = SelectionCommands(
                self._finish,
                lambda numbers: self._start(self._delete(numbers)),
                lambda: self.grid.call("select", False),
            )
            self.selection = SelectionBar(self.bulk, commands)
            self.grid = table_grid()
            ui.label(HINT).classes("hint question-table-hint")
        self.grid.on("edited", lambda event: self._start(self._edit(event.args)))
        self.grid.on("pasted", lambda event: self._start(self._paste(event.args)))
        self.grid.on("chosen", lambda event: self.selection.show(event.args))
        rows_at = f"/api/benchmarks/{benchmark_id}/table"
        fetch_ahead(rows_at, "question_table")
        self.grid.attach(rows_at, {"benchmark": benchmark_id, "fields": list(HEADERS)})
        window.outbox.watch(f"table/{benchmark_id}", "Table", self._cell_at)
        RowUpdates(window, benchmark_id, self._refresh, lambda _: self.grid.call("start"))
        self._register_commands()
        ui.timer(0.5, self._check_templates, once=True)

    async def _check_templates(self) -> None:
        """Check templates that were not, in a thread; the rows come anew if there were some."""
        with suppress(InputError):
            await self.window.services.check_templates(self.benchmark_id)

    async def add(self) -> None:
        """Add a question and edit its text."""
        author = self.window.preferences.author or None
        try:
            added = await self.window.write(self.editor.add_question, self.benchmark_id, author=author)
        except InputError as error:
            self.window.notify(str(error), "bad")
            return
        self.window.note_saved(added.summary.updated_at)
        self.grid.call("edit", added.summary.number, "question")

    def _start(self, work: Coroutine[Any, Any, Any]) -> None:
        self.window.edit_in_background(work, self.grid)

    async def _edit(self, sent: Sequence[Mapping[str, Any]]) -> None:
        """Save cells; those that can’t be saved get their former texts back."""
        edits = [CellEdit(int(e["number"]), e["field"], str(e["value"]), str(e["base"])) for e in sent]
        await self.save_cells(edits)

    async def save_cells(self, edits: Sequence[CellEdit]) -> None:
        try:
            outcome = (await self.window.write(as_one(self.editor.cells.edit), self.benchmark_id, edits)).outcome
        except InputError as error:  # the benchmark was deleted
            self.window.notify(str(error), "bad")
            return
        refused = {(cell.number, cell.field): cell.reason for cell in outcome.refused}
        for edit in edits:
            if reason := refused.get((edit.number, edit.field)):
                await self._refuse(edit, reason)
            address = f"table/{self.benchmark_id}#{edit.number}.{edit.field}"
            self.window.outbox.settle(address, edit.text, edit.text)
        if outcome.changed:
            self.window.note_saved()
        with suppress(NotFoundError):  # the benchmark was deleted; the page says so
            self._refresh({edit.number for edit in edits})

    async def _refuse(self, edit: CellEdit, reason: str) -> None:
        """Report a cell that was not saved. It gets its stored text back; the typed one waits with the question."""
        if edit.field not in _TEXTS:
            self.window.notify(f"Not saved: {reason} You typed: {edit.text}", "bad")
            return
        address = f"question/{edit.number}/{edit.field}"
        await self.window.write(self.library.drafts.save, address, self.window.browser_id, edit.text, edit.base)
        self.window.note_undecided()
        message = f"Not saved: {reason} Your text waits in the question."
        self.window.notify(message, "bad", address=f"{self._address(edit.number)}?tab=question")

    def _cell_at(self, path: str) -> BufferedText | None:
        """Return the text of a cell that the browser kept, which is saved unless somebody else has changed the cell."""
        number, _, field = path.partition(".")
        if not number.isdecimal() or field not in CELL_FIELDS:
            return None

        def save(value: Any, base: Any) -> bool:
            self._start(self.save_cells([CellEdit(int(number), field, str(value), str(base))]))
            return True

        return BufferedText(save)

    async def _paste(self, sent: Mapping[str, Any]) -> None:
        """Fill cells from a copied block."""
        numbers = [int(number) for number in sent["numbers"]]
        author = self.window.preferences.author.get("name", "")
        text, field = str(sent["text"]), sent["field"]
        paste = self.editor.cells.paste
        # Its news brings the rows anew.
        await self.bulk.carry_out(lambda: paste(self.benchmark_id, text, field, numbers, author))

    def _refresh(self, numbers: Iterable[int]) -> None:
        """Show these questions as they are saved."""
        read = self.window.services.read_shared
        self.grid.call("update", read(table_rows, self.library, self.benchmark_id, tuple(numbers)))

    def _finish(self, numbers: list[int], finished: bool) -> None:
        self._start(self.marks.set(list(numbers), finished))

    async def _delete(self, numbers: list[int]) -> None:
        """Delete questions. A message offers undo."""
        if deleted := await self.bulk.delete(numbers):
            self.window.notify(deleted.text, undo=partial(self.window.undo, deleted.command_id))

    def _register_commands(self) -> None:
        self.window.register_command("question.new", self.add)
        self.window.register_command("questions.select", lambda: self.grid.call("select", True))
        self.window.register_command("questions.search", lambda: self.grid.call("search"))
        self.window.register_row_menu(
            "question",
            {
                "row.open": lambda number: ui.navigate.to(self._address(number)),
                "row.tab": lambda number: open_tab(self._address(number)),
                "question.finish": self._turn_finished,
                "question.duplicate": self._duplicate,
                "question.delete": lambda number: self._start(self._delete(self.selection.targets(number))),
            },
        )

    def _turn_finished(self, number: int) -> None:
        self.selection.turn_finished(self.library.questions.summary(self.benchmark_id, number))

    async def _duplicate(self, number: int) -> None:
        """Copy a question and edit the text of the copy."""
        if (copy := await self.bulk.duplicate(number)) is not None:
            self.grid.call("edit", copy, "question")

    def _address(self, number: int) -> str:
        return f"/benchmarks/{self.benchmark_id}/questions/{number}"


def _editable(name: str) -> dict[str, Any]:
    # One line is enough for keywords and names; the others open in a box, where Shift+Enter begins a line.
    of_lines = name not in ("keywords", "author")
    return {
        "field": name,
        "headerName": HEADERS[name],
        "flex": _WIDTHS[name],
        "minWidth": 128 if name == "keywords" else 110,
        "editable": True,
        "cellEditor": "agLargeTextCellEditor" if of_lines else "agTextCellEditor",
        "cellEditorPopup": of_lines,
        "cellEditorParams": {"maxLength": _LONGEST, "rows": 6, "cols": 52} if of_lines else {"maxLength": 2_000},
        ":cellRenderer": "p => kareninaCells.lines(p.value ?? '')",
    }


def _columns() -> list[dict[str, Any]]:
    return [
        FINISHED | {"width": 84},
        PLACE | {"width": 60, ":cellRenderer": "p => kareninaTable.link(p.data)"},
        *map(_editable, HEADERS),
        TEMPLATE | {"width": 100},
    ]


def table_grid() -> Grid:
    """Create the grid. The browser fetches its rows and sends edits of cells."""
    grid = Grid(
        "question_table",
        label="Table of questions",
        empty='<span class="hint">No questions. Add one, or paste rows from a spreadsheet.</span>',
        columnDefs=_columns(),
        **OF_QUESTIONS,
        enterNavigatesVerticallyAfterEdit=True,
        stopEditingWhenCellsLoseFocus=True,
    )
    return grid.classes("list-grid question-table wide fills").props('data-row-menu="question"')
