"""Application state that every page uses: the services below, and the events that they emit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from nicegui import core

from karenina_gui.analysis.chart_process import ChartWorker
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.drafting.service import Drafting
from karenina_gui.authoring.problem_index import ProblemIndex
from karenina_gui.events import Signal
from karenina_gui.runs.service import RunService
from karenina_gui.settings import Settings
from karenina_gui.store.backups import DailyBackup
from karenina_gui.store.command_log import Reversal
from karenina_gui.store.library import Library

P = ParamSpec("P")
T = TypeVar("T")

SETTLING = 0.4
"""Seconds from the first event of a burst until overviews are redrawn."""


@dataclass(frozen=True)
class Confinement:
    """Confinement of template code on this machine."""

    name: str
    confined: bool
    """False: code that needs full Python is refused, or runs unconfined if its benchmark is trusted."""
    description: str


@dataclass(frozen=True)
class ModelChange:
    """Change of a model: saved (equal names), renamed, added or restored (`before` None), deleted (`name` None)."""

    number: int
    before: str | None
    name: str | None


@dataclass(frozen=True)
class ChoiceChange:
    """Change of a user's choices for the next run of a benchmark."""

    benchmark_id: int
    browser_id: str


@dataclass
class AppContext:
    """State of the application; all windows share one instance."""

    settings: Settings
    library: Library
    """Everything that is saved; pages read from its stores."""
    editor: BenchmarkEditor
    runs: RunService
    confinement: Callable[[], Confinement]
    """Called when it is shown, because the first check is slow."""
    worker: ChartWorker
    """Process that computes charts."""
    drafting: Drafting
    """Drafts by models."""
    problems: ProblemIndex
    """Problems of benchmarks."""
    daily_backup: DailyBackup
    benchmark_changed: Signal[[Change]] = field(default_factory=Signal)
    """Emitted in the event loop after every edit, by any window or program."""
    models_changed: Signal[[ModelChange]] = field(default_factory=Signal)
    """Emitted after every change of the saved models."""
    presets_changed: Signal[[str]] = field(default_factory=Signal)
    """Emitted after a preset was saved or deleted, with its id."""
    prices_changed: Signal[[str]] = field(default_factory=Signal)
    """Emitted after a price was entered or removed, with the model's name in results."""
    choices_changed: Signal[[ChoiceChange]] = field(default_factory=Signal)
    """Emitted after choices for the next run were saved."""
    keys_changed: Signal[[]] = field(default_factory=Signal)
    """Emitted after an API key was entered or deleted."""
    undecided_changed: Signal[[str]] = field(default_factory=Signal)
    """Emitted when the number of a user's conflicts changes, with the id of their browser."""
    run_changed: Signal[[int]] = field(default_factory=Signal)
    """Emitted in the event loop with the id of a run that made progress or ended."""
    drafts_changed: Signal[[int]] = field(default_factory=Signal)
    """Emitted in the event loop with the id of a benchmark whose drafts progressed or were settled."""

    problems_changed: Signal[[int]] = field(default_factory=Signal)
    """Emitted in the event loop with the id of a benchmark whose problems were found or are gone."""

    linked_file_changed: Signal[[int]] = field(default_factory=Signal)
    """Emitted in the event loop with the id of a benchmark whose linked file has another state."""
    files_changed: Signal[[Path]] = field(default_factory=Signal)
    """Emitted in the event loop with a watched folder in which something has changed."""

    changes_debounced: Signal[[]] = field(default_factory=Signal)
    """Emitted shortly after edits and progress of runs, once per burst, for counts and overviews."""
    write_delay_changed: Signal[[]] = field(default_factory=Signal)
    """Emitted in the event loop when writes begin or cease to be delayed; see `Library.writes`."""
    previews: WeakValueDictionary[str, Any] = field(default_factory=WeakValueDictionary)
    """Previews of replacements by a secret name, while their pages are open."""
    copied_trait: tuple[str, dict[str, Any]] | None = None
    """Type and values of the trait that was last copied; can be pasted in any window."""
    _unsettled: bool = False
    _preferences: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Values by user, for users with a window since the start."""
    _writer: ThreadPoolExecutor = field(default_factory=partial(ThreadPoolExecutor, 1, "library-writer"))

    async def write(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a command that writes to the disk in the writer thread.

        Commands run one at a time, in the order of these calls. Raises the errors of `command`.
        """
        # A write may wait for the disk; in the event loop, it would block every window.
        call = partial(command, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._writer, call)

    def preferences_of(self, person: str) -> dict[str, Any]:
        """Return the stored values by name; see `Preferences`."""
        if person not in self._preferences:
            self._preferences[person] = self.library.preferences.of(person)
        return self._preferences[person]

    def connect(self) -> None:
        """Forward the events of the services, which come from any thread, to the event loop."""
        self.library.writes.delay_changed.subscribe(lambda: _in_loop(self.write_delay_changed.emit))
        self.editor.changed.subscribe(lambda change: _in_loop(self._emit, self.benchmark_changed, change))
        self.editor.history.reversed.subscribe(lambda reversal: _in_loop(self._emit_reversal, reversal))
        self.editor.workspaces.changed_outside.subscribe(lambda folder: _in_loop(self.files_changed.emit, folder))
        self.editor.links.changed.subscribe(lambda number: _in_loop(self.linked_file_changed.emit, number))
        self.runs.changed.subscribe(lambda run_id: _in_loop(self._emit, self.run_changed, run_id))
        self.problems.changed.subscribe(lambda benchmark_id: _in_loop(self.problems_changed.emit, benchmark_id))
        self.drafting.changed.subscribe(lambda benchmark_id: _in_loop(self.drafts_changed.emit, benchmark_id))

    def emit_preset_changed(self, preset_id: str) -> None:
        """Emit the change of a preset."""
        self.presets_changed.emit(preset_id)
        self.changes_debounced.emit()

    def _emit_reversal(self, reversal: Reversal) -> None:
        """Emit the changes of models, presets, and prices by an undo or a redo."""
        for row in {**reversal.before, **reversal.after}:
            before, after = reversal.before.get(row), reversal.after.get(row)
            values = after or before or {}
            if row[0] == "model":
                names = [image["name"] if image else None for image in (before, after)]
                self.models_changed.emit(ModelChange(values["id"], *names))
            elif row[0] == "preset":
                self.presets_changed.emit(values["uid"])
            elif row[0] == "model_price":
                self.prices_changed.emit(values["model"])
        self.changes_debounced.emit()

    def _emit(self, event: Signal[Any], news: Any) -> None:
        event.emit(news)
        if not self._unsettled and core.loop is not None:
            self._unsettled = True
            core.loop.call_later(SETTLING, self._settle)

    def _settle(self) -> None:
        self._unsettled = False
        self.changes_debounced.emit()


def _in_loop(function: Callable[..., Any], *arguments: Any) -> None:
    if core.loop is not None and not core.loop.is_closed():
        core.loop.call_soon_threadsafe(function, *arguments)
