"""Menu bar, command palette, and list of shortcuts, all built from the table of commands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from nicegui import ui

from karenina_gui.gui.kit.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.commands import BY_ID, COMMANDS, MENUS, Command

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "question.new": ("add question", "create question"),
    "benchmark.new": ("add benchmark", "create benchmark", "dataset", "suite"),
    "edit.undo": ("revert", "back"),
    "edit.redo": ("repeat",),
    "go.table": ("spreadsheet", "grid", "cells", "excel", "bulk", "paste"),
    "go.history": ("versions", "changes", "log", "audit", "who"),
    "go.library_history": ("audit", "changes", "library history"),
    "question.history": ("versions", "changes", "log", "compare"),
    "benchmark.restore": ("undelete", "trash", "recycle bin"),
    "benchmark.duplicate": ("copy benchmark", "clone", "new version"),
    "benchmark.compare": ("diff", "merge", "differences", "three-way"),
    "benchmark.publish": ("release", "freeze", "tag", "snapshot"),
    "benchmark.link": ("watch file", "sync", "Git"),
    "go.versions": ("releases", "published", "linked file"),
    "benchmark.details": ("rename benchmark", "version", "trust", "code decisions", "allow code", "workspace root"),
    "questions.import": ("spreadsheet", "Excel", "CSV", "upload", "dataset"),
    "benchmark.import": ("load", "upload", "checkpoint"),
    "benchmark.export": ("save", "download", "checkpoint", "share"),
    "questions.csv": ("spreadsheet", "download", "table"),
    "questions.xlsx": ("spreadsheet", "Excel", "download", "table"),
    "results.open": ("load results", "upload results"),
    "question.duplicate": ("copy question", "clone"),
    "question.delete": ("remove question",),
    "questions.restore": ("undelete", "trash", "recycle bin"),
    "question.finish": ("review", "approve", "done", "ready"),
    "review.finish": ("approve", "accept"),
    "review.return": ("reject", "send back", "request changes"),
    "review.next": ("waiting for me", "skip"),
    "review.key": ("reference answer", "expected values"),
    "templates.test": ("check templates", "bench", "validate"),
    "samples.read": ("judge", "extract", "sample answers"),
    "result.keep": ("sample answer", "test case", "regression test"),
    "questions.replace": ("substitute", "search and replace", "regular expression", "rename"),
    "questions.duplicates": ("similar questions", "repeated questions", "near duplicates", "merge questions"),
    "questions.search": ("search", "filter"),
    "templates.draft": ("generate", "AI", "write with a model"),
    "templates.review": ("drafted templates", "proposals", "suggestions", "accept"),
    "trait.suggest": ("generate", "AI", "ideas"),
    "trait.new": ("add trait", "criterion", "rating", "rubric", "metric"),
    "trait.delete": ("remove trait",),
    "edit.settings": ("preferences", "options", "author"),
    "run.configure": (
        *("start", "evaluate", "test models", "replicates", "repetitions", "judge", "conditions", "prompt"),
        *("judgments", "sampling", "seed", "advanced", "concurrency", "selected questions"),
    ),
    "run.list": ("history", "compare", "charts", "results", "report", "leaderboard", "statistics", "metrics", "scores"),
    "run.cancel": ("cancel", "abort"),
    "run.resume": ("continue",),
    "run.again": ("repeat run", "rerun", "same settings", "copy run"),
    "run.retry": ("try failed jobs", "errors"),
    "run.models": ("LLM", "provider", "endpoint", "temperature", "judge", "interface", "base URL", "advanced"),
    "go.summary": ("pass rate", "matrix", "overview", "outcomes", "by question"),
    "go.results": ("table", "failures", "wrong answers"),
    "go.charts": ("plots", "figures", "compare"),
    "go.record": ("provenance",),
    "go.rubric": ("rubric of the benchmark", "benchmark rubric", "global traits"),
    "results.filter": ("search results", "outcome", "verdict"),
    "results.group": ("by question", "by model", "by reason", "by field"),
    "results.columns": ("pin column", "hide column", "show column", "reorder"),
    "results.export": ("download results", "CSV", "JSON", "Excel", "Parquet", "k-eval"),
    "template.draft": ("generate", "AI"),
    "template.restart": ("remove template", "custom code", "starter", "reset"),
    "model.new": ("add model", "create model"),
    "model.delete": ("remove model",),
    "keys.open": ("token", "secret", "password", "credentials", "missing key"),
    "prices.open": ("cost", "budget"),
    "run.presets": ("configuration", "saved settings"),
    "view.dark": ("night", "appearance", "colors"),
    "view.light": ("day", "appearance", "colors"),
    "view.system": ("automatic", "appearance", "colors"),
    "view.problems": ("errors", "warnings", "issues", "lint"),
    "problems.next": ("error", "warning", "issue"),
    "problems.previous": ("error", "warning", "issue"),
    "view.navigation": ("menu", "navigation"),
    "help.guide": ("documentation", "manual"),
    "help.contents": ("documentation", "manual", "tutorial"),
    "help.start": ("welcome", "home", "first steps", "example"),
    "help.tour": ("introduction", "walkthrough", "tutorial"),
    "help.shortcuts": ("keys", "hotkeys"),
}
"""Names by the id of a command, in addition to its title."""


def menu_bar(window: Window) -> None:
    with ui.element("div").classes("menus").props('role="menubar" aria-label="Main menu"') as bar:
        menus = []
        for name in MENUS:
            with ui.button(name, color=None).props('flat dense no-caps role="menuitem" aria-haspopup="menu"'):
                menus.append(Menu(window, name))

    def draw() -> None:
        for menu in menus:
            menu.draw()

    # Whoever opens a menu comes to the bar a moment before; most pages are left without it.
    for arrival in ("mouseenter.once", "focusin.once"):
        bar.on(arrival, draw, args=[])


class Menu(ui.menu):
    """Menu whose entries are built late: when the pointer or the focus comes to the menu bar, or when it opens."""

    def __init__(self, window: Window, name: str) -> None:
        super().__init__()
        self.props(f'auto-close role="menu" transition-duration="80" data-menu="{name}"').classes("menu")
        self.window = window
        self.commands = [command for command in COMMANDS if command.menu == name]
        self.entries: dict[Command, tuple[ui.element, ui.label]] = {}
        self.on("before-show", self.refresh, args=[])

    # The entries are half of all elements of a page; sending them with it would delay its first paint.
    def draw(self) -> None:
        if self.entries:
            return
        with self:
            for command in self.commands:
                if command.line_above:
                    ui.separator()
                self.entries[command] = _item(self.window, command)

    def refresh(self) -> None:
        """Update the entries in place."""
        # A rebuilt entry would lose the focus that arrow keys gave it meanwhile.
        self.draw()
        for command, (item, title) in self.entries.items():
            title.text = command.title_in(self.window)
            _show_obstacle(item, command.obstacle(self.window))


def _item(window: Window, command: Command) -> tuple[ui.element, ui.label]:
    with ui.menu_item().props('role="menuitem"').classes("menu-item") as item:
        title = ui.label(command.title)
        ui.label(command.keys).classes("shortcut hint")
    # A dialog returns the focus to its previous place, which must not be the closing menu.
    item.on("click", lambda: command.do(window), args=[], js_handler="() => afterMenu(emit)")
    return item, title


def _show_obstacle(item: ui.element, reason: str | None) -> None:
    """Mark an item as unavailable, with the reason."""
    # Disabled items remain clickable: screen readers and clicks then give the reason.
    if item.props.get("aria-description") == reason:
        return
    for old in [child for child in item.default_slot.children if isinstance(child, ui.tooltip)]:
        old.delete()
    if reason is None:
        item.props(remove="aria-disabled aria-description").classes(remove="menu-off")
        return
    item.props('aria-disabled="true"').classes("menu-off").props["aria-description"] = reason
    with item:
        ui.tooltip(reason)


class Palette(ui.dialog):
    """Dialog to find a command; Enter runs the first match, arrow keys reach the others."""

    def __init__(self, window: Window) -> None:
        super().__init__()
        self.window = window
        self.props('position="top" transition-duration="80" aria-label="Find a command"')
        with self, ui.element("div").classes("palette"):
            self.search = ui.input(placeholder="Type a command", on_change=self.fill)
            self.search.props('outlined dense autofocus aria-label="Command"').classes("input")
            # Sends the current text, because the last keystrokes may not have arrived yet.
            self.search.on("keydown.enter", lambda event: self._first(str(event.args)), js_handler=WITH_ITS_TEXT)
            self.search.on("keydown.down", js_handler=TO_THE_ROWS)
            self.rows = ui.element("div").classes("palette-rows").props('role="menu" aria-label="Commands"')
            self.rows.on("keydown", js_handler=ROW_BY_ROW)

    def show(self) -> None:
        self.search.value = ""
        self.fill()
        self.open()

    def fill(self) -> None:
        self.rows.clear()
        with self.rows:
            commands = matching(self.search.value or "", self.window)
            for command in commands:
                self._row(command)
            if not commands:
                ui.label("No matching commands.").classes("hint")

    def _row(self, command: Command) -> None:
        with ui.item(on_click=lambda: self._do(command)).props('dense role="menuitem"').classes("menu-item") as item:
            ui.label(command.title_in(self.window))
            ui.label(command.menu).classes("hint")
            ui.label(command.keys).classes("shortcut hint")
        _show_obstacle(item, command.obstacle(self.window))

    def _first(self, text: str) -> Any:
        """Run the first match; an empty box runs nothing."""
        if text.strip() and (matches := matching(text, self.window)):
            return self._do(matches[0])
        return None

    def _do(self, command: Command) -> Any:
        """Close the palette and run the command; the result may be awaitable."""
        self.close()
        return command.do(self.window)


def matching(text: str, window: Window) -> list[Command]:
    """Commands that contain every word, also by another name.

    Titles with that prefix come first, then other titles, then other names; unavailable ones are last.
    """
    terms, needle = text.casefold().split(), text.strip().casefold()
    commands = [c for c in COMMANDS if _has_words(f"{c.title} {c.menu} {' '.join(SYNONYMS.get(c.id, ()))}", terms)]
    if not terms:
        return commands

    def rank(command: Command) -> tuple[bool, bool, bool]:
        title = command.title.casefold()
        return command.obstacle(window) is not None, not title.startswith(needle), not _has_words(title, terms)

    return sorted(commands, key=rank)


def _has_words(text: str, terms: list[str]) -> bool:
    return all(word in text.casefold() for word in terms)


WITH_ITS_TEXT = "e => emit(e.target.value)"
TO_THE_ROWS = """e => {
    e.preventDefault();
    e.target.closest(".palette").querySelector(".palette-rows [role=menuitem]")?.focus();
}"""
ROW_BY_ROW = """e => {
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    e.preventDefault();
    const rows = [...e.currentTarget.querySelectorAll("[role=menuitem]")];
    const next = rows[rows.indexOf(document.activeElement) + (e.key === "ArrowDown" ? 1 : -1)];
    (next || e.currentTarget.closest(".palette").querySelector("input")).focus();
}"""


class ShortcutSheet(ui.dialog):
    """Dialog with all shortcuts by menu."""

    def __init__(self) -> None:
        super().__init__()
        self.props('aria-label="Keyboard shortcuts"')

    def show(self) -> None:
        """Build the content and open the dialog; it is built late because most windows never open it."""
        self.clear()
        with self, ui.element("div").classes("dialog"):
            dialog_title("Keyboard shortcuts")
            with ui.element("dl").classes("keys").props('tabindex="0" aria-label="Shortcuts"'):
                for command in (command for command in COMMANDS if command.shortcut):
                    with ui.element("dt"):
                        ui.label(command.keys).classes("kbd")
                    with ui.element("dd"):
                        ui.label(command.title)
            ui.label(
                "Single letters work while you aren’t typing. In the template editor, Ctrl+Space completes a "
                "word; Esc, then Tab leaves the editor."
            ).classes("hint")
            with dialog_actions():
                ui.button("Close", on_click=self.close, color=None).props("flat dense no-caps").classes("button")
        self.open()


def listen_to_keys(window: Window) -> None:
    """Run commands that the browser's shortcuts emit; see `shortcut_script`."""
    ui.on("command", lambda event: _run_by_id(window, event.args))


def shortcut_script() -> str:
    """Script that registers the shortcuts."""
    # Part of the page's HTML, so that keys pressed before the websocket connects are not lost.
    shortcuts = [(key, command) for command in COMMANDS for key in (command.shortcut, command.second_shortcut) if key]
    entries = [f"{json.dumps(key)}: {_shortcut_entry(command)}" for key, command in shortcuts]
    return f"listenForShortcuts({{{', '.join(entries)}}})"


def _shortcut_entry(command: Command) -> str:
    if command.script:
        return f"{{act: () => {command.script}}}"
    return json.dumps({"id": command.id, "field": command.field, "opens": command.opens})


def _run_by_id(window: Window, name: object) -> Any:
    """Run the command with this id; the result may be awaitable."""
    command = BY_ID.get(str(name))
    return None if command is None else command.do(window)
