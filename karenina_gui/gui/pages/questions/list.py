"""Question list with search, filters and selection. It stays current while the editor is open."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import (
    button,
    field,
    focus_on,
    hold_typing,
    icon_button,
    leaves_focus,
    menu_button,
    menu_item,
    on_enter,
    one_at_a_time,
    pane,
    select,
    text_input,
    toolbar,
)
from karenina_gui.gui.kit.grid import fetch_ahead
from karenina_gui.gui.kit.routing import open_tab
from karenina_gui.gui.pages.benchmarks.deleted_page import on_presence
from karenina_gui.gui.pages.drafts.draft_bar import DraftBar
from karenina_gui.gui.pages.questions.bulk_edits import BulkEdits
from karenina_gui.gui.pages.questions.finished_marks import FinishedMarks
from karenina_gui.gui.pages.questions.grid import question_grid
from karenina_gui.gui.pages.questions.list_dialogs import ListDialogs
from karenina_gui.gui.pages.questions.rows import STATES, TEMPLATES, ListFilter, row, tests_text
from karenina_gui.gui.pages.questions.selection_bar import SelectionBar, SelectionCommands
from karenina_gui.gui.pages.templates.read_samples import open_read_samples
from karenina_gui.gui.records.row_updates import RowUpdates
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark_summaries import QuestionFilter

TEXT_OF_QUESTION = 'textarea[aria-label="Question"]'
TEXT_OF_NEW_QUESTION = f"{TEXT_OF_QUESTION}, .ag-large-text textarea"
"""Field of a new question's text in the editor or in the table."""
"""CSS selector of the control that gets the focus when a question is added."""

FIRST = 100
"""Number of rows fetched and drawn first. Same value as in `question_list.js`."""


