"""Text that the browser kept comes back without overwriting what others have saved."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.records.optimistic_edit import CallbackField, OptimisticEdit
from karenina_gui.schemas.edits import UnsavedEdit


class Shown:
    """The least that a control does."""

    def __init__(self) -> None:
        self.value: Any = None

    def follow(self, value: Any) -> None:
        self.value = value

    def set_value(self, value: Any) -> None:
        self.value = value

    def show_status(self) -> None:
        pass


@pytest.mark.parametrize(
    ("base", "now", "typed", "conflict"),
    [
        ("Before.", "Before.", "Before. Mine.", False),
        ("", "Before.", "Before. Mine.", False),
        ("", "Before. Theirs.", "Before. Mine.", True),
        ("Before. Cut.", "Before.", "Before. Cut. Mine.", True),
        ("A starter.", "Mine,", "Mine, and more.", False),
        ("A starter.", "", "Mine.", True),
    ],
    ids=[
        *("as it was", "a part had been saved", "somebody else wrote", "somebody else deleted"),
        *("the browser missed a save", "somebody else emptied"),
    ],
)
async def test_recovered_text_is_saved_or_shown_next_to_the_other(
    base: str, now: str, typed: str, conflict: bool
) -> None:
    saved: list[str] = []
    shown = Shown()
    edit = OptimisticEdit(CallbackField(now, lambda value: saved.append(value)), shown)
    assert edit.recover(typed, base)
    assert shown.value == typed
    assert edit.undecided == conflict
    assert saved == ([] if conflict else [typed])


class DraftField(CallbackField):
    """Field whose text was saved by somebody else, with a draft of an earlier page."""

    def unsaved_edit(self) -> UnsavedEdit:
        return UnsavedEdit("notes", "Before. M", "Before.", at="")


@pytest.mark.parametrize(
    ("typed", "base", "taken"),
    [("Before. Mine.", "Before.", True), ("Another text.", "Before.", False), ("Before. Mine.", "Older.", False)],
    ids=["the draft goes on", "another window's draft", "typed over another text"],
)
async def test_text_that_goes_on_from_the_draft_replaces_it(typed: str, base: str, taken: bool) -> None:
    shown = Shown()
    edit = OptimisticEdit(DraftField("Theirs.", lambda value: None), shown)
    assert edit.undecided and edit.mine == "Before. M"
    assert edit.recover(typed, base) is taken
    assert edit.undecided and edit.mine == (typed if taken else "Before. M")
    assert edit.remote == "Theirs."


async def test_text_of_this_page_is_not_replaced_by_a_longer_one() -> None:
    edit = OptimisticEdit(DraftField("Theirs.", lambda value: None), Shown())
    assert edit.recover("Before. Mine.", "Before.")
    assert not edit.recover("Before. Mine, all of it.", "Before.")
    assert edit.mine == "Before. Mine."


async def test_text_that_is_stored_already_needs_no_recovery() -> None:
    saved: list[str] = []
    edit = OptimisticEdit(CallbackField("Mine.", lambda value: saved.append(value)), Shown())
    assert not edit.recover("Mine.", "")
    assert saved == []
