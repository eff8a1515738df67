"""Controls of the template form: each applies what is typed to the template's source, and shows its own problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from nicegui import ui

from karenina_gui.authoring.template_form import FormEdits
from karenina_gui.gui.forms.bound_field import AppliedField, FieldError
from karenina_gui.gui.kit.elements import select, text_area, text_input
from karenina_gui.gui.kit.number_text import number_reading
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.session.outbox import Outbox, buffer_in_outbox

Change = Callable[[FormEdits, Any], str]
"""Makes an edit of a value, and returns the new source."""
TextKind = Literal["line", "area", "number"]
Apply = Callable[[Callable[[FormEdits], str]], str | None]
"""Applies an edit to the template, and returns the problem, or None."""


@dataclass
class FormText:
    """One text of the form."""

    control: ui.input
    applied: str
    """Text that is in the template."""
    change: Change


@dataclass(frozen=True)
class EditTarget:
    """The template, as controls edit it."""

    apply: Apply
    address: str
    outbox: Outbox


class FormControls:
    """Controls of one card."""

    def __init__(self, template: EditTarget, name: str) -> None:
        """`name`: the card's name in the paths of its texts."""
        self._template, self._name = template, name
        self.texts: dict[str, FormText] = {}
        """Texts by path, such as `0.description`."""
        self.choices: dict[str, ui.select] = {}
        """Selections by label."""

    def text(
        self,
        path: str,
        label: str,
        value: str,
        change: Change,
        *,
        kind: TextKind = "line",
        then: Callable[[], None] | None = None,
    ) -> ui.input:
        """Draw a text control whose text is applied while it is typed; `then` is called after each edit.

        A number with a decimal comma is shown as it was read.
        """
        control = (text_area if kind == "area" else text_input)(label, value)
        if kind == "number":
            control.props("inputmode=decimal")
            reading = ui.label().classes("hint").props('role="status"')
            reading.bind_text_from(control, "value", lambda typed: number_reading(str(typed or "")))
        address = f"{self._template.address}#{self._name}.{path}"
        text = FormText(control, value, change)

        def enter(typed: str) -> str | None:
            problem = self._apply(change, typed)
            if problem is None:
                text.applied = typed
                if then is not None:
                    then()
            else:
                # The message at the control says so; the browser would call it an edit that waits.
                self._template.outbox.settle(address, typed, text.applied)
            return problem

        AppliedField(control, enter)
        self.texts[f"{self._name}.{path}"] = text
        buffer_in_outbox(control, address, value)
        return control

    def _apply(self, change: Change, value: Any) -> str | None:
        """Apply an edit; return the problem, or None."""
        problem = self._template.apply(lambda edits: change(edits, value))
        return problem and f"Not applied: {problem}"

    def text_at(self, path: str) -> str | None:
        """Text of a control as it was typed; None: there is no such control."""
        text = self.texts.get(f"{self._name}.{path}")
        return None if text is None else text.applied

    def choice(
        self,
        label: str,
        options: Mapping[str, str],
        value: str | None,
        change: Change,
        then: Callable[[str], None] | None = None,
    ) -> ui.select:
        """Draw a selection; a value outside the options is shown as blank.

        `then` is called after an edit, with the label: it may draw this control again.
        """
        control = select(label, options, value if value in options else None)

        def enter(chosen: str | None) -> str | None:
            if chosen is None:
                return None  # of options that have changed, which nobody selected
            problem = self._apply(change, chosen)
            if problem is None and then is not None:
                then(label)
            return problem

        AppliedField(control, enter)
        self.choices[label] = control
        return control

    def tick(self, label: str, value: bool, change: Change) -> None:
        AppliedField(ui.checkbox(label, value=value).props("dense"), partial(self._apply, change))

    def ticks(self, label: str, options: Mapping[str, str], chosen: Sequence[str], change: Change) -> None:
        """Draw a checkbox for each option; `change` receives all that are checked, in the order of the options."""
        checked = {key: key in chosen for key in options}

        def enter(key: str, on: bool) -> None:
            checked[key] = on
            chosen = [option for option, is_on in checked.items() if is_on]
            problem.show_message(self._apply(change, chosen))

        with ui.element("div").classes("form-ticks flow").props(f'role="group" {aria_label(label)}'):
            for key, title in options.items():
                box = ui.checkbox(title, value=checked[key]).props("dense")
                box.on_value_change(lambda event, key=key: enter(key, bool(event.value)))
        problem = FieldError()
