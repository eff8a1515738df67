"""State of one open window: its benchmark, its user's preferences, and the commands of its page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

from nicegui import app, background_tasks, ui

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.events import Signal
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.outbox import Outbox
from karenina_gui.gui.session.preferences import Preferences
from karenina_gui.gui.session.subscriptions import ClientSubscriptions
from karenina_gui.gui.session.toasts import ToastKind, Toasts
from karenina_gui.schemas.benchmark_summaries import BenchmarkSummary
from karenina_gui.schemas.command import Actor
from karenina_gui.store.actors import acting, one_command

P = ParamSpec("P")
T = TypeVar("T")
Action = Callable[[], Any]
ShowPlace = Callable[[str, str], Any]
"""Shows a place of an open question: (tab, place on it), see `CheckItem`."""
RowActions = Mapping[str, Callable[[int], Any]]
"""What the context menu of a row offers: {id of a command: action on the row with this number}."""


@dataclass(frozen=True)
class Logged(Generic[T]):
    """Outcome of a command that was logged as one."""

    outcome: T
    command_id: int | None
    """None: nothing has changed."""


def as_one(command: Callable[P, T]) -> Callable[P, Logged[T]]:
    """Return the command, to be logged as one; its outcome comes with its number in the log."""

    def carry_out(*args: P.args, **kwargs: P.kwargs) -> Logged[T]:
        with one_command() as intent:
            outcome = command(*args, **kwargs)
        return Logged(outcome, intent.command_id)

    return carry_out


@dataclass
class Window:
    """State of a window; pages receive it as their first argument."""

    services: AppContext
    browser_id: str = field(default_factory=lambda: str(app.storage.browser["id"]))
    """Id of the browser, to which unsaved edits and preferences belong."""
    preferences: Preferences = field(init=False)
    benchmark_id: int | None = None
    """Benchmark of the open page, or the last one if the page belongs to none."""
    saved_at: str | None = None
    """Time of this window's last save (ISO 8601), or None."""
    edit_saved: Signal[[]] = field(default_factory=Signal)
    theme_changed: Signal[[]] = field(default_factory=Signal)
    """Emitted after the user changed the theme."""
    benchmark_switched: Signal[[]] = field(default_factory=Signal)
    """Emitted when the window switches to another benchmark."""
    address_changed: Signal[[str]] = field(default_factory=Signal)
    """Emitted with a new address before its page is drawn."""
    chapter_changed: Signal[[]] = field(default_factory=Signal)
    """Emitted when the page that opens has another `chapter`."""
    problem_filter_changed: Signal[[]] = field(default_factory=Signal)
    """Emitted after the user chose which problems are shown."""
    path: str = ""
    """Address of the open page."""
    question_choice: dict[int, dict[str, Sequence[int]]] = field(default_factory=dict)
    """Questions chosen in the list of a benchmark when another page was opened from there: `filtered`, `selected`."""
    chapter: str = ""
    """Chapter of the guide about the open page; empty: the first one."""
    toasts: Toasts | None = None
    """Set by the shell."""
    _staged_file: Path | None = None
    _edits: set[asyncio.Task[Any]] = field(default_factory=set)
    _commands: dict[str, tuple[Action, ui.element]] = field(default_factory=dict)
    _places: tuple[int | None, ShowPlace, ui.element] | None = None
    _row_menus: dict[str, tuple[RowActions, ui.element]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.preferences = Preferences(self.services, self.browser_id)

    @cached_property
    def outbox(self) -> Outbox:
        return Outbox(self.services, self.browser_id, self.notify)

    def enter_chapter(self, chapter: str) -> None:
        """Note the chapter of the guide about the page that opens."""
        if self.chapter != chapter:
            self.chapter = chapter
            self.chapter_changed.emit()

    def enter(self, benchmark_id: int) -> None:
        """Switch the window to this benchmark. Raises `NotFoundError` if it does not exist."""
        self.services.library.benchmarks.require(benchmark_id)
        if self.benchmark_id != benchmark_id:
            self.benchmark_id = benchmark_id
            self.preferences.benchmark = benchmark_id
            self.benchmark_switched.emit()

    def benchmark(self) -> BenchmarkSummary | None:
        """Return the current state of the window's benchmark, or None if there is none or it is deleted."""
        if self.benchmark_id is None:
            return None
        try:
            return self.services.read_shared(self.services.library.benchmarks.summary, self.benchmark_id)
        except NotFoundError:
            return None

    @property
    def actor(self) -> Actor:
        """User of this window, as the command log names them."""
        return Actor(self.browser_id, self.preferences.author.get("name", ""))

    async def write(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a command of this user, which is logged under their name; see `AppContext.write`."""
        return await self.services.write(acting(self.actor)(command), *args, **kwargs)

    async def write_long(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a command like `write`, but in a thread of its own: it may take so long that others must not wait."""
        return await asyncio.to_thread(acting(self.actor)(command), *args, **kwargs)

    def edit_in_background(self, edit: Coroutine[Any, Any, Any], element: ui.element) -> None:
        """Run an edit that may take long without blocking the window; `element` is its part of the page."""
        task = background_tasks.create(edit, name="edit in the background", context=element)
        self._edits.add(task)
        task.add_done_callback(self._edits.discard)

    @property
    def is_editing(self) -> bool:
        """True while an edit in the background is not finished."""
        return bool(self._edits)

    async def finish_edits(self) -> None:
        """Wait for edits in the background: undo is about the last one, even if it is still being saved."""
        while self._edits:
            await asyncio.wait(set(self._edits))

    async def undo(self, command_id: int | None) -> bool:
        """Undo one command and return True, or tell what stands against it. None: it has changed nothing."""
        if command_id is None:
            return False
        try:
            await self.write(self.services.editor.history.undo, command_id)
        except InputError as error:
            self.notify(str(error), "bad")
            return False
        self.note_saved()
        return True

    def note_saved(self, at: str | None = None) -> None:
        """Show in the status bar that an edit is saved."""
        self.saved_at = at or datetime.now().isoformat()
        self.edit_saved.emit()

    def note_undecided(self) -> None:
        """Refresh the number of conflicts in every window of this user."""
        self.services.undecided_changed.emit(self.browser_id)

    def register_command(self, command: str, action: Action) -> None:
        """Let menus and shortcuts run `action` while the current element is on the page."""
        self._commands[command] = (action, _anchor())

    def command_action(self, command: str) -> Action | None:
        """Return the action that the page offers for a command, or None."""
        action, element = self._commands.get(command, (None, None))
        return action if element is not None and not element.is_deleted else None

    def register_row_menu(self, kind: str, actions: RowActions) -> None:
        """Offer a context menu for rows of a kind, in this order, while the current element is on the page.

        The list of the rows has the attribute `data-row-menu` with the kind, and each row its number in `data-row`.
        """
        self._row_menus[kind] = (actions, _anchor())

    def row_actions(self, kind: str) -> RowActions:
        """Return what the page offers for rows of a kind; empty if nothing."""
        actions, element = self._row_menus.get(kind, ({}, None))
        return actions if element is not None and not element.is_deleted else {}

    def register_places(self, number: int | None, show: ShowPlace) -> None:
        """Let problems lead to places of a question while the current element is on the page; None: the benchmark."""
        self._places = (number, show, _anchor())

    def show_place(self, number: int | None, tab: str, target: str) -> bool:
        """Show a place of the open question, and return True; False: another page is open."""
        if self._places is None or self.shown_record != (number,):
            return False
        self._places[1](tab, target)
        return True

    @property
    def shown_record(self) -> tuple[int | None] | None:
        """Number of the question whose places the page can show (None inside: the benchmark), or None."""
        return None if self._places is None or self._places[2].is_deleted else (self._places[0],)

    def stage_file(self, file: Path) -> None:
        """Store a file for the page that opens next."""
        self._staged_file = file

    def pop_staged_file(self) -> Path | None:
        """Remove and return the stored file, or None."""
        file, self._staged_file = self._staged_file, None
        return file

    def listen(self, event: Signal[Any], callback: Callable[..., Any]) -> None:
        """Call `callback` while the current element is on the page.

        While the window has lost its connection, calls are deferred, and equal ones are made once.
        """
        self._news.listen(event, callback, _anchor())

    @cached_property
    def _news(self) -> ClientSubscriptions:
        return ClientSubscriptions(ui.context.client)

    def notify(
        self, message: str, kind: ToastKind = "info", undo: Action | None = None, *, address: str | None = None
    ) -> None:
        """Show a short message; `undo` adds an Undo button, `address` a link to this address."""
        if self.toasts is not None:
            self.toasts.show(message, kind, undo, address)


def _anchor() -> ui.element:
    """Create a hidden element that is deleted with the part of the page around it."""
    # The container of the pages itself stays when another page is drawn.
    return ui.element("span").props("hidden")
