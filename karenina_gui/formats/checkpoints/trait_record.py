"""A trait as it stands in a rubric or a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from karenina_gui.formats.checkpoints.traits import UnreadableRating
from karenina_gui.schemas.rubric import Trait

Key = tuple[str, bool]
"""Name of a trait, and true if it is dynamic."""


@dataclass(frozen=True)
class TraitRecord:
    """A trait, and how it is held."""

    type_name: str
    trait: Trait
    dynamic: bool = False

    @property
    def key(self) -> Key:
        return self.trait.name, self.dynamic

    def same(self, other: TraitRecord) -> bool:
        """Compare with another one, including the order of classes, which comparing them as objects would overlook."""
        return self == other and self.trait.model_dump_json() == other.trait.model_dump_json()


def refuse_clash(rated: TraitRecord, before: Iterable[TraitRecord]) -> None:
    """Refuse a trait that a rubric with the traits before it has no place for.

    Raises `UnreadableRating` if its name has a dot or is taken.
    """
    if "." in rated.trait.name:
        raise UnreadableRating("its name contains a period, which is reserved for the fields of structured scores")
    if any(rated.key == other.key for other in before):
        raise UnreadableRating("another trait has the same name")
