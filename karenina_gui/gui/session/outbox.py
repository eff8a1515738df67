"""Server side of `static/outbox.js`: the browser keeps typed text until the server confirms the save."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import Client, background_tasks, events, ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.nicegui_internals import set_unseen

DRAFTED = ("question", "benchmark", "preset")
"""Records whose texts become drafts if no page shows them; texts of other records wait in the browser."""


@dataclass(frozen=True)
class BufferedText:
    """Text at one address that the browser keeps until it is saved."""

    save: Callable[[Any, Any], bool]
    """Saves text that was typed over a base in a control that is gone, unless the library has another text by now or
    the page a newer one; returns True if the text is on the page."""
    confirm: Callable[[Any], None] = lambda _: None
    """Lets the browser drop a text if it is saved: the browser may have missed that."""
    control: ValueElement[Any] | None = None
    """Control that shows it. None: it is not on the page."""

    def belongs_to(self, control: int | None) -> bool:
        """Check if the control with this id shows it."""
        return self.control is not None and not self.control.is_deleted and self.control.id == control

    def resume(self, value: Any) -> None:
        """Take text of this control that was typed while its connection was lost."""
        if self.control is not None and value != self.control.value:
            set_unseen(self.control, value)
        else:
            self.confirm(value)


TextAt = Callable[[str], BufferedText | None]
"""Returns the text at a path in the value of a field, such as `0.url` in `question/12/sources#0.url`; `""` is the field
itself. None: it cannot be restored."""


OpenForm = Callable[[str, Any, bool], None]
"""Draws the form with the text at a path, so that it is watched; receives the text, and True if its page is gone.
Otherwise the text may be on its way to the library."""


@dataclass(frozen=True)
class _Watched:
    text_at: TextAt
    name: str
    element: ui.element


class Outbox:
    """Outbox of one window."""

    def __init__(self, services: AppContext, person: str, tell: Callable[[str], None]) -> None:
        """`tell` shows a short message."""
        self._services, self._person, self._tell = services, person, tell
        self._client: Client = ui.context.client
        self._watched: dict[str, _Watched] = {}
        self._forms: dict[str, tuple[OpenForm, ui.element]] = {}
        self._offering = False

    def listen(self) -> None:
        """Receive the texts that the browser kept, now and after each reconnection."""
        ui.on("outbox", self._on_recovered)
        self._client.on_connect(self._ask)

    def watch(self, address: str, name: str, text_at: TextAt) -> None:
        """Restore kept texts of this field while the current element is shown.

        `name`: the field's name in messages.
        """
        self._watched[address] = _Watched(text_at, name, ui.context.slot.parent)
        self._ask_later()

    def watch_forms(self, address: str, open_form: OpenForm) -> None:
        """Open the form of a kept text below this address, of which one at a time is shown in the current element."""
        self._forms[address] = open_form, ui.context.slot.parent
        self._ask_later()

    def settle(self, address: str, typed: Any, base: Any) -> None:
        """Let the browser drop `typed`; `base` is the value that the next edit is based on."""
        new_base = "" if base == typed else f", {json.dumps(base)}"
        self._client.run_javascript(f"outbox.settle({json.dumps(address)}, {json.dumps(typed)}{new_base})")

    def settle_cells(self, address: str, cells: Mapping[str, str], lines: Sequence[str]) -> None:
        """Let the browser drop the texts in `cells` (by path), which are saved together.

        Texts whose path does not begin with one of `lines` belong to deleted rows, and are dropped.
        """
        arguments = ", ".join(map(json.dumps, (address, cells, lines)))
        self._client.run_javascript(f"outbox.settleCells({arguments})")

    def settle_words(self, address: str, texts: Sequence[str]) -> None:
        """Let the browser drop the saved words of a field of several words."""
        self._client.run_javascript(f"outbox.settleWords({json.dumps(address)}, {json.dumps(texts)})")

    def _ask_later(self) -> None:
        if self._client.has_socket_connection and not self._offering:
            self._offering = True
            background_tasks.create(self._ask_soon(), name="ask for what the browser kept")

    def _ask(self) -> None:
        self._offering = False
        self._client.run_javascript("outbox.offer()")

    async def _ask_soon(self) -> None:
        """Ask after all fields of the page have registered: this runs once the event loop is free."""
        # Fields that were redrawn leave their former elements behind.
        self._watched = {address: entry for address, entry in self._watched.items() if not entry.element.is_deleted}
        self._forms = {address: entry for address, entry in self._forms.items() if not entry[1].is_deleted}
        self._ask()

    async def _on_recovered(self, event: events.GenericEventArguments) -> None:
        for entry in event.args:
            await self.receive(entry)

    async def receive(self, entry: Mapping[str, Any]) -> None:
        """Save a text that the browser kept, if its control is gone; an `entry` is that of `static/lib/typed.js`."""
        address, value, base = str(entry["place"]), entry["value"], entry["base"]
        field, _, path = address.partition("#")
        watched = self._on_page(field) or self._open_form(address, value, entry["left"])
        text = watched and watched.text_at(path)
        if watched and text:
            self._restore(text, watched.name, entry)
        elif entry["adopt"] and not path and address.partition("/")[0] in DRAFTED:
            await self._save_draft(address, value, base)

    def _restore(self, text: BufferedText, name: str, entry: Mapping[str, Any]) -> None:
        if not entry["left"] and text.belongs_to(entry.get("control")):
            text.resume(entry["value"])
        elif text.save(entry["value"], entry["base"]) and entry["left"]:
            self._tell(f"Restored unsaved edits in {name}.")

    def _open_form(self, address: str, value: Any, is_left: bool) -> _Watched | None:
        """Let the page show the form that has the field."""
        field = address.partition("#")[0]
        for above, (open_form, element) in list(self._forms.items()):
            if field.startswith(above) and not element.is_deleted:
                open_form(address.removeprefix(above), value, is_left)
        return self._on_page(field)

    def _on_page(self, address: str) -> _Watched | None:
        watched = self._watched.get(address)
        return None if watched is None or watched.element.is_deleted else watched

    async def _save_draft(self, address: str, value: Any, base: Any) -> None:
        """Store the text as a draft, which its field offers when it is opened."""
        drafts = self._services.library.drafts
        record, _, _ = address.rpartition("/")
        # A draft with another text is not overwritten: the user has not decided about it yet.
        there = next((edit for edit in drafts.of(self._person, record) if edit.address == address), None)
        if there is not None and there.typed != value:
            return
        if there is None:
            await self._services.write(drafts.save, address, self._person, value, base)
            self._services.undecided_changed.emit(self._person)
        self.settle(address, value, base)


def buffer_in_outbox(control: ValueElement[Any], address: str, base: str) -> None:
    """Keep text typed into this control in the browser until `Outbox.settle` confirms it."""
    arguments = f"{json.dumps(address)}, value, {json.dumps(base)}, {control.id}"
    control.on(f"update:{control.VALUE_PROP}", js_handler=f"(value) => outbox.keep({arguments})")
