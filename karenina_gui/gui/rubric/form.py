"""The controls of which the forms of traits are made: each saves as it is edited and says what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.parts.bound_field import FieldError
from karenina_gui.gui.parts.elements import field, sent_while_typing, text_area, text_input
from karenina_gui.gui.parts.number_text import number_in
from karenina_gui.gui.rubric.draft import TraitDraft
from karenina_gui.gui.rubric.rules import Problems
from karenina_gui.gui.rubric.trait_texts import TraitTexts

Changed = Callable[[TraitDraft, str], None]
"""Told the trait and its field, after the value is in `trait.values`."""


class TraitForm:
    """Problems and doubts appear at the fields that draw a place for them; the rest at the head of the form."""

    def __init__(self, trait: TraitDraft, changed: Changed, texts: TraitTexts) -> None:
        self.trait = trait
        self._texts = texts
        self._changed = changed
        self._places: dict[str, FieldError] = {}
        self._rows: list[Callable[[Problems], None]] = []

    @property
    def values(self) -> dict[str, Any]:
        return self.trait.values

    def set(self, key: str, value: Any) -> None:
        """A field was edited here."""
        self.values[key] = value
        self._changed(self.trait, key)

    def clear(self, key: str) -> None:
        """A field was emptied here: its default holds again."""
        self.values.pop(key, None)
        self._changed(self.trait, key)

    def keep_in_browser(self, path: str, control: ValueElement[Any]) -> None:
        """Keep what is typed into this control in the browser until it is stored; `path` within the values."""
        self._texts.watch(self.trait, path, control)

    def say(self, found: Problems, doubts: Problems) -> None:
        """Put each sentence at its field, a problem before a doubt; the others' places are cleared."""
        for key, place in self._places.items():
            place.say(found.get(key) or doubts.get(key), doubt=key in doubts and key not in found)
        for show in self._rows:
            show(found)

    def problems_below(self, key: str) -> None:
        """A place for what is wrong with this field."""
        self._places[key] = FieldError()

    def rows_say(self, show: Callable[[Problems], None]) -> None:
        """For tables: they find the sentences of their lines themselves."""
        self._rows.append(show)

    @contextmanager
    def section(self, title: str, hint: str = "") -> Iterator[None]:
        with field(title, hint):
            yield

    def text(self, key: str, title: str, hint: str = "", *, placeholder: str = "", area: bool = False) -> ui.input:
        with field(title, hint):
            make = text_area if area else text_input
            control = sent_while_typing(make(title, str(self.values.get(key) or ""), placeholder=placeholder))
            control.on_value_change(lambda event: self.set(key, event.value or ""))
            self.keep_in_browser(key, control)
            self.problems_below(key)
        return control

    def number(self, key: str, title: str, hint: str = "", *, placeholder: str = "") -> None:
        """Empty is None; what is no number yet stays as it was typed, and is told by the rules."""
        with field(title, hint):
            value = self.values.get(key)
            control = sent_while_typing(text_input(title, "" if value is None else f"{value}", placeholder=placeholder))
            control.props("inputmode=decimal").on_value_change(lambda event: self.set(key, typed_number(event.value)))
            self.problems_below(key)

    def choice(
        self,
        key: str,
        title: str,
        options: Mapping[Any, str],
        default: Any,
        *,
        then: Callable[[], Any] | None = None,
    ) -> ui.select:
        """`default`: what a record means that does not say; `then` follows a choice."""
        with field(title):
            value = self.values.get(key, default)
            control = ui.select(dict(options), value=value if value in options else None)
            control.props["aria-label"] = title
            control.props("outlined dense options-dense").classes("inp")

            def choose(event: Any) -> None:
                self.set(key, event.value)
                if then is not None:
                    then()

            control.on_value_change(choose)
            self.problems_below(key)
        return control

    def tick(self, key: str, text: str, default: bool) -> None:
        box = ui.checkbox(text, value=bool(self.values.get(key, default))).props("dense")
        box.on_value_change(lambda event: self.set(key, bool(event.value)))
        self.problems_below(key)


def typed_number(text: str | None) -> Any:
    """None where nothing was typed, and the text itself while it is no number yet."""
    text = (text or "").strip()
    if not text:
        return None
    try:
        number = number_in(text)
    except ValueError:
        return text
    return text if number is None else number
