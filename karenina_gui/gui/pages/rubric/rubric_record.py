"""Editable record of a rubric: each field of a trait is saved by itself, unless another window changed it.

A trait whose values are complete is in the rubric. Incomplete values are kept beside it, with the trait's last complete
version in the rubric. Works on stored records, so that data without a form is preserved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from karenina_gui.authoring.trait_catalog import free_name, traits_in
from karenina_gui.errors import InputError
from karenina_gui.gui.pages.rubric import rules
from karenina_gui.gui.pages.rubric.form_values import is_same_trait, to_form_values, to_record
from karenina_gui.gui.pages.rubric.kinds import GROUPS, Record
from karenina_gui.gui.records.benchmark_draft import BenchmarkDraft
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.optimistic_edit import Outcome
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.records.record import EditableRecord, RecordField
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.edits import Saved, StoredRubric, TraitEdit
from karenina_gui.schemas.review import CheckItem
from karenina_gui.schemas.rubric import TRAIT_FIELDS, field_of

HERE = ""
"""Owner of a name used by another trait of the same rubric."""

UNSET: Any = Ellipsis
"""Value of a field that is removed, so that its default applies."""

GONE = "This trait was deleted in another window while you were editing. Your version below isn’t saved yet."


@dataclass(frozen=True)
class Trait:
    id: str
    """See `TraitEdit`."""
    type_name: str
    values: Record
    """Values of the form, see `form_values.py`."""
    stored: Record | None = None
    """Last complete version, which runs use. None: it was never complete."""

    @property
    def name(self) -> str:
        return str(self.values.get("name") or "").strip()

    @property
    def incomplete(self) -> bool:
        """True if the values are not those of the rubric."""
        return not is_same_trait(self.type_name, self.to_record(), self.stored)

    def to_record(self) -> Record:
        return to_record(self.type_name, self.values)

    def with_values(self, changes: Record, taken: Mapping[str, str]) -> Trait:
        """Change values. Complete ones become the stored version. `taken`: {name of another trait: its owner}."""
        values = {key: value for key, value in {**self.values, **deepcopy(changes)}.items() if value is not UNSET}
        changed = replace(self, values=values)
        return changed if obstacles(changed, taken) else replace(changed, stored=changed.to_record())


Traits = list[Trait]
"""Traits in rubric order: by type, and within a type as the author ordered them."""


def obstacles(trait: Trait, taken: Mapping[str, str]) -> rules.Problems:
    """Return the problems that keep a trait incomplete: those that the stored version does not have."""
    problems = rules.problems(trait.type_name, trait.values, taken)
    if not problems or trait.stored is None:
        return problems
    before = rules.problems(trait.type_name, to_form_values(trait.stored), taken)
    return {key: message for key, message in problems.items() if before.get(key) != message}


def new_trait(type_name: str, record: Record, trait_id: str | None = None) -> Trait:
    return Trait(trait_id or f"{type_name}:{uuid4().hex}", type_name, to_form_values(record))


def read_traits(rubric: Record | None, edits: Iterable[TraitEdit]) -> Traits:
    """Return the traits of a stored rubric, with their incomplete values."""
    by_name = {(edit["type"], edit["name"]): edit for edit in edits if edit["name"]}
    traits: Traits = []
    used: set[str] = set()
    for type_name, record in traits_in(rubric):
        name = str(record.get("name"))
        edit = by_name.get((type_name, name), {"id": f"{type_name}:{name}", "type": type_name, "name": name})
        trait_id = edit["id"]
        while trait_id in used:
            trait_id += "’"
        used.add(trait_id)
        values = deepcopy(edit["values"]) if "values" in edit else to_form_values(record)
        traits.append(Trait(trait_id, type_name, values, deepcopy(record)))
    for edit in edits:
        if edit["id"] not in used and "values" in edit:
            insert(traits, Trait(edit["id"], edit["type"], deepcopy(edit["values"])))
    return traits


def write_traits(traits: Traits, others: Record) -> tuple[Record | None, list[TraitEdit] | None]:
    """Return the rubric to store and what is kept beside it. `others`: content of the rubric other than traits."""
    lists: dict[str, list[Record]] = {}
    edits: list[TraitEdit] = []
    for trait in traits:
        name = None
        if trait.stored is not None:
            lists.setdefault(field_of(trait.type_name), []).append(trait.stored)
            name = str(trait.stored.get("name"))
        edit: TraitEdit = {"id": trait.id, "type": trait.type_name, "name": name}
        if trait.incomplete:
            edits.append({**edit, "values": trait.values})
        elif trait.id != f"{trait.type_name}:{name}":
            edits.append(edit)
    return {**others, **lists} or None, edits or None


def insert(traits: Traits, trait: Trait, index: int | None = None) -> None:
    """Insert a trait at this index. None: at the end of its type."""
    if index is None:
        order = list(dict.fromkeys([*GROUPS, *(other.type_name for other in traits), trait.type_name]))
        rank = order.index(trait.type_name)
        index = sum(order.index(other.type_name) <= rank for other in traits)
    traits.insert(index, trait)


def move(traits: Traits, trait_id: str, step: int) -> bool:
    """Move a trait up (-1) or down (1) within its type. Returns False if it is already at that end."""
    index = next((index for index, trait in enumerate(traits) if trait.id == trait_id), -1)
    target = index + step
    if index < 0 or not 0 <= target < len(traits) or traits[target].type_name != traits[index].type_name:
        return False
    traits[index], traits[target] = traits[target], traits[index]
    return True


def taken_names(trait: Trait, traits: Traits, elsewhere: Mapping[str, str]) -> dict[str, str]:
    """Return the names that a trait cannot have: {name: owner}. `elsewhere`: those of the other rubric of a run."""
    here: dict[str, str] = {}
    is_later = False
    for other in traits:
        if other.id == trait.id:
            is_later = True
        elif other.stored is not None:
            here[str(other.stored.get("name"))] = HERE
        # Of two new traits with one name, only the later one reports the problem.
        elif not is_later and other.name:
            here[other.name] = HERE
    return {**elsewhere, **here}


@dataclass(frozen=True)
class RubricState:
    traits: Traits
    others: Record
    """Content of the rubric other than its traits, such as dynamic traits."""


@dataclass(frozen=True)
class RubricOwner:
    benchmark_id: int
    number: int | None = None
    """Number of the question. None: the rubric of the benchmark."""

    @property
    def record(self) -> str:
        """Address of the owner."""
        return f"question/{self.number}" if self.number else f"benchmark/{self.benchmark_id}"


class RubricRecord(EditableRecord[RubricState]):
    def __init__(self, window: Window, owner: RubricOwner) -> None:
        self.owner = owner
        self.taken: Mapping[str, str] = {}
        """{name: owner} of the traits in the other rubric of a run."""
        self.begun: dict[str, set[str]] = {}
        """Traits that were added here, by id, with the fields that the user edited."""
        self._new: dict[str, Trait] = {}
        """Traits that nobody has typed into yet, which the library does not have."""
        self._last: dict[str, Trait] = {}
        """Each trait as it was last read, also if it is deleted by now."""
        self._typed: dict[str, Record] = {}
        """Values as they were typed here. The rubric has them without empty rows and entries of other outcomes."""
        super().__init__(window, owner.record)

    @property
    def traits(self) -> Traits:
        """Traits of the library, and new ones of this window."""
        traits = list(self.state.traits)
        stored = {trait.id for trait in traits}
        # Not while it is read, which happens in a thread.
        self._new = {trait_id: trait for trait_id, trait in self._new.items() if trait_id not in stored}
        for trait in self._new.values():
            insert(traits, trait)
        return traits

    def get(self, trait_id: str | None) -> Trait | None:
        """Return a trait. None: it is deleted."""
        return next((trait for trait in self.traits if trait.id == trait_id), None)

    def last(self, trait_id: str) -> Trait:
        """Return a trait as it was last read, even if it is deleted by now."""
        return self.get(trait_id) or self._last[trait_id]

    def has_typed(self, trait_id: str, path: str, text: str) -> bool:
        """Check if a text is saved, or is being saved. `path`: key of the value; of a row, with `#line.column`."""
        values = self._typed.get(trait_id) or (self._last[trait_id].values if trait_id in self._last else {})
        key, _, cell = path.partition("#")
        value = values.get(key)
        if cell:
            line, _, column = cell.partition(".")
            value = value[int(line)].get(column) if isinstance(value, list) and int(line) < len(value) else None
        return str(value or "") == text

    def taken_by_others(self, trait: Trait) -> dict[str, str]:
        return taken_names(trait, self.traits, self.taken)

    # What the author does

    def begin(self, type_name: str, record: Record, trait_id: str | None = None) -> Trait:
        """Add a trait that the library gets once something is typed. `trait_id` None: a new one."""
        trait = new_trait(type_name, record, trait_id)
        self._new[trait.id] = self._last[trait.id] = trait
        self.begun[trait.id] = set()
        return trait

    def drop(self, trait_id: str) -> None:
        """Remove a trait of `begin` that nobody has typed into."""
        self._new.pop(trait_id, None)

    async def add(self, traits: Iterable[tuple[str, Record]], after: str | None = None) -> Traits:
        """Add traits at the end of their types, or after another trait. A number is appended to a taken name."""
        made = [new_trait(type_name, record) for type_name, record in traits]

        def change(present: Traits) -> None:
            for index, trait in enumerate(made):
                stored = {str(other.stored.get("name")) for other in present if other.stored is not None}
                names = {other.name for other in present} | stored | set(self.taken)
                named = {"name": free_name(trait.name, names)} if trait.name else {}
                made[index] = trait.with_values(named, taken_names(trait, present, self.taken))
                insert(
                    present, made[index], next((at for at, other in enumerate(present, 1) if other.id == after), None)
                )

        return made if await self.edit(change) else []

    async def remove(self, trait_id: str) -> tuple[Trait, int] | None:
        """Delete a trait; return it with its index as they were then. None: the library did not have it."""
        self.drop(trait_id)
        removed: list[tuple[Trait, int]] = []

        def change(traits: Traits) -> None:
            removed[:] = [(trait, index) for index, trait in enumerate(traits) if trait.id == trait_id]
            traits[:] = [trait for trait in traits if trait.id != trait_id]

        return removed[0] if await self.edit(change) and removed else None

    async def put_back(self, trait: Trait, index: int | None = None) -> None:
        """Insert a trait that was deleted."""

        def change(traits: Traits) -> None:
            if any(other.id == trait.id for other in traits):
                return
            taken = taken_names(trait, traits, self.taken)
            # Its former name may be taken by now.
            is_free = trait.stored is not None and trait.stored.get("name") not in taken
            insert(traits, (trait if is_free else replace(trait, stored=None)).with_values({}, taken), index)

        await self.edit(change)

    async def move(self, trait_id: str, step: int) -> None:
        """See `move`."""
        if move(self.traits, trait_id, step):
            await self.edit(lambda traits: move(traits, trait_id, step))

    async def edit(self, change: Callable[[Traits], Any]) -> bool:
        """Save the list of traits after `change`. Returns False after a message if that is impossible."""

        def changes(state: RubricState, _: Any) -> dict[str, Any]:
            traits = list(state.traits)
            change(traits)
            return self._changes(state, traits)

        problem = await self.save_field(self.field("traits", lambda _: None, changes), True, None)
        if problem is not None:
            self.window.notify(str(problem), "bad")
        return problem is None

    # Fields

    def trait_field(self, trait_id: str, spec: FormField[Record]) -> RecordField[RubricState]:
        """Return a field of a trait as its control shows it."""

        def value(state: RubricState) -> Any:
            trait = next((trait for trait in state.traits if trait.id == trait_id), None)
            return spec.value_of((trait or self.last(trait_id)).values)

        def changes(state: RubricState, value: Any) -> dict[str, Any]:
            traits = list(state.traits)
            trait = next((trait for trait in traits if trait.id == trait_id), None)
            if trait is None:
                trait = self._new.get(trait_id)
                if trait is None:
                    raise InputError(GONE)
                insert(traits, trait)
            index = traits.index(trait)
            taken = taken_names(trait, traits, self.taken)
            traits[index] = trait.with_values(spec.changes(trait.values, value), taken)
            self._typed[trait_id] = traits[index].values
            return self._changes(state, traits)

        return self.field(f"trait/{quote(trait_id, safe='')}/{spec.name}", value, changes)

    def _changes(self, state: RubricState, traits: Traits) -> dict[str, Any]:
        rubric, edits = write_traits(traits, state.others)
        return {"rubric" if self.owner.number is None else "question_rubric": rubric, "trait_edits": edits}

    async def save_field(self, field: RecordField[RubricState], value: Any, base: Any) -> Outcome:
        outcome = await super().save_field(field, value, base)
        if outcome != self.DELETED:
            return outcome
        gone = self.owner.number is None or self.window.services.library.benchmarks.get_deleted(self.owner.benchmark_id)
        return BenchmarkDraft.DELETED if gone else QuestionDraft.DELETED

    def _read(self) -> tuple[RubricState, int]:
        library, owner = self.window.services.library, self.owner
        saved: StoredRubric = (
            library.benchmarks.rubric(owner.benchmark_id)
            if owner.number is None
            else library.questions.rubric(owner.benchmark_id, owner.number)
        )
        traits = [self._as_typed(trait) for trait in read_traits(saved.rubric, saved.edits)]
        self._last |= {trait.id: trait for trait in traits}
        others = {key: value for key, value in (saved.rubric or {}).items() if key not in TRAIT_FIELDS and value}
        return RubricState(traits, others), saved.revision

    def _as_typed(self, trait: Trait) -> Trait:
        """Return a trait with the values that were typed here, where the library has the same."""
        typed = self._typed.get(trait.id)
        if not typed:
            return trait
        stored = to_form_values(to_record(trait.type_name, typed))
        same = {key: value for key, value in typed.items() if stored.get(key) == trait.values.get(key)}
        return replace(trait, values={**trait.values, **same})

    def _write(self, changes: dict[str, Any], revision: int) -> tuple[int, str] | None:
        benchmark, number = self.owner.benchmark_id, self.owner.number
        saved = (
            self.editor.edit_benchmark(benchmark, changes, expected_revision=revision)
            if number is None
            else self.editor.edit(benchmark, number, changes, expected_revision=revision)
        )
        return (saved.revision, saved.at) if isinstance(saved, Saved) else None

    def _listen(self) -> None:
        changes = self.window.services.changes_of(self.owner.benchmark_id, self.owner.number)
        self.window.listen(changes, lambda _: self._reload())


def check_traits(rubric: Record | Mapping[str, object], taken: Mapping[str, str]) -> list[CheckItem]:
    """Problems and doubts of all traits. `taken`: {name of a trait of the other rubric of a run: its owner}."""
    # Most questions have no traits of their own.
    if not rubric:
        return []
    items = []
    traits = read_traits(dict(rubric), ())
    for trait in traits:
        name, target = trait.name or "(unnamed)", f"trait:{trait.name}"
        problems = rules.problems(trait.type_name, trait.values, taken_names(trait, traits, taken))
        for problem in problems.values():
            items.append(CheckItem("missing", f"Trait “{name}”: {problem}", "rubric", target))
        for doubt in rules.doubts(trait.type_name, trait.values).values():
            items.append(CheckItem("advice", f"Trait “{name}”: {doubt}", "rubric", target))
    return items
