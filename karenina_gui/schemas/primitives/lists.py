"""Primitives for lists. A text counts as the list of its characters, as in Python."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from karenina_gui.schemas.primitives.normalizers import Normalizer, apply_normalizers, usual_normalizers
from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive
from karenina_gui.text.canonical import canonical


class SetContainment(ComparisonPrimitive):
    """Compares as sets: order and repetition play no part, spelling does.

    `exact`: the same set; `subset`: nothing extracted that is not expected; `superset`: nothing expected is missing;
    `overlap`: at least `min_overlap` in common.
    """

    mode: Literal["exact", "subset", "superset", "overlap"] = "exact"
    min_overlap: int = Field(default=1, ge=0)

    def check(self, extracted: Any, expected: Any) -> bool:
        items, expected_items = set(canonical(extracted)), set(canonical(expected))
        if self.mode == "exact":
            return items == expected_items
        if self.mode == "subset":
            return items <= expected_items
        if self.mode == "superset":
            return items >= expected_items
        return len(items & expected_items) >= self.min_overlap


class OrderedMatch(ComparisonPrimitive):
    """The same items in the same order, each compared as normalised text."""

    normalize: list[Normalizer] = Field(default_factory=usual_normalizers)

    def check(self, extracted: Any, expected: Any) -> bool:
        return self._texts(extracted) == self._texts(expected)

    def _texts(self, items: Any) -> list[str]:
        return [apply_normalizers(str(item), self.normalize) for item in items]
