"""Settings of a condition: one line each with a checkbox that enables it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.binding.fields import CallbackField
from karenina_gui.gui.binding.form_field import Column
from karenina_gui.gui.binding.form_rows import FormRows
from karenina_gui.gui.components.elements import checkbox, field, number_input, sent_while_typing, text_input
from karenina_gui.gui.models.agent_fields import TOOLS
from karenina_gui.gui.run_setup.condition_draft import SETTINGS, ConditionDraft

OWN = "the model’s own"
_OWN = {"mcp_tool_filter": "for the model’s own servers; servers added here have lists of their own"}
"""Hints of settings that need another one than the model form."""


class ConditionSettings:
    """Settings of a condition; `of` names it for screen readers, `edited` is called after every change."""

    def __init__(self, draft: ConditionDraft, of: str, edited: Callable[[], Any]) -> None:
        self._draft, self._of, self._edited = draft, of, edited
        head = field("Settings", "checked settings override the model’s own")
        with head, ui.element("div").classes("condition-settings"):
            for name in SETTINGS:
                self._line(name)

    def _line(self, name: str) -> None:
        title = SETTINGS[name].title
        box = checkbox(title, self._draft.is_given(name), name=f"{title}, {self._of}")
        place = ui.element("div").classes("condition-setting")
        self._fill(name, place)
        box.on_value_change(lambda event: self._tick(name, place, on=bool(event.value)))

    def _tick(self, name: str, place: ui.element, *, on: bool) -> None:
        if on:
            self._draft.set_setting(name, self._draft.control_value(name))
        else:
            self._draft.unset_setting(name)
        place.clear()
        self._fill(name, place)
        self._edited()

    def _fill(self, name: str, place: ui.element) -> None:
        with place:
            if not self._draft.is_given(name):
                ui.label(_OWN.get(name, OWN)).classes("hint condition-own")
                return
            _CONTROLS[name](self, name)

    def _give(self, name: str, value: Any) -> str | None:
        wrong = self._draft.set_setting(name, value)
        self._edited()
        return wrong

    def _label(self, name: str) -> str:
        return f"{SETTINGS[name].title} value, {self._of}"

    def _number(self, name: str) -> None:
        self._bind(name, number_input("", self._draft.control_value(name)).classes("run-form-number"))

    def _text(self, name: str) -> None:
        self._bind(name, sent_while_typing(text_input("", self._draft.control_value(name), placeholder="all")))

    def _tools(self, name: str) -> None:
        titles = {tool: title for tool, (title, _) in TOOLS.items()}
        box = ui.select(titles, multiple=True, value=self._draft.control_value(name))
        self._bind(name, box.props("outlined dense use-chips options-dense").classes("input run-form-wide"))

    def _rows(self, name: str) -> None:
        ui.label(SETTINGS[name].hint).classes("hint")
        columns = [Column("name", "Name"), Column("value", "Value")]
        FormRows(
            columns,
            "Add parameter",
            CallbackField(self._draft.control_value(name), lambda rows: self._give(name, rows)),
            name="Additional parameters",
        )

    def _bind(self, name: str, control: Any) -> None:
        """Bind a control, with its accessible name and its error message."""
        control.props["aria-label"] = self._label(name)
        said = ui.label(SETTINGS[name].hint).classes("hint")
        error = FieldError()

        error.show_at(control, self._draft.refused[name][1] if name in self._draft.refused else None)
        control.props["aria-describedby"] = f"{said.html_id} {error.html_id}"
        control.on_value_change(lambda event: error.show_at(control, self._give(name, event.value)))


_CONTROLS: dict[str, Callable[[ConditionSettings, str], None]] = {
    "temperature": ConditionSettings._number,
    "max_tokens": ConditionSettings._number,
    "mcp_tool_filter": ConditionSettings._text,
    "workspace_tools": ConditionSettings._tools,
    "extra_kwargs": ConditionSettings._rows,
}
