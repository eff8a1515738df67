"""Page *Find and replace*: the search, a preview of each match, and the button that replaces the chosen ones."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.found_texts import REPLACE_PARTS, FoundTexts
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.elements import button, field, focus_on, heading, note, pane, text_input, toolbar
from karenina_gui.gui.kit.grid import CHECKBOXES, FIXED_COLUMNS, PLACE, Grid
from karenina_gui.gui.pages.replace.rows import PART_TITLES, consequences, counts_text, outcome_text
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.text_edits import TextSearch
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

PAUSE = 0.3
"""Pause in seconds after the last keystroke before the search."""
UNCHECKED = {
    "one": "{matches} is unchecked because of a problem. Check it to replace it anyway.",
    "several": "{matches} are unchecked because of a problem. Check them to replace them anyway.",
}
SHOWN_REFUSALS = 5
"""Number of unchanged questions that are listed with their reasons."""


def draw(window: Window, route: PageRoute) -> None:
    ReplacePage(window, route["b"])


class ReplacePage:
    def __init__(self, window: Window, benchmark_id: int) -> None:
        self._window, self._benchmark_id = window, benchmark_id
        self._replacements = window.services.editor.replacements
        self._task: asyncio.Task[None] | None = None
        self.preview = ReplacePreview()
        self._revision = -1
        """Of the benchmark at the last search."""
        self._token = uuid.uuid4().hex
        # By a name that nobody guesses: another person's window must not show these rows.
        window.services.previews[self._token] = self.preview
        with pane("Find and replace"):
            with toolbar("Find and replace"):
                heading("Find and replace", 1)
                ui.space()
                self.counts = ui.label().classes("hint").props('role="status"')
                self.replace = button("Replace", self._replace, look="main")
            with ui.element("div").classes("stack fills scrolls"):
                with ui.element("div").classes("replace-form edge stack gap-8"):
                    self._draw_search()
                    self._draw_scope()
                self.notes = ui.element("div").classes("replace-notes stack rigid gap-6").props('aria-live="polite"')
                self.grid = preview_grid()
        self.grid.on("chosen", lambda event: self._choose(event.args))
        self.grid.attach()
        window.listen(window.services.changes_debounced, self._search_if_edited)
        self._show()
        focus_on(self.find)

    def _draw_search(self) -> None:
        with ui.element("div").classes("field-row"):
            with field("Find"):
                self.find = text_input("Find", placeholder="Text", on_change=self._search_soon)
            with field("Replace with"):
                self.new = text_input("Replace with", placeholder="Empty: delete the text", on_change=self._search_soon)
        with ui.element("div").classes("replace-options line wraps"):
            self.match_case = self._box("Match case")
            self.whole_words = self._box("Whole words")
            self.is_regex = self._box("Regular expression")
            self.is_regex.tooltip("In the replacement, $1 is the first group and $& the whole match.")

    def _draw_scope(self) -> None:
        with ui.element("div").classes("replace-options line wraps").props('role="group" aria-label="Where to search"'):
            self.parts = {part: self._box(title, chosen=True) for part, title in PART_TITLES.items()}
            choice = self._window.question_choice.get(self._benchmark_id, {})
            options = {"": "All questions"} | {
                name: f"{title} ({len(choice[name]):,})"
                for name, title in (("filtered", "Filtered questions"), ("selected", "Selected questions"))
                if choice.get(name)
            }
            first = next((name for name in ("selected", "filtered") if name in options), "")
            self.scope = ui.select(options, value=first, on_change=self._search_soon)
            self.scope.props('outlined dense options-dense aria-label="Questions to search"')
            self.scope.classes("input select replace-scope")

    def _box(self, title: str, *, chosen: bool = False) -> ui.checkbox:
        return ui.checkbox(title, value=chosen, on_change=self._search_soon).props("dense")

    @property
    def _query(self) -> TextSearch:
        return TextSearch(
            text=str(self.find.value or ""),
            replacement=str(self.new.value or ""),
            match_case=bool(self.match_case.value),
            whole_words=bool(self.whole_words.value),
            is_regex=bool(self.is_regex.value),
        )

    def _search_if_edited(self) -> None:
        """Search again after an edit of this benchmark; news of others and of runs come several times a second."""
        with suppress(NotFoundError):
            if self._window.services.library.benchmarks.summary(self._benchmark_id).revision != self._revision:
                self._search_soon()

    def _search_soon(self) -> None:
        if self._task is not None:
            self._task.cancel()
        # Until the next search is done, ids of matches are those of the last one.
        self.preview.settled = False
        self._show_button()
        self._task = background_tasks.create(self._search(), name="find text", context=self.grid)

    async def _search(self) -> None:
        """Find all matches, then check what would become of the questions and templates."""
        await asyncio.sleep(PAUSE)
        self.preview.turn += 1
        turn = self.preview.turn
        try:
            checked = await self._find(turn) and await self._check(turn)
        except InputError as error:
            self.preview.put(FoundTexts(), {}, str(error))
            checked = True
        if checked and not self.grid.is_deleted:
            self.preview.settled = True
            self._show()

    async def _find(self, turn: int) -> bool:
        """Show the matches; False: a later search has begun, or the application ends."""
        parts = [part for part in REPLACE_PARTS if self.parts[part].value]
        numbers = self._window.question_choice.get(self._benchmark_id, {}).get(str(self.scope.value or ""))
        chosen = None if numbers is None else set(numbers)
        self._revision = self._window.services.library.benchmarks.summary(self._benchmark_id).revision
        matches = await run.io_bound(self._replacements.find, self._benchmark_id, self._query, parts, chosen)
        if matches is None or turn != self.preview.turn:
            return False
        self.preview.put(matches, await run.io_bound(self._replacements.check_texts, self._benchmark_id, matches) or {})
        if not self.grid.is_deleted:
            self._show()
        return True

    async def _check(self, turn: int) -> bool:
        """Look for templates that would break; False as above."""
        going_on = partial(self.preview.is_current, turn)
        matches = self.preview.matches
        reasons = await run.io_bound(self._replacements.check_templates, self._benchmark_id, matches, going_on)
        if reasons is None or turn != self.preview.turn:
            return False
        self.preview.refuse(reasons)
        return True

    def _choose(self, ids: list[int]) -> None:
        """Take over which rows the user has checked."""
        self.preview.chosen = {int(match_id) for match_id in ids} & self.preview.matches.ids
        self._show_notes()

    def _show(self) -> None:
        """Show the matches as they are."""
        path = f"/api/replacements/{self._token}"
        self.grid.call("show", path, sorted(self.preview.chosen))
        self._show_notes()

    def _show_notes(self) -> None:
        preview = self.preview
        self.counts.text = counts_text(preview.matches, preview.chosen) if self.find.value else ""
        self.notes.clear()
        with self.notes:
            if preview.problem:
                note(preview.problem, "bad")
            if sentences := consequences(preview.matches, preview.chosen):
                note(" ".join(sentences))
            if count := len(preview.reasons):
                template = UNCHECKED["one" if count == 1 else "several"]
                note(template.format(matches=quantity(count, "match")), "warn")
        self._show_button()

    def _show_button(self) -> None:
        count = len(self.preview.chosen)
        checking = bool(self.preview.matches.count) and not self.preview.settled
        self.replace.text = "Checking…" if checking else f"Replace {quantity(count, 'match')}"
        self.replace.set_enabled(bool(count) and self.preview.settled)

    async def _replace(self) -> None:
        """Replace the chosen matches. A message offers undo."""
        window, preview = self._window, self.preview
        replacing = as_one(self._replacements.replace)
        try:
            done = await window.write(replacing, self._benchmark_id, preview.matches, set(preview.chosen))
        except InputError as error:
            window.notify(str(error), "bad")
            return
        window.note_saved()
        outcome = done.outcome
        undo = None if done.command_id is None else partial(window.undo, done.command_id)
        window.notify(outcome_text(outcome), undo=undo)
        if outcome.refused:
            more = len(outcome.refused) - SHOWN_REFUSALS
            rest = [f"{more:,} more stay as they are."] if more > 0 else []
            window.notify(" ".join(["Not replaced:", *outcome.refused[:SHOWN_REFUSALS], *rest]), "bad")
        # What is left is shown, with ids of its own.
        self._search_soon()


class ReplacePreview:
    """Matches of the last search, and which of them are chosen. Read by the route of its rows in another thread."""

    def __init__(self) -> None:
        self.matches = FoundTexts()
        self.reasons: dict[int, str] = {}
        """Reasons against matches by their ids."""
        self.chosen: set[int] = set()
        self.problem = ""
        """Sentence about a search that is impossible; empty: it is possible."""
        self.settled = True
        """False while a search or its checks go on."""
        self.turn = 0
        """Number of the search, so that an older one stops."""

    def put(self, matches: FoundTexts, reasons: Mapping[int, str], problem: str = "") -> None:
        """Take over the result of a search. Matches with a reason against them are not chosen."""
        self.matches, self.reasons, self.problem = matches, dict(reasons), problem
        self.chosen = matches.ids - self.reasons.keys()

    def refuse(self, reasons: Mapping[int, str]) -> None:
        """Note further reasons."""
        self.reasons |= reasons
        self.chosen -= reasons.keys()

    def is_current(self, turn: int, done: int, total: int) -> bool:
        """Let the check of a search go on, unless there is a later one."""
        return turn == self.turn


_COLUMNS: list[dict[str, Any]] = [
    PLACE | {"width": 60, "tooltipField": "title", ":cellRenderer": "p => kareninaReplace.place(p.data)"},
    {"field": "part", "headerName": "Part", "width": 130},
    *(
        {
            "colId": name,
            "headerName": name.capitalize(),
            "flex": 3,
            "minWidth": 140,
            ":cellRenderer": f"p => kareninaReplace.{name}(p.data)",
        }
        for name in ("before", "after")
    ),
    {
        "field": "reason",
        "headerName": "Problem",
        "flex": 2,
        "minWidth": 110,
        "tooltipField": "reason",
        ":cellRenderer": "p => kareninaReplace.reason(p.data)",
    },
]


def preview_grid() -> Grid:
    """Create the grid. The browser fetches its rows and sends the ids of those that the user has checked."""
    grid = Grid(
        "replace",
        label="Matches",
        empty='<span class="hint">Matches appear here.</span>',
        columnDefs=_COLUMNS,
        loading=False,
        **FIXED_COLUMNS | {"defaultColDef": {"resizable": True, "sortable": False, "suppressMovable": True}},
        **CHECKBOXES,
        rowHeight=44,
        headerHeight=30,
        enableBrowserTooltips=True,
    )
    return grid.classes("list-grid replace-grid wide fills")
