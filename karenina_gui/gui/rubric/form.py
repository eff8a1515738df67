"""Controls of trait forms. Each saves as it is edited and shows its own problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.components.elements import field, sent_while_typing, text_area, text_input
from karenina_gui.gui.components.number_text import number_in
from karenina_gui.gui.rubric.rubric_draft import TraitDraft
from karenina_gui.gui.rubric.rules import Problems
from karenina_gui.gui.rubric.trait_texts import TraitTexts

Changed = Callable[[TraitDraft, str], None]
"""Called with the trait and the field after the value is in `trait.values`."""


class TraitForm:
    """Trait form. Problems appear at the fields that have a place for them, others at the top."""

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
        """Set a value that the user edited."""
        self.values[key] = value
        self._changed(self.trait, key)

    def clear(self, key: str) -> None:
        """Remove a value, so that the default applies."""
        self.values.pop(key, None)
        self._changed(self.trait, key)

    def keep_in_browser(self, path: str, control: ValueElement[Any]) -> None:
        """Keep the text of a control in the browser until it is saved. `path`: path within the values."""
        self._texts.watch(self.trait, path, control)

    def show_problems(self, found: Problems, doubts: Problems) -> None:
        """Show each message at its field, a problem before a doubt, and clear the others."""
        for key, place in self._places.items():
            place.show_message(found.get(key) or doubts.get(key), doubt=key in doubts and key not in found)
        for show in self._rows:
            show(found)

    def problems_below(self, key: str) -> None:
        """Add a place for the problem of a field."""
        self._places[key] = FieldError()

    def on_problems(self, show: Callable[[Problems], None]) -> None:
        """Register a callback for tables, which assign problems to their rows themselves."""
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
        """Draw a number field. Empty means None. Text that is not a number is stored, and the rules reject it."""
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
        """Draw a selection. `default`: value if the record has none. `then` runs after a selection."""
        with field(title):
            value = self.values.get(key, default)
            control = ui.select(dict(options), value=value if value in options else None)
            control.props["aria-label"] = title
            control.props("outlined dense options-dense").classes("input")

            def choose(event: Any) -> None:
                self.set(key, event.value)
                if then is not None:
                    then()

            control.on_value_change(choose)
            self.problems_below(key)
        return control

    def tick(self, key: str, text: str, default: bool, hint: str = "") -> None:
        box = ui.checkbox(text, value=bool(self.values.get(key, default))).props("dense")
        box.on_value_change(lambda event: self.set(key, bool(event.value)))
        if hint:
            ui.label(hint).classes("hint")
        self.problems_below(key)


def typed_number(text: str | None) -> Any:
    """Parse a number. Returns None for blank text, and the text itself if it is not a number."""
    text = (text or "").strip()
    if not text:
        return None
    try:
        number = number_in(text)
    except ValueError:
        return text
    return text if number is None else number
