"""Form of one model, with the test of its connection and its agent settings. The fields are in `fields.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

from karenina_gui.errors import ConsentError
from karenina_gui.gui.forms.bound_field import BoundField
from karenina_gui.gui.forms.form import draw_control, draw_field
from karenina_gui.gui.kit.consent import TRUST, with_consent
from karenina_gui.gui.kit.elements import (
    button,
    checkbox,
    field,
    focus_on,
    fold,
    heading,
    help_button,
    icon_button,
    note,
    select,
    text_input,
    toolbar,
)
from karenina_gui.gui.kit.html import Html, icon, join_html, tag
from karenina_gui.gui.pages.models.agent_fields import (
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
from karenina_gui.gui.pages.models.answer_import import RecordedAnswersField
from karenina_gui.gui.pages.models.fields import FIELDS, RETRIES, ModelField, changed_model, visible_fields
from karenina_gui.gui.pages.models.key_dialog import KeyDialog
from karenina_gui.gui.pages.models.model_text import enter_key, key_words
from karenina_gui.gui.pages.models.record import ModelRecord
from karenina_gui.gui.pages.models.retries import RetryGrid
from karenina_gui.gui.pages.models.server_list import ServerList
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.models import CheckState, ConnectionReport, KeyState, Part
from karenina_gui.runs.problems.models import NO_KEY, fault_of as model_fault_of, unusable_tools
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.saved_model import SavedModel
from karenina_gui.text import duration, join_list

SAVING = 0.02
"""Interval in seconds between checks for the end of a save."""
_MARKS: dict[CheckState, tuple[str, str]] = {
    "ok": ("check_circle", "OK"),
    "doubt": ("warning", "Check"),
    "failed": ("cancel", "Failed"),
    "open": ("remove_circle_outline", "Not tested"),
}
_PARTS: dict[Part, str] = {
    "address": "Base URL",
    "key": "API key",
    "model": "Model",
    "answer": "Reply",
    "schema": "Structured output",
    "recording": "Recording",
    "tools": "Tools of {server}",
}
ABOUT = (
    "With any of these tools, the model answers in several turns: it calls tools, reads their results, and continues "
    "until it has an answer."
)


OWN_TOOLS = "claude_code_tools"
UNSUPPORTED = "This version doesn’t support this interface."
ADVANCED = (
    *("raw_address", "system_prompt", "temperature", "max_tokens", "request_timeout"),
    *("extra_kwargs", "retry_policy"),
)
"""Fields of the folded part of the form, besides those for agents."""
SANDBOXED = (
    "They run in a sandbox: Claude Code can write only to the workspace and connect only to its provider. If you "
    "select any, it gets no other workspace tools than those selected above."
)
UNSANDBOXED = (
    "They are off: this computer can’t sandbox them. If a run allows unsandboxed commands (Workspace limits), all are "
    "on unless you select some."
)


class ModelForm:
    """Model form. `duplicate` and `delete` change the list of models."""

    def __init__(
        self, window: Window, model: SavedModel, duplicate: Callable[[], Any], delete: Callable[[], Any]
    ) -> None:
        self._window = window
        self._duplicate = duplicate
        self._delete = delete
        self._catalog = window.services.runs.models
        self.record = ModelRecord(window, model.number)
        self._interface = model.config.interface
        self._answers: RecordedAnswersField | None = None
        self._retries: RetryGrid | None = None
        self._agent: AgentSection | None = None
        self._advanced: ui.expansion | None = None
        self._wants_key = False
        """True if the last test of the unchanged model failed at the key."""

    def begin_name(self) -> None:
        """Select the name, so that typing replaces it."""
        focus_on(self._name, select=self.record.state.name)

    def draw(self) -> None:
        with toolbar():
            self._title = heading(self.record.state.name, 1)
            ui.space()
            self._test_button = button("Test connection", self.test, icon="wifi_tethering")
            icon_button("content_copy", "Duplicate model", self._duplicate)
            icon_button("delete_outline", "Delete model", self._delete)
        with ui.element("div").classes("scroll"), ui.element("div").classes("form"):
            self.record.listen(self._show, "saved", "elsewhere")
            self.record.listen(self._show_deleted, "presence")
            self.record.listen(lambda _: self._unfold_undecided(), "unsaved")
            self._deleted_note = ui.element("div").classes("full-width when-filled")
            self._consent_note = ui.element("div").classes("full-width when-filled")
            self._state = ui.html("").classes("full-width when-filled").props('role="status"')
            self._report = ui.html("").classes("full-width when-filled").props('role="status"')
            with field("Name", "shown in runs and results"):
                self._name = text_input("Name", self.record.state.name)
                BoundField(self._name, self.record.name_field())
            with field("Interface") as labeled:
                specs = {spec.name: spec for spec in self._catalog.interfaces()}
                titles = {name: spec.title for name, spec in specs.items()}
                self._select = select("Interface", titles, self._interface, on_change=lambda e: self._switch(e.value))
                self._unsupported = ui.label(UNSUPPORTED).classes("hint")
            with labeled.default_slot.children[0]:
                self._about = ui.element("span")
            self._fields = ui.element("div").classes("stack wide gap-14")
        self._draw_fields(self.record.config)
        self._show_state(self.record.config)
        self._window.listen(self._window.services.keys_changed, self._on_keys_changed)

    async def test(self) -> None:
        """Save pending edits, call the model, and show the report."""
        self._test_button.props("loading")
        try:
            await self._save_now()
        finally:
            self._test_button.props(remove="loading")
        model = self.record.load()
        if model is None or self._report.is_deleted:
            return
        if wrong := [edit for edit in self.record.edits if edit.problem]:
            self._unfold_undecided()
            wrong[0].view.focus()
            self._window.notify("Fix the marked fields first.", "bad")
            return
        self._test_button.props("loading")
        self._report.set_content(waiting(len(model.tool_servers)))
        self._bring_report_into_view()
        report = await self._check(model)
        # NiceGUI's `io_bound` returns None while the application shuts down.
        if report is None or self._report.is_deleted:
            return
        self._test_button.props(remove="loading")
        # The model may have been edited during the test: its report would be misleading.
        if self.record.config == model:
            self._show_report(report, model)
        self._window.notify(report.message, "good" if report.ok else "bad")

    async def _check(self, model: ModelConfig) -> ConnectionReport | None:
        """Report about the model; None: the user does not allow what it would reach."""
        try:
            report: ConnectionReport | None = await with_consent(
                self._catalog.consents.agree, self._catalog.check, model
            )
        except ConsentError:
            self._test_button.props(remove="loading")
            self._report.set_content("")
            return None
        self._show_consent(model)
        return report

    def _show_report(self, report: ConnectionReport, model: ModelConfig) -> None:
        self._report.set_content(connection_report(report, self._catalog.key(model)))
        self._wants_key = any(step.part == "key" and step.state == "failed" for step in report.steps)
        self._show_state(model)

    async def _save_now(self) -> None:
        edits = self.record.edits
        for edit in edits:
            edit.flush()
        # `flush` only starts the saves.
        while any(edit.saving for edit in edits):
            await asyncio.sleep(SAVING)

    def _bring_report_into_view(self) -> None:
        """Scroll to the report above the fields. Otherwise a user further down would see only the toast."""
        self._report.client.run_javascript(
            f"document.getElementById({self._report.html_id!r})?.scrollIntoView({{block: 'nearest'}})"
        )

    def _draw_fields(self, model: ModelConfig) -> None:
        """Draw the fields of the model's interface."""
        self._interface = model.interface
        self._fields.clear()
        self._answers = self._retries = self._agent = self._advanced = None
        self._has_key = False
        spec = next((spec for spec in self._catalog.interfaces() if spec.name == model.interface), None)
        self._unsupported.set_visibility(spec is None)
        self._about.clear()
        if spec is not None:
            with self._about:
                help_button("this interface", spec.description)
        with self._fields:
            if model.interface == "manual":
                self._answers = RecordedAnswersField(
                    self._window,
                    model.manual_traces,
                    self._save_answers,
                    names=lambda: (self.record.state.name, self.record.config.model_name or ""),
                )
            if spec:
                self._draw_supported_fields(model, spec.key_variable or "")
            if unused := self._catalog.without_effect(model):
                note(f"Saved, but not used by this version: {join_list(unused)}.")

    def _draw_supported_fields(self, model: ModelConfig, key_variable: str) -> None:
        fields = [spec for name, spec in FIELDS.items() if name in visible_fields(model.interface)]
        for spec in fields:
            if spec.kind == "text":
                self._line(spec, key_variable if spec.name == "api_key_env" else "")
        self._advanced = fold(self._window, "model-form", "Advanced").classes("model-form-more model-form-advanced")
        with self._advanced:
            self._draw_advanced(model, fields)
        self._show_changes(model)
        self._unfold_undecided()

    def _draw_advanced(self, model: ModelConfig, fields: Sequence[ModelField]) -> None:
        if "raw_address" in visible_fields(model.interface):
            self._switch_box("raw_address")
        for spec in fields:
            if spec.kind == "area":
                self._line(spec, "")
        with ui.element("div").classes("when-filled model-form-numbers"):
            for spec in fields:
                if spec.kind == "number":
                    draw_field(spec, self.record.config_field(spec))
        if self._catalog.can_be_agent(model) or any_set(model):
            self._agent = AgentSection(self._window, self.record, model)
        if FIELDS["extra_kwargs"] in fields:
            self._additional(open_=bool(FIELDS["extra_kwargs"].value_of(model)))
        if FIELDS["retry_policy"] in fields:
            self._custom_retries(model)

    def _line(self, spec: ModelField, placeholder: str) -> None:
        with field(spec.title, spec.hint):
            draw_control(spec, self.record.config_field(spec), placeholder=placeholder)
            if spec.name == "api_key_env":
                self._has_key = True
                with ui.element("div").classes("model-form-key line gap-8"):
                    self._key = ui.html("").props('role="status"')
                    self._enter = button("Enter key…", self._enter_key, icon="key", look="quiet")

    def _show_changes(self, model: ModelConfig) -> None:
        """Say in the head of the advanced settings what differs from the defaults."""
        if self._advanced is None:
            return
        plain = ModelConfig(interface=model.interface, model_name=model.model_name)
        advanced = [FIELDS[name] for name in ADVANCED if name in visible_fields(model.interface)]
        changed = [spec.title for spec in advanced if spec.value_of(model) != spec.value_of(plain)]
        caption = " · ".join([*changed, *(["Agent settings"] if any_set(model) else [])]) or "Defaults"
        if self._advanced.props.get("caption") != caption:
            self._advanced.props["caption"] = caption
            self._advanced.props["toggle-aria-label"] = f"Advanced: {caption}"

    def _unfold_undecided(self) -> None:
        """Unfold the advanced settings if any field waits for a decision, or is wrong."""
        if self._advanced is not None and any(edit.undecided or edit.problem for edit in self.record.edits):
            self._advanced.value = True

    def _switch_box(self, name: str) -> None:
        with ui.element("div").classes("model-form-switch line wraps"):
            self._draw_control(name)
            ui.label(FIELDS[name].hint).classes("hint")

    def _additional(self, *, open_: bool) -> None:
        with ui.expansion(FIELDS["extra_kwargs"].title, value=open_).classes("model-form-more").props("dense"):
            ui.label(FIELDS["extra_kwargs"].hint).classes("hint")
            self._draw_control("extra_kwargs")

    def _custom_retries(self, model: ModelConfig) -> None:
        with ui.expansion("Retries", value=model.retry_policy is not None).classes("model-form-more").props("dense"):
            self._switch_box("retry_policy")
            self._retries = RetryGrid(RETRIES, self.record.config_field)
            self._show_retries(model)

    def _show_retries(self, model: ModelConfig) -> None:
        """Show the custom retries. Hidden if the model uses the run's."""
        if self._retries is not None:
            self._retries.set_visibility(model.retry_policy is not None)

    def _draw_control(self, name: str) -> None:
        draw_control(FIELDS[name], self.record.config_field(FIELDS[name]))

    async def _switch(self, interface: str) -> None:
        before = self.record.load()
        if before is None or interface == before.interface:
            return
        await self.record.switch(interface)
        if before.manual_traces:
            self._window.notify("Removed recorded answers.", undo=lambda: self.record.put_back(before))

    async def _save_answers(self, answers: dict[str, Any]) -> None:
        if self.record.load() is not None:
            await self.record.edit(lambda model: model.model_copy(update={"manual_traces": answers}))

    async def _enter_key(self) -> None:
        """Open the key dialog.

        A local server is sent a key only if the model names its variable, so set that first.
        """
        model = self.record.config
        key, variable_needed = self._catalog.key(model), self._wanted_variable(model)
        if key is None and variable_needed and model == self.record.load():
            named = model.model_copy(update={"api_key_env": variable_needed})
            await self._window.write(self._catalog.agree_to_new, named, model)
            await self.record.edit(lambda _: named)
        if variable := key.variable if key else variable_needed:
            KeyDialog(self._window, variable).open()

    def _wanted_variable(self, model: ModelConfig) -> str | None:
        """Return the default key variable if the last test showed that a key is needed. None: otherwise."""
        if not self._wants_key or self._catalog.key(model) is not None:
            return None
        return next((spec.key_variable for spec in self._catalog.interfaces() if spec.name == model.interface), None)

    def _show(self, _: SavedModel) -> None:
        """Refresh after a change of the model, in any window."""
        model = self.record.config
        self._title.text = self.record.state.name
        self._report.set_content("")
        self._wants_key = False
        self._select.set_value(model.interface)
        if model.interface != self._interface:
            self._draw_fields(model)
        if self._answers is not None:
            self._answers.show(model.manual_traces)
        self._show_retries(model)
        self._show_changes(model)
        self._show_state(model)

    def _on_keys_changed(self) -> None:
        self._show_state(self.record.config)
        if self._agent is not None:
            self._agent.refresh()

    def _show_deleted(self, _: SavedModel) -> None:
        self._deleted_note.clear()
        if self.record.deleted:
            with self._deleted_note, note("This model was deleted in another window.", "warn"):
                button("Restore model", self.record.restore)

    async def _agree(self, accesses: Sequence[Any]) -> None:
        await self._window.write(self._catalog.consents.agree, accesses)
        self._show_state(self.record.config)

    def _show_consent(self, model: ModelConfig) -> None:
        """Show what the model would reach without consent."""
        missing = self._catalog.consents.missing(model)
        self._consent_note.clear()
        self._consent_note.set_visibility(bool(missing))
        if missing:
            would = join_list([str(access) for access in missing])
            with self._consent_note, note(f"This model would {would}. {TRUST}", "warn"):
                button("Allow", partial(self._agree, missing))

    def _show_state(self, model: ModelConfig) -> None:
        self._show_consent(model)
        self._state.set_content(self._state_view(model))
        if self._has_key:
            key = self._catalog.key(model)
            needed = self._wanted_variable(model)
            self._key.set_content(key_words(key, needed, local=self._catalog.is_local(model)))
            self._enter.set_visibility(key is not None or needed is not None)
            self._enter.text = "Replace key…" if key and key.is_set else "Enter key…"

    def _state_view(self, model: ModelConfig) -> Html:
        """Return what is wrong with a model, or that it is a recording; empty: neither."""
        fault = model_fault_of(model, self._catalog) or unusable_tools(model, self._catalog)
        if fault is not None:
            # The line below the variable tells of a missing key, beside the button that mends it.
            is_told_below = self._has_key and fault.startswith(NO_KEY)
            return join_html(
                [] if is_told_below else [_note("warning", fault[0].upper() + fault[1:], "note note-warn")]
            )
        label = self._catalog.recording_label(model)
        text = f"Replays recorded replies (“{label}”). No model is called."
        return _note("replay", text) if label else join_html([])


