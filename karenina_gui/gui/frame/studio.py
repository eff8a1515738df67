"""What every page draws on: the rooms below, and the news that they send."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from nicegui import Event, core

from karenina_gui.analysis.worker import Worker
from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.desk import Desk
from karenina_gui.runs.service import RunService
from karenina_gui.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

SETTLING = 0.4
"""Seconds after the first of a burst of news until overviews are drawn again."""


@dataclass(frozen=True)
class Confinement:
    """How author-written code is confined on this machine."""

    name: str
    confined: bool
    """False: code that needs all of Python is refused, or runs without a lock where its benchmark is trusted."""
    description: str


@dataclass(frozen=True)
class ModelNews:
    """A model was saved (the names are equal), renamed, added or restored (`before` None) or deleted (`name` None)."""

    number: int
    before: str | None
    name: str | None


@dataclass(frozen=True)
class ChoiceNews:
    """A person has chosen something for the next run of a benchmark."""

    benchmark_id: int
    person: str


@dataclass
class Studio:
    """One for the whole application; every window gets it."""

    settings: Settings
    desk: Desk
    runs: RunService
    confinement: Callable[[], Confinement]
    """Asked when it is shown: finding out takes a moment after the start."""
    worker: Worker
    """Computes what charts show."""
    edited: Event[[Change]] = field(default_factory=Event)
    """Emitted in the event loop after every edit, whoever made it."""
    models_changed: Event[[ModelNews]] = field(default_factory=Event)
    """Emitted after every change of the kept models."""
    presets_changed: Event[[str]] = field(default_factory=Event)
    """Emitted after a preset was saved or deleted, with its id."""
    prices_changed: Event[[str]] = field(default_factory=Event)
    """Emitted after a price was entered or taken away, with the model as results name it."""
    choices_changed: Event[[ChoiceNews]] = field(default_factory=Event)
    """Emitted after choices for the next run were stored."""
    keys_changed: Event[[]] = field(default_factory=Event)
    """Emitted after a key was entered or forgotten."""
    undecided: Event[[str]] = field(default_factory=Event)
    """Emitted when a person has more or less to decide, with the number of their browser."""
    moved: Event[[int]] = field(default_factory=Event)
    """Emitted in the event loop as runs move and when they end, with the run's id."""

    files_changed: Event[[Path]] = field(default_factory=Event)
    """Emitted in the event loop, with a folder that a window looks at, when something in it has changed."""

    settled: Event[[]] = field(default_factory=Event)
    """Emitted a moment after edits and movements of runs, once for a burst of them: for counts and overviews."""
    delayed: Event[[]] = field(default_factory=Event)
    """Emitted in the event loop when writes begin or cease to wait, see `desk.writes`."""
    copied_trait: tuple[str, dict[str, Any]] | None = None
    """Type and values of the trait that was copied last, to be pasted into any rubric in any window."""
    _unsettled: bool = False
    _preferences: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By person, as far as they had windows since the start."""
    _writer: ThreadPoolExecutor = field(default_factory=partial(ThreadPoolExecutor, 1, "library-writer"))

    async def write(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call what writes to the disk, off the event loop: a write may wait, and no window waits with it.

        Writes happen one at a time, in the order of these calls. Errors: those of `command`.
        """
        call = partial(command, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._writer, call)

    def preferences_of(self, person: str) -> dict[str, Any]:
        """By name; see `Preferences`."""
        if person not in self._preferences:
            self._preferences[person] = self.desk.preferences.of(person)
        return self._preferences[person]

    def connect(self) -> None:
        """Carry the news of the rooms below, which comes from any thread, into the event loop."""
        self.desk.writes.on_change(lambda: _in_loop(self.delayed.emit))
        self.desk.on_change(lambda change: _in_loop(self._tell, self.edited, change))
        self.desk.workspaces.on_outside_change(lambda folder: _in_loop(self.files_changed.emit, folder))
        self.runs.on_progress(lambda run_id: _in_loop(self._tell, self.moved, run_id))

    def tell_preset(self, preset_id: str) -> None:
        """A preset was saved or deleted."""
        self.presets_changed.emit(preset_id)
        self.settled.emit()

    def _tell(self, event: Event[Any], news: Any) -> None:
        event.emit(news)
        if not self._unsettled and core.loop is not None:
            self._unsettled = True
            core.loop.call_later(SETTLING, self._settle)

    def _settle(self) -> None:
        self._unsettled = False
        self.settled.emit()


def _in_loop(function: Callable[..., Any], *arguments: Any) -> None:
    if core.loop is not None and not core.loop.is_closed():
        core.loop.call_soon_threadsafe(function, *arguments)
