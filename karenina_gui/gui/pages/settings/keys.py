"""API keys page: the environment variables in use, their keys, and their users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.errors import InputError
from karenina_gui.gui.kit.elements import button, heading, note, pane, scrolling, toolbar
from karenina_gui.gui.kit.html import Html, icon, join_html, link, tag
from karenina_gui.gui.pages.models.key_dialog import KeyDialog
from karenina_gui.gui.pages.models.model_text import ORIGINS
from karenina_gui.gui.pages.models.model_urls import address_by_name
from karenina_gui.gui.pages.presets.page import address as preset_address
from karenina_gui.gui.pages.run_setup.condition_draft import usable_conditions
from karenina_gui.gui.pages.run_setup.draft_memory import saved_choices
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.models import KeyUse
from karenina_gui.schemas.condition import Condition
from karenina_gui.text import join_list

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

EXPLANATION = (
    "API keys for providers and MCP servers. Models and conditions only name the variable that holds a key. Keys "
    "entered here override environment variables. They are never shown again or written to benchmarks, results, or "
    "presets."
)


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/keys`; `?enter=OPENAI_API_KEY` opens the dialog for that key."""
    page = KeysPage(window)
    page.draw()
    if (variable := route.query.get("enter", "")).isidentifier():
        page.enter(variable)


class KeysPage:
    def __init__(self, window: Window) -> None:
        self._window = window
        self._catalog = window.services.runs.models

    def draw(self) -> None:
        with pane("API keys"):
            with toolbar():
                heading("API keys", 1)
                ui.space()
                button("Add key…", lambda: self.enter(None), icon="add")
            with scrolling(), ui.element("div").classes("form keys-form"):
                ui.label(EXPLANATION).classes("keys-about")
                self._trouble = ui.element("div").classes("full-width when-filled")
                self._rows = ui.element("div").classes("keys-list stack wide card").props('role="list"')
        self._window.listen(self._window.services.keys_changed, self.refresh)
        for changed in (self._window.services.models_changed, self._window.services.presets_changed):
            self._window.listen(changed, lambda _news: self.refresh())
        self.refresh()

    def refresh(self) -> None:
        """Refresh the list of keys."""
        self._trouble.clear()
        with self._trouble:
            if trouble := self._catalog.keys.trouble:
                note(f"{trouble} Save a key on this computer to replace the file.", "warn")
        self._rows.clear()
        written = written_conditions(self._window)
        with self._rows:
            for use in self._uses(written):
                self._row(use, written)

    def enter(self, variable: str | None) -> None:
        # Outside the rows, because a refresh deletes them with everything inside.
        with self._trouble.parent_slot.parent if self._trouble.parent_slot else self._trouble:
            KeyDialog(self._window, variable).open()

    def _uses(self, written: Mapping[str, WrittenConditions]) -> list[KeyUse]:
        """List variables in use, then entered keys without use."""
        named = self._catalog.key_uses({address: conditions.conditions for address, conditions in written.items()})
        used = {use.variable for use in named}
        entered = [name for name in self._catalog.keys.entered_names() if name not in used]
        return [*named, *(KeyUse(name, self._catalog.keys.origin(name), (), ()) for name in entered)]

    def _row(self, use: KeyUse, written: Mapping[str, WrittenConditions]) -> None:
        with ui.element("div").classes("key-row line gap-12").props('role="listitem"'):
            ui.html(_description(use, written)).classes("grow breaks")
            with ui.element("div").classes("key-actions"):
                action = "Replace key" if use.is_set else "Enter key"
                enter = button(f"{action}…", lambda: self.enter(use.variable))
                enter.props["aria-label"] = f"{action} {use.variable}"
                # Environment variables cannot be removed from here.
                if use.origin in ("session", "remembered"):
                    remove = button("Remove", lambda: self._remove(use.variable), look="quiet")
                    remove.props["aria-label"] = f"Remove key {use.variable}"

    def _remove(self, variable: str) -> None:
        try:
            self._catalog.keys.remove(variable)
        except InputError as error:
            self._window.notify(str(error), "bad")
            return
        now = self._catalog.keys.origin(variable)
        rest = " Using the environment variable again." if now == "environment" else ""
        self._window.notify(f"Removed key {variable}.{rest}")
        self._window.services.keys_changed.emit()


@dataclass(frozen=True)
class WrittenConditions:
    """Conditions of a preset, or of the user's choices for a benchmark's next run."""

    before: str
    """Words before the title in a sentence."""
    title: str
    conditions: Sequence[Condition]


def written_conditions(window: Window) -> dict[str, WrittenConditions]:
    """Return conditions by the address of their page."""
    presets = window.services.library.presets.all().values()
    titles = {benchmark.id: benchmark.name for benchmark in window.services.library.benchmarks.summaries()}
    chosen = saved_choices(window, titles)
    return {
        **{
            preset_address(preset.id): WrittenConditions("in preset", preset.name, preset.config.conditions)
            for preset in presets
        },
        **{
            f"/benchmarks/{number}/run": WrittenConditions(
                "for runs of", titles[number], usable_conditions(choice.conditions)
            )
            for number, choice in chosen.items()
        },
    }


def _description(use: KeyUse, written: Mapping[str, WrittenConditions]) -> Html:
    looks = "chip chip-good" if use.is_set else "chip chip-warn" if use.models or use.conditions else "chip"
    glyph = icon("key" if use.is_set else "key_off")
    state = tag("span", glyph, ORIGINS[use.origin], class_=f"{looks} key-chip gap-4")
    return join_html(
        [tag("div", tag("b", use.variable, class_="mono"), state, class_="key-head line wraps"), _users(use, written)]
    )


def _users(use: KeyUse, written: Mapping[str, WrittenConditions]) -> Html:
    users: list[Html | str] = [link(address_by_name(name), name) for name in use.models]
    for address, name in use.conditions:
        of = written[address]
        users.append(join_html([f"condition “{name}” {of.before} ", link(address, of.title)]))
    parts: list[Html | str] = []
    if use.interfaces:
        parts.append(f"Default key for {join_list(use.interfaces)}.")
    if users:
        parts.append(" Used by " if parts else "Used by ")
        for at, user in enumerate(users):
            parts += [", ", user] if at else [user]
        parts.append(".")
    return tag("div", *(parts or ["Not used by any model or condition."]), class_="hint")
