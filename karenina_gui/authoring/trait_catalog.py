"""Traits used again: every trait of the library to be found, and copies of one put into other rubrics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, Literal

from pydantic import ValidationError

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.ready_traits import READY_TRAITS
from karenina_gui.errors import InputError
from karenina_gui.schemas.edits import Saved
from karenina_gui.schemas.problems import as_sentence, problem_of
from karenina_gui.schemas.rubric import OTHER_TRAITS, TRAIT_TYPES, Rubric, field_of, trait_type
from karenina_gui.store.actors import one_command

Record = dict[str, Any]
TraitOrigin = Literal["library", "rubric", "ready"]
Place = int | None
"""A question's number; None: the benchmark itself."""


@dataclass(frozen=True)
class ShelvedTrait:
    """A trait, and where it stands."""

    type_name: str
    trait: Record
    benchmark_id: int
    benchmark: str
    number: int | None
    """Number of the question; None: the trait is the benchmark's."""
    question: str | None
    """The beginning of its text; None as above."""
    origin: TraitOrigin = "rubric"
    shelf_id: int | None = None
    """Id in the library of traits; None: it is elsewhere."""

    @property
    def name(self) -> str:
        return str(self.trait.get("name") or "")


@dataclass
class TraitCopies:
    """Copies that were made ({place: name that the copy has there}), and a sentence for each that was refused."""

    made: dict[Place, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)


class TraitCatalog:
    """Finds traits and copies them; works through the editor, so that every open window hears of it."""

    def __init__(self, editor: BenchmarkEditor) -> None:
        self._editor, self._library = editor, editor.library

    def find(self, query: str, *, apart_from: tuple[int, Place]) -> list[ShelvedTrait]:
        """Traits with all the words in their name, description or question; none of the rubric `apart_from`.

        Those of the library come first, then those of the same benchmark, and ready-made ones last.
        """
        here, _ = apart_from
        benchmarks = sorted(self._library.benchmarks.summaries(), key=lambda benchmark: benchmark.id != here)
        terms = query.casefold().split()
        in_rubrics = (
            trait
            for benchmark in benchmarks
            for trait in self._of(benchmark.id, benchmark.name)
            if (trait.benchmark_id, trait.number) != apart_from
        )
        every = chain(self._in_library(), in_rubrics, _ready_made())
        return [trait for trait in every if all(word in _search_text(trait) for word in terms)]

    def shelve(self, type_name: str, trait: Record, by: str) -> str:
        """Save a copy to the library of traits, and return its name there."""
        trait_type(type_name).model_validate(trait)
        return self._library.shelf.add("trait", str(trait["name"]), trait, type_name=type_name, by=by).name

    def unshelve(self, item_ids: Sequence[int]) -> None:
        """Delete entries of the library of traits. Raises `NotFoundError`."""
        with one_command():
            for item_id in item_ids:
                self._library.shelf.delete(item_id)

    def _in_library(self) -> Iterator[ShelvedTrait]:
        for item in self._library.shelf.all("trait"):
            content = {**item.content, "name": item.name}
            yield ShelvedTrait(item.type_name, content, 0, "", None, None, "library", item.id)

    def taken_names(self, benchmark_id: int, number: Place) -> dict[str, str]:
        """{name: whose trait it is} of the rubrics that a run puts together with the one of this place."""
        if number is not None:
            global_ = self._library.benchmarks.frame(benchmark_id).rubric
            return dict.fromkeys(global_.names if global_ else (), "the benchmark")
        owners: dict[str, str] = {}
        for summary, rubric in self._library.questions.rubrics(benchmark_id):
            for _, trait in traits_in(rubric):
                owners.setdefault(str(trait.get("name") or ""), f"the question “{_short(summary.text)}”")
        return owners

    def copy(self, type_name: str, trait: Record, benchmark_id: int, places: Sequence[Place]) -> TraitCopies:
        """Put a copy into each rubric; if its name is taken there, the copy gets a number after it."""
        copied = TraitCopies()
        with one_command():
            for number in places:
                try:
                    name = free_name(str(trait["name"]), self._taken_there(benchmark_id, number))
                    self._add(benchmark_id, number, type_name, {**trait, "name": name})
                    copied.made[number] = name
                except (InputError, ValidationError) as error:
                    message = as_sentence(problem_of(error))
                    where = "the benchmark" if number is None else "a question"
                    copied.refused.append(f"Couldn’t copy to {where}: {message}")
        return copied

    def take_back(self, type_name: str, benchmark_id: int, copied: TraitCopies) -> None:
        """Undo `copy`: the copies go; everything else that has changed since stays."""
        key = field_of(type_name)

        def without(rubric: Record, name: str) -> Record:
            remaining = [trait for trait in rubric.get(key) or [] if trait.get("name") != name]
            return {**rubric, key: remaining}

        with one_command():
            for number, name in copied.made.items():
                self._edit(benchmark_id, number, lambda rubric, name=name: without(rubric, name))

    def _add(self, benchmark_id: int, number: Place, type_name: str, trait: Record) -> None:
        trait_type(type_name).model_validate(trait)
        key = field_of(type_name)
        self._edit(benchmark_id, number, lambda rubric: {**rubric, key: [*(rubric.get(key) or []), trait]})

    def _edit(self, benchmark_id: int, number: Place, change: Any) -> None:
        """Write a changed rubric; somebody else's edit meanwhile is kept."""
        saved: Any = None
        # Saving fails if somebody was faster; then the change is made to what they saved.
        while not isinstance(saved, Saved):
            if number is None:
                whole = self._editor.open_benchmark(benchmark_id)
                rubric = {"rubric": _without_empty(change(_as_record(whole.document.rubric) or {}))}
                saved = self._editor.edit_benchmark(benchmark_id, rubric, expected_revision=whole.revision)
            else:
                opened = self._editor.question(benchmark_id, number)
                own = {"question_rubric": _without_empty(change(opened.entry.question.question_rubric or {}))}
                saved = self._editor.edit(benchmark_id, number, own, expected_revision=opened.summary.revision)

    def _taken_there(self, benchmark_id: int, number: Place) -> set[str]:
        taken = set(self.taken_names(benchmark_id, number))
        if number is None:
            rubric = self._library.benchmarks.frame(benchmark_id).rubric
            return taken | set(rubric.names if rubric else ())
        own = self._editor.question(benchmark_id, number).entry.question.question_rubric
        return taken | {str(trait.get("name")) for _, trait in traits_in(own)}

    def _of(self, benchmark_id: int, name: str) -> Iterator[ShelvedTrait]:
        for type_name, trait in traits_in(_as_record(self._library.benchmarks.frame(benchmark_id).rubric)):
            yield ShelvedTrait(type_name, trait, benchmark_id, name, None, None)
        for summary, own in self._library.questions.rubrics(benchmark_id):
            for type_name, trait in traits_in(own):
                yield ShelvedTrait(type_name, trait, benchmark_id, name, summary.number, _short(summary.text))


