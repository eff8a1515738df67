"""A rubric as the list of ratings of a benchmark or a question."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from karenina_gui.errors import InputError
from karenina_gui.formats.checkpoints.custom_traits import read_others, with_others
from karenina_gui.formats.checkpoints.json_patch import as_list
from karenina_gui.formats.checkpoints.trait_record import Key, TraitRecord, refuse_clash
from karenina_gui.formats.checkpoints.traits import (
    Level,
    UnreadableRating,
    overlay_rating,
    read_rating,
    write_rating,
)
from karenina_gui.schemas.problems import as_sentence, first_problem
from karenina_gui.schemas.rubric import TRAIT_TYPES, DynamicRubric, KeptRubricTrait, Rubric, trait_of


def read_ratings(owner: dict[str, Any], level: Level, where: str, notes: list[str]) -> list[TraitRecord]:
    """The readable traits of an object, in order; a rating that gives none is noted and left in the file.

    Those of types from outside the package stand in its properties, and come last.
    """
    records = _read_all(owner, level, where, notes)
    return records + read_others(owner, records, where, notes)


def rubric_of(rated: list[TraitRecord]) -> Rubric | None:
    """The traits as a rubric; None if there are none."""
    if not rated:
        return None
    rubric, dynamic = Rubric(), DynamicRubric()
    for entry in rated:
        (dynamic if entry.dynamic else rubric).holding(entry.type_name).append(entry.trait)
    if not dynamic.is_empty:
        rubric.dynamic = dynamic
    return rubric


def rated_in(rubric: Rubric | dict[str, Any] | None, where: str) -> list[TraitRecord]:
    """The traits of a rubric, given as itself or as its dump.

    Raises `InputError` for a dump that is no rubric.
    """
    if rubric is None:
        return []
    if isinstance(rubric, dict):
        try:
            rubric = Rubric.model_validate(rubric)
        except ValidationError as fault:
            raise InputError(f"{where}: the rubric cannot be saved: {as_sentence(first_problem(fault))}") from fault
    static = [_with_known_type(TraitRecord(type_name, trait)) for type_name, trait in rubric.by_type]
    dynamic = rubric.dynamic.by_type if rubric.dynamic else ()
    return static + [_with_known_type(TraitRecord(type_name, trait, True)) for type_name, trait in dynamic]


def _with_known_type(rated: TraitRecord) -> TraitRecord:
    """The trait with its own type, which may be installed by now even if the trait was kept without one."""
    was_kept = isinstance(rated.trait, KeptRubricTrait)
    return replace(rated, trait=trait_of(rated.trait.model_dump())) if was_kept else rated


def with_ratings(owner: dict[str, Any], current: list[TraitRecord], level: Level) -> dict[str, Any]:
    """The object with these traits, in its ratings and properties."""
    result = with_others(owner, current, _read_all(owner, level, "", []))
    ratings = _overlay_ratings(owner, [rated for rated in current if rated.type_name in TRAIT_TYPES], level)
    return {**result, "rating": ratings} if ratings or "rating" in owner else result


def _read_all(owner: dict[str, Any], level: Level, where: str, notes: list[str]) -> list[TraitRecord]:
    records: list[TraitRecord] = []
    for number, rating in enumerate(as_list(owner.get("rating")), 1):
        try:
            rated = TraitRecord(*read_rating(rating, level))
            refuse_clash(rated, records)
            records.append(rated)
        except UnreadableRating as fault:
            name = rating.get("name") if isinstance(rating, dict) else None
            trait = f"the trait “{name}”" if name else f"trait {number}"
            notes.append(f"{where}: {trait} is preserved but not used: {as_sentence(str(fault))}")
    return records


def _overlay_ratings(owner: dict[str, Any], current: list[TraitRecord], level: Level) -> list[Any]:
    """The object's ratings with the traits of `current` written into them; ratings that give no trait stay.

    A new trait takes the place of an unreadable rating of its name: that is how a broken one is repaired. Traits of a
    type that were put in another order change places among themselves; nothing else moves. A rating that gave none
    because another trait had its name goes with that trait.
    """
    ratings = as_list(owner.get("rating"))
    read = _read_in_turn(ratings, level)
    held = {old.key for old in read if old}
    missing = {rated.key: rated for rated in current}
    gone = held - missing.keys()
    written: list[Any] = []
    keys: list[Key | None] = []
    for rating, old in zip(ratings, read, strict=True):
        if old is None:
            # The trait that had its name is gone: left alone, it would come to life.
            if _gives_one_of(gone, rating, level):
                continue
            repaired = _key_to_repair(rating, missing, held, level)
            written.append(overlay_rating(rating, {}, _write(missing.pop(repaired), level)) if repaired else rating)
            keys.append(repaired)
        elif new := missing.pop(old.key, None):
            written.append(_overlay_rating(rating, old, new, level))
            keys.append(old.key)
    written += [_write(rated, level) for rated in missing.values()]
    return _in_order(written, [*keys, *missing], current)


def _read_in_turn(ratings: list[Any], level: Level) -> list[TraitRecord | None]:
    """The trait that each rating gives beside those before it; None: it gives none."""
    read: list[TraitRecord | None] = []
    for rating in ratings:
        read.append(_read(rating, level, [record for record in read if record]))
    return read


def _gives_one_of(keys: Container[Key], rating: Any, level: Level) -> bool:
    """Check if the rating would give one of these traits if no other had its name."""
    alone = _read(rating, level, [])
    return alone is not None and alone.key in keys


def _overlay_rating(rating: Any, old: TraitRecord, new: TraitRecord, level: Level) -> Any:
    return rating if new.same(old) else overlay_rating(rating, _write(old, level), _write(new, level))


def _in_order(written: list[Any], keys: list[Key | None], current: list[TraitRecord]) -> list[Any]:
    """The ratings with those of each type in the order of `current`, in the places that the type has in the file.

    `keys` says which trait a rating gives; None: it gives none, and stays where it is.
    """
    kinds = {rated.key: (rated.type_name, rated.dynamic) for rated in current}
    by_key = {key: rating for key, rating in zip(keys, written, strict=True) if key is not None}
    turns: dict[tuple[str, bool], Iterator[Any]] = {}
    for kind in set(kinds.values()):
        turns[kind] = iter([by_key[key] for key, other in kinds.items() if other == kind])
    return [rating if key is None else next(turns[kinds[key]]) for key, rating in zip(keys, written, strict=True)]


def _key_to_repair(rating: Any, missing: Container[Key], held: Container[Key], level: Level) -> Key | None:
    """The key of the trait that takes an unreadable rating's place; None if there is none."""
    # A rating of the other level is not broken: it stands in the wrong place, and may be meant for another reader.
    if not isinstance(rating, dict) or str(rating.get("additionalType", "")).startswith(_other(level)):
        return None
    key = (str(rating.get("name")), False)
    return key if key in missing and key not in held else None


def _read(rating: Any, level: Level, before: list[TraitRecord]) -> TraitRecord | None:
    try:
        rated = TraitRecord(*read_rating(rating, level))
        refuse_clash(rated, before)
    except UnreadableRating:
        return None
    return rated


def _write(rated: TraitRecord, level: Level) -> dict[str, Any]:
    return write_rating(rated.type_name, rated.trait, level, dynamic=rated.dynamic)


def _other(level: Level) -> tuple[str, str]:
    other = "QuestionSpecific" if level == "Global" else "Global"
    return other, f"karenina:{other}"
