"""Dialog to enter an API key, which travels to the server once and never back.

The field is a plain HTML input: no element of the server holds its content, so an update of the page cannot send it to
a browser. It is emptied as soon as the key is sent.
"""

from __future__ import annotations

import json

from nicegui import events, ui

from karenina_gui.errors import InputError
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import button, field
from karenina_gui.gui.session.window import Window


class KeyDialog(ui.dialog):
    """Dialog to enter a key; `variable` None: it asks for the variable as well."""

    def __init__(self, window: Window, variable: str | None) -> None:
        super().__init__()
        self._window, self._variable = window, variable
        title = f"Enter key {variable}" if variable else "Add key"
        self.props("transition-duration=80").props["aria-label"] = title
        self.on("hide", self.delete)
        with self, ui.element("div").classes("dialog key-dialog"):
            dialog_title(title)
            if variable is None:
                with field("Variable name", "such as OPENAI_API_KEY"):
                    self._name = _plain_input("text", "Variable name", "", autofocus=True)
            with field("Key"):
                self._field = _plain_input("password", "Key", "Paste the key", autofocus=variable is not None)
            self._error = FieldError()
            self._remember = ui.checkbox("Save on this computer").props("dense")
            self._remember.props["aria-label"] = "Save on this computer"
            self._hint = ui.label().classes("hint")
            self._remember.on_value_change(lambda e: self._explain(bool(e.value)))
            self._explain(False)
            with dialog_actions():
                button("Cancel", self.close)
                self._save = button("Set key", look="main")
        # Read and emptied by script in one step, so that the key is in no event of the input.
        sent = self._send_and_clear()
        self._save.on("click", self._enter, js_handler=f"() => {{ {sent} }}")
        self._field.on("keydown.enter", self._enter, js_handler=f"() => {{ {sent} }}")

    def _send_and_clear(self) -> str:
        name = json.dumps(self._variable) if self._variable else f"getHtmlElement({self._name.id}).value"
        return (
            f"const field = getHtmlElement({self._field.id}); const typed = [{name}, field.value];"
            "field.value = ''; emit(...typed);"
        )

    def _explain(self, remember: bool) -> None:
        folder = self._window.services.settings.data
        self._hint.text = (
            f"Saved in {folder / 'keys.json'}, which only you can read. The key is never shown again."
            if remember
            else "Used until you quit the application, and not saved. The key is never shown again."
        )

    def _enter(self, event: events.GenericEventArguments) -> None:
        variable, key = (str(text or "") for text in event.args)
        variable = variable.strip()
        try:
            self._window.services.runs.models.keys.enter(variable, key, remember=bool(self._remember.value))
        except InputError as error:
            self._error.show_message(str(error))
            return
        self.close()
        self._window.notify(f"Key {variable} is set.", "good")
        self._window.services.keys_changed.emit()


def _plain_input(kind: str, label: str, placeholder: str, *, autofocus: bool) -> ui.element:
    made = ui.element("input").classes("secret" if kind == "password" else "secret secret-name")
    made.props["type"], made.props["placeholder"], made.props["aria-label"] = kind, placeholder, label
    # Password managers would offer to save the key.
    made.props('autocomplete="off" spellcheck="false" autocapitalize="off" data-1p-ignore data-lpignore="true"')
    if autofocus:
        made.props("autofocus")
    return made
