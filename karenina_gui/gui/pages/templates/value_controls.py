"""Controls for the values that a judge would extract, one per field of a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from karenina_gui.gui.kit.elements import select, text_area
from karenina_gui.gui.pages.templates.try_fields import HINTS, TryField


def draw_values(
    fields: Sequence[TryField], entered: Mapping[str, str], on_type: Callable[[str, str], None]
) -> dict[str, Callable[[str], None]]:
    """Draw the controls; `entered`: texts by field; `on_type` receives the field and its new text.

    Returns functions by field that replace its description.
    """
    descriptions = {}
    for field in fields:
        with ui.element("div").classes("stack gap-2"):
            with ui.element("div").classes("try-about flow shrinks"):
                ui.label(field.name).classes("mono")
                descriptions[field.name] = _description(field.description)
            control = _control(field, entered.get(field.name, ""))
            control.on_value_change(lambda event, name=field.name: on_type(name, event.value or ""))
    return descriptions


def _description(text: str) -> Callable[[str], None]:
    label = ui.label(text).classes("hint")

    def replace(newer: str) -> None:
        label.text = newer

    return replace


def _control(field: TryField, value: str) -> Any:
    label = f"Value of {field.name}"
    if field.kind not in ("yes_no", "choice"):
        return text_area(label, value, placeholder=HINTS[field.kind]).props("debounce=150")
    options = ["", *(("yes", "no") if field.kind == "yes_no" else field.choices)]
    return select(label, options, value if value in options else "")
