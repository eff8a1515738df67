"""Keyword field: select known keywords or type new ones.

Leaving the field adds a typed word without Enter. The browser keeps a word from its first character until it is saved,
see `session/outbox.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Self

from nicegui import events, ui

from karenina_gui.gui.binding.optimistic_edit import OptimisticEdit
from karenina_gui.gui.session.outbox import Outbox

PATH = "word"
"""Path of the word that the user is typing."""
_INPUT_TEXT = "(event) => emit(event?.target?.value ?? '')"


class KeywordSelect(ui.select):
    def __init__(self, suggestions: list[str], used: list[str]) -> None:
        super().__init__(sorted({*suggestions, *used}), value=used, multiple=True, new_value_mode="add-unique")
        self.props('use-chips use-input input-debounce="0" outlined dense options-dense aria-label="Keywords"')
        self.classes("input tags")
        self.on("blur", self._add_typed, js_handler=_INPUT_TEXT)
        self.on_value_change(self._clear_input)

    def set_value(self, value: list[str]) -> Self:
        """Set the keywords, including ones that other windows added since the options were read."""
        if new := set(value or ()) - set(self.options):
            self.set_options(sorted({*self.options, *new}))
        return super().set_value(value)

    def add(self, word: str) -> None:
        """Add a keyword, known or new."""
        if word not in self.options:
            self.set_options(sorted({*self.options, word}))
        self.value = [*self.value, word]

    def keep_in_browser(self, outbox: Outbox, address: str, edit: OptimisticEdit) -> None:
        """Keep a typed word in the browser.

        `address`: name of the field in the outbox. `edit` saves the keywords.
        """
        receiver = _TypedWord(self, outbox, address, edit)
        outbox.watch(address, "Keywords", receiver)
        edit.on_settled = receiver.settle
        word = json.dumps(f"{address}#{PATH}")
        self.on("input-value", js_handler=f"(value) => outbox.keepWord({word}, value, {self.id})")
        for event, condition in (("keydown", 'event.key === "Enter"'), ("blur", "true")):
            self.on(event, js_handler=f"(event) => {condition} && outbox.enterWord({word}, {self.id})")

    def _add_typed(self, event: events.GenericEventArguments) -> None:
        """Add the word in the input when it loses the focus."""
        word = str(event.args or "").strip()
        if word and word not in self.value:
            self.add(word)

    def _clear_input(self, _: Any) -> None:
        # Quasar leaves the search text in the input after a selection.
        self.run_method("updateInputValue", "", True)


@dataclass(frozen=True)
class _TypedWord:
    """Outbox adapter for the word that the user is typing."""

    select: KeywordSelect
    outbox: Outbox
    address: str
    edit: OptimisticEdit

    def cell(self, _path: str) -> Self:
        return self

    @property
    def shown_by(self) -> int:
        return self.select.id

    def recover(self, value: Any, base: Any) -> bool:
        """Add the word as a keyword, even if it is incomplete."""
        word = str(value).strip()
        if not word or word in self.select.value:
            self.settle()
            return False
        self.select.add(word)
        return True

    def resume(self, value: Any) -> None:
        """Settle the word if it was saved as a keyword.

        A word that the user is still typing is reported by its own events.
        """
        self.settle()

    def settle(self, _: Any = None) -> None:
        if not self.edit.dirty:
            self.outbox.settle_words(f"{self.address}#{PATH}", self.select.value)
