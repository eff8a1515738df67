"""Traits of types from outside the package: a list in a property beside the ratings, each as it is dumped.

Upstream reads a file with a rating of an unknown type not at all, but carries properties along that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from karenina_gui.formats.overlay import overlay
from karenina_gui.formats.properties import decoded, property_value, values_of
from karenina_gui.formats.rated import Key, Rated, refuse_clash
from karenina_gui.formats.ratings import UnreadableRating
from karenina_gui.schemas.rubric import KeptRubricTrait, misfit_of_type, trait_of

PROPERTIES = {"karenina_gui_traits": False, "karenina_gui_dynamic_traits": True}
"""{property: whether its traits are dynamic}"""


def read_others(owner: dict[str, Any], before: Sequence[Rated], where: str, notes: list[str]) -> list[Rated]:
    """The traits in these properties of an object; `before` are those that it has already.

    One that no installed type takes is kept and noted; what is no trait at all is noted and left in the file.
    """
    found: list[Rated] = []
    for name, dynamic in PROPERTIES.items():
        for number, item in enumerate(_items(owner, name), 1):
            try:
                rated = _read(item, dynamic)
                refuse_clash(rated, [*before, *found])
            except UnreadableRating as fault:
                notes.append(f"{where}: trait {number} of {name!r} is kept in the file but not used: {fault}.")
                continue
            found.append(rated)
            if isinstance(rated.trait, KeptRubricTrait):
                kept = f"{where}: the trait {rated.trait.name!r} is kept as it is, and runs leave it out."
                notes.append(f"{kept} {misfit_of_type(item)}")
    return found


def with_others(owner: dict[str, Any], current: Sequence[Rated], before: Sequence[Rated]) -> dict[str, Any]:
    """The object with these traits in its properties, in their order; items that give no trait stay in their places.

    `before` are the traits that its ratings gave. A trait takes the place of an item of its name that gives none.
    """
    for name, dynamic in PROPERTIES.items():
        old = _items(owner, name)
        new = list(_written(old, [rated for rated in current if rated.dynamic == dynamic], dynamic, before))
        if new != old:
            properties = [property_value(name, new)] if new else []
            changed = overlay(owner.get("additionalProperty", []), [property_value(name, old)], properties)
            owner = {**owner, "additionalProperty": changed}
    return owner


def _written(items: list[Any], current: list[Rated], dynamic: bool, before: Sequence[Rated]) -> Iterator[Any]:
    names = {rated.trait.name for rated in current}
    stored: dict[Key, tuple[Rated, Any]] = {}
    stays: list[bool] = []
    for item in items:
        try:
            old = _read(item, dynamic)
            refuse_clash(old, [*before, *(rated for rated, _ in stored.values())])
            stored[old.key] = (old, item)
            stays.append(False)
        except UnreadableRating:
            stays.append(not isinstance(item, dict) or item.get("name") not in names)
    turns = (_dump(rated, stored.get(rated.key)) for rated in current)
    for item, stay in zip(items, stays, strict=True):
        if stay:
            yield item
        else:
            yield from islice(turns, 1)
    yield from turns


def _dump(rated: Rated, stored: tuple[Rated, Any] | None) -> Any:
    """What the file has, where nothing has changed."""
    if stored is not None and rated.same(stored[0]):
        return stored[1]
    return rated.trait.model_dump(mode="json")


def _read(item: Any, dynamic: bool) -> Rated:
    if not isinstance(item, dict):
        raise UnreadableRating("it is no set of names with values")
    try:
        trait = trait_of(item)
    except ValueError as fault:
        raise UnreadableRating(str(fault)) from fault
    return Rated(trait.type_name, trait, dynamic)


def _items(owner: dict[str, Any], name: str) -> list[Any]:
    value = decoded(values_of(owner).get(name))
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
