"""The page Keys: which variables models and interfaces name, whether each has a key, and where to enter one."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from karenina_gui.errors import InputError
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.models.words import ORIGINS
from karenina_gui.gui.parts.elements import bar, button, heading, note, pane, scrolling
from karenina_gui.gui.parts.markup import Html, icon, joined, link, tag
from karenina_gui.gui.settings.key_dialog import KeyDialog
from karenina_gui.runs.models import KeyUse

if TYPE_CHECKING:
    from karenina_gui.gui.frame.pages import Place

EXPLANATION = (
    "A key opens the door to a provider’s models. Models name the variable that holds their key, never the key itself. "
    "A key that you enter here goes before one of the environment; it is never shown again, and no file that you save "
    "or hand on has it."
)


def draw(window: Window, place: Place) -> None:
    """`/keys`; `?enter=OPENAI_API_KEY` asks for that key at once."""
    page = KeysPage(window)
    page.draw()
    if (variable := place.query.get("enter", "")).isidentifier():
        page.enter(variable)


class KeysPage:
    def __init__(self, window: Window) -> None:
        self._window = window
        self._shelf = window.studio.runs.models

    def draw(self) -> None:
        with pane("Keys"):
            with bar():
                heading("Keys", 1)
                ui.space()
                button("Enter another key…", lambda: self.enter(None), icon="add")
            with scrolling(), ui.element("div").classes("form keys-form"):
                ui.label(EXPLANATION).classes("keys-about")
                self._trouble = ui.element("div").classes("full-width mf-say")
                self._rows = ui.element("div").classes("keys-list").props('role="list"')
        self._window.listen(self._window.studio.keys_changed, self.refresh)
        self._window.listen(self._window.studio.models_changed, lambda _news: self.refresh())
        self.refresh()

    def refresh(self) -> None:
        """Read again which keys there are."""
        self._trouble.clear()
        with self._trouble:
            if trouble := self._shelf.keys.trouble:
                note(f"{trouble} Remember a key once more, and the file is written anew.", "warn")
        self._rows.clear()
        with self._rows:
            for use in self._uses():
                self._row(use)

    def enter(self, variable: str | None) -> None:
        with self._trouble.parent_slot.parent if self._trouble.parent_slot else self._trouble:
            KeyDialog(self._window, variable).open()

    def _uses(self) -> list[KeyUse]:
        """Those that somebody names, then those that were entered all the same."""
        named = self._shelf.key_uses()
        known = {use.variable for use in named}
        entered = [name for name in self._shelf.keys.entered() if name not in known]
        return [*named, *(KeyUse(name, self._shelf.keys.origin(name), (), ()) for name in entered)]

    def _row(self, use: KeyUse) -> None:
        with ui.element("div").classes("key-row").props('role="listitem"'):
            ui.html(_described(use)).classes("key-about")
            with ui.element("div").classes("key-actions"):
                enter = button("Enter another…" if use.is_set else "Enter key…", lambda: self.enter(use.variable))
                enter.props["aria-label"] = f"Enter the key {use.variable}"
                if use.origin in ("session", "remembered"):
                    forget = button("Forget", lambda: self._forget(use.variable), look="quiet")
                    forget.props["aria-label"] = f"Forget the key {use.variable}"

    def _forget(self, variable: str) -> None:
        try:
            self._shelf.keys.forget(variable)
        except InputError as error:
            self._window.tell(str(error), "bad")
            return
        now = self._shelf.keys.origin(variable)
        rest = " The environment’s is used again." if now == "environment" else ""
        self._window.tell(f"The key {variable} is forgotten.{rest}")
        self._window.studio.keys_changed.emit()


def _described(use: KeyUse) -> Html:
    looks = "chip chip-good" if use.is_set else "chip chip-warn" if use.models else "chip"
    glyph = icon("key" if use.is_set else "key_off")
    state = tag("span", glyph, ORIGINS[use.origin], class_=f"{looks} key-chip")
    return joined([tag("div", tag("b", use.variable, class_="mono"), state, class_="key-head"), _users(use)])


def _users(use: KeyUse) -> Html:
    parts: list[Html | str] = []
    if use.interfaces:
        parts.append(f"The usual key of {', '.join(use.interfaces)}.")
    if use.models:
        parts.append(" Used by " if parts else "Used by ")
        for at, name in enumerate(use.models):
            parts.append(", " if at else "")
            parts.append(link(f"/models?name={quote(name, safe='')}", name))
        parts.append(".")
    return tag("div", *(parts or ["No model names it."]), class_="hint")
