"""What is incomplete in a rubric waits in the library, through reloads and crashes, until it is complete."""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from uuid import uuid4

from karenina_gui.authoring.desk import Desk
from karenina_gui.gui.rubric.draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.place import RubricPlace
from karenina_gui.gui.rubric.values import same


class Unkept:
    """What one person left incomplete in one rubric; other windows of this person may write there, too."""

    def __init__(self, desk: Desk, place: RubricPlace, person: str) -> None:
        self._drafts, self._place, self._person = desk.drafts, place, person
        self._written: dict[str, Record] = {}
        self._found: dict[str, Record] = {}
        """What was there when this window opened."""

    def take_up(self, rubric: RubricDraft) -> list[TraitDraft]:
        """Into the forms; returns the traits that came."""
        found = taken_up(rubric, self._there())
        self._written = self._found = _by_number(waiting_traits(rubric))
        return found

    def write_down(self, items: list[Record]) -> bool:
        """On disk when the call returns; what other windows wrote stays. False: there was nothing to write.

        `items` is what `waiting_traits` gave, since this call need not happen on the thread of the forms.
        """
        mine = _by_number(items)
        if mine == self._written:
            return False
        others = [
            item
            for item in self._there()
            if (number := item.get("id")) and number not in mine and item != self._written.get(number)
        ]
        if waiting := [*others, *mine.values()]:
            self._drafts.keep(self._place.drafts, self._person, waiting, None)
        else:
            self._drafts.forget(self._place.drafts, self._person)
        self._written = mine
        return True

    def catch_up(self, rubric: RubricDraft) -> list[TraitDraft]:
        """Take out of the forms what was completed or dropped in another window and not edited in this one since."""
        there = {item.get("id") for item in self._there()}
        decided = {number: item for number, item in self._found.items() if number not in there}
        gone = [
            trait for trait in rubric.traits if (item := decided.get(trait.number)) and item["values"] == trait.values
        ]
        for trait in gone:
            rubric.take_theirs(trait)
        return gone

    def _there(self) -> list[Record]:
        found = self._drafts.of(self._person, self._place.record)
        waiting: Any = next((edit.typed for edit in found if edit.place == self._place.drafts), [])
        return waiting if isinstance(waiting, list) else []


def waiting_traits(rubric: RubricDraft) -> list[Record]:
    """Everything that the forms hold and the store has not, as plain JSON."""
    return [_item(trait) for trait in rubric.unkept() if trait.state != "waiting" and (trait.touched or trait.name)]


def taken_up(rubric: RubricDraft, waiting: list[Record]) -> list[TraitDraft]:
    """Put what `waiting_traits` gave back into the forms; what was changed elsewhere since is a clash."""
    found = []
    for item in waiting:
        over: Record | None = item.get("over")
        trait = _stored_as(rubric, item["type"], over) if over else None
        if trait is None:
            trait = rubric.add(item["type"], {})
            trait.state = "clash" if over else ""
        elif not same(trait.type_name, trait.stored, over):
            trait.state = "clash"
        trait.number = str(item.get("id") or "")
        trait.values = deepcopy(item["values"])
        trait.touched = set(trait.values)
        found.append(trait)
    return found


def _item(trait: TraitDraft) -> Record:
    """A copy: the form goes on editing the values in place."""
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
