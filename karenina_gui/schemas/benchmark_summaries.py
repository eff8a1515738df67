"""Light rows of benchmarks and their questions, and the filter of questions.

Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MutationOutcome = Literal["fine", "accepts_wrong", "refuses_expected", "unfinished"]
"""Outcome of trying values made from the expected ones: wrong ones pass, or the expected ones themselves fail."""


@dataclass(frozen=True, slots=True)
class BenchmarkSummary:
    id: int
    name: str
    description: str
    questions: int
    finished: int
    ready: int
    """Number of finished questions with a template that is not known to be broken."""
    runs: int
    updated_at: str
    revision: int
    """Incremented by every edit, including edits of its questions."""


@dataclass(frozen=True, slots=True)
class LocalBenchmarkState:
    """Settings of a benchmark on this computer, which no file of it contains."""

    workspace_root: Path | None = None
    """Folder of its workspaces; None: not set."""
    trusted: bool = False
    """Its code is trusted: it may run even if this computer has no sandbox for it."""
    separate_review: bool = False
    """True: nobody can finish a question that they wrote."""


@dataclass(frozen=True, slots=True)
class DeletedBenchmark:
    """A benchmark that can be restored with everything in it."""

    id: int
    name: str
    questions: int
    runs: int
    deleted_at: str


@dataclass(frozen=True, slots=True)
class QuestionSummary:
    number: int
    """Number in the library, which never changes; used in URLs, by the editor and by the store."""
    id: str
    """Id in results and files; empty: it has none yet, so it is neither run nor exported."""
    position: int
    text: str
    """First 200 characters."""
    keywords: tuple[str, ...]
    finished: bool
    has_template: bool
    template_valid: bool | None
    """None: there is no template, or it was not checked since its last edit."""
    has_rubric: bool
    revision: int
    updated_at: str
    id_set: bool = False
    """True if the user has set or kept the id, so that it does not follow the text."""
    changed_since_review: bool = False
    """True if it is finished, and its text, answer, template, traits, workspace, or examples were edited since."""
    finished_at: str | None = None
    """Time at which it was marked finished; None: it is not finished, or was when it came here."""
    samples: int = 0
    """Number of sample answers."""
    samples_wrong: int | None = None
    """Sample answers whose verdict differs from the expected one; None: not tested since the last edit."""
    samples_unread: int | None = None
    """Sample answers without extracted values for today's template; None: not tested since the last edit."""
    mutation: MutationOutcome | None = None
    """Outcome of trying wrong values; None: not tested since the last edit of the template, or there is none."""
    finished_by: str | None = None
    """Name of the person who marked it finished; None: it is not finished, or nobody is known."""
    returned_at: str | None = None
    """Time at which a reviewer returned it to its author; None: it is not with its author."""
    author: str = ""
    """Name of its author; empty: nobody is named."""


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """Selection of questions; the default selects all."""

    numbers: tuple[int, ...] | None = None
    has_template: bool | None = None
    unchecked: bool = False
    """Only questions whose template was not checked, or not tested on its samples, since the last edit."""
    first: int | None = None
    """Maximum number of questions, from the beginning."""


@dataclass(frozen=True, slots=True)
class DeletedQuestion:
    number: int
    id: str
    text: str
    """First 200 characters."""
    deleted_at: str
    """The same for all questions that were deleted together."""


@dataclass(frozen=True, slots=True)
class RestoredQuestions:
    """Result of an attempt to restore deleted questions."""

    numbers: list[int]
    """Numbers of the restored questions."""
    refused: list[str]
    """One sentence for each that stays deleted because another question has its id."""


@dataclass(frozen=True, slots=True)
class ExamplePool:
    """Examples saved with one question."""

    text: str
    """Text of the question."""
    examples: tuple[str, ...]
    """Question of each example, in order."""
