"""Differences between a benchmark today and at the start of a run.

A run executed here has a snapshot of the benchmark, so both versions can be shown. An imported run has only its record
(`schemas.reproducibility`): hashes tell which questions and fields have changed, but not their earlier content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from karenina_gui.runs.reproducibility import trait_hashes
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.canonical import field_hashes, question_content, rubric_content, trait_content
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.result_summaries import ResultFilter
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.store.library import Library

Change = Literal["edited", "deleted", "added"]
MOST_LOOKED_UP = 200
"""Deleted questions whose text is looked up in the results."""


@dataclass(frozen=True)
class QuestionChange:
    """Question that differs from its state at the start of the run."""

    id: str
    """Present id, or the earlier one if it was deleted."""
    text: str
    kind: Change
    fields: tuple[str, ...] = ()
    """Names of the changed fields in field order; empty unless edited."""
    was: Question | None = None
    """State at the start of the run; None: added since, or only its hashes are known."""
    now: Question | None = None
    """Present state; None: deleted."""


@dataclass(frozen=True)
class TraitChange:
    """Global trait that differs from its state at the start of the run."""

    name: str
    kind: Change
    was: Mapping[str, Any] | None = None
    """Earlier content; None: added since, or only its hash is known."""
    now: Mapping[str, Any] | None = None
    """Present content; None: deleted."""


@dataclass(frozen=True)
class BenchmarkChanges:
    """All differences, in the benchmark's order, deletions last."""

    questions: tuple[QuestionChange, ...] = ()
    traits: tuple[TraitChange, ...] = ()
    rubric: bool = False
    """True if global traits or their order changed."""
    by_hashes: bool = False
    """True if the earlier benchmark is known only by hashes of what the run used."""

    @property
    def edited(self) -> int:
        return self._count("edited")

    @property
    def deleted(self) -> int:
        return self._count("deleted")

    @property
    def added(self) -> int:
        return self._count("added")

    def __bool__(self) -> bool:
        return bool(self.questions or self.rubric)

    def _count(self, kind: Change) -> int:
        return sum(change.kind == kind for change in self.questions)


def changes_since(library: Library, run_id: int) -> BenchmarkChanges:
    """Changes of a run's benchmark since its start. Raises `NotFoundError`.

    Empty if nothing changed, the earlier state is unknown, or the benchmark is deleted. The finished mark and dates of
    questions do not count.
    """
    run = library.runs.summary(run_id)
    if run.benchmark_deleted:
        return BenchmarkChanges()
    if run.origin is not None:
        return _changes_of_imported_run(library, run)
    # Comparing dates first avoids loading both documents.
    touched = library.benchmarks.summary(run.benchmark_id).updated_at
    if touched <= run.created_at or not library.snapshots.has(run.benchmark_hash):
        return BenchmarkChanges()
    before, now = library.snapshots.document(run.benchmark_hash), library.benchmarks.document(run.benchmark_id)
    return compare_benchmarks(before, now)


def compare_benchmarks(before: BenchmarkDocument, now: BenchmarkDocument) -> BenchmarkChanges:
    was = {entry.id: entry.question for entry in before.entries}
    is_now = {entry.id: entry.question for entry in now.entries}
    return BenchmarkChanges(
        (*_edited_or_added(was, is_now), *_deletions(was, is_now)),
        tuple(_traits(before.rubric, now.rubric)),
        rubric_content(before.rubric) != rubric_content(now.rubric),
    )


def compared_by_hashes(record: Reproducibility, now: BenchmarkDocument, texts: Mapping[str, str]) -> BenchmarkChanges:
    """Compare with a record of hashes. `texts`: texts by question id of deleted questions; default: the ID."""
    by_id = {entry.id: entry.question for entry in now.entries}
    by_text = {field_hashes(question)["question"]: question for question in by_id.values()}
    edited: list[QuestionChange] = []
    gone: list[QuestionChange] = []
    for key, version in record.questions.items():
        # An imported run may have another id for the same text.
        question = by_id.get(key) or by_text.get(version.fields.get("question", ""))
        if question is None:
            gone.append(QuestionChange(key, texts.get(key, key), "deleted"))
        elif fields := _changed_fields(version.fields, field_hashes(question)):
            edited.append(QuestionChange(question.id, question.question, "edited", fields, None, question))
    traits = tuple(_traits_by_hashes(record.benchmark.traits, now.rubric))
    return BenchmarkChanges((*edited, *gone), traits, bool(traits), by_hashes=True)


def _changes_of_imported_run(library: Library, run: RunSummary) -> BenchmarkChanges:
    record = library.runs.reproducibility(run.id)
    if record is None:
        return BenchmarkChanges()
    now = library.benchmarks.document(run.benchmark_id)
    here = {entry.id for entry in now.entries}
    gone = [key for key in record.questions if key not in here][:MOST_LOOKED_UP]
    return compared_by_hashes(record, now, {key: _text(library, run.id, key) for key in gone})


def _text(library: Library, run_id: int, question_id: str) -> str:
    rows = library.results.page(run_id, ResultFilter(question_id=question_id), limit=1).rows
    return rows[0].question_text if rows else question_id


def _edited_or_added(was: Mapping[str, Question], now: Mapping[str, Question]) -> Iterator[QuestionChange]:
    for key, question in now.items():
        before = was.get(key)
        if before is None:
            yield QuestionChange(key, question.question, "added", (), None, question)
        elif fields := _changed_fields(question_content(before), question_content(question)):
            yield QuestionChange(key, question.question, "edited", fields, before, question)


def _deletions(was: Mapping[str, Question], now: Mapping[str, Question]) -> Iterator[QuestionChange]:
    for key, question in was.items():
        if key not in now:
            yield QuestionChange(key, question.question, "deleted", (), question, None)


def _changed_fields(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name in Question.model_fields if before.get(name) != now.get(name))


def _traits(before: Rubric | None, now: Rubric | None) -> Iterator[TraitChange]:
    was, is_now = _records(before), _records(now)
    for name, record in is_now.items():
        if name not in was:
            yield TraitChange(name, "added", None, record)
        elif was[name] != record:
            yield TraitChange(name, "edited", was[name], record)
    for name, record in was.items():
        if name not in is_now:
            yield TraitChange(name, "deleted", record)


def _traits_by_hashes(was: Mapping[str, str], now: Rubric | None) -> Iterator[TraitChange]:
    hashes, records = trait_hashes(now), _records(now)
    for name, digest in hashes.items():
        if was.get(name) != digest:
            yield TraitChange(name, "edited" if name in was else "added", None, records[name])
    for name in was:
        if name not in hashes:
            yield TraitChange(name, "deleted")


def _records(rubric: Rubric | None) -> dict[str, dict[str, Any]]:
    """Type and content by trait name."""
    traits = rubric.by_type if rubric else ()
    return {trait.name: {"type": kind} | trait_content(trait.model_dump(mode="json")) for kind, trait in traits}
