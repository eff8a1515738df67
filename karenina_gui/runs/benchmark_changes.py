"""What became of a benchmark since a run found it: the run's results are about the benchmark as it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.store.library import Library


@dataclass(frozen=True)
class BenchmarkChanges:
    """Counted in questions."""

    edited: int = 0
    deleted: int = 0
    added: int = 0
    rubric: bool = False
    """The traits for all questions are others now."""

    def __bool__(self) -> bool:
        return bool(self.edited or self.deleted or self.added or self.rubric)


def changes_since(library: Library, run_id: int) -> BenchmarkChanges:
    """None of them where nothing was edited, nobody knows how the benchmark was, or it is deleted.

    Errors: `NotFoundError`.

    Whether a question is marked as finished, and when it was edited, is no change of what a run asks.
    """
    run = library.runs.summary(run_id)
    if run.benchmark_deleted:
        return BenchmarkChanges()
    touched = library.benchmarks.summary(run.benchmark_id).updated_at
    if touched <= run.created_at or not library.snapshots.has(run.benchmark_hash):
        return BenchmarkChanges()
    before, now = library.snapshots.document(run.benchmark_hash), library.benchmarks.document(run.benchmark_id)
    return compared(before, now)


def compared(before: BenchmarkDocument, now: BenchmarkDocument) -> BenchmarkChanges:
    was = {entry.id: entry.question for entry in before.entries}
    is_now = {entry.id: entry.question for entry in now.entries}
    both = was.keys() & is_now.keys()
    return BenchmarkChanges(
        edited=sum(_asked(was[key]) != _asked(is_now[key]) for key in both),
        deleted=len(was.keys() - is_now.keys()),
        added=len(is_now.keys() - was.keys()),
        rubric=before.rubric != now.rubric,
    )


def _asked(question: Question) -> dict[str, Any]:
    return question.model_dump(exclude={"date_created", "date_modified"})