def _ready_made() -> Iterator[ShelvedTrait]:
    for type_name, trait in READY_TRAITS:
        yield ShelvedTrait(type_name, trait, 0, "", None, None, "ready")


def traits_in(rubric: Record | None) -> Iterator[tuple[str, Record]]:
    """(short name of the type, trait) of a rubric as it is kept, type by type; dynamic traits are left out."""
    for type_name in TRAIT_TYPES:
        for trait in (rubric or {}).get(f"{type_name}_traits") or ():
            yield type_name, trait
    others = [(str(trait.get("type_name")), trait) for trait in (rubric or {}).get(OTHER_TRAITS) or ()]
    order = list(dict.fromkeys(type_name for type_name, _ in others))
    yield from sorted(others, key=lambda other: order.index(other[0]))


def free_name(name: str, taken: Collection[str]) -> str:
    """The name itself, or with the first number after it that makes it free."""
    if name not in taken:
        return name
    return next(f"{name} {number}" for number in count(2) if f"{name} {number}" not in taken)


def _without_empty(rubric: Record) -> Record | None:
    """The rubric without empty lists; None if nothing is left."""
    return {key: value for key, value in rubric.items() if value} or None


def _as_record(rubric: Rubric | None) -> Record | None:
    return rubric.model_dump(mode="json", exclude_defaults=True) if rubric else None


def _search_text(trait: ShelvedTrait) -> str:
    texts = (trait.name, trait.trait.get("description"), trait.question, trait.benchmark)
    return "\n".join(str(word) for word in texts if word).casefold()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
