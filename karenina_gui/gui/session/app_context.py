"""Application state that every page uses: the services below, and the events that they emit."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast
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

TELLING = 0.2
"""Seconds between two times at which windows are told of changes; equal changes in between are told once."""
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
    """Emitted in the event loop after edits by any window or program, within `TELLING`."""
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
    """Emitted in the event loop with the id of a run that made progress or ended, within `TELLING`."""
    drafts_changed: Signal[[int]] = field(default_factory=Signal)
    """Emitted in the event loop, within `TELLING`, with the id of a benchmark whose drafts progressed or were settled.
    """

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
    _changes_of: WeakValueDictionary[tuple[int, int | None], Signal[[Change]]] = field(
        default_factory=WeakValueDictionary
    )
    _untold: dict[tuple[int, Hashable], tuple[Signal[Any], Any]] = field(default_factory=dict)
    """Changes that windows are told next, in the order of their last occurrence."""
    _told_at: float = -TELLING
    _reads: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    """Results of `read_shared` since the last change."""
    _unsettled: bool = False
    _preferences: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Values by user, for users with a window since the start."""
    _writer: ThreadPoolExecutor = field(default_factory=partial(ThreadPoolExecutor, 1, "library-writer"))
    _checker: ThreadPoolExecutor = field(default_factory=partial(ThreadPoolExecutor, 2, "template-checks"))
    _checks: defaultdict[int, asyncio.Lock] = field(default_factory=partial(defaultdict, asyncio.Lock))
    """Held during a check of the templates of a benchmark."""

    async def write(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a command that writes to the disk in the writer thread.

        Commands run one at a time, in the order of these calls. Raises the errors of `command`.
        """
        # A write may wait for the disk; in the event loop, it would block every window.
        call = partial(command, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._writer, call)

    async def check_templates(self, benchmark_id: int, *, again: bool = False) -> None:
        """Check and test templates, see `BenchmarkEditor.check_all`."""
        # Every window of a benchmark asks for a check, which can take minutes: the second one only awaits the first,
        # and the threads that all pages share remain free.
        async with self._checks[benchmark_id]:
            call = partial(self.editor.check_all, benchmark_id, again=again)
            await asyncio.get_running_loop().run_in_executor(self._checker, call)

    def preferences_of(self, person: str) -> dict[str, Any]:
        """Return the stored values by name; see `Preferences`."""
        if person not in self._preferences:
            self._preferences[person] = self.library.preferences.of(person)
        return self._preferences[person]

    def connect(self) -> None:
        """Forward the events of the services, which come from any thread, to the event loop."""
        self.undecided_changed.subscribe(lambda _: self._reads.clear())
        self.library.writes.delay_changed.subscribe(lambda: _in_loop(self.write_delay_changed.emit))
        self.editor.changed.subscribe(lambda change: _in_loop(self._emit, self.benchmark_changed, change))
        self.editor.history.reversed.subscribe(lambda reversal: _in_loop(self._emit_reversal, reversal))
        self.editor.workspaces.changed_outside.subscribe(lambda folder: _in_loop(self.files_changed.emit, folder))
        self.editor.links.changed.subscribe(lambda number: _in_loop(self.linked_file_changed.emit, number))
        self.runs.changed.subscribe(lambda run_id: _in_loop(self._emit, self.run_changed, run_id))
        self.problems.changed.subscribe(lambda benchmark_id: _in_loop(self.problems_changed.emit, benchmark_id))
        self.drafting.changed.subscribe(lambda benchmark_id: _in_loop(self._emit, self.drafts_changed, benchmark_id))

    def emit_preset_changed(self, preset_id: str) -> None:
        """Emit the change of a preset."""
        self.presets_changed.emit(preset_id)
        self._settle()

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
        self._settle()

    def changes_of(self, benchmark_id: int, number: int | None = None) -> Signal[[Change]]:
        """Signal of the changes of a question, or of a benchmark itself (None), emitted like `benchmark_changed`.

        Changes without a number concern every question. Edits of other questions cost nothing here.
        """
        return self._changes_of.setdefault((benchmark_id, number), Signal())

    def read_shared(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `read`, or return what it returned to another window since the last change of a benchmark or run.

        Only for pages that are told of that change anyway. Arguments must be hashable; exceptions are not shared.
        """
        key = (read, args, *sorted(kwargs.items()))
        if key not in self._reads:
            self._reads[key] = read(*args, **kwargs)
        return cast(T, self._reads[key])

    def _emit(self, event: Signal[Any], news: Hashable) -> None:
        """Emit within `TELLING`; windows read what has changed, so many edits at once must not be as many readings."""
        if not self._untold and core.loop is not None:
            core.loop.call_at(self._told_at + TELLING, self._tell)
        # At once, since the window that made the change may read before it is told.
        self._reads.clear()
        self._untold.pop((id(event), news), None)
        self._untold[id(event), news] = (event, news)

    def _tell(self) -> None:
        untold, self._untold = self._untold, {}
        for event, news in untold.values():
            event.emit(news)
            if isinstance(news, Change):
                self._emit_to_concerned(news)
        if core.loop is not None:
            self._told_at = core.loop.time()
            if not self._unsettled:
                self._unsettled = True
                core.loop.call_later(SETTLING, self._settle)

    def _emit_to_concerned(self, change: Change) -> None:
        for (benchmark_id, number), signal in list(self._changes_of.items()):
            if benchmark_id == change.benchmark_id and change.number in (number, None):
                signal.emit(change)

    def _settle(self) -> None:
        self._unsettled = False
        self._reads.clear()
        self.changes_debounced.emit()


def _in_loop(function: Callable[..., Any], *arguments: Any) -> None:
    if core.loop is not None and not core.loop.is_closed():
        core.loop.call_soon_threadsafe(function, *arguments)
