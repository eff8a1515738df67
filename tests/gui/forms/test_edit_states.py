"""States of an edit: those that are drawn are those that occur, and no text gets lost on any way through them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from nicegui.testing import User

from karenina_gui.gui.records.optimistic_edit import FieldWithoutDraft, OptimisticEdit, Outcome, RemoteValue, State
from karenina_gui.schemas.edits import UnsavedEdit

ARCHITECTURE = Path(__file__).resolve().parents[3] / "docs" / "architecture.md"
Steps = set[tuple[str, str]]

TEXTS = ["", "a", "ab", "abc", "abd", "refused", "refused, too"]
"""Few, so that both sides often have the same."""


class Disk(FieldWithoutDraft):
    """Field whose saves end when the walk says so."""

    def __init__(self, draft: UnsavedEdit | None) -> None:
        self.value, self.draft = "a", draft
        self.slow = False
        self.coming: asyncio.Future[None] | None = None

    def read(self) -> str:
        return self.value

    def save(self, value: str, base: str) -> Outcome | Awaitable[Outcome]:
        assert self.coming is None, "two saves at once"
        return self._save_later(value, base) if self.slow else self._save(value, base)

    async def _save_later(self, value: str, base: str) -> Outcome:
        self.coming = asyncio.get_running_loop().create_future()
        await self.coming
        self.coming = None
        return self._save(value, base)

    def _save(self, value: str, base: str) -> Outcome:
        if value.startswith("refused"):
            return "This cannot be."
        if self.value not in (base, value):
            return RemoteValue(self.value)
        self.value = value
        return None

    def unsaved_edit(self) -> UnsavedEdit | None:
        return self.draft

    def save_draft(self, value: str, base: str) -> None:
        self.draft = UnsavedEdit("disk/1/field", value, base, "now")

    def discard_draft(self) -> None:
        self.draft = None


class Watched(OptimisticEdit):
    """Edit that notes the ways from state to state."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "state" and "state" in vars(self):
            self.steps.add((self.state.name, value.name))
        elif name == "state":
            object.__setattr__(self, "steps", set())
        object.__setattr__(self, name, value)

    steps: Steps


class Walk:
    """A person, another window, and a browser that comes back, all at random."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        draft = UnsavedEdit("disk/1/field", "ab", self.random.choice(["a", ""]), "yesterday") if seed % 3 == 0 else None
        self.disk = Disk(draft)
        self.edit: OptimisticEdit | None = None
        self.shown: str = "a"
        self.edit = Watched(self.disk, self)
        self.shown = self.edit.mine
        first = self.edit.state.name
        self.steps: Steps = {("[*]", first)}

    def follow(self, value: str) -> None:
        if self.random.random() < 0.5:
            self._show(value)

    def _show(self, value: str) -> None:
        assert self.edit is not None
        if self.edit.is_pending(value):
            self.shown = value
            self.edit.type(value)

    def set_value(self, value: str) -> None:
        self.shown = value

    def show_status(self) -> None:
        pass

    async def step(self) -> None:
        """Let one thing happen."""
        edit = self.edit
        assert edit is not None
        match self.random.randrange(12):
            case 0 | 1 | 2:
                self.shown = self.random.choice(TEXTS)
                edit.type(self.shown)
            case 3 | 4:
                self.disk.value = self.random.choice(TEXTS[:5])
                edit.on_remote_change(self.disk.value)
            case 5:
                self.disk.value = self.random.choice(TEXTS[:5])  # the news is on its way
            case 6:
                edit.on_remote_change(self.disk.value)
                self._show(self.disk.value)
            case 7:
                edit.recover(self.random.choice(TEXTS), self.random.choice(TEXTS[:5]))
            case 8:
                self.random.choice([edit.enter, edit.leave, edit.retry])()
            case 9:
                self.random.choice([edit.keep_local, edit.accept_remote, edit.merge])()
            case 10:
                self.disk.slow = not self.disk.slow
                edit.flush()
            case _:
                self.finish_save()
        await asyncio.sleep(0)

    def finish_save(self) -> None:
        if self.disk.coming is not None and not self.disk.coming.done():
            self.disk.coming.set_result(None)

    async def settle(self) -> None:
        """Let everything that is under way end."""
        assert self.edit is not None
        self.disk.slow = False
        self.edit.flush()
        while self.edit.saving:
            self.finish_save()
            await asyncio.sleep(0)


async def test_the_diagram_shows_the_states_that_occur(user: User) -> None:
    occurred: Steps = set()
    for seed in range(60):
        walk = Walk(seed)
        for _ in range(120):
            await walk.step()
        await walk.settle()
        assert isinstance(walk.edit, Watched)
        occurred |= walk.steps | walk.edit.steps
    assert {step for step in occurred if step[0] != step[1]} == drawn()


@pytest.mark.parametrize("seed", range(40))
async def test_no_text_gets_lost(user: User, seed: int) -> None:
    walk = Walk(seed)
    for _ in range(80):
        await walk.step()
    await walk.settle()
    edit, disk = walk.edit, walk.disk
    assert edit is not None
    assert walk.shown == edit.mine
    if edit.state is State.CLEAN:
        assert edit.mine == edit.base
        assert disk.draft is None
    elif edit.state is not State.BEHIND:
        # It is on the page, and kept for the next one.
        assert edit.state in (State.INVALID, State.CONFLICT)
        assert disk.draft is not None
        assert disk.draft.typed == walk.shown


def test_every_state_is_drawn() -> None:
    assert {name for step in drawn() for name in step} == {"[*]", *(state.name for state in State)}


def drawn() -> Steps:
    (diagram,) = re.findall(r"```mermaid\nstateDiagram-v2\n(.*?)```", ARCHITECTURE.read_text("utf-8"), re.DOTALL)
    return set(re.findall(r"^ +(\S+) --> (\w+)(?:: .+)?$", diagram, re.MULTILINE))
