"""Controls of form fields, bound to their records."""

from __future__ import annotations

from typing import Any

from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.forms.bound_field import BoundField
from karenina_gui.gui.forms.form_rows import FormRows
from karenina_gui.gui.kit.elements import checkbox, field, number_input, select, text_area, text_input
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.optimistic_edit import Field


def draw_field(spec: FormField[Any], shared: Field, *, placeholder: str = "") -> BoundField | FormRows:
    """Draw a field with its title and hint."""
    with field(spec.title, spec.hint):
        return draw_control(spec, shared, placeholder=placeholder)


def draw_control(spec: FormField[Any], shared: Field, *, placeholder: str = "") -> BoundField | FormRows:
    """Draw only the control of a field. `placeholder` replaces that of the specification."""
    if spec.kind == "rows":
        return FormRows(spec.columns, spec.add, shared, spec.doubt, name=spec.accessible_name)
    control = make_control(spec, shared.read(), spec.accessible_name, placeholder or spec.placeholder)
    return BoundField(control, shared, spec.doubt)


def make_control(spec: FormField[Any], value: Any, name: str, placeholder: str = "") -> ValueElement[Any]:
    """Return the control of a field other than rows; `name` is its accessible name."""
    match spec.kind:
        case "switch":
            return checkbox(spec.title, bool(value), name=name)
        case "number":
            return number_input(name, value, placeholder=placeholder)
        case "picks":
            return select(name, spec.choices, value, multiple=True)
        case "area":
            return text_area(name, value, placeholder=placeholder)
    return text_input(name, value, placeholder=placeholder)
