"""A benchmark as data: its questions in order, its rubric, and everything a file held that we only carry along."""

from __future__ import annotations

from datetime import datetime
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
        for entry in self.entries:
            if entry.id == question_id:
                return entry
        raise NotFoundError(f"This benchmark has no question with the id {question_id!r}.")

    def add(self, question: Question, *, finished: bool = True) -> BenchmarkEntry:
        """Append a question. Errors: `DuplicateQuestionError` when its id is taken."""
        if any(entry.id == question.id for entry in self.entries):
            raise DuplicateQuestionError(
                f"The benchmark already holds this question (id {question.id}): {question.question[:80]!r}. "
                "Change its text, or give it an id of its own."
            )
        entry = BenchmarkEntry(question=question, finished=finished)
        self.entries.append(entry)
        return entry
