"""One open window: where it is, what its person prefers, what the page in it offers to the menus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from nicegui import Event, app, ui

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.frame.news import News
from karenina_gui.gui.frame.outbox import Outbox
from karenina_gui.gui.frame.preferences import Preferences
from karenina_gui.gui.frame.studio import Studio
from karenina_gui.gui.frame.toasts import ToastKind, Toasts
from karenina_gui.schemas.summaries import BenchmarkSummary

P = ParamSpec("P")
T = TypeVar("T")
Action = Callable[[], Any]


@dataclass
class Window:
    """Made anew for each window; pages get it as their first argument."""

    studio: Studio
    person: str = field(default_factory=lambda: str(app.storage.browser["id"]))
    """Number of the browser: whose unsaved edits and preferences are shown here."""
    preferences: Preferences = field(init=False)
    benchmark_id: int | None = None
    """The benchmark of the page that is shown, or the last one where a page belongs to none."""
    saved_at: str | None = None
    """When this window last saved something (ISO 8601); None: not yet."""
    saved: Event[[]] = field(default_factory=Event)
    themed: Event[[]] = field(default_factory=Event)
    """Emitted after the person chose light or dark."""
    entered: Event[[]] = field(default_factory=Event)
    """Emitted when the window shows another benchmark."""
    address_changed: Event[[str]] = field(default_factory=Event)
    """Emitted with the address as it changes, before its page is drawn."""
    chapter: str = ""
    """Chapter of the guide about the page that is shown; empty: the first one."""
    toasts: Toasts | None = None
    """Set by the shell."""
    outbox: Outbox | None = None
    """Set by the shell; None: the browser keeps nothing."""
    _handed: Path | None = None
    _offers: dict[str, tuple[Action, ui.element]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.preferences = Preferences(self.studio, self.person)

    def enter(self, benchmark_id: int) -> None:
        """Make this benchmark the window's own. Errors: `NotFoundError`."""
        self.studio.desk.require_benchmark(benchmark_id)
        if self.benchmark_id != benchmark_id:
            self.benchmark_id = benchmark_id
            self.preferences.benchmark = benchmark_id
            self.entered.emit()

    def benchmark(self) -> BenchmarkSummary | None:
        """The window's benchmark as it stands now; None: there is none, or it is deleted and may come back."""
        if self.benchmark_id is None:
            return None
        try:
            return self.studio.desk.benchmark(self.benchmark_id)
        except NotFoundError:
            return None

    async def write(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """See `Studio.write`."""
        return await self.studio.write(command, *args, **kwargs)

    def note_saved(self, at: str | None = None) -> None:
        """Say in the status bar that an edit is in the store."""
        self.saved_at = at or datetime.now().isoformat()
        self.saved.emit()

    def note_undecided(self) -> None:
        """Say in every window of this person that there is more or less to decide."""
        self.studio.undecided.emit(self.person)

    def offer(self, command: str, action: Action) -> None:
        """Let menus and shortcuts run this for as long as the place where it is offered stays on the page."""
        self._offers[command] = (action, _anchor())

    def offered(self, command: str) -> Action | None:
        """What the page offers for this command; None: nothing just now."""
        action, place = self._offers.get(command, (None, None))
        return action if place is not None and not place.is_deleted else None

    def hand(self, file: Path) -> None:
        """Keep a file for the page that is about to open it."""
        self._handed = file

    def take_handed(self) -> Path | None:
        """The file that waits for this page; None: there is none."""
        file, self._handed = self._handed, None
        return file

    def listen(self, event: Event[Any], callback: Callable[..., Any]) -> None:
        """Call back for as long as the place where this is called stays on the page.

        While the window has lost its connection, once for each piece of news as soon as it is back.
        """
        self._news.listen(event, callback, _anchor())

    @cached_property
    def _news(self) -> News:
        return News(ui.context.client)

    def tell(self, message: str, kind: ToastKind = "info", undo: Action | None = None) -> None:
        """A short message at the lower right; with `undo` it offers to take back what was done."""
        if self.toasts is not None:
            self.toasts.show(message, kind, undo)


def _anchor() -> ui.element:
    """Something that goes when the page around it goes; the container of the pages themselves would stay."""
    return ui.element("span").props("hidden")
