"""The list of questions: searched, filtered, marked, and kept up to date while the editor beside it works."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nicegui import run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.elements import bar, button, icon_button, pane, text_input
from karenina_gui.gui.question_import import QuestionImport
from karenina_gui.gui.question_rows import TEMPLATE_WORDS, address, row
from karenina_gui.gui.window import Window
from karenina_gui.schemas.summaries import QuestionFilter

STATES = {"": "All", "yes": "Finished", "no": "Unfinished"}


class QuestionList:
    """Draws itself where it is made."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window = window
        self.desk = window.studio.desk
        self.benchmark_id = benchmark_id
        self.wanted = QuestionFilter()
        self.current: int | None = None
        self.selected: list[int] = []
        self._edited: set[str] = set()
        """Ids of questions whose rows are to be shown anew."""
        with pane("Question list"):
            self._draw_search()
            self._draw_filters()
            self._draw_selection()
            self.grid = _grid()
        self.grid.on("open", lambda event: self.open(int(event.args)))
        self.grid.on("chosen", lambda event: self._choose(event.args))
        self._js("attach", address(benchmark_id, self.wanted))
        self.importer = QuestionImport(window, benchmark_id)
        window.listen(window.studio.edited, self._on_change)
        window.listen(window.studio.settled, self._catch_up)
        self._offer()
        self._refresh_keywords()
        ui.timer(0.5, self._check_templates, once=True)

    def open(self, number: int) -> None:
        """Show a question in the editor."""
        ui.navigate.to(f"/benchmarks/{self.benchmark_id}/questions/{number}")

    def mark(self, number: int) -> None:
        """Show which question is in the editor."""
        self.current = number
        self._js("mark", number)

    def step(self, steps: int) -> None:
        """Open the next or the previous question of the list as it is filtered and sorted."""
        self._js("step", steps)

    def new(self) -> None:
        """Add a question and open it."""
        number = _untitled_number([question.text for question in self.desk.questions(self.benchmark_id)])
        title = "New question" if number == 1 else f"New question {number}"
        added = self.desk.add_question(self.benchmark_id, title)
        self.window.note_saved(added.summary.updated_at)
        self.open(added.summary.number)

    def import_questions(self) -> None:
        self.importer.show()

    def delete(self, numbers: Sequence[int]) -> None:
        """Delete questions; a message offers to have them back."""
        removed = [
            self.desk.delete_question(self.benchmark_id, self.desk.question_id(self.benchmark_id, number))
            for number in numbers
        ]
        self._choose([])

        def undo() -> None:
            for question in reversed(removed):
                self.desk.undo_delete(question)

        what = "the question" if len(removed) == 1 else f"{len(removed)} questions"
        self.window.note_saved()
        self.window.tell(f"Deleted {what}.", undo=undo)

    def finish(self, numbers: Sequence[int], finished: bool) -> None:
        """Mark questions as finished or unfinished; a message offers to take it back."""
        chosen = set(numbers)
        rows = [row for row in self.desk.questions(self.benchmark_id) if row.number in chosen]
        ids = [row.id for row in rows if row.finished != finished]
        self.desk.set_finished(self.benchmark_id, ids, finished)
        self.window.note_saved()
        word = "finished" if finished else "unfinished"
        many = f"Marked {len(ids)} of {len(rows)} as {word}."
        self.window.tell(
            f"Marked as {word}." if len(rows) == 1 else many,
            undo=lambda: self.desk.set_finished(self.benchmark_id, ids, not finished),
        )

    def show_neighbour(self) -> None:
        """After the open question is gone: show the first one that is left."""
        ui.navigate.to(f"/benchmarks/{self.benchmark_id}/questions")

    def _draw_search(self) -> None:
        with bar("Questions"):
            self.search = text_input(
                "Search questions", placeholder="Search text, answers, keywords", on_change=self._filter
            )
            self.search.props('debounce="120" clearable').classes("question-search")
            with self.search.add_slot("prepend"):
                ui.icon("search")
            icon_button("add", "New question (Ctrl+Alt+N)", self.new)
            icon_button("upload_file", "Import questions", self.import_questions)

    def _draw_filters(self) -> None:
        with ui.element("div").classes("filters"):
            self.state = ui.select(STATES, value="", on_change=self._filter)
            self.state.props('outlined dense options-dense aria-label="Show finished or unfinished"').classes("inp sel")
            self.keyword = ui.select({"": "Any keyword"}, value="", on_change=self._filter)
            self.keyword.props('outlined dense options-dense aria-label="Show one keyword"').classes("inp sel sel-wide")
            self.clear = button("Clear filters", self._clear_filters, look="quiet")
            self.clear.set_visibility(False)
            ui.space()
            ui.html('<span class="question-count" role="status"></span>', sanitize=False).classes("hint")

    def _draw_selection(self) -> None:
        with ui.element("div").classes("chosen").props('role="toolbar" aria-label="Selected questions"') as self.chosen:
            self.chosen_words = ui.label()
            button("Mark finished", lambda: self.finish(self.selected, True), look="quiet")
            button("Mark unfinished", lambda: self.finish(self.selected, False), look="quiet")
            button("Delete", lambda: self.delete(self.selected), look="quiet").classes("btn-danger")
            ui.space()
            icon_button("close", "Select none", lambda: self._js("select", False))
        self.chosen.set_visibility(False)

    def _offer(self) -> None:
        self.window.offer("question.new", self.new)
        self.window.offer("questions.import", self.import_questions)
        self.window.offer("questions.select", lambda: self._js("select", True))
        self.window.offer("questions.search", lambda: self.search.run_method("focus"))
        self.window.offer("question.next", lambda: self.step(1))
        self.window.offer("question.previous", lambda: self.step(-1))

    def _filter(self) -> None:
        finished = {"yes": True, "no": False}.get(self.state.value or "")
        self.wanted = QuestionFilter(self.search.value or "", finished, self.keyword.value or None)
        self.clear.set_visibility(self.wanted != QuestionFilter())
        self.reload()

    def _clear_filters(self) -> None:
        self.search.value, self.state.value, self.keyword.value = "", "", ""
        self._filter()

    def reload(self) -> None:
        """Fetch the rows again; selection and scroll position stay."""
        self._js("load", address(self.benchmark_id, self.wanted))

    def _choose(self, numbers: list[int]) -> None:
        self.selected = [int(number) for number in numbers]
        self.chosen_words.text = f"{len(self.selected):,} selected"
        self.chosen.set_visibility(bool(self.selected))

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id != self.benchmark_id:
            return
        if change.kind == "edited" and change.question_id is not None and self.wanted == QuestionFilter():
            self._edited.add(change.question_id)
        elif change.question_id is not None or change.kind == "replaced":
            self.reload()

    def _catch_up(self) -> None:
        """Show the rows that were edited since the last time, and the keywords in use."""
        edited, self._edited = self._edited, set()
        try:
            if edited:
                self._js("update", [row(each) for each in self.desk.questions(self.benchmark_id) if each.id in edited])
            self._refresh_keywords()
        except NotFoundError:
            return  # the benchmark was deleted in another window

    def _refresh_keywords(self) -> None:
        found = self.desk.keywords(self.benchmark_id)
        options = {"": "Any keyword"} | {word: f"{word} ({count})" for word, count in found}
        if self.keyword.options != options:
            kept = self.keyword.value if self.keyword.value in options else ""
            self.keyword.set_options(options, value=kept)

    async def _check_templates(self) -> None:
        """Templates that were never checked get their mark, apart from the page."""
        try:
            await run.io_bound(self.desk.check_all, self.benchmark_id)
        except InputError:
            return

    def _js(self, function: str, argument: Any) -> None:
        call = f"import('/static/question_list.js').then(m => m.{function}({self.grid.id}, {json.dumps(argument)}))"
        self.grid.client.run_javascript(call)


