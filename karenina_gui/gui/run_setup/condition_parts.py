"""Controls of a condition in its expanded card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.binding.fields import CallbackField
from karenina_gui.gui.components.elements import checkbox, field, sent_while_typing, text_area, text_input
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.components.typed_text import strip_control_chars
from karenina_gui.gui.models.agent_fields import SERVER_FIELD, fault_of
from karenina_gui.gui.models.server_list import ServerList
from karenina_gui.gui.run_setup.condition_draft import NOBODY, ConditionDraft, Mode
from karenina_gui.gui.run_setup.condition_settings import ConditionSettings
from karenina_gui.gui.run_setup.draft_memory import ChoiceMemory
from karenina_gui.gui.session.window import Window

PROMPT, SERVERS = "system_prompt", SERVER_FIELD.name
RULES = {
    "require_mcp_tool_use": (
        "Require at least one MCP tool call",
        "Otherwise an answer that ignored its tools is scored as if it had used them.",
    ),
    "require_mcp_tool_success": (
        "Require at least one successful call",
        "Otherwise a server outage looks like a wrong answer. Answers without any call are not affected.",
    ),
}
"""Title and explanation of each rule by its name in `Condition`."""


class ConditionParts:
    """Controls of a condition; every change goes into the draft, then `edited` is called."""

    def __init__(
        self, window: Window, draft: ConditionDraft, number: int, memory: ChoiceMemory, edited: Callable[[], Any]
    ) -> None:
        self._window, self._draft, self._edited = window, draft, edited
        self._of = f"condition {number}"
        self._memory, self._path = memory, f"condition-{number - 1}"
        self._description()
        self._prompt()
        self._tool_servers()
        ConditionSettings(draft, self._of, edited)
        self._rules()

    def refresh(self) -> None:
        """Refresh the warnings about environment variables."""
        self._list.refresh()

    def _description(self) -> None:
        with field("Description", "optional"):
            box = text_input(f"Description, {self._of}", str(self._draft.kept.get("description") or ""))

            def write(text: str) -> None:
                self._draft.set_field("description", strip_control_chars(text, None))
                self._edited()

            sent_while_typing(box).on_value_change(lambda event: write(str(event.value or "")))
            self._memory.keep_in_browser(f"{self._path}.description", box)

    def _prompt(self) -> None:
        with field("System prompt"):
            choose = self._modes("System prompt source", PROMPT, "Custom")
            with ui.element("div").classes("condition-of-mode") as place:
                box = sent_while_typing(text_area(f"System prompt, {self._of}", self._draft.prompt))
                self._memory.keep_in_browser(f"{self._path}.prompt", box)
                error = FieldError()

        def write(text: str) -> None:
            # A delayed keystroke may arrive after the mode has changed.
            if self._draft.mode(PROMPT) == "these":
                error.show_message(self._draft.write_prompt(str(strip_control_chars(text, None))))
                self._edited()

        def show() -> None:
            written = self._draft.mode(PROMPT) == "these"
            place.set_visibility(written)
            if written and box.value != self._draft.prompt:
                box.set_value(self._draft.prompt)
            error.show_message(self._draft.refused[PROMPT][1] if PROMPT in self._draft.refused else None)

        show()
        box.on_value_change(lambda event: write(str(event.value or "")))
        choose(show)

    def _tool_servers(self) -> None:
        keys = self._window.services.runs.models.keys
        with field("MCP servers", "tools for the models"):
            choose = self._modes("MCP server source", SERVERS, "Custom")
            with ui.element("div").classes("condition-of-mode") as place:
                self._list = ServerList(
                    CallbackField(self._draft.servers, self._write_servers),
                    lambda variable: keys.origin(variable) is not None,
                    lambda row: fault_of(row, NOBODY),
                )

                self._none_yet = FieldError()

        def show() -> None:
            place.set_visibility(self._draft.mode(SERVERS) == "these")
            rows, why = self._draft.refused.get(SERVERS, ("", ""))
            self._none_yet.show_message(None if rows else why)

        show()
        choose(show)

    def _write_servers(self, rows: list[dict[str, Any]]) -> str | None:
        if self._draft.mode(SERVERS) != "these":
            return None
        wrong = self._draft.write_servers(rows)
        self._none_yet.show_message(None)
        self._edited()
        return wrong

    def _modes(self, title: str, name: str, these: str) -> Callable[[Callable[[], None]], None]:
        """Radio buttons for the mode; the returned function sets what redraws the controls below."""
        modes: dict[Mode, str] = {"own": "The model’s own", "none": "None", "these": these}
        radio = ui.radio(modes, value=self._draft.mode(name)).classes("run-form-radio")
        radio.props(f"inline dense {aria_label(f'{title}, {self._of}')}")

        def choose(mode: Mode, show: Callable[[], None]) -> None:
            self._draft.choose(name, mode)
            show()
            self._edited()

        def follow(show: Callable[[], None]) -> None:
            radio.on_value_change(lambda event: choose(event.value, show))

        return follow

    def _rules(self) -> None:
        for name, (title, why) in RULES.items():
            with ui.element("div").classes("option option-switch"):
                box = checkbox(title, self._draft.flag(name), name=f"{title}, {self._of}")
                box.props["aria-describedby"] = ui.label(why).classes("hint").html_id
                box.on_value_change(lambda event, name=name: self._rule(name, on=bool(event.value)))

    def _rule(self, name: str, *, on: bool) -> None:
        self._draft.set_field(name, on)
        self._edited()
