"""Results of edits: saved, in conflict, or still waiting.

Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved edit."""

    revision: int
    at: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit that was not saved because the question has changed since it was read; `entry` is its current state."""

    entry: BenchmarkEntry
    revision: int
    at: str


@dataclass(frozen=True, slots=True)
class BenchmarkConflict:
    """The same for a benchmark's own fields; `document` (without questions) is its current state."""

    document: BenchmarkDocument
    revision: int
    at: str


class TraitEdit(TypedDict):
    """What the library keeps of a trait beside its rubric."""

    id: str
    """The same as long as the trait exists, whatever its name. A trait without an entry has `type:name`."""
    type: str
    name: str | None
    """Name in the rubric; None: it was never complete."""
    values: NotRequired[dict[str, Any]]
    """Values of its form while they are incomplete; the rubric has the last complete version."""


@dataclass(frozen=True, slots=True)
class StoredRubric:
    """Rubric of a benchmark or a question, as it is saved."""

    rubric: dict[str, Any] | None
    edits: list[TraitEdit]
    revision: int


@dataclass(frozen=True, slots=True)
class UnsavedEdit:
    """Text that could not be saved: another user changed the field first, it was deleted, or the value is invalid."""

    address: str
    """`question/12/answer_template`: kind of the record, its number or id, the field."""
    typed: Any
    base: Any
    """Saved value that it was to replace."""
    at: str


@dataclass(frozen=True, slots=True)
class WaitingEdit:
    """Place where an unsaved edit is to be resolved."""

    benchmark_id: int | None
    """None: it belongs to a preset."""
    number: int | None
    """Number of the question; None: it belongs to the benchmark itself."""
    field: str
    preset_id: str | None = None
