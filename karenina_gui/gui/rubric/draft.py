"""A rubric while somebody edits it: what is complete is kept, what is not waits, and others' edits are taken in.

Works on the rubric as it is stored, so that what no form understands stays as it is. No screen is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

from karenina_gui.authoring.trait_shelf import free_name, traits_in
from karenina_gui.gui.rubric import rules
from karenina_gui.gui.rubric.kinds import GROUPS, Record
from karenina_gui.gui.rubric.values import packed, same, unpacked
from karenina_gui.schemas.rubric import TRAIT_FIELDS, field_of

State = Literal["", "waiting", "clash"]

HERE = ""
"""Whose a name is that another trait of the same rubric has."""


@dataclass(eq=False)
class TraitDraft:
    type_name: str
    values: Record
    """As the form shows it, see `values.py`."""
    key: int = 0
    """Its number in this window; numbers are not used twice."""
    stored: Record | None = None
    """As the store has it; None: it was never kept, or was deleted elsewhere (then `state` is a clash)."""
    state: State = ""
    """waiting: changed elsewhere while its form is shown here. clash: changed here, too."""
    touched: set[str] = field(default_factory=set)
    """Fields that were edited since it was opened."""
    number: str = ""
    """Of what waits of it in the library, the same in all windows; empty: nothing ever did."""

    @property
    def name(self) -> str:
        return str(self.values.get("name") or "").strip()

    @property
    def edited(self) -> bool:
        """Whether the form holds something else than the store."""
        return self.stored is None or not same(self.type_name, packed(self.type_name, self.values), self.stored)

    def take_stored(self) -> None:
        self.values = unpacked(self.stored or {})
        self.state = ""
        self.touched.clear()


class RubricDraft:
    """Traits in the order of the rubric: type by type, and within a type as the author has put them."""

    def __init__(self, rubric: Record | None, taken: Mapping[str, str] | None = None) -> None:
        """`taken`: names that the other rubric of a run uses already, each with whose it is."""
        self.taken: Mapping[str, str] = taken or {}
        self._keys = count(1)
        self._base: Record = deepcopy(rubric) if rubric else {}
        self.traits = [self._made(type_name, trait) for type_name, trait in traits_in(self._base)]

    # What is kept

    def kept(self) -> Record | None:
        """The rubric to be stored: of a trait that is incomplete the version before; None: nothing is left."""
        lists: dict[str, list[Record]] = {}
        for trait in self.traits:
            if (record := self._record(trait)) is not None:
                lists.setdefault(field_of(trait.type_name), []).append(record)
        rest = {key: value for key, value in self._base.items() if key not in TRAIT_FIELDS}
        return {**rest, **lists} or None

    @property
    def changed(self) -> bool:
        """Whether `kept` is something else than what the store has."""
        return not _alike(self.kept(), self._base)

    def records(self) -> list[tuple[TraitDraft, Record]]:
        """Copies of what `kept` holds of each trait; an incomplete new trait is not among them."""
        found = ((trait, self._record(trait)) for trait in self.traits)
        return [(trait, deepcopy(record)) for trait, record in found if record is not None]

    def note_kept(self, kept: Record | None, records: list[tuple[TraitDraft, Record]]) -> None:
        """`kept` is in the library now, with these `records`; the forms may have gone on since."""
        for trait, record in records:
            trait.stored = record
        self._base = deepcopy(kept) if kept else {}

    def problems(self, trait: TraitDraft) -> rules.Problems:
        """What is wrong with it, by field."""
        return rules.problems(trait.type_name, trait.values, self._taken(trait))

    def obstacles(self, trait: TraitDraft) -> rules.Problems:
        """The problems that keep it from being stored: those that the stored version did not have already."""
        found = self.problems(trait)
        if not found or trait.stored is None:
            return found
        before = rules.problems(trait.type_name, unpacked(trait.stored), self._taken(trait))
        return {key: words for key, words in found.items() if before.get(key) != words}

    def unkept(self) -> list[TraitDraft]:
        """Traits whose form holds something that the store has not."""
        return [trait for trait in self.traits if trait.edited and (trait.state or self.obstacles(trait))]

    @property
    def beside(self) -> Record:
        """What the rubric holds besides its traits, such as dynamic ones."""
        return {key: value for key, value in self._base.items() if key not in TRAIT_FIELDS and value}

    # What the author does

    def add(self, type_name: str, record: Record, after: TraitDraft | None = None) -> TraitDraft:
        """A new trait at the end of its type, or after another one; where its name is taken, with a number."""
        trait = self._made(type_name, record, stored=None)
        if trait.name:
            trait.values["name"] = free_name(trait.name, self._all_names())
        self.put(trait, None if after is None else self.traits.index(after) + 1)
        return trait

    def put(self, trait: TraitDraft, index: int | None = None) -> None:
        """Into the list at this place; None: at the end of its type."""
        if index is None:
            order = list(dict.fromkeys([*GROUPS, *(each.type_name for each in self.traits), trait.type_name]))
            place = order.index(trait.type_name)
            index = sum(order.index(each.type_name) <= place for each in self.traits)
        self.traits.insert(index, trait)

    def remove(self, trait: TraitDraft) -> int:
        """Out of the list; returns the place where it was."""
        index = self.traits.index(trait)
        del self.traits[index]
        return index

    def move(self, trait: TraitDraft, step: int) -> bool:
        """Up (-1) or down (1) among the traits of its type; False: it stands at the end of them already."""
        here = self.traits.index(trait)
        there = here + step
        if not 0 <= there < len(self.traits) or self.traits[there].type_name != trait.type_name:
            return False
        self.traits[here], self.traits[there] = self.traits[there], self.traits[here]
        return True

    def touch(self, trait: TraitDraft, key: str) -> None:
        """A field was edited here; over a change that waits that is a clash."""
        trait.touched.add(key)
        if trait.state == "waiting":
            trait.state = "clash"

    def keep_mine(self, trait: TraitDraft) -> None:
        trait.state = ""

    def take_theirs(self, trait: TraitDraft) -> None:
        """The version of the other window; where it was deleted there, it goes here, too."""
        if trait.stored is None:
            self.remove(trait)
        else:
            trait.take_stored()

    # What others do

    def merge(self, rubric: Record | None, shown: TraitDraft | None = None) -> bool:
        """Take in the rubric as the store has it now; returns whether anything is different.

        Traits are told apart by name, so that edits of different ones both stand. `shown` is the trait whose form is
        on the page: what is changed of it waits until nobody is in the form.
        """
        if _alike(rubric, self._base):
            self._base = deepcopy(rubric) if rubric else {}
            return False
        theirs = list(traits_in(rubric))
        mine = {(t.type_name, str(t.stored.get("name"))): t for t in self.traits if t.stored is not None}
        for old, new in _renamed([*mine], [(type_name, str(trait.get("name"))) for type_name, trait in theirs]):
            mine[new] = mine.pop(old)
        merged = []
        for type_name, record in theirs:
            known = mine.pop((type_name, str(record.get("name"))), None)
            if known is None:
                known = self._made(type_name, record)
            else:
                _meet(known, deepcopy(record), shown is known)
            merged.append(known)
        for gone in mine.values():
            if gone.edited or gone is shown:
                gone.stored, gone.state = None, "clash" if gone.edited else "waiting"
        own = [trait for trait in self.traits if trait.stored is None]
        self.traits = merged
        for trait in own:
            self.put(trait)
        self._base = deepcopy(rubric) if rubric else {}
        return True

    # Helpers

    def _made(self, type_name: str, record: Record, stored: Any = True) -> TraitDraft:
        kept = deepcopy(record) if stored else None
        return TraitDraft(type_name, unpacked(record), key=next(self._keys), stored=kept)

    def _record(self, trait: TraitDraft) -> Record | None:
        """What of a trait goes into the store; None: nothing yet."""
        if trait.state or not trait.edited or self.obstacles(trait):
            return trait.stored
        return packed(trait.type_name, trait.values)

    def _taken(self, trait: TraitDraft) -> dict[str, str]:
        here: dict[str, str] = {}
        for other in self.traits:
            if other is trait:
                continue
            if other.stored is not None:
                here[str(other.stored.get("name"))] = HERE
            elif other.key < trait.key and other.name:
                here[other.name] = HERE
        return {**self.taken, **here}

    def _all_names(self) -> set[str]:
        stored = {str(trait.stored.get("name")) for trait in self.traits if trait.stored is not None}
        return {trait.name for trait in self.traits} | stored | set(self.taken)


def _meet(trait: TraitDraft, theirs: Record, shown: bool) -> None:
    """What the store has of a trait now meets what is in its form."""
    before = trait.stored
    unedited = not trait.edited
    trait.stored = theirs
    if same(trait.type_name, theirs, before):
        return
    if same(trait.type_name, packed(trait.type_name, trait.values), theirs):
        trait.state = ""
    elif trait.state or not unedited:
        trait.state = trait.state or "clash"
    elif shown:
        trait.state = "waiting"
    else:
        trait.take_stored()


def _renamed(before: list[tuple[str, str]], now: list[tuple[str, str]]) -> Iterable[tuple[Any, Any]]:
    """Pairs of a trait that is gone and one that is new in exactly its place: it was given another name."""
    for type_name in dict.fromkeys(type_name for type_name, _ in now):
        old = [key for key in before if key[0] == type_name]
        new = [key for key in now if key[0] == type_name]
        differing = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
        if len(old) == len(new) and len(differing) == 1:
            yield differing[0]


def _alike(one: Record | None, other: Record | None) -> bool:
    """Whether two rubrics hold the same, however it is written down."""
    if _rest(one) != _rest(other):
        return False
    ones, others = list(traits_in(one)), list(traits_in(other))
    return len(ones) == len(others) and all(
        a == b and same(a, first, second) for (a, first), (b, second) in zip(ones, others, strict=True)
    )


def _rest(rubric: Record | None) -> Record:
    return {key: value for key, value in (rubric or {}).items() if key not in TRAIT_FIELDS and value}
