"""What a model may do as an agent: the folded part of its form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nicegui import ui

from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.models.agent_fields import (
    AGENT_FIELDS,
    DESCRIPTION_FIELD,
    FILTER_FIELD,
    LIMIT_FIELDS,
    READING,
    SERVER_FIELD,
    SERVER_TIMES,
    TOOL_FIELDS,
    TOOL_NAMES,
    TOOLS,
    any_set,
    chosen_tools,
    fault_of,
)
from karenina_gui.gui.models.fields import ModelField, shown
from karenina_gui.gui.models.record import KeptField, ModelRecord
from karenina_gui.gui.models.server_list import ServerList
from karenina_gui.gui.parts.bound_field import BoundField
from karenina_gui.gui.parts.elements import button, field, text_input
from karenina_gui.gui.parts.form_rows import Column, FormRows
from karenina_gui.schemas.config import ModelConfig

ABOUT = (
    "With any of these tools the model works in several turns while it answers: it calls tools, reads what they give "
    "back, and goes on until it has its answer."
)


class AgentPart:
    """Open where something is set."""

    def __init__(self, window: Window, record: ModelRecord, model: ModelConfig) -> None:
        self._window = window
        self._record = record
        self._bound: dict[str, BoundField | FormRows] = {}
        with ui.expansion("As an agent", value=any_set(model)).classes("mf-more mf-agent").props("dense"):
            ui.label(ABOUT).classes("hint")
            self._tools()
            self._servers(model)
            with ui.element("div").classes("mf-numbers mf-limits"):
                self._numbers(LIMIT_FIELDS)

    def show(self, model: ModelConfig) -> None:
        """Settings as they are kept now."""
        for name, bound in self._bound.items():
            bound.show(AGENT_FIELDS[name].of(model))

    def look_again(self) -> None:
        """Variables may have been set."""
        self._list.look_again()

    def fields(self) -> Iterator[BoundField | FormRows]:
        return iter(self._bound.values())

    def _tools(self) -> None:
        with field("Tools of the workspace", "for questions that have files"):
            with ui.element("div").classes("mf-shortcuts"):
                for title, names in (("Read only", READING), ("All", TOOL_NAMES), ("None", ())):
                    made = button(title, lambda names=names: self._choose(names), look="quiet")
                    made.props["aria-label"] = f"Tools of the workspace: {title.lower()}"
            with ui.element("div").classes("mf-tools").props('role="group" aria-label="Tools of the workspace"'):
                for name in TOOL_NAMES:
                    self._tool(name)

    def _tool(self, name: str) -> None:
        title, what = TOOLS[name]
        box = ui.checkbox(title).props("dense")
        said = ui.label(what).classes("hint")
        if name == "run_command":
            said.text = f"{what} {self._window.studio.runs.command_confinement.description}"
        box.props["aria-describedby"] = said.html_id
        with ui.element("div").classes("mf-tool-error"):
            self._bind(TOOL_FIELDS[name], box)
        box.props["aria-label"] = title

    def _servers(self, model: ModelConfig) -> None:
        keys = self._window.studio.runs.models.keys
        with field(SERVER_FIELD.title, SERVER_FIELD.hint):
            self._list = ServerList(
                self._kept(SERVER_FIELD),
                lambda variable: keys.origin(variable) is not None,
                lambda row: fault_of(row, self._record.last),
            )
            self._bound[SERVER_FIELD.name] = self._list
        with field(FILTER_FIELD.title, FILTER_FIELD.hint):
            self._bind(FILTER_FIELD, text_input(FILTER_FIELD.title))
        if DESCRIPTION_FIELD.name in shown(model.interface):
            with field(DESCRIPTION_FIELD.title, DESCRIPTION_FIELD.hint):
                columns = [Column("tool", "Tool", width="1fr"), Column("description", "What it is told", width="2fr")]
                self._bound[DESCRIPTION_FIELD.name] = FormRows(columns, "Add a tool", self._kept(DESCRIPTION_FIELD))
        if any(each.of(model) is not None for each in SERVER_TIMES):  # of a preset; a server has limits of its own
            with ui.element("div").classes("mf-numbers mf-limits"):
                self._numbers(SERVER_TIMES)

    def _numbers(self, fields: Sequence[ModelField]) -> None:
        for each in fields:
            with field(each.title, each.hint):
                box = ui.number().props("outlined dense").classes("inp")
                box.props["aria-label"] = each.title
                self._bind(each, box)

    async def _choose(self, names: Sequence[str]) -> None:
        if self._record.kept() is not None:
            await self._record.edit(lambda model: ModelConfig.model_validate({**_fields(model), **chosen_tools(names)}))

    def _bind(self, model_field: ModelField, control: Any) -> None:
        self._bound[model_field.name] = BoundField(control, self._kept(model_field))

    def _kept(self, model_field: ModelField) -> KeptField:
        return KeptField(self._record, model_field)


def _fields(model: ModelConfig) -> dict[str, Any]:
    return model.model_dump(exclude_unset=True) | {"manual_traces": model.manual_traces}
