"""Conflict view below a control: both versions of its field, and the reason why a save is delayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.gui.kit.diff import readable
from karenina_gui.gui.kit.diff_view import diff_table
from karenina_gui.gui.kit.elements import button

if TYPE_CHECKING:
    from karenina_gui.gui.records.optimistic_edit import OptimisticEdit


class ConflictPanel(ui.element):
    """Conflict of a field whose control holds the user's own version; hidden while there is no conflict."""

    def __init__(self, name: str, edit: OptimisticEdit, elsewhere: str = "in another window") -> None:
        """`name`: the field's name in messages; `elsewhere`: where others edit."""
        self.delay = ui.label().classes("field-error field-doubt").props('role="status"')
        super().__init__("div")
        self.name, self.edit, self.elsewhere = name, edit, elsewhere
        self.classes("clash")
        self._is_drawn = False
        self.show()

    def show(self) -> None:
        """Update to the edit's state; elements keep the focus."""
        self.delay.text = self.edit.delay or ""
        self.delay.set_visibility(bool(self.edit.delay))
        undecided = self.edit.undecided
        if undecided:
            self._draw()
            alone = self.edit.reopened and self.edit.remote == self.edit.base
            self.words.text = f"{self.name}: {_message(self.edit.reopened, alone, self.elsewhere)}"
            self.take.text = "Use saved version" if alone else "Use other version"
            mine, theirs = self.edit.mine, self.edit.remote
            self.versions.content = diff_table(
                readable(mine), readable(theirs), ("Yours", "Saved version" if alone else "Other version")
            )
            texts = isinstance(mine, str) and isinstance(theirs, str)
            self.merge.set_visibility(texts and not alone and bool(mine.strip() and theirs.strip()))
        self.set_visibility(undecided)

    def _draw(self) -> None:
        # Built once and then updated: rebuilt buttons would lose the focus.
        if self._is_drawn:
            return
        self._is_drawn = True
        self.props('role="group" aria-label="Conflict"')
        with self:
            self.words = ui.label().classes("clash-words").props('role="alert"')
            region = ui.element("div").classes("clash-versions")
            with region.props('tabindex="0" role="region" aria-label="Differences"'):
                self.versions = ui.html("")
            with ui.element("div").classes("clash-choice"):
                button("Keep mine", lambda: self._choose(self.edit.keep_local))
                self.take = button("", lambda: self._choose(self.edit.accept_remote))
                self.merge = button("Merge both", lambda: self._choose(self.edit.merge))

    def _choose(self, choice: Callable[[], None]) -> None:
        choice()
        self.edit.view.focus()


def _message(reopened: bool, alone: bool, elsewhere: str) -> str:
    if alone:
        return "your edit isn’t saved yet. Differences are highlighted."
    if reopened:
        return f"your edit isn’t saved yet, and this was changed {elsewhere} in the meantime."
    return f"changed {elsewhere} while you were editing. Your version isn’t saved yet."