def _grid() -> ui.aggrid:
    """Rows are fetched by the browser; clicks and selections come back as numbers."""
    columns = [
        {"field": "finished", "headerName": "Done", "width": 52, "cellClass": "cell-mark",
         ":cellRenderer": "p => kareninaCells.finished(p.value)"},
        {"field": "place", "headerName": "#", "width": 46, "cellClass": "cell-num", "headerClass": "head-num"},
        {"field": "question", "headerName": "Question", "flex": 3, "minWidth": 140, "tooltipField": "question"},
        {"field": "keywords", "headerName": "Keywords", "flex": 1.7, "minWidth": 70, "cellClass": "cell-mut",
         "tooltipField": "keywords"},
        {"field": "template", "headerName": "Template", "width": 88,
         ":cellRenderer": f"p => kareninaCells.template(p.value, {json.dumps(TEMPLATE_WORDS)})"},
    ]  # fmt: skip
    options = {
        "columnDefs": columns,
        "defaultColDef": {"sortable": True, "resizable": True, "suppressMovable": True},
        ":getRowId": "p => String(p.data.number)",
        "rowSelection": {"mode": "multiRow", "checkboxes": True, "headerCheckbox": True, "enableClickSelection": False},
        "selectionColumnDef": {"width": 36, "pinned": None, "cellClass": "cell-check"},
        "context": {"current": None},
        "rowClassRules": {":row-here": "p => p.context.current === p.data.number"},
        "suppressCellFocus": False,
        "loading": True,
        "animateRows": False,
        "enableBrowserTooltips": True,
        "tooltipShowDelay": 800,
    }
    return ui.aggrid(options, auto_size_columns=False).classes("list-grid")


def _untitled_number(texts: Sequence[str]) -> int:
    taken = set(texts)
    number = 1
    while ("New question" if number == 1 else f"New question {number}") in taken:
        number += 1
    return number
