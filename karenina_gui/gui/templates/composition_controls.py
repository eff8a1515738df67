"""Composition in the form: which fields must pass for the answer to pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.authoring.template_form import FormComposition, FormEdits, FormError, TemplateForm
from karenina_gui.gui.components.elements import field as labeled
from karenina_gui.gui.components.number_text import NumberLimits
from karenina_gui.gui.templates.field_kinds import number_or_text
from karenina_gui.gui.templates.form_controls import FormControls
from karenina_gui.text import quantity

KINDS = {"all": "all fields pass", "any": "at least one field passes", "at_least": "several fields pass"}


class CompositionControls:
    def __init__(
        self, current: Callable[[], TemplateForm], controls: FormControls, redraw: Callable[[str], None]
    ) -> None:
        """`current` returns the form as it is now; `redraw` is called once other controls apply."""
        self._current, self._controls, self._redraw = current, controls, redraw

    def draw(self) -> None:
        composition = self._current().composition
        with labeled("The answer passes if"):
            if composition.kind == "custom":
                ui.label(composition.source).classes("mono form-locked")
                return
            self._controls.choice("The answer passes if", KINDS, composition.kind, self._select, self._redraw)
        if composition.kind == "at_least":
            with labeled("Fields that must pass"):
                box = self._controls.text("n", "Fields that must pass", str(composition.n), self._count)
                box.props("inputmode=numeric")
        if composition.fields is not None or composition.kind != "all":
            names = {name: name for name in self._verified_fields()}
            chosen = list(names) if composition.fields is None else list(composition.fields)
            with labeled("Of these fields"):
                self._controls.ticks("Of these fields", names, chosen, self._choose)

    def _select(self, edits: FormEdits, kind: Any) -> str:
        fields = None if kind == "all" else self._current().composition.fields
        return edits.set_composition(FormComposition(kind, fields, self._current().composition.n))

    def _count(self, edits: FormEdits, text: str) -> str:
        now = self._current().composition
        most = len(self._verified_fields() if now.fields is None else now.fields)
        number = number_or_text(text)
        if isinstance(number, str) or not NumberLimits(1, most=most, whole=True).allows(number):
            raise FormError(f"Enter a whole number from 1 to {most}.")
        return edits.set_composition(FormComposition(now.kind, now.fields, int(number)))

    def _choose(self, edits: FormEdits, names: list[str]) -> str:
        now = self._current().composition
        least = now.n if now.kind == "at_least" else 1
        if len(names) < least:
            raise FormError(f"Select at least {quantity(least, 'field')}.")
        return edits.set_composition(FormComposition(now.kind, tuple(names), now.n))

    def _verified_fields(self) -> list[str]:
        return [field.name for field in self._current().fields if field.kind == "verified"]
