"""Persistence of the user's choices for the next run: in the library, and in the browser until they are saved."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from nicegui import background_tasks, ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui import example
from karenina_gui.gui.pages.run_setup.condition_draft import ConditionDraft, free_name
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.records.optimistic_edit import CallbackField
from karenina_gui.gui.session.app_context import ChoiceChange
from karenina_gui.gui.session.outbox import BufferedText, buffer_in_outbox
from karenina_gui.gui.session.unsaved_edits import edits_here
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark import BenchmarkDocument

EXAMPLES = (
    (example.BENCHMARK, example.run_configuration),
    (example.agents.BENCHMARK, example.agents.run_configuration),
)
"""Shipped examples and their run configurations."""


STORING = 0.05
"""Seconds between checks of a write in progress."""
NAME = "run.name"
"""Path of the run's name."""


class ChoiceMemory:
    """Storage of the choices of a Run page.

    One write is in progress at a time; later changes are written next.
    """

    problem: str | None = None
    undecided = False

    def __init__(self, window: Window, benchmark_id: int, restored: Callable[[], None]) -> None:
        """`restored` is called after the browser returned a text, when `choice` is up to date."""
        self._window, self._benchmark_id, self.restored = window, benchmark_id, restored
        self._outbox, self._address = window.outbox, f"run-choice/{benchmark_id}"
        self._edits, self._page = edits_here(), ui.context.slot.parent
        self._unsaved: dict[str, Any] | None = None
        self.dirty = False
        """True while a write is in progress."""
        self.used = False
        """True once choices were saved from this page."""
        self._controls: dict[str, ValueElement[Any]] = {}
        self._outbox.watch(self._address, "the choices of this run", self.text_at)

    def begin(self, choice: RunDraft) -> None:
        """Set the choices that the page shows."""
        self.choice = choice
        self._controls.clear()

    def write(self) -> None:
        """Save the choices in the background."""
        self.used = True
        self._unsaved = self.choice.to_memory()
        if not self.dirty:
            self._note(dirty=True)
            background_tasks.create(self._write_all(), name="store the choices of a run")

    def rows(self, name: str, value: list[dict[str, Any]], save: Callable[[Any], str | None]) -> CallbackField:
        """Return the field of a list of records, whose cells the browser keeps until they are saved."""

        async def keep(rows: Any) -> str | None:
            wrong = save(rows)
            # The field counts as saved only once the choices are in the library.
            while self.dirty:
                await asyncio.sleep(STORING)
            return wrong

        return CallbackField(value, keep, f"{self._address}/{name}", self._outbox)

    def keep_in_browser(self, path: str, control: ValueElement[Any]) -> None:
        """Keep text typed into this control in the browser until it is saved.

        `path`: `run.name`, `condition-0.prompt`, or `setting.` and a setting's path with slashes instead of dots.
        """
        self._controls[path] = control
        buffer_in_outbox(control, f"{self._address}#{path}", str(control.value or ""))

    def text_at(self, path: str) -> BufferedText:
        """See `gui.session.outbox.TextAt`. The last input wins, because only one user edits the choices."""

        def confirm(value: Any) -> None:
            if not self.dirty:
                self.settle({path: value})

        def save(value: Any, _base: Any) -> bool:
            if self._text(path) == value:
                confirm(value)
                return False
            self._set_text(path, value)
            self.write()
            self.restored()
            return True

        return BufferedText(save, confirm, self._controls.get(path))

    def settle(self, stored: Mapping[str, str]) -> None:
        """Confirm saved texts to the browser."""
        lines = [f"condition-{at}" for at in range(len(self.choice.conditions))]
        self._outbox.settle_cells(self._address, stored, ["run", "setting", *lines])

    def on_delay_changed(self) -> None:
        """Do nothing: the status bar shows the delay."""

    async def _write_all(self) -> None:
        try:
            while (choices := self._unsaved) is not None:
                self._unsaved = None
                # Before the write: the browser may drop only texts that are part of it.
                texts = {path: str(control.value or "") for path, control in self._controls.items()}
                save = self._window.services.library.run_choices.save
                await self._window.write(save, self._benchmark_id, self._window.browser_id, choices)
                self.settle(texts)
                self._window.services.choices_changed.emit(ChoiceChange(self._benchmark_id, self._window.browser_id))
        finally:
            self._note(dirty=False)

    def _text(self, path: str) -> str:
        owner, _, name = path.partition(".")
        if path == NAME:
            return self.choice.name
        if owner == "setting":
            return str(self.choice.value(name.replace("/", ".")) or "")
        return self._condition(owner).text(name)

    def _set_text(self, path: str, value: str) -> None:
        owner, _, name = path.partition(".")
        if path == NAME:
            self.choice.name = value
        elif owner == "setting":
            self.choice.set(name.replace("/", "."), value or None)
        else:
            self._condition(owner).set_text(name, value)

    def _condition(self, name: str) -> ConditionDraft:
        at, conditions = int(name.rpartition("-")[2]), self.choice.conditions
        # The connection may have broken before this condition was saved.
        while at >= len(conditions):
            conditions.append(ConditionDraft(free_name("condition", [condition.name for condition in conditions])))
        return conditions[at]

    def _note(self, *, dirty: bool) -> None:
        self.dirty = dirty
        if self._edits is not None:
            self._edits.note(self, self._page)


def first_choice(window: Window, benchmark_id: int, frame: BenchmarkDocument, defaults: Mapping[str, Any]) -> RunDraft:
    """Return the choices of the last run, else those of a shipped example, else the user's `defaults`."""
    if (saved := saved_choices(window, [benchmark_id]).get(benchmark_id)) is not None:
        return saved
    for shipped, configuration in EXAMPLES:
        if _is_copy_of(frame, shipped):
            return RunDraft.of(configuration())
    return RunDraft.from_memory({"settings": dict(defaults)})


def saved_choices(window: Window, benchmark_ids: Collection[int]) -> dict[int, RunDraft]:
    """Return the user's saved choices by benchmark, for benchmarks that have any."""
    saved = window.services.library.run_choices.of(window.browser_id, benchmark_ids)
    return {number: RunDraft.from_memory(memory) for number, memory in saved.items()}


async def restore_condition(window: Window, benchmark_id: int, at: int, condition: ConditionDraft) -> None:
    """Insert a deleted condition into the saved choices."""
    # The page may show other choices by now, or be closed.
    choice = saved_choices(window, [benchmark_id]).get(benchmark_id) or RunDraft()
    condition.name = free_name(condition.name, [condition.name for condition in choice.conditions])
    choice.conditions.insert(min(at, len(choice.conditions)), condition)
    await window.write(window.services.library.run_choices.save, benchmark_id, window.browser_id, choice.to_memory())


def _is_copy_of(frame: BenchmarkDocument, shipped: Path) -> bool:
    """Check if the benchmark is a copy of a shipped one."""
    return bool(frame.source.get("@id") == json.loads(shipped.read_text(encoding="utf-8"))["@id"])
