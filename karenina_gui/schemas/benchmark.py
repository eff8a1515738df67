"""A benchmark as data: its questions in order, its rubric, and everything a file held that we only carry along."""

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
    """Only finished questions enter a run. True from Python, False from the application."""
    source: dict[str, Any] = Field(default_factory=dict)
    """The entry as the file it came from has it; unknown keys are saved back from here. Empty for new questions."""

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
    """Traits that hold for every question."""
    custom_properties: dict[str, Any] = Field(default_factory=dict)
    scenarios: list[dict[str, Any]] = Field(default_factory=list)
    """Scenario entries, carried along as they are."""
    source: dict[str, Any] = Field(default_factory=dict)
    """The root object as the file has it, without questions; unknown keys are saved back from here."""

    def entry(self, question_id: str) -> BenchmarkEntry:
        """The membership of this question. Errors: `NotFoundError`."""
        if (found := self._index.find(self.entries, question_id)) is not None:
            return found
        for entry in self.entries:  # its id may have changed since it was indexed
            if entry.id == question_id:
                return entry
        raise NotFoundError(f"This benchmark has no question with the id {question_id!r}.")

    def add(self, question: Question, *, finished: bool = True) -> BenchmarkEntry:
        """Append a question. Errors: `DuplicateQuestionError` when its id is taken."""
        if self._index.find(self.entries, question.id) is not None:
            raise DuplicateQuestionError(
                f"The benchmark already holds this question (id {question.id}): {question.question[:80]!r}. "
                "Change its text, or give it an id of its own."
            )
        entry = BenchmarkEntry(question=question, finished=finished)
        self.entries.append(entry)
        self._index.note(self.entries)
        return entry

    @cached_property
    def _index(self) -> _Index:
        return _Index()


class _Index:
    """Finds entries by id without a walk over the list, which anybody may change; it is then read again."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._last: BenchmarkEntry | None = None

    def find(self, entries: list[BenchmarkEntry], question_id: str) -> BenchmarkEntry | None:
        """None: there was no such question when the list was read."""
        if len(entries) != len(self._places) or (entries and entries[-1] is not self._last):
            self._read(entries)
        place = self._places.get(question_id)
        if place is not None and entries[place].id != question_id:
            self._read(entries)
            place = self._places.get(question_id)
        return None if place is None else entries[place]

    def note(self, entries: list[BenchmarkEntry]) -> None:
        """The last entry is new."""
        self._last = entries[-1]
        self._places[self._last.id] = len(entries) - 1

    def _read(self, entries: list[BenchmarkEntry]) -> None:
        self._places = {entry.id: place for place, entry in enumerate(entries)}
        self._last = entries[-1] if entries else None
