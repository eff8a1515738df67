"""The choices of a person for the next run of a benchmark: in the library, or in the browser until they are there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import background_tasks, ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui import example
from karenina_gui.gui.frame.edits import edits_here
from karenina_gui.gui.frame.outbox import Outbox, sent_to_outbox
from karenina_gui.gui.frame.studio import ChoiceNews
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.elements import set_unseen
from karenina_gui.gui.parts.field_edit import LonelyField
from karenina_gui.gui.runs.choice import RunChoice
from karenina_gui.gui.runs.condition_draft import ConditionDraft, free_name
from karenina_gui.schemas.benchmark import BenchmarkDocument

EXAMPLES = (
    (example.BENCHMARK, example.run_configuration),
    (example.agents.BENCHMARK, example.agents.run_configuration),
)
"""What is shipped, and the run that it is made for."""


STORING = 0.05
"""Seconds between two looks at a write that is under way."""
NAME = "run.name"
"""Path of the name of the run."""


class ChoiceMemory:
    """One for each Run page. One write is under way at a time; what is chosen meanwhile is written next."""

    problem: str | None = None
    undecided = False

    def __init__(self, window: Window, benchmark_id: int, restored: Callable[[], None]) -> None:
        """`restored` is called after the browser gave back a text, with `choice` as it is then."""
        self._window, self._benchmark_id, self.restored = window, benchmark_id, restored
        self._edits, self._page = edits_here(), ui.context.slot.parent
        self._wanted: dict[str, Any] | None = None
        self.dirty = False
        """True while a write is under way."""
        self.used = False
        """True once choices were stored from here."""
        self._controls: dict[str, ValueElement[Any]] = {}
        if self._outbox is not None:
            self._outbox.watch(self._place, "the choices of this run", self)

    def begin(self, choice: RunChoice) -> None:
        """The page shows these choices now."""
        self.choice = choice
        self._controls.clear()

    def write(self) -> None:
        """Store the choices in the background."""
        self.used = True
        self._wanted = self.choice.memory()
        if not self.dirty:
            self._note(dirty=True)
            background_tasks.create(self._write_on(), name="store the choices of a run")

    def rows(self, name: str, known: list[dict[str, Any]], save: Callable[[Any], str | None]) -> LonelyField:
        """A list of records among the choices, whose cells the browser keeps until they are stored."""

        async def keep(rows: Any) -> str | None:
            wrong = save(rows)
            while self.dirty:
                await asyncio.sleep(STORING)
            return wrong

        return LonelyField(known, keep, f"{self._place}/{name}", self._outbox)

    def keep_in_browser(self, path: str, control: ValueElement[Any]) -> None:
        """Keep what is typed into this control in the browser until it is stored.

        `path`: `run.name`, `condition-0.prompt`, or `setting.` and the place of a setting with slashes for dots.
        """
        if self._outbox is not None:
            self._controls[path] = control
            sent_to_outbox(control, f"{self._place}#{path}", str(control.value or ""))

    def cell(self, path: str) -> ChoiceText:
        """See `frame.outbox.Texts`."""
        return ChoiceText(self, path)

    def control(self, path: str) -> ValueElement[Any] | None:
        """The control that shows this text; None: it is not on the page."""
        found = self._controls.get(path)
        return None if found is None or found.is_deleted else found

    def settle(self, stored: Mapping[str, str]) -> None:
        """These texts are in the library."""
        if self._outbox is not None:
            lines = [f"condition-{at}" for at in range(len(self.choice.conditions))]
            self._outbox.settled_cells(self._place, stored, ["run", "setting", *lines])

    @property
    def _outbox(self) -> Outbox | None:
        return self._window.outbox

    @property
    def _place(self) -> str:
        return f"run-choice/{self._benchmark_id}"

    def tell_delay(self) -> None:
        """The status bar tells."""

    async def _write_on(self) -> None:
        try:
            while (wanted := self._wanted) is not None:
                self._wanted = None
                shown = {path: str(control.value or "") for path, control in self._controls.items()}
                choices = self._window.studio.desk.run_choices
                await self._window.write(choices.save, self._benchmark_id, self._window.person, wanted)
                self.settle(shown)
                self._window.studio.choices_changed.emit(ChoiceNews(self._benchmark_id, self._window.person))
        finally:
            self._note(dirty=False)

    def _note(self, *, dirty: bool) -> None:
        self.dirty = dirty
        if self._edits is not None:
            self._edits.note(self, self._page)


@dataclass(frozen=True)
class ChoiceText:
    """One text, given back by the browser. The choices are of one person, so what was typed last counts."""

    of: ChoiceMemory
    path: str

    @property
    def shown_by(self) -> int | None:
        control = self.of.control(self.path)
        return control.id if control is not None else None

    def recover(self, value: Any, base: Any) -> bool:
        if self._now() == value:
            if not self.of.dirty:
                self.of.settle({self.path: value})
            return False
        self._put(value)
        self.of.write()
        self.of.restored()
        return True

    def resume(self, value: Any) -> None:
        control = self.of.control(self.path)
        if control is not None and control.value != value:
            set_unseen(control, value)
        elif not self.of.dirty:
            self.of.settle({self.path: value})

    def _now(self) -> str:
        if self.path == NAME:
            return self.of.choice.name
        if self._setting is not None:
            return str(self.of.choice.value(self._setting) or "")
        condition = self._condition
        texts = {"name": condition.name, "prompt": condition.prompt}
        return str(texts.get(self._part, condition.kept.get("description", "")))

    def _put(self, value: str) -> None:
        if self.path == NAME:
            self.of.choice.name = value
        elif self._setting is not None:
            self.of.choice.set(self._setting, value or None)
        elif self._part == "name":
            self._condition.name = value
        elif self._part == "prompt":
            self._condition.write_prompt(value)
        else:
            self._condition.put("description", value)

    @property
    def _part(self) -> str:
        return self.path.partition(".")[2]

    @property
    def _setting(self) -> str | None:
        """Place in the configuration; None: the text is one of a condition."""
        return self._part.replace("/", ".") if self.path.startswith("setting.") else None

    @property
    def _condition(self) -> ConditionDraft:
        at, conditions = int(self.path.partition(".")[0].rpartition("-")[2]), self.of.choice.conditions
        while at >= len(conditions):
            conditions.append(ConditionDraft(free_name("condition", [each.name for each in conditions])))
        return conditions[at]


def first_choice(window: Window, benchmark_id: int, frame: BenchmarkDocument, defaults: Mapping[str, Any]) -> RunChoice:
    """The choices of the last run. Before there was one: the example's own for the example, else the person's
    `defaults` (settings by their names)."""
    if (kept := remembered(window, [benchmark_id]).get(benchmark_id)) is not None:
        return kept
    for shipped, configuration in EXAMPLES:
        if _began_as(frame, shipped):
            return RunChoice.of(configuration())
    return RunChoice.remembered({"settings": dict(defaults)})


def remembered(window: Window, benchmark_ids: Collection[int]) -> dict[int, RunChoice]:
    """Those of these benchmarks for which this person has chosen something."""
    kept = window.studio.desk.run_choices.of(window.person, benchmark_ids)
    return {each: RunChoice.remembered(memory) for each, memory in kept.items()}


async def restore_condition(window: Window, benchmark_id: int, at: int, condition: ConditionDraft) -> None:
    """Put a deleted condition back into what this person has chosen by now."""
    choice = remembered(window, [benchmark_id]).get(benchmark_id) or RunChoice()
    condition.name = free_name(condition.name, [each.name for each in choice.conditions])
    choice.conditions.insert(min(at, len(choice.conditions)), condition)
    await window.write(window.studio.desk.run_choices.save, benchmark_id, window.person, choice.memory())


def _began_as(frame: BenchmarkDocument, shipped: Path) -> bool:
    """Whether this benchmark began as the shipped one."""
    return bool(frame.source.get("@id") == json.loads(shipped.read_text(encoding="utf-8"))["@id"])