def _note(glyph: str, text: str, looks: str = "note") -> Html:
    return tag("div", icon(glyph), tag("div", text), class_=looks)


def connection_report(report: ConnectionReport, key: KeyState | None) -> Html:
    """Return the report, one line for each part. A failed key has a link to enter it."""
    lines = []
    for step in report.steps:
        glyph, word = _MARKS[step.state]
        name = tag("span", _PARTS[step.part].format(server=step.server), class_="connection-name breaks strong")
        mark = tag("span", icon(glyph), tag("span", f"{word}:", class_="sr-only"), class_="connection-mark")
        link = enter_key(key) if step.part == "key" and step.state == "failed" and key else None
        message = tag("span", step.message, " " if link else None, link, class_="breaks")
        lines.append(tag("li", mark, name, message, class_=f"connection connection-{step.state}"))
    took = tag("p", f"Tested just now in {duration(report.seconds)}.", class_="hint") if report.seconds else None
    return tag("div", tag("ul", *lines, aria_label="Test result"), took, class_="connection-box box")


def waiting(servers: int) -> Html:
    """Return a progress message. `servers`: number of MCP servers tested."""
    text = "Testing the model and its MCP servers…" if servers else "Testing the model…"
    return tag("div", tag("p", text, class_="hint"), class_="connection-box box")


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
            with ui.element("div").classes("when-filled model-form-numbers model-form-limits"):
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
            with ui.element("div").classes("when-filled model-form-numbers model-form-limits"):
                self._draw(*SERVER_TIMES)

    def _draw(self, *fields: ModelField) -> None:
        for spec in fields:
            draw_field(spec, self._record.config_field(spec))

    async def _choose(self, tools: str, names: Collection[str]) -> None:
        if self._record.load() is not None:
            await self._record.edit(lambda model: changed_model(model, chosen_tools(tools, names)))
