"""Traits of types from outside the package: a list in a property beside the ratings, each as it is dumped.

Upstream reads a file with a rating of an unknown type not at all, but carries properties along that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from karenina_gui.formats.checkpoints.json_patch import overlay
from karenina_gui.formats.checkpoints.properties import decode, property_value, values_of
from karenina_gui.formats.checkpoints.trait_record import Key, TraitRecord, refuse_clash
from karenina_gui.formats.checkpoints.traits import UnreadableRating
from karenina_gui.schemas.problems import as_sentence
from karenina_gui.schemas.rubric import TRAIT_TYPES, KeptRubricTrait, misfit_of_type, trait_of

PROPERTIES = {"karenina_gui_traits": False, "karenina_gui_dynamic_traits": True}
"""{property: true if its traits are dynamic}"""


def read_others(
    owner: dict[str, Any], before: Sequence[TraitRecord], where: str, notes: list[str]
) -> list[TraitRecord]:
    """The traits in these properties of an object; `before` are those that it has already.

    One that no installed type takes is kept and noted; an item that is no trait at all is noted and left in the file.
    """
    records: list[TraitRecord] = []
    for name, dynamic in PROPERTIES.items():
        for number, item in enumerate(_items(owner, name), 1):
            try:
                rated = _read(item, dynamic)
                refuse_clash(rated, [*before, *records])
            except UnreadableRating as fault:
                unused = f"{where}: trait {number} of {name!r} is preserved but not used"
                notes.append(f"{unused}: {as_sentence(str(fault))}")
                continue
            records.append(rated)
            if isinstance(rated.trait, KeptRubricTrait):
                message = f"{where}: the trait “{rated.trait.name}” is preserved, but runs skip it."
                notes.append(f"{message} {misfit_of_type(item)}")
    return records


def with_others(owner: dict[str, Any], current: Sequence[TraitRecord], before: Sequence[TraitRecord]) -> dict[str, Any]:
    """The object with those of these traits in its properties that belong there, in their order.

    `before` are the traits that its ratings gave. Items that give no trait stay in their places, unless a trait of
    their name takes it; one that gave none because of its name goes with the trait that had the name.
    """
    for name, dynamic in PROPERTIES.items():
        old = _items(owner, name)
        new = list(_merge(old, [rated for rated in current if rated.dynamic == dynamic], dynamic, before))
        if new != old:
            properties = [property_value(name, new)] if new else []
            changed = overlay(owner.get("additionalProperty", []), [property_value(name, old)], properties)
            owner = {**owner, "additionalProperty": changed}
    return owner


def _merge(items: list[Any], current: list[TraitRecord], dynamic: bool, before: Sequence[TraitRecord]) -> Iterator[Any]:
    own = [rated for rated in current if rated.type_name not in TRAIT_TYPES]
    stored = dict(_stored_traits(items, dynamic, before))
    used = [item for _, item in stored.values()]
    turns = (_dump(rated, stored.get(rated.key)) for rated in own)
    for item in items:
        if _is_one_of(item, used) or _is_broken_form_of(own, item):
            yield from islice(turns, 1)
        elif _is_named_like(current, item) or not _gives_trait(item):
            yield item
    yield from turns


def _is_one_of(item: Any, items: Sequence[Any]) -> bool:
    """Check by identity: two items may be equal, and each has its own place."""
    return any(item is other for other in items)


def _is_broken_form_of(traits: Sequence[TraitRecord], item: Any) -> bool:
    return _is_named_like(traits, item) and not _gives_trait(item)


def _is_named_like(traits: Sequence[TraitRecord], item: Any) -> bool:
    return isinstance(item, dict) and any(rated.trait.name == item.get("name") for rated in traits)


def _stored_traits(
    items: list[Any], dynamic: bool, before: Sequence[TraitRecord]
) -> Iterator[tuple[Key, tuple[TraitRecord, Any]]]:
    """The traits that the items give, each with its item."""
    records = list(before)
    for item in items:
        with suppress(UnreadableRating):
            rated = _read(item, dynamic)
            refuse_clash(rated, records)
            records.append(rated)
            yield rated.key, (rated, item)


def _gives_trait(item: Any) -> bool:
    """Check if nothing but its name can keep the item from being a trait."""
    with suppress(UnreadableRating):
        refuse_clash(_read(item, False), ())
        return True
    return False


def _dump(rated: TraitRecord, stored: tuple[TraitRecord, Any] | None) -> Any:
    """The trait as JSON: the file's own if nothing has changed."""
    if stored is not None and rated.same(stored[0]):
        return stored[1]
    return rated.trait.model_dump(mode="json")


def _read(item: Any, dynamic: bool) -> TraitRecord:
    if not isinstance(item, dict):
        raise UnreadableRating("it is not an object")
    try:
        trait = trait_of(item)
    except ValueError as fault:
        raise UnreadableRating(str(fault)) from fault
    return TraitRecord(trait.type_name, trait, dynamic)


def _items(owner: dict[str, Any], name: str) -> list[Any]:
    value = decode(values_of(owner).get(name))
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
