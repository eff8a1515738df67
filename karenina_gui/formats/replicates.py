"""The recorded answers to each question, put into the places of their replicates."""

from __future__ import annotations

from typing import Any

from karenina_gui.errors import InputError
from karenina_gui.formats.tables.rows import Unit


class Replicates:
    """Collects answers one by one; those with numbers go to their places, the others keep the order of the file."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._found: dict[str, list[tuple[int | None, int, Any]]] = {}
        self._first: int | None = None
        """The lowest number in the file, also of records that are refused afterwards; None: there are no numbers."""

    def note(self, place: int | None) -> None:
        """Note the number of a record, whatever becomes of the record."""
        if place is not None:
            self._first = place if self._first is None else min(self._first, place)

    def add(self, question: str, place: int | None, row: int, answer: Any) -> None:
        """Add an answer.

        Raises `InputError` if the place is taken, or only some answers to the question have one.
        """
        earlier = self._found.setdefault(question, [])
        for taken, where, _ in earlier:
            # Mixed, they cannot be put in order: an answer without a number might be any of the replicates.
            if (taken is None) != (place is None):
                with_number, without = (where, row) if place is None else (row, where)
                raise InputError(
                    f"this question has a numbered answer in {self._unit} {with_number} but an unnumbered one in "
                    f"{self._unit} {without}; number all of them, or none"
                )
            if place is not None and taken == place:
                raise InputError(f"replicate {place} of this question is already in {self._unit} {where}")
        earlier.append((place, row, answer))

    def answers(self) -> dict[str, Any]:
        """{question: answer, or a list with one for each replicate, None where there is none}"""
        return {question: self._in_places(found) for question, found in self._found.items() if found}

    def _in_places(self, found: list[tuple[int | None, int, Any]]) -> Any:
        numbered = {place: answer for place, _, answer in found if place is not None}
        if numbered:
            # Some files count from 0, some from 1: the lowest number of the file is the first replicate.
            ordered = [numbered.get(place) for place in range(self._first or 0, max(numbered) + 1)]
        else:
            ordered = [answer for _, _, answer in found]
        return ordered[0] if len(ordered) == 1 else ordered
