"""Controls of form fields, bound to their records."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.binding.bound_field import BoundField
from karenina_gui.gui.binding.fields import Field
from karenina_gui.gui.binding.form_field import FormField
from karenina_gui.gui.binding.form_rows import FormRows
from karenina_gui.gui.components.elements import checkbox, field, number_input, text_area, text_input


def draw_field(spec: FormField[Any], shared: Field, *, placeholder: str = "") -> BoundField | FormRows:
    """Draw a field with its title and hint."""
    with field(spec.title, spec.hint):
        return draw_control(spec, shared, placeholder=placeholder)


def draw_control(spec: FormField[Any], shared: Field, *, placeholder: str = "") -> BoundField | FormRows:
    """Draw only the control of a field. `placeholder` replaces that of the specification."""
    name, placeholder = spec.accessible_name, placeholder or spec.placeholder
    if spec.kind == "rows":
        return FormRows(spec.columns, spec.add, shared, spec.doubt, name=name)
    if spec.kind == "switch":
        return BoundField(checkbox(spec.title, name=name), shared, spec.doubt)
    if spec.kind == "number":
        return BoundField(number_input(name, placeholder=placeholder), shared, spec.doubt)
    make = text_area if spec.kind == "area" else text_input
    return BoundField(make(name, placeholder=placeholder), shared, spec.doubt)
