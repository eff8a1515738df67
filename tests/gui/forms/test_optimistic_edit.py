"""One field between a person and the library: saved over what was seen only, kept where it cannot be saved."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from nicegui.testing import User

from karenina_gui.gui.records.optimistic_edit import FieldWithoutDraft, OptimisticEdit, RemoteValue
from karenina_gui.schemas.edits import UnsavedEdit
from tests.until import until


class Shelf(FieldWithoutDraft):
    """A field in memory, with its draft."""

    def __init__(self, value: Any, draft: UnsavedEdit | None = None) -> None:
        self.value, self.draft = value, draft
        self.saves = 0

    def read(self) -> Any:
        return self.value

    def save(self, value: Any, base: Any) -> str | RemoteValue | None:
        self.saves += 1
        if value == "refused":
            return "This cannot be."
        if self.value != base:
            return RemoteValue(self.value)
        self.value = value
        return None

    def unsaved_edit(self) -> UnsavedEdit | None:
        return self.draft

    def save_draft(self, value: Any, base: Any) -> None:
        self.draft = UnsavedEdit("shelf/1/field", value, base, "now")

    def discard_draft(self) -> None:
        self.draft = None


class Control:
    """What the person sees."""

    def __init__(self, *, at_once: bool = True) -> None:
        self.at_once = at_once
        self.shown: Any = None
        self.edit: OptimisticEdit | None = None

    def follow(self, value: Any) -> None:
        if self.at_once and self.edit is not None and self.edit.is_pending(value):
            self.shown = value
            self.edit.type(value)

    def set_value(self, value: Any) -> None:
        self.shown = value

    def show_status(self) -> None:
        pass


@pytest.fixture
def catalog() -> Shelf:
    return Shelf("old")


@pytest.fixture
def control() -> Control:
    return Control()


@pytest.fixture
def edit(user: User, catalog: Shelf, control: Control) -> OptimisticEdit:
    control.edit = OptimisticEdit(catalog, control)
    return control.edit


def elsewhere(catalog: Shelf, edit: OptimisticEdit, value: Any) -> None:
    """Another window saves, and the news arrives."""
    catalog.value = value
    edit.on_remote_change(value)


async def test_what_is_typed_without_a_pause_is_saved_within_a_second(edit: OptimisticEdit, catalog: Shelf) -> None:
    for number in range(20):
        edit.type(f"letter {number}")
        await asyncio.sleep(0.05)
    assert catalog.value != "old"
    assert catalog.saves < 5
    await until(lambda: catalog.value == "letter 19")


async def test_an_edit_over_news_that_has_not_arrived_yet_is_a_conflict(edit: OptimisticEdit, catalog: Shelf) -> None:
    catalog.value = "theirs"
    edit.type("mine")
    edit.flush()
    assert edit.undecided
    assert (catalog.value, edit.remote) == ("theirs", "theirs")
    assert catalog.draft is not None
    assert (catalog.draft.typed, catalog.draft.base) == ("mine", "old")


async def test_news_that_arrive_between_two_keystrokes_are_a_conflict(edit: OptimisticEdit, catalog: Shelf) -> None:
    edit.type("mine")
    elsewhere(catalog, edit, "theirs")
    assert edit.undecided
    assert catalog.value == "theirs"


async def test_keeping_mine_replaces_only_what_was_shown(edit: OptimisticEdit, catalog: Shelf) -> None:
    edit.type("mine")
    elsewhere(catalog, edit, "theirs")
    catalog.value = "theirs again"
    edit.keep_local()
    assert edit.undecided
    assert (catalog.value, edit.remote) == ("theirs again", "theirs again")
    edit.keep_local()
    assert not edit.undecided
    assert (catalog.value, catalog.draft) == ("mine", None)


async def test_taking_theirs_shows_it_and_forgets_the_draft(
    edit: OptimisticEdit, catalog: Shelf, control: Control
) -> None:
    edit.type("mine")
    elsewhere(catalog, edit, "theirs")
    edit.accept_remote()
    assert (control.shown, catalog.value, catalog.draft) == ("theirs", "theirs", None)
    edit.type("theirs and mine")
    edit.flush()
    assert catalog.value == "theirs and mine"


async def test_a_merged_version_is_in_the_control_and_saved(
    edit: OptimisticEdit, catalog: Shelf, control: Control
) -> None:
    edit.type("very old")
    elsewhere(catalog, edit, "old age")
    edit.merge()
    assert (control.shown, catalog.value, catalog.draft) == ("very old age", "very old age", None)


async def test_a_conflict_ends_when_both_have_the_same(edit: OptimisticEdit, catalog: Shelf) -> None:
    edit.type("mine")
    elsewhere(catalog, edit, "theirs")
    elsewhere(catalog, edit, "mine")
    assert not edit.undecided
    assert catalog.draft is None


async def test_typing_on_decides_when_they_take_theirs_back(edit: OptimisticEdit, catalog: Shelf) -> None:
    edit.type("mine")
    elsewhere(catalog, edit, "theirs")
    elsewhere(catalog, edit, "old")
    assert edit.undecided
    edit.type("mine, then")
    edit.flush()
    assert (catalog.value, catalog.draft) == ("mine, then", None)


async def test_a_page_that_was_reloaded_does_not_bring_a_decided_draft_back(
    edit: OptimisticEdit, catalog: Shelf
) -> None:
    edit.type("mine")
    elsewhere(catalog, edit, "theirs")
    anew = OptimisticEdit(catalog, Control())
    anew.accept_remote()
    elsewhere(catalog, edit, "theirs again")
    assert catalog.draft is None


async def test_news_wait_while_somebody_is_in_the_control(
    edit: OptimisticEdit, catalog: Shelf, control: Control
) -> None:
    edit.enter()
    elsewhere(catalog, edit, "theirs")
    assert control.shown is None
    edit.leave()
    await until(lambda: control.shown == "theirs")


async def test_a_control_that_follows_later_may_be_typed_into_meanwhile(user: User, catalog: Shelf) -> None:
    edit = OptimisticEdit(catalog, Control(at_once=False))
    elsewhere(catalog, edit, "theirs")
    edit.type("old, and a keystroke before it arrived")
    edit.flush()
    assert edit.undecided
    assert catalog.value == "theirs"


async def test_a_control_that_follows_later_says_when_it_does(user: User, catalog: Shelf) -> None:
    edit = OptimisticEdit(catalog, Control(at_once=False))
    elsewhere(catalog, edit, "theirs")
    edit.type("theirs")
    edit.type("theirs and mine")
    edit.flush()
    assert catalog.value == "theirs and mine"


async def test_a_refused_value_is_kept_until_it_is_put_right(edit: OptimisticEdit, catalog: Shelf) -> None:
    edit.type("refused")
    edit.flush()
    assert edit.problem == "This cannot be."
    assert catalog.draft is not None
    edit.type("fine")
    edit.flush()
    assert (edit.problem, catalog.value, catalog.draft) == (None, "fine", None)


async def test_a_refused_value_that_is_taken_back_leaves_nothing(edit: OptimisticEdit, catalog: Shelf) -> None:
    edit.type("refused")
    edit.flush()
    edit.type("old")
    assert (edit.problem, catalog.value, catalog.draft) == (None, "old", None)


async def test_a_draft_is_in_the_control_when_the_field_is_opened_again(user: User) -> None:
    catalog = Shelf("theirs", UnsavedEdit("shelf/1/field", "mine", "old", "yesterday"))
    edit = OptimisticEdit(catalog, Control())
    assert edit.undecided
    assert edit.reopened
    assert (edit.mine, edit.remote, catalog.value) == ("mine", "theirs", "theirs")
    edit.keep_local()
    assert (catalog.value, catalog.draft) == ("mine", None)


async def test_typing_on_saves_a_draft_where_nobody_else_has_edited(user: User) -> None:
    catalog = Shelf("old", UnsavedEdit("shelf/1/field", "mine", "old", "yesterday"))
    edit = OptimisticEdit(catalog, Control())
    assert edit.undecided
    edit.type("mine at last")
    edit.flush()
    assert (catalog.value, catalog.draft) == ("mine at last", None)


async def test_a_draft_that_is_in_the_library_by_now_is_forgotten(user: User) -> None:
    catalog = Shelf("mine", UnsavedEdit("shelf/1/field", "mine", "old", "yesterday"))
    assert not OptimisticEdit(catalog, Control()).undecided
    assert catalog.draft is None


async def test_a_window_forgets_only_its_own_draft(edit: OptimisticEdit, catalog: Shelf) -> None:
    catalog.save_draft("typed in another window of this person", "old")
    edit.type("mine")
    edit.flush()
    assert catalog.value == "mine"
    assert catalog.draft is not None


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x7f", "\ud83d", "\uffff"])
async def test_signs_that_cannot_be_shown_are_left_out_and_the_rest_is_saved(
    sign: str, edit: OptimisticEdit, catalog: Shelf, control: Control
) -> None:
    edit.enter()
    edit.type(f"What{sign} is\tit?\n")
    edit.flush()
    assert (catalog.value, catalog.draft) == ("What is\tit?\n", None)
    assert edit.left_out
    assert control.shown is None  # nothing is put over what somebody types
    edit.leave()
    assert control.shown == "What is\tit?\n"


async def test_signs_that_stood_there_before_stay(user: User) -> None:
    catalog = Shelf([{"log": "\x1b[0m"}])
    edit = OptimisticEdit(catalog, Control())
    edit.type([{"log": "\x1b[0m done\x00"}])
    edit.flush()
    assert catalog.value == [{"log": "\x1b[0m done"}]
