"""Agent settings: the collapsible part of a model's form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from nicegui import ui

from karenina_gui.gui.binding.bound_field import BoundField
from karenina_gui.gui.binding.form import draw_field
from karenina_gui.gui.components.elements import button, checkbox, field
from karenina_gui.gui.models.agent_fields import (
    CLAUDE_CODE_FIELDS,
    CLAUDE_CODE_READING,
    CLAUDE_CODE_TOOLS,
    DESCRIPTION_FIELD,
    FILTER_FIELD,
    LIMIT_FIELDS,
    READING,
    SERVER_FIELD,
    SERVER_TIMES,
    TOOL_FIELDS,
    TOOLS,
    any_set,
    chosen_tools,
    fault_of,
)
from karenina_gui.gui.models.fields import ModelField, changed_model, visible_fields
from karenina_gui.gui.models.record import ModelRecord
from karenina_gui.gui.models.server_list import ServerList
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig

ABOUT = (
    "With any of these tools, the model answers in several turns: it calls tools, reads their results, and continues "
    "until it has an answer."
)


OWN_TOOLS = "claude_code_tools"
SANDBOXED = (
    "They run in a sandbox: Claude Code can write only to the workspace and connect only to its provider. If you "
    "select any, it gets no other workspace tools than those selected above."
)
UNSANDBOXED = (
    "They are off: this computer can’t sandbox them. If a run allows unsandboxed commands (Workspace limits), all are "
    "on unless you select some."
)


@dataclass(frozen=True)
class _ToolRows:
    """Group of tools with a checkbox each."""

    tools: str
    """Setting with the chosen ones."""
    title: str
    hint: str
    fields: Mapping[str, ModelField]
    described: Mapping[str, str]
    reading: Sequence[str]
    """Names of the read-only tools."""


class AgentSection:
    """Agent settings, expanded if any is set."""

    def __init__(self, window: Window, record: ModelRecord, model: ModelConfig) -> None:
        self._window = window
        self._record = record
        with (
            ui.expansion("Agent settings", value=any_set(model))
            .classes("model-form-more model-form-agent")
            .props("dense")
        ):
            ui.label(ABOUT).classes("hint")
            self._tools(model)
            self._servers(model)
            with ui.element("div").classes("model-form-numbers model-form-limits"):
                self._draw(*LIMIT_FIELDS)

    def refresh(self) -> None:
        """Refresh after a change of environment variables."""
        self._list.refresh()

    def _tools(self, model: ModelConfig) -> None:
        described = {name: what for name, (_, what) in TOOLS.items()}
        confinement = self._window.services.runs.command_confinement
        described["run_command"] += f" {confinement.description}"
        if confinement.confined:
            described["run_command"] += " A run can allow network access."
        ours = _ToolRows(
            "workspace_tools", "Workspace tools", "for questions with files", TOOL_FIELDS, described, READING
        )
        self._tool_rows(ours)
        if OWN_TOOLS in visible_fields(model.interface):
            described = {name: what for name, (_, what) in CLAUDE_CODE_TOOLS.items()}
            where = SANDBOXED if confinement.programs else UNSANDBOXED
            own = _ToolRows(
                OWN_TOOLS, "Claude Code’s own tools", where, CLAUDE_CODE_FIELDS, described, CLAUDE_CODE_READING
            )
            self._tool_rows(own)

    def _tool_rows(self, rows: _ToolRows) -> None:
        with field(rows.title, rows.hint):
            with ui.element("div").classes("model-form-shortcuts"):
                for title, names in (("Read only", rows.reading), ("All", tuple(rows.fields)), ("None", ())):
                    made = button(title, lambda names=names: self._choose(rows.tools, names), look="quiet")
                    made.props["aria-label"] = f"{rows.title}: {title}"
            with ui.element("div").classes("model-form-tools") as group:
                group.props["role"], group.props["aria-label"] = "group", rows.title
                for name, model_field in rows.fields.items():
                    self._tool(model_field, rows.described[name])

    def _tool(self, model_field: ModelField, described: str) -> None:
        box = checkbox(model_field.title)
        hint = ui.label(described).classes("hint")
        box.props["aria-describedby"] = hint.html_id
        with ui.element("div").classes("model-form-tool-error"):
            BoundField(box, self._record.config_field(model_field))

    def _servers(self, model: ModelConfig) -> None:
        keys = self._window.services.runs.models.keys
        with field(SERVER_FIELD.title, SERVER_FIELD.hint):
            self._list = ServerList(
                self._record.config_field(SERVER_FIELD),
                lambda variable: keys.origin(variable) is not None,
                lambda row: fault_of(row, self._record.config),
            )
        self._draw(FILTER_FIELD)
        if DESCRIPTION_FIELD.name in visible_fields(model.interface):
            self._draw(DESCRIPTION_FIELD)
        # Only presets set these: a server has timeouts of its own.
        if any(time.value_of(model) is not None for time in SERVER_TIMES):
            with ui.element("div").classes("model-form-numbers model-form-limits"):
                self._draw(*SERVER_TIMES)

    def _draw(self, *fields: ModelField) -> None:
        for spec in fields:
            draw_field(spec, self._record.config_field(spec))

    async def _choose(self, tools: str, names: Collection[str]) -> None:
        if self._record.load() is not None:
            await self._record.edit(lambda model: changed_model(model, chosen_tools(tools, names)))
