"""Update of a benchmark from a newer version of its file: new and changed questions are taken over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karenina_gui.authoring.changes import Changes
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question
from karenina_gui.store.actors import one_command
from karenina_gui.store.library import Library

QUESTION_FIELDS = tuple(name for name in Question.model_fields if name not in ("id", "date_created", "date_modified"))
DETAILS = ("description", "version", "creator", "rubric", "custom_properties")
"""Fields of the benchmark that are taken over. Its name stays."""


@dataclass(frozen=True)
class FileDifferences:
    """Questions and details of a file that a benchmark lacks."""

    benchmark_id: int
    added: list[BenchmarkEntry]
    changed: dict[int, dict[str, Any]]
    """{number of the question: its fields as in the file}, those alone that differ."""
    same: int
    missing: int
    """Questions that the file does not have; they stay."""
    details: dict[str, Any]
    """Fields of the benchmark that differ."""

    @property
    def some(self) -> bool:
        return bool(self.added or self.changed or self.details)


@dataclass(frozen=True)
class BenchmarkUpdate:
    """A finished update."""

    benchmark_id: int
    added: list[int]
    """Numbers of the questions that are new."""
    changed: int
    """Number of the questions that were changed."""


class BenchmarkUpdater:
    """Compares a file with a benchmark by the ids of the questions, and takes over what differs."""

    def __init__(self, library: Library, changes: Changes) -> None:
        self._library = library
        self._changes = changes

    def compare(self, benchmark_id: int, document: BenchmarkDocument) -> FileDifferences:
        """Differences of a file from a benchmark."""
        here = self._library.benchmarks.document(benchmark_id)
        by_id = {entry.id: entry for entry in here.entries}
        both = [entry for entry in document.entries if entry.id in by_id]
        changed = {
            self._library.questions.number_of(benchmark_id, entry.id): differing
            for entry in both
            if (differing := _differences(by_id[entry.id], entry))
        }
        return FileDifferences(
            benchmark_id,
            added=[entry for entry in document.entries if entry.id not in by_id],
            changed=changed,
            same=len(both) - len(changed),
            missing=len(here.entries) - len(both),
            details={name: getattr(document, name) for name in DETAILS if _differs(document, here, name)},
        )

    def apply(self, differences: FileDifferences) -> BenchmarkUpdate:
        """Take over all differences, as one command. Runs and results keep their questions."""
        number = differences.benchmark_id
        # One command, so that a single undo takes the whole update back.
        with one_command("import"):
            self._edit(number, differences.changed, differences.details)
            added = self._library.questions.add_all(number, differences.added)
        self._changes.emit(number, "replaced")
        return BenchmarkUpdate(number, added, len(differences.changed))

    def _edit(self, benchmark_id: int, questions: dict[int, dict[str, Any]], details: dict[str, Any]) -> None:
        for number, changes in questions.items():
            self._library.questions.update(benchmark_id, number, changes)
            self._changes.emit(benchmark_id, "edited", number)
        if details:
            self._library.benchmarks.update(benchmark_id, details)
            self._changes.emit(benchmark_id, "edited")


def _differences(here: BenchmarkEntry, there: BenchmarkEntry) -> dict[str, Any]:
    """Fields of the entry in the file that differ. An empty field is the same as none."""
    fields = (*QUESTION_FIELDS, "finished")
    return {
        name: _value(there, name) for name in fields if (_value(there, name) or None) != (_value(here, name) or None)
    }


def _value(entry: BenchmarkEntry, name: str) -> Any:
    return entry.finished if name == "finished" else getattr(entry.question, name)


def _differs(one: BenchmarkDocument, other: BenchmarkDocument, name: str) -> bool:
    return (getattr(one, name) or None) != (getattr(other, name) or None)
