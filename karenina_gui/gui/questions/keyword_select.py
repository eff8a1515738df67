"""The field of keywords: chosen from those in use, or typed anew; what is typed counts without Enter, too."""

from __future__ import annotations

from typing import Any, Self

from nicegui import events, ui

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

    def _take(self, event: events.GenericEventArguments) -> None:
        """Leaving the field keeps what stands in it."""
        word = str(event.args or "").strip()
        if word and word not in self.value:
            self._keep(word)

    def _keep(self, word: str) -> None:
        if word not in self.options:
            self.set_options(sorted({*self.options, word}))
        self.value = [*self.value, word]

    def _begin_anew(self, _: Any) -> None:
        self.run_method("updateInputValue", "", True)
