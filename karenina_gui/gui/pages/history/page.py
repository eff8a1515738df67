"""History page: commands on the left, the changes of one on the right. The address holds which one is open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

from nicegui import ui

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.elements import (
    button,
    empty_state,
    heading,
    pane,
    scrolling,
    splitter,
    toolbar,
)
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.pages.history.command_view import CommandView, author_of
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.command import LoggedCommand, benchmark_scope, sentence

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

AT_ONCE = 100
"""Commands that are listed first, and added by *Show more*."""
LIBRARY_SCOPES = ("benchmarks", "models", "presets", "prices")


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/benchmarks/{b}/history`; `?question=12` shows only its commands, `?command=3` opens one."""
    number = route.query.get("question", "")
    HistoryPage(window, route["b"], int(number) if number.isdecimal() else None).draw(route.query.get("command"))


class HistoryPage:
    def __init__(self, window: Window, benchmark_id: int | None, number: int | None) -> None:
        self._window, self._benchmark_id, self._number = window, benchmark_id, number
        self._log = window.services.library.commands
        self._commands: list[LoggedCommand] = []
        self._limit = AT_ONCE
        self._open: int | None = None

    def draw(self, opened: str | None) -> None:
        with splitter(self._window, "history", 40) as panes:
            with panes.before, pane("Actions"):
                with toolbar():
                    heading("Library history" if self._benchmark_id is None else "History", 1)
                    ui.space()
                    self._draw_ways()
                if self._number is not None:
                    ui.label(self._question()).classes("hint history-question")
                with scrolling("List of actions"):
                    self._list = ui.html("", sanitize=False).classes("history-list")
                    self._more = button("Show more", self._show_more, look="quiet")
                    self._more.set_visibility(False)
            with panes.after:
                self._detail = ui.element("div").classes("pane")
        self.refresh()
        first = self._commands[0].id if self._commands else None
        self._show(int(opened) if opened and opened.isdecimal() else first)
        self._window.listen(self._window.services.changes_debounced, self.refresh)
        self._window.listen(self._window.address_changed, self._follow)

    def refresh(self) -> None:
        """Read the commands again, those that were made meanwhile included."""
        scopes = LIBRARY_SCOPES if self._benchmark_id is None else (benchmark_scope(self._benchmark_id),)
        row = None if self._number is None else ("question", str(self._number))
        commands = self._log.entries(scopes, row=row, limit=self._limit + 1)
        if commands == self._commands:
            return
        self._commands = commands
        self._more.set_visibility(len(commands) > self._limit)
        entries = (self._entry(command) for command in commands[: self._limit])
        self._list.set_content(tag("ul", *entries, class_="model-list"))
        if self._open is not None and not self._detail.is_deleted:
            self._show(self._open)

    def _question(self) -> str:
        """Question whose history is open."""
        assert self._benchmark_id is not None
        try:
            return self._window.services.library.questions.summary(self._benchmark_id, self._number or 0).text
        except NotFoundError:
            return "This question was deleted."

    def _draw_ways(self) -> None:
        """Links between the history of a question, of its benchmark, and of the library."""
        if self._number is not None:
            button("Whole benchmark", lambda: ui.navigate.to(f"/benchmarks/{self._benchmark_id}/history"), look="quiet")
        elif self._benchmark_id is not None:
            button("Library history", lambda: ui.navigate.to("/history"), look="quiet")

    def _entry(self, command: LoggedCommand) -> Html:
        state = {"done": "", "undone": " · undone", "dropped": " · undone"}[command.state]
        about = f"{author_of(command)} · {day_and_time(command.at)}{state}"
        body = join_html([tag("b", sentence(command)), tag("span", about, class_="model-words line wraps muted small")])
        here = "true" if command.id == self._open else None
        looks = "model-list-entry" if command.state == "done" else "model-list-entry history-undone"
        return tag("li", link(self._address(command.id), body, class_=looks, aria_current=here))

    def _address(self, command_id: int) -> str:
        start = "/history" if self._benchmark_id is None else f"/benchmarks/{self._benchmark_id}/history"
        query = {"question": self._number, "command": command_id}
        return f"{start}?{urlencode({name: value for name, value in query.items() if value is not None})}"

    def _show_more(self) -> None:
        self._limit += AT_ONCE
        self.refresh()

    def _follow(self, address: str) -> None:
        """Open the command of the new address, if it is one of this page."""
        command_id = parse_qs(urlsplit(address).query).get("command", [""])[0]
        if command_id.isdecimal() and address == self._address(int(command_id)) and not self._detail.is_deleted:
            self._show(int(command_id))

    def _show(self, command_id: int | None) -> None:
        self._open = command_id
        self._mark()
        self._detail.clear()
        with self._detail:
            if command_id is None:
                _nothing_yet()
                return
            try:
                command = self._log.get(command_id)
            except NotFoundError as error:
                with empty_state("search_off", "Not in the history", str(error)):
                    return
            CommandView(self._window, command, self._number, self._commands).draw()

    def _mark(self) -> None:
        """Mark the open command in the list, where a link may have the focus."""
        if self._open is not None:
            address = json.dumps(self._address(self._open))
            self._list.client.run_javascript(_MARK % (self._list.id, address))


_MARK = """for (const each of getHtmlElement(%d)?.querySelectorAll("a") ?? []) {
  if (each.getAttribute("href").endsWith(%s)) each.setAttribute("aria-current", "true");
  else each.removeAttribute("aria-current");
}"""


def _nothing_yet() -> None:
    with empty_state("history", "No history yet", "Edits, imports, and deletions appear here, with their authors."):
        pass
