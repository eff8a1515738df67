"""A benchmark as data: its questions in order, its rubric, and unknown content of its file, which is preserved."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import Any

from pydantic import BaseModel, Field

from karenina_gui.errors import DuplicateQuestionError, NotFoundError
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric


class BenchmarkEntry(BaseModel):
    """A question's membership in a benchmark."""

    question: Question
    finished: bool = True
    """Only finished questions are run. True from Python, False from the application."""
    changed_since_review: bool = Field(default=False, exclude_if=lambda changed: not changed)
    """True if it is finished, and something that a reviewer looks at was edited since."""
    reviewed_hash: str | None = Field(default=None, exclude_if=lambda reviewed: reviewed is None)
    """Hash of what was reviewed, if that was edited since; None: not edited, or unknown."""
    source: dict[str, Any] = Field(default_factory=dict)
    """The entry as in its file; unknown keys are saved back from here. Empty for new questions."""

    @property
    def id(self) -> str:
        return self.question.id


class BenchmarkDocument(BaseModel):
    """One benchmark. Questions keep their order; ids are unique."""

    name: str = Field(min_length=1)
    description: str = ""
    version: str = "0.1.0"
    creator: str | dict[str, Any] = ""
    date_created: str = Field(default_factory=lambda: datetime.now().isoformat())
    date_modified: str = Field(default_factory=lambda: datetime.now().isoformat())
    entries: list[BenchmarkEntry] = Field(default_factory=list)
    rubric: Rubric | None = None
    """Traits that apply to every question."""
    custom_properties: dict[str, Any] = Field(default_factory=dict)
    scenarios: list[dict[str, Any]] = Field(default_factory=list)
    """Scenario entries, preserved unchanged."""
    source: dict[str, Any] = Field(default_factory=dict)
    """The root object as in the file, without questions; unknown keys are saved back from here."""

    def entry(self, question_id: str) -> BenchmarkEntry:
        """Membership of this question. Raises `NotFoundError`."""
        if (indexed := self._index.find(self.entries, question_id)) is not None:
            return indexed
        # Its id may have changed since it was indexed.
        for entry in self.entries:
            if entry.id == question_id:
                return entry
        raise NotFoundError(f"This benchmark has no question with the ID “{question_id}”.")

    def add(self, question: Question, *, finished: bool = True) -> BenchmarkEntry:
        """Append a question. Raises `DuplicateQuestionError` if its id is already used."""
        if self._index.find(self.entries, question.id) is not None:
            raise DuplicateQuestionError(
                f"The benchmark already contains this question (ID {question.id}): “{question.question[:80]}”. "
                "Change its text, or set another id."
            )
        entry = BenchmarkEntry(question=question, finished=finished)
        self.entries.append(entry)
        self._index.note(self.entries)
        return entry

    @cached_property
    def _index(self) -> _Index:
        return _Index()


class _Index:
    """Index of entries by id. The list is public and may be changed at any time; it is then indexed again."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._last: BenchmarkEntry | None = None

    def find(self, entries: list[BenchmarkEntry], question_id: str) -> BenchmarkEntry | None:
        """Entry with this id; None if there was none when the list was indexed."""
        # Length and last entry detect nearly every change without a walk over the list.
        if len(entries) != len(self._places) or (entries and entries[-1] is not self._last):
            self._rebuild(entries)
        index = self._places.get(question_id)
        # The id of an indexed question was changed.
        if index is not None and entries[index].id != question_id:
            self._rebuild(entries)
            index = self._places.get(question_id)
        return None if index is None else entries[index]

    def note(self, entries: list[BenchmarkEntry]) -> None:
        """Index the last entry, which is new."""
        self._last = entries[-1]
        self._places[self._last.id] = len(entries) - 1

    def _rebuild(self, entries: list[BenchmarkEntry]) -> None:
        self._places = {entry.id: index for index, entry in enumerate(entries)}
        self._last = entries[-1] if entries else None
