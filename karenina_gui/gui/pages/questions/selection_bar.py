"""Bar of the commands for the selected questions, above a list or table of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nicegui import ui

from karenina_gui.gui.kit.elements import button, icon_button
from karenina_gui.gui.pages.questions.bulk_edits import BulkEdits
from karenina_gui.schemas.benchmark_summaries import QuestionSummary


@dataclass(frozen=True)
class SelectionCommands:
    """Commands of the page for the selected questions, by number."""

    finish: Callable[[list[int], bool], None]
    delete: Callable[[list[int]], None]
    clear: Callable[[], None]
    """Clears the selection."""
    draft: Callable[[list[int]], None] | None = None
    """Drafts their templates; None: the page does not offer it."""


class SelectionBar:
    """The bar; it is hidden while nothing is selected."""

    def __init__(self, bulk: BulkEdits, commands: SelectionCommands) -> None:
        self.numbers: list[int] = []
        """Selected questions."""
        self._finish, draft = commands.finish, commands.draft
        with ui.element("div").classes("chosen").props('role="toolbar" aria-label="Selected questions"') as self._bar:
            self._count = ui.label().classes("rigid one-line")
            button("Mark finished", lambda: commands.finish(self.numbers, True), look="quiet")
            button("Mark unfinished", lambda: commands.finish(self.numbers, False), look="quiet")
            if draft is not None:
                button("Draft…", lambda: draft(self.numbers), look="quiet")
            button("Delete", lambda: commands.delete(self.numbers), look="quiet").classes("button-danger")
            bulk.draw_menu(lambda: self.numbers)
            ui.space()
            icon_button("close", "Clear selection", commands.clear)
        self.show([])

    def targets(self, number: int) -> list[int]:
        """Return the questions that a command of a row is about: the selection, if the row is part of it."""
        return self.numbers if number in self.numbers else [number]

    def turn_finished(self, row: QuestionSummary) -> None:
        """Mark the questions that a row stands for as finished; as unfinished if its own mark is up to date."""
        self._finish(self.targets(row.number), not row.finished or row.changed_since_review)

    def show(self, numbers: Sequence[int]) -> None:
        """Show the commands for the questions that the browser has selected."""
        self.numbers = [int(number) for number in numbers]
        self._count.text = f"{len(self.numbers):,} selected"
        self._bar.set_visibility(bool(self.numbers))
