"""MCP servers of a model, one card each: a URL or a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.forms.form_rows import FormRows, Record
from karenina_gui.gui.kit.elements import focus_on, icon_button, select
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.models.agent_fields import unset_in
from karenina_gui.gui.records.optimistic_edit import Field
from karenina_gui.text import join_list, verb

KINDS = {"http": "URL (streamable HTTP)", "sse": "URL (SSE, older servers)", "stdio": "Local command (stdio)"}


class ServerList(FormRows):
    def __init__(self, field: Field, is_set: Callable[[str], bool], fault: Callable[[Record], str | None]) -> None:
        """`is_set`: True if a variable has a value. `fault`: returns the problem of a card."""
        self._fault = fault
        self._names: list[ui.input] = []

        def unset(records: list[Record]) -> dict[int, str]:
            unset_names = {index: unset_in(record, is_set) for index, record in enumerate(records)}
            return {index: _not_set(names) for index, names in unset_names.items() if names}

        super().__init__([], "Add server", field, unset, name="MCP servers")

    def refresh(self) -> None:
        """Refresh after a change of environment variables."""
        self._show_doubts()

    def show_status(self) -> None:
        """Show each problem at its card."""
        super().show_status()
        if not self.element.is_deleted and any(map(self._fault, self._filled_records())):
            self.error.show_message(None)

    def _show_doubts(self) -> None:
        super()._show_doubts()
        if self.edit.problem and not self.edit.undecided:
            for record, field in zip(self.records, self._doubted, strict=False):
                if wrong := self._fault(record):
                    field.show_message(wrong)

    def _add(self) -> None:
        super()._add()
        focus_on(self._names[-1])

    def _draw(self) -> None:
        self._names.clear()
        super()._draw()

    def _line(self, index: int) -> None:
        record = self.records[index]
        record.setdefault("kind", "http")
        with (
            ui.element("div")
            .classes("model-server-card stack wide card gap-8")
            .props(f'role="group" {aria_label(f"Server {index + 1}")}')
        ):
            with ui.element("div").classes("model-server-line model-server-head"):
                self._names.append(self._part(index, "name", "Name", "papers"))
                with ui.element("div").classes("model-server-part"):
                    ui.label("Transport").classes("hint")
                    kind = select(f"Transport, server {index + 1}", KINDS, record["kind"])
                icon_button("close", f"Remove server {index + 1}", lambda: self._remove(index))
            with ui.element("div").classes("model-server-of-kind gap-8") as address:
                self._part(index, "url", "URL", "http://127.0.0.1:8000/mcp")
                self._part(
                    index, "headers", "Headers (one per line)", "Authorization: Bearer ${PAPERS_TOKEN}", area=True
                )
            with ui.element("div").classes("model-server-of-kind gap-8") as program:
                self._part(index, "command", "Command and arguments", "uvx papers-mcp --read-only")
                self._part(
                    index, "env", "Environment variables (one per line)", "PAPERS_TOKEN=${PAPERS_TOKEN}", area=True
                )
                ui.label("Runs on this computer with your permissions, unsandboxed.").classes(
                    "hint model-server-warning"
                )
            with ui.element("div").classes("model-server-line model-server-more"):
                self._part(index, "tools", "Allowed tools", "all")
                self._part(index, "connect", "Connection timeout (s)", "30")
                self._part(index, "call", "Tool call timeout (s)", "60")

        def show(of: str) -> None:
            address.set_visibility(of != "stdio")
            program.set_visibility(of == "stdio")

        def choose(event: Any) -> None:
            show(event.value)
            self._edit(index, "kind", event.value)
            self.edit.flush()

        show(record["kind"])
        kind.on_value_change(choose)

    def _part(self, index: int, key: str, title: str, placeholder: str, *, area: bool = False) -> ui.input:
        with ui.element("div").classes("model-server-part"):
            ui.label(title).classes("hint")
            control = self._text(index, key, f"{title}, server {index + 1}", placeholder=placeholder, area=area)
        return control.props("spellcheck=false")

    def _edit(self, index: int, key: str, value: str | None) -> None:
        super()._edit(index, key, value)
        self._show_doubts()

    def _filled_records(self) -> list[Record]:
        """Return the cards with content, without empty texts. A card with only a transport is empty."""
        records = [{key: text for key, text in record.items() if str(text).strip()} for record in self.records]
        return [record for record in records if record.keys() - {"kind", "entry"}]


def _not_set(names: list[str]) -> str:
    missing = f"{join_list(names)} {verb(len(names), 'is', 'are')} not set."
    what, variable = verb(len(names), "it", "them"), verb(len(names), "variable", "variables")
    return (
        f"{missing} Enter {what} on the API keys page, or set the environment {variable} and restart the application."
    )
