"""The field of keywords: chosen from those in use, or typed; a word counts without Enter, too.

The browser keeps a word from its first character until it is stored, see `frame/outbox.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Self

from nicegui import events, ui

from karenina_gui.gui.frame.outbox import Outbox
from karenina_gui.gui.parts.field_edit import FieldEdit

PATH = "word"
"""Path of the word that is being typed."""
_TYPED = "(event) => emit(event?.target?.value ?? '')"


class KeywordSelect(ui.select):
    def __init__(self, known: list[str], used: list[str]) -> None:
        super().__init__(sorted({*known, *used}), value=used, multiple=True, new_value_mode="add-unique")
        self.props('use-chips use-input input-debounce="0" outlined dense options-dense aria-label="Keywords"')
        self.classes("inp tags")
        self.on("blur", self._take, js_handler=_TYPED)
        self.on_value_change(self._begin_anew)

    def set_value(self, value: list[str]) -> Self:
        """Also words that came from elsewhere since the choices were read."""
        if new := set(value or ()) - set(self.options):
            self.set_options(sorted({*self.options, *new}))
        return super().set_value(value)

    def add(self, word: str) -> None:
        """One more keyword, known or not."""
        if word not in self.options:
            self.set_options(sorted({*self.options, word}))
        self.value = [*self.value, word]

    def keep_in_browser(self, outbox: Outbox, place: str, edit: FieldEdit) -> None:
        """`edit` stores the keywords, at this place."""
        words = _Words(self, outbox, place, edit)
        outbox.watch(place, "Keywords", words)
        edit.on_settled = words.settle
        word = json.dumps(f"{place}#{PATH}")
        self.on("input-value", js_handler=f"(value) => outbox.word({word}, value, {self.id})")
        for event, condition in (("keydown", 'event.key === "Enter"'), ("blur", "true")):
            self.on(event, js_handler=f"(event) => {condition} && outbox.wordEntered({word}, {self.id})")

    def _take(self, event: events.GenericEventArguments) -> None:
        """Leaving the field keeps what stands in it."""
        word = str(event.args or "").strip()
        if word and word not in self.value:
            self.add(word)

    def _begin_anew(self, _: Any) -> None:
        self.run_method("updateInputValue", "", True)


@dataclass(frozen=True)
class _Words:
    """The word that is being typed, for the browser's outbox."""

    select: KeywordSelect
    outbox: Outbox
    place: str
    edit: FieldEdit

    def cell(self, _path: str) -> Self:
        return self

    @property
    def shown_by(self) -> int:
        return self.select.id

    def recover(self, value: Any, base: Any) -> bool:
        """Add it as a keyword, even if it was only partly typed."""
        word = str(value).strip()
        if not word or word in self.select.value:
            self.settle()
            return False
        self.select.add(word)
        return True

    def resume(self, value: Any) -> None:
        """Somebody is still typing it, or has added it: then its own message says so."""
        self.settle()

    def settle(self, _: Any = None) -> None:
        if not self.edit.dirty:
            self.outbox.settled_words(f"{self.place}#{PATH}", self.select.value)
