"""Incomplete traits are stored as drafts in the library, so they survive reloads and crashes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from uuid import uuid4

from karenina_gui.gui.rubric.form_values import is_same_trait
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.rubric_draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.rubric_owner import RubricOwner
from karenina_gui.store.drafts import Drafts


class IncompleteTraits:
    """Drafts of one person in one rubric. Other windows of the same person may write them too."""

    def __init__(self, drafts: Drafts, place: RubricOwner, person: str) -> None:
        self._drafts, self._place, self._person = drafts, place, person
        self._last_written: dict[str, Record] = {}
        self._found_at_start: dict[str, Record] = {}
        """Drafts present when this window opened."""

    def restore_incomplete(self, rubric: RubricDraft) -> list[TraitDraft]:
        """Load the drafts into the forms and return their traits."""
        found = restore_traits(rubric, self._stored_drafts())
        self._last_written = self._found_at_start = _by_number(waiting_traits(rubric))
        return found

    def save(self, items: list[Record]) -> bool:
        """Store the drafts on disk, keeping those of other windows. Returns False if nothing changed.

        `items`: from `waiting_traits`, since this method may run in another thread than the forms.
        """
        mine = _by_number(items)
        if mine == self._last_written:
            return False
        others = [
            item
            for item in self._stored_drafts()
            if (number := item.get("id")) and number not in mine and item != self._last_written.get(number)
        ]
        if waiting := [*others, *mine.values()]:
            self._drafts.save(self._place.drafts, self._person, waiting, None)
        else:
            self._drafts.discard(self._place.drafts, self._person)
        self._last_written = mine
        return True

    def catch_up(self, rubric: RubricDraft) -> list[TraitDraft]:
        """Remove drafts that another window completed or dropped, unless they were edited here since."""
        there = {item.get("id") for item in self._stored_drafts()}
        decided = {number: item for number, item in self._found_at_start.items() if number not in there}
        gone = [
            trait for trait in rubric.traits if (item := decided.get(trait.number)) and item["values"] == trait.values
        ]
        for trait in gone:
            rubric.accept_remote(trait)
        return gone

    def _stored_drafts(self) -> list[Record]:
        found = self._drafts.of(self._person, self._place.record)
        waiting: Any = next((edit.typed for edit in found if edit.address == self._place.drafts), [])
        return waiting if isinstance(waiting, list) else []


def waiting_traits(rubric: RubricDraft) -> list[Record]:
    """Return all unsaved traits as plain JSON."""
    return [
        _item(trait) for trait in rubric.unsaved_traits() if trait.state != "waiting" and (trait.touched or trait.name)
    ]


def restore_traits(rubric: RubricDraft, waiting: list[Record]) -> list[TraitDraft]:
    """Load the output of `waiting_traits` into the forms.

    A trait that was changed elsewhere since becomes a conflict.
    """
    found = []
    for item in waiting:
        over: Record | None = item.get("over")
        trait = _stored_as(rubric, item["type"], over) if over else None
        if trait is None:
            trait = rubric.add(item["type"], {})
            trait.state = "clash" if over else ""
        elif not is_same_trait(trait.type_name, trait.stored, over):
            trait.state = "clash"
        trait.number = str(item.get("id") or "")
        trait.values = deepcopy(item["values"])
        trait.touched = set(trait.values)
        found.append(trait)
    return found


def _item(trait: TraitDraft) -> Record:
    """Return a copy of a trait, since the form edits its values in place."""
    trait.number = trait.number or uuid4().hex
    return deepcopy({"id": trait.number, "type": trait.type_name, "values": trait.values, "over": trait.stored})


def _by_number(items: list[Record]) -> dict[str, Record]:
    return {item["id"]: item for item in items}


def _stored_as(rubric: RubricDraft, type_name: str, over: Record) -> TraitDraft | None:
    return next(
        (
            trait
            for trait in rubric.traits
            if trait.type_name == type_name and trait.stored and trait.stored.get("name") == over.get("name")
        ),
        None,
    )