class QuestionList:
    """Pane with the question list."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window = window
        self.editor, self.library = window.services.editor, window.services.library
        self.benchmark_id = benchmark_id
        self.filter = ListFilter()
        self.current: int | None = None
        self.adding = False
        """True while a question is being added here, which is opened as soon as it is there."""
        self.fresh: int | None = None
        """Number of a question added here whose form has not had the focus yet. None: no such question."""
        self.leaving: set[int] = set()
        """Numbers of questions that this window is deleting."""
        self.bulk = BulkEdits(window, benchmark_id)
        with pane("Question list") as self.pane:
            self.dialogs = ListDialogs(window, benchmark_id, self.pane, self.open)
            self._draw_search()
            self._draw_filters()
            commands = SelectionCommands(
                self.finish, self.delete, lambda: self.grid.call("select", False), self.dialogs.draft_templates
            )
            self.selection = SelectionBar(self.bulk, commands)
            self.drafts = DraftBar(window, benchmark_id, self.dialogs.review_drafts)
            self.grid = question_grid()
        self.grid.on("open", lambda event: self.open(event.args))
        self.grid.on("chosen", lambda event: self.selection.show(event.args))
        self.grid.on("restored", lambda event: self._enter_filter(ListFilter.from_query(event.args)))
        self.grid.on("shown", lambda event: self._replace(event.args))
        rows_at = f"/api/benchmarks/{benchmark_id}/questions"
        fetch_ahead(f"{rows_at}?first={FIRST}", "question_list")
        self.grid.attach(rows_at)
        self.marks = FinishedMarks(window, benchmark_id)
        RowUpdates(window, benchmark_id, self._update_rows, self._on_list_change)
        on_presence(window, benchmark_id, self._update_presence)
        window.listen(window.services.changes_debounced, self._refresh_keywords)
        self._register_commands()
        self._refresh_keywords()
        ui.timer(0.5, self._check_templates, once=True)

    def open(self, number: int | None) -> None:
        """Open a question in the editor. None: the first one."""
        address = f"/benchmarks/{self.benchmark_id}/questions" + (f"/{int(number)}" if number is not None else "")
        written = self.filter.to_query()
        ui.navigate.to(f"{address}#{written}" if written else address)

    def mark(self, number: int) -> None:
        """Highlight the row of the question in the editor."""
        self.current = number
        self.grid.call("mark", number)

    def step(self, steps: int) -> None:
        """Open the question `steps` rows below the current one in the filtered and sorted list."""
        self.grid.call("step", steps)

    @one_at_a_time
    async def new(self) -> None:
        """Add a question and open it with the focus in its text."""
        author = self.window.preferences.author or None
        # Keystrokes before the form appears are buffered in the browser and then typed into its text field.
        ui.run_javascript(f"holdTyping({json.dumps(TEXT_OF_NEW_QUESTION)})")
        self.adding = True
        try:
            added = await self.window.write(self.editor.add_question, self.benchmark_id, author=author)
        except InputError as error:
            self.window.notify(str(error), "bad")
            return
        finally:
            self.adding = False
        self.window.note_saved(added.summary.updated_at)
        if self.pane.is_deleted:
            return
        self.fresh = added.summary.number
        with self.pane:  # the button that was pressed may be gone
            self.open(added.summary.number)

    def _replace(self, numbers: Sequence[int] | None) -> None:
        """Open *Find and replace* with the questions that the filter shows (None: all), and with the selected ones."""
        choice: dict[str, Sequence[int]] = {"filtered": numbers or (), "selected": list(self.selection.numbers)}
        self.window.question_choice[self.benchmark_id] = choice
        ui.navigate.to(f"/benchmarks/{self.benchmark_id}/replace")

    def delete(self, numbers: Sequence[int]) -> None:
        """Delete questions and open the next one. A message offers undo."""
        if not self.dialogs.has_benchmark():
            return
        chosen = list(numbers)
        self.leaving.update(chosen)
        self.grid.call("rememberNeighbor", chosen)
        self.selection.show([])
        self._in_background(self._delete(chosen))

    def finish(self, numbers: Sequence[int], finished: bool) -> None:
        """Mark questions as finished or unfinished. A message offers undo."""
        if self.dialogs.has_benchmark():
            self._in_background(self.marks.set(list(numbers), finished))

    async def _delete(self, numbers: list[int]) -> None:
        deleted = await self.bulk.delete(numbers)
        if deleted is None:
            return
        if self.current in numbers:
            self.grid.call("openNeighbor")
        restoring = partial(self._restore, [row.number for row in deleted.questions], deleted.command_id)
        self.window.notify(deleted.text, undo=lambda: self._in_background(restoring()))

    async def _restore(self, numbers: list[int], command_id: int | None) -> None:
        self.leaving.difference_update(numbers)
        if await self.window.undo(command_id) and len(numbers) == 1:
            self.open(numbers[0])

    @property
    def _person(self) -> str:
        """Name of the user; empty: not set."""
        return self.window.preferences.author.get("name", "")

    def _in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        self.window.edit_in_background(work, self.grid)

    def _draw_search(self) -> None:
        with toolbar("Questions"):
            self.search = text_input(
                "Search questions", placeholder="Search text, answers, keywords", on_change=self._filter
            )
            self.search.props('debounce="40" clearable data-own-keys="Ctrl+Enter Escape"').classes("question-search")
            with self.search.add_slot("prepend"):
                ui.icon("search")
            hold_typing(icon_button("add", "New question (Ctrl+Alt+N)", self.new), TEXT_OF_NEW_QUESTION)
            icon_button("upload_file", "Import questions", self.dialogs.import_questions)
            icon_button("auto_awesome", "Draft templates", self.dialogs.draft_templates)

    def _draw_filters(self) -> None:
        with ui.element("div").classes("filters"):
            self.state = select("Status filter", STATES, "", on_change=self._filter).classes("select")
            keywords = {"": "Any keyword"}
            self.keyword = select("Keyword filter", keywords, "", on_change=self._filter).classes("select")
            self.template = select("Template filter", TEMPLATES, "", on_change=self._filter).classes("select")
            self.saved = SavedFilters(self.window, self.benchmark_id, lambda: self.filter, self._enter_filter)
            self.clear = leaves_focus(button("Clear filters", self._clear_filters, look="quiet"))
            self.clear.set_visibility(False)
            ui.space()
            ui.html('<span class="question-count" role="status"></span>', sanitize=False).classes("hint")

    def _register_commands(self) -> None:
        self.window.register_command("question.new", self.new)
        self.window.register_command("questions.import", self.dialogs.import_questions)
        self.window.register_command("questions.restore", self.dialogs.restore_questions)
        self.window.register_command("questions.duplicates", lambda: self.dialogs.find_duplicates(self))
        self.window.register_command("templates.test", self.test_templates)
        self.window.register_command("samples.read", self._read_samples)
        self.window.register_command("templates.draft", self.dialogs.draft_templates)
        self.window.register_command("templates.review", self.dialogs.review_drafts)
        self.window.register_command("questions.select", lambda: self.grid.call("select", True))
        self.window.register_command("questions.search", lambda: self.search.run_method("focus"))
        self.window.register_command("questions.replace", lambda: self.grid.call("tellShown"))
        self.window.register_command("question.next", lambda: self.step(1))
        self.window.register_command("question.previous", lambda: self.step(-1))
        self.window.register_row_menu(
            "question",
            {
                "row.open": self.open,
                "row.tab": lambda number: open_tab(f"/benchmarks/{self.benchmark_id}/questions/{number}"),
                "question.finish": self._turn_finished,
                "question.duplicate": self.duplicate,
                "question.delete": lambda number: self.delete(self.selection.targets(number)),
            },
        )

    def _turn_finished(self, number: int) -> None:
        self.selection.turn_finished(self.library.questions.summary(self.benchmark_id, number))

    async def duplicate(self, number: int) -> None:
        """Copy a question and open the copy."""
        copy = await self.bulk.duplicate(number)
        if copy is not None and not self.pane.is_deleted:
            with self.pane:  # the button that was pressed may be gone
                self.open(copy)

    def _filter(self) -> None:
        """Send the filter to the browser, which holds all rows."""
        controls = (self.search, self.state, self.keyword, self.template)
        text, finished, keyword, template = (str(control.value or "") for control in controls)
        self.filter = ListFilter(text, finished, keyword, template, self._person)
        self.clear.set_visibility(bool(self.filter.to_query()))
        self._in_background(self._send_filter(self.filter))

    async def _send_filter(self, filters: ListFilter) -> None:
        sent = filters
        if filters.finished == "duplicates":
            numbers = await run.io_bound(self.editor.duplicates.repeated_questions, self.benchmark_id)
            sent = replace(filters, only=tuple(numbers or ()))
        if self.filter == filters:  # not overtaken meanwhile
            self.grid.call("filter", {"wanted": vars(sent), "written": filters.to_query()})

    def _enter_filter(self, filters: ListFilter) -> None:
        """Set the filter controls, as when the page was left or reloaded."""
        if filters.keyword not in self.keyword.options:
            filters = replace(filters, keyword="")
        self.search.value, self.state.value, self.keyword.value = filters.text, filters.finished, filters.keyword
        self.template.value = filters.template

    def _clear_filters(self) -> None:
        self._enter_filter(ListFilter())

    def reload(self) -> None:
        """Fetch the rows again. Selection and scroll position stay."""
        self.grid.call("start")
        if self.filter.finished == "duplicates":
            self._filter()

    def _on_list_change(self, change: Change) -> None:
        self.reload()
        if change.kind == "replaced":
            background_tasks.create(self._check_templates(), name="check templates", context=self.pane)

    def _update_presence(self) -> None:
        """Disable the list while the benchmark is deleted. Its rows stay visible."""
        if self.library.benchmarks.get_deleted(self.benchmark_id):
            self.pane.props("inert").classes(add="pane-absent")
        else:
            self.pane.props(remove="inert").classes(remove="pane-absent")
            self.reload()

    def _update_rows(self, numbers: tuple[int, ...]) -> None:
        read = self.window.services.read_shared
        edited = read(self.library.questions.summaries, self.benchmark_id, QuestionFilter(numbers))
        self.grid.call("updateRows", [row(question) for question in edited])

    def _refresh_keywords(self) -> None:
        try:
            keywords = self.window.services.read_shared(self.library.questions.keywords, self.benchmark_id)
        except NotFoundError:
            return  # the benchmark was deleted; the page says so
        options = {"": "Any keyword"} | {word: f"{word} ({count})" for word, count in keywords}
        if self.keyword.options != options:
            value = self.keyword.value if self.keyword.value in options else ""
            self.keyword.set_options(options, value=value)

    async def test_templates(self) -> None:
        """Check all templates and test them on their sample answers and on wrong values."""
        await self.window.services.check_templates(self.benchmark_id, again=True)
        rows = await run.io_bound(self.library.questions.summaries, self.benchmark_id)
        if rows is not None:
            self.window.notify(tests_text(rows))

    async def _read_samples(self) -> None:
        await open_read_samples(self.window, self.benchmark_id, None)

    async def _check_templates(self) -> None:
        """Validate unchecked templates in a thread, so that their state appears in the list."""
        try:
            await self.window.services.check_templates(self.benchmark_id)
        except InputError:
            return


class SavedFilters:
    """Menu of the filters that the user saved for this benchmark."""

    def __init__(
        self, window: Window, benchmark_id: int, current: Callable[[], ListFilter], apply: Callable[[ListFilter], None]
    ) -> None:
        self._window, self._benchmark_id = window, benchmark_id
        self._current, self._apply = current, apply
        self._container = ui.context.slot.parent
        with menu_button("bookmark_border", "Saved filters") as self._button:
            self._items = ui.context.slot.parent
        self._draw_items()

    def save(self) -> None:
        """Ask for a name and save the present filter under it."""
        written = self._current().to_query()
        if not written:
            self._window.notify("Filter or search the list first.")
            return
        # Not in the menu, whose items are drawn again.
        with self._container, dialog("Save filter", classes="dialog-narrow") as sheet:
            with field("Name", "A filter of the same name is replaced."):
                name = text_input("Filter name")

            def save() -> None:
                title = str(name.value or "").strip()
                if not title:
                    focus_on(name)
                    return
                sheet.close()
                self._store({**self._saved, title: written})
                self._window.notify(f"Saved the filter “{title}”.")

            on_enter(name, save)
            with dialog_actions():
                button("Cancel", sheet.close, look="quiet")
                button("Save", save, look="main")
        focus_on(name)

    @property
    def _saved(self) -> dict[str, str]:
        return self._window.preferences.question_filters(self._benchmark_id)

    def _store(self, filters: dict[str, str]) -> None:
        self._window.preferences.save_question_filters(self._benchmark_id, filters)
        self._draw_items()

    def _draw_items(self) -> None:
        self._items.clear()
        with self._items:
            for title, written in sorted(self._saved.items(), key=lambda item: item[0].casefold()):
                menu_item(title, partial(self._apply, ListFilter.from_query(dict(parse_qsl(written)))))
            if self._saved:
                ui.separator()
            menu_item("Save this filter…", self.save)
            if self._saved:
                menu_item("Delete saved filters…", self._offer_deletion)

    def _offer_deletion(self) -> None:
        with self._container, dialog("Saved filters", classes="dialog-narrow") as sheet:
            lines = ui.element("div").classes("rows")
            with dialog_actions():
                button("Close", sheet.close)

        def draw() -> None:
            lines.clear()
            with lines:
                for title in sorted(self._saved, key=str.casefold):
                    with ui.element("div").classes("saved-filter line"):
                        ui.label(title)
                        icon_button("delete", f"Delete “{title}”", partial(delete, title))

        def delete(title: str) -> None:
            before = self._saved
            self._store({name: written for name, written in before.items() if name != title})
            self._window.notify(
                f"Deleted the filter “{title}”.", undo=lambda: self._store({**self._saved, title: before[title]})
            )
            if self._saved:
                draw()
            else:
                sheet.close()

        draw()
