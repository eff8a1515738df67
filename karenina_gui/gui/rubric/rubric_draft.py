"""Editing state of a rubric.

Complete traits are saved, incomplete ones wait, remote changes are merged. Works on the stored record, so that data
without a form is preserved. Independent of the user interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

from karenina_gui.authoring.trait_catalog import free_name, traits_in
from karenina_gui.gui.rubric import rules
from karenina_gui.gui.rubric.form_values import is_same_trait, to_form_values, to_record
from karenina_gui.gui.rubric.kinds import GROUPS, Record
from karenina_gui.schemas.rubric import TRAIT_FIELDS, field_of

State = Literal["", "waiting", "clash"]

HERE = ""
"""Owner of a name used by another trait of the same rubric."""


@dataclass(eq=False)
class TraitDraft:
    type_name: str
    values: Record
    """Values of the form, see `form_values.py`."""
    key: int = 0
    """Number of the trait in this window. Numbers are not reused."""
    stored: Record | None = None
    """Stored record. None: never saved, or deleted in another window (`state` is then `clash`)."""
    state: State = ""
    """`waiting`: changed in another window while its form is open here. `clash`: changed in both."""
    touched: set[str] = field(default_factory=set)
    """Fields that the user edited since the form was opened."""
    number: str = ""
    """Id of the incomplete trait in the library, the same in all windows. Empty: not stored there."""

    @property
    def name(self) -> str:
        return str(self.values.get("name") or "").strip()

    @property
    def edited(self) -> bool:
        """True if the form differs from the store."""
        return self.stored is None or not is_same_trait(
            self.type_name, to_record(self.type_name, self.values), self.stored
        )

    def load_stored(self) -> None:
        self.values = to_form_values(self.stored or {})
        self.state = ""
        self.touched.clear()


class RubricDraft:
    """Traits in rubric order: by type, and within a type as the author ordered them."""

    def __init__(self, rubric: Record | None, taken: Mapping[str, str] | None = None) -> None:
        """`taken`: {name: owner} of the traits in the other rubric of a run."""
        self.taken: Mapping[str, str] = taken or {}
        self._keys = count(1)
        self._base: Record = deepcopy(rubric) if rubric else {}
        self.traits = [self._new_draft(type_name, trait) for type_name, trait in traits_in(self._base)]

    # What is kept

    def to_record(self) -> Record | None:
        """Return the rubric to save, with incomplete traits in their last saved version. None: it is empty."""
        lists: dict[str, list[Record]] = {}
        for trait in self.traits:
            if (record := self._record(trait)) is not None:
                lists.setdefault(field_of(trait.type_name), []).append(record)
        rest = {key: value for key, value in self._base.items() if key not in TRAIT_FIELDS}
        return {**rest, **lists} or None

    @property
    def changed(self) -> bool:
        """True if `kept` differs from the store."""
        return not _equivalent(self.to_record(), self._base)

    def records(self) -> list[tuple[TraitDraft, Record]]:
        """Return copies of the records in `kept`. New incomplete traits are omitted."""
        found = ((trait, self._record(trait)) for trait in self.traits)
        return [(trait, deepcopy(record)) for trait, record in found if record is not None]

    def mark_saved(self, kept: Record | None, records: list[tuple[TraitDraft, Record]]) -> None:
        """Record that `kept` with these `records` was saved. The forms may have changed since."""
        for trait, record in records:
            trait.stored = record
        self._base = deepcopy(kept) if kept else {}

    def problems(self, trait: TraitDraft) -> rules.Problems:
        """Return the problems of a trait by field."""
        return rules.problems(trait.type_name, trait.values, self._taken_names(trait))

    def obstacles(self, trait: TraitDraft) -> rules.Problems:
        """Return the problems that block a save: those that the stored version does not have."""
        found = self.problems(trait)
        if not found or trait.stored is None:
            return found
        before = rules.problems(trait.type_name, to_form_values(trait.stored), self._taken_names(trait))
        return {key: words for key, words in found.items() if before.get(key) != words}

    def unsaved_traits(self) -> list[TraitDraft]:
        """Return traits with edits that are not saved."""
        return [trait for trait in self.traits if trait.edited and (trait.state or self.obstacles(trait))]

    @property
    def other_fields(self) -> Record:
        """Content of the rubric other than its traits, such as dynamic traits."""
        return {key: value for key, value in self._base.items() if key not in TRAIT_FIELDS and value}

    # What the author does

    def add(self, type_name: str, record: Record, after: TraitDraft | None = None) -> TraitDraft:
        """Add a trait at the end of its type, or after another trait.

        If its name is taken, a number is appended.
        """
        trait = self._new_draft(type_name, record, stored=None)
        if trait.name:
            trait.values["name"] = free_name(trait.name, self._all_names())
        self.insert(trait, None if after is None else self.traits.index(after) + 1)
        return trait

    def insert(self, trait: TraitDraft, index: int | None = None) -> None:
        """Insert a trait at this index. None: at the end of its type."""
        if index is None:
            order = list(dict.fromkeys([*GROUPS, *(each.type_name for each in self.traits), trait.type_name]))
            place = order.index(trait.type_name)
            index = sum(order.index(each.type_name) <= place for each in self.traits)
        self.traits.insert(index, trait)

    def remove(self, trait: TraitDraft) -> int:
        """Remove a trait and return its index."""
        index = self.traits.index(trait)
        del self.traits[index]
        return index

    def move(self, trait: TraitDraft, step: int) -> bool:
        """Move a trait up (-1) or down (1) within its type. Returns False if it is already at that end."""
        here = self.traits.index(trait)
        there = here + step
        if not 0 <= there < len(self.traits) or self.traits[there].type_name != trait.type_name:
            return False
        self.traits[here], self.traits[there] = self.traits[there], self.traits[here]
        return True

    def touch(self, trait: TraitDraft, key: str) -> None:
        """Record an edit of a field. If a remote change is waiting, the edit makes it a conflict."""
        trait.touched.add(key)
        if trait.state == "waiting":
            trait.state = "clash"

    def keep_local(self, trait: TraitDraft) -> None:
        trait.state = ""

    def accept_remote(self, trait: TraitDraft) -> None:
        """Use the version of the other window. If it was deleted there, remove it."""
        if trait.stored is None:
            self.remove(trait)
        else:
            trait.load_stored()

    # What others do

    def merge(self, rubric: Record | None, shown: TraitDraft | None = None) -> bool:
        """Merge the stored rubric and return True if it differs from the last known one.

        Traits are matched by name, so edits of different traits are all kept. `shown`: trait whose form is open; its
        remote changes wait until the form loses the focus.
        """
        known = _equivalent(rubric, self._base)
        self._base = deepcopy(rubric) if rubric else {}
        if known:
            return False
        theirs = list(traits_in(rubric))
        mine = self._stored_traits()
        # A rename must not look like a deletion plus an addition: the form would lose its edits.
        for old, new in _find_renames([*mine], [(type_name, str(trait.get("name"))) for type_name, trait in theirs]):
            mine[new] = mine.pop(old)
        merged = [
            self._merged_draft(mine.pop((type_name, str(record.get("name"))), None), type_name, record, shown)
            for type_name, record in theirs
        ]
        for gone in mine.values():
            _note_deletion(gone, gone is shown)
        unsaved = [trait for trait in self.traits if trait.stored is None]
        self.traits = merged
        for trait in unsaved:
            self.insert(trait)
        return True

    # Helpers

    def _stored_traits(self) -> dict[tuple[str, str], TraitDraft]:
        """Return the saved traits by type and stored name."""
        return {(t.type_name, str(t.stored.get("name"))): t for t in self.traits if t.stored is not None}

    def _merged_draft(
        self, known: TraitDraft | None, type_name: str, record: Record, shown: TraitDraft | None
    ) -> TraitDraft:
        if known is None:
            return self._new_draft(type_name, record)
        _merge_trait(known, deepcopy(record), shown is known)
        return known

    def _new_draft(self, type_name: str, record: Record, stored: Any = True) -> TraitDraft:
        kept = deepcopy(record) if stored else None
        return TraitDraft(type_name, to_form_values(record), key=next(self._keys), stored=kept)

    def _record(self, trait: TraitDraft) -> Record | None:
        """Return the record of a trait to save. None: never complete."""
        if trait.state or not trait.edited or self.obstacles(trait):
            return trait.stored
        return to_record(trait.type_name, trait.values)

    def _taken_names(self, trait: TraitDraft) -> dict[str, str]:
        here: dict[str, str] = {}
        for other in self.traits:
            if other is trait:
                continue
            if other.stored is not None:
                here[str(other.stored.get("name"))] = HERE
            # Of two new traits with one name, only the later one reports the problem.
            elif other.key < trait.key and other.name:
                here[other.name] = HERE
        return {**self.taken, **here}

    def _all_names(self) -> set[str]:
        stored = {str(trait.stored.get("name")) for trait in self.traits if trait.stored is not None}
        return {trait.name for trait in self.traits} | stored | set(self.taken)


def _merge_trait(trait: TraitDraft, theirs: Record, shown: bool) -> None:
    """Merge the stored record of one trait with the values in its form."""
    before = trait.stored
    unedited = not trait.edited
    trait.stored = theirs
    if is_same_trait(trait.type_name, theirs, before):
        return
    if is_same_trait(trait.type_name, to_record(trait.type_name, trait.values), theirs):
        trait.state = ""
    elif trait.state or not unedited:
        trait.state = trait.state or "clash"
    elif shown:
        trait.state = "waiting"
    else:
        trait.load_stored()


def _note_deletion(trait: TraitDraft, shown: bool) -> None:
    """Keep a trait that was deleted in another window if it has edits here, or if its form is open."""
    if trait.edited or shown:
        trait.state = "clash" if trait.edited else "waiting"
        trait.stored = None


def _find_renames(before: list[tuple[str, str]], now: list[tuple[str, str]]) -> Iterable[tuple[Any, Any]]:
    """Yield (old key, new key) of a renamed trait.

    A rename is the only different key within a type whose number of traits is unchanged.
    """
    for type_name in dict.fromkeys(type_name for type_name, _ in now):
        old = [key for key in before if key[0] == type_name]
        new = [key for key in now if key[0] == type_name]
        differing = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
        if len(old) == len(new) and len(differing) == 1:
            yield differing[0]


def _equivalent(one: Record | None, other: Record | None) -> bool:
    """Return True if two rubrics are equivalent, regardless of notation."""
    if _rest(one) != _rest(other):
        return False
    ones, others = list(traits_in(one)), list(traits_in(other))
    return len(ones) == len(others) and all(
        a == b and is_same_trait(a, first, second) for (a, first), (b, second) in zip(ones, others, strict=True)
    )


def _rest(rubric: Record | None) -> Record:
    return {key: value for key, value in (rubric or {}).items() if key not in TRAIT_FIELDS and value}
