"""Light rows of lists (benchmarks, questions, runs, results), and the filters of such lists.

Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.outcome import Outcome, Reason
from karenina_gui.schemas.result import VerificationResult

RunStatus = Literal["planned", "running", "completed", "cancelled", "interrupted", "failed", "partial"]
"""Status of a run.

interrupted: the application ended during the run. failed: the run itself broke (see its message). partial: it was
imported from a file that contains only a part of its results.
"""

SortKey = Literal[
    "position",
    "question",
    "answering",
    "judge",
    "replicate",
    "outcome",
    "category",
    "seconds",
    "tokens",
    "condition",
    "judge_replicate",
]


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


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """Selection of questions; the default selects all."""

    numbers: tuple[int, ...] | None = None
    has_template: bool | None = None
    unchecked: bool = False
    """Only questions whose template was not checked since its last edit."""
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


@dataclass(frozen=True, slots=True)
class UnsavedEdit:
    """Text that could not be saved: another user changed the field first, it was deleted, or the value is invalid."""

    place: str
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


@dataclass(frozen=True, slots=True)
class RunSummary:
    id: int
    name: str
    benchmark_id: int
    benchmark_name: str
    status: RunStatus
    total: int
    """Number of planned jobs."""
    done: int
    outcomes: dict[Outcome, int]
    """Outcomes of the finished jobs, without those that did not occur."""
    answering: tuple[str, ...]
    judges: tuple[str, ...]
    replicates: int
    evaluation_mode: str
    sandbox_level: str
    recording_label: str | None
    """Label of the recording that was played back; None: live calls."""
    benchmark_hash: str
    """SHA-256 of the benchmark when the run was planned."""
    message: str | None
    """Reason why the run ended before all jobs were done; None: it did not."""
    created_at: str
    finished_at: str | None
    """None: it is running, or the end of its process is unknown."""
    seconds: float
    """Total working time in seconds; until its last result if its end is unknown."""
    origin: str | None = None
    """Name of the file that it was imported from; None: it was run here."""
    conditions: tuple[str, ...] = ()
    """Names, the baseline first; empty: the run has none."""
    judge_replicates: int = 1
    benchmark_deleted: bool = False
    """True if its benchmark is deleted, and the run with it: lists show it only after the benchmark is restored."""


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """A run that can be restored with its results."""

    run: RunSummary
    deleted_at: str


@dataclass(frozen=True, slots=True)
class ResultSummary:
    id: int
    run_id: int
    position: int
    """0-based position of its job in the run's stable order."""
    question_id: str
    question_text: str
    keywords: tuple[str, ...]
    answering: str
    judge: str | None
    replicate: int | None
    outcome: Outcome
    passed: bool | None
    category: Reason | None
    stage: str | None
    """Stage that decided a failure."""
    error: str | None
    seconds: float
    tokens: int | None
    """Tokens of all calls; None: no provider reported any."""
    recording_label: str | None
    traits: dict[str, bool | int | float] = field(default_factory=dict)
    """Scores of the rubric's traits, without metric traits, whose several figures are only in the whole result."""
    condition: str | None = None
    """None: the run has none."""
    judge_replicate: int | None = None
    """1-based number of this judgment of the answer by the judge; None: there is only one."""

    @property
    def only_scored(self) -> bool:
        """True if there are trait scores instead of a verdict, and no verdict was expected."""
        return self.outcome == "unscored" and bool(self.traits) and not self.error


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Filter of a table of results; the default shows all."""

    text: str = ""
    """Searched in question, question id, answering model and error, ignoring case."""
    outcomes: tuple[Outcome, ...] = ()
    answering: str | None = None
    judge: str | None = None
    replicate: int | None = None
    condition: str | None = None
    judge_replicate: int | None = None
    question_id: str | None = None
    keyword: str | None = None
    category: Reason | None = None
    trait: str | None = None
    """Only results with a score of this trait."""
    trait_is: bool | None = None
    """With `trait`: only those for which it is true, or false."""
    trait_or_none: bool = False
    """With `trait_is`: also those without a score of it."""


@dataclass(frozen=True, slots=True)
class ResultSort:
    key: SortKey = "position"
    descending: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    rows: list[ResultSummary] = field(default_factory=list)
    total: int = 0
    """Number of results that match the filter, on all pages."""


class ComparisonKey(NamedTuple):
    """Model, judge and condition by which the results of a run are compared."""

    answering: str
    """Name of the model in the run."""
    judge: str | None = None
    """None: the run has none."""
    condition: str | None = None
    """None: the run has none."""


class QuestionMeans(NamedTuple):
    """Mean over questions with equal weight, as sum and count, which can be added for several groups of questions.

    The judgments of an answer are averaged first, then the answers to a question. Missing scores are left out.
    """

    total: float = 0.0
    """Sum of the questions' means."""
    questions: int = 0
    """Number of questions with a score."""

    @property
    def mean(self) -> float | None:
        """Mean of the questions; None if no question has a score."""
        return self.total / self.questions if self.questions else None


class OfArm(NamedTuple):
    """Model, condition and trait of a mean."""

    answering: str
    condition: str | None
    trait: str | None = None
    """None: the verdict."""


@dataclass(frozen=True, slots=True)
class RunMeans:
    """Means over questions (see `QuestionMeans`) of verdicts and scores."""

    arms: dict[OfArm, QuestionMeans] = field(default_factory=dict)
    """Verdicts by model and condition, and scores of traits."""
    conditions: dict[str, QuestionMeans] = field(default_factory=dict)
    """Verdicts by condition, over all models."""
    judges: dict[str, QuestionMeans] = field(default_factory=dict)
    """Verdicts by judge, over all models."""
    keywords: dict[tuple[str, ...], QuestionMeans] = field(default_factory=dict)
    """Verdicts of questions with exactly these keywords, over all models."""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Counts of all results of a run, computed by the database instead of reading a hundred thousand rows."""

    verdicts: list[tuple[ComparisonKey, Outcome, int]] = field(default_factory=list)
    """Model, outcome and count, in the order of first occurrence."""
    reasons: list[tuple[Outcome, Reason, int]] = field(default_factory=list)
    """Outcome, reason and count; the most frequent first."""
    keywords: list[tuple[tuple[str, ...], Outcome, int]] = field(default_factory=list)
    """Keywords of a question, outcome and count."""
    traits: list[tuple[ComparisonKey, dict[str, bool | int | float], int]] = field(default_factory=list)
    """Model, scores, and number of results with exactly these, in the order of first occurrence."""
    judgments: int = 1
    """Largest number of judgments of an answer by one judge."""
    extractions: list[tuple[str, str, int]] = field(default_factory=list)
    """Judge, method of structured output (`schema, text`), and number of results; the most frequent first."""
    means: RunMeans = field(default_factory=RunMeans)
    asked: dict[OfArm, int] = field(default_factory=dict)
    """Number of results that were to have a score of this trait; see `JobTable.asked`."""
    last: int = 0
    """Largest id of a counted result: all up to it are counted, and no later one."""


@dataclass(frozen=True, slots=True)
class QuestionSort:
    """Order of a run's questions: by text, by the share of a model's answers that passed, or as they ran."""

    key: Literal["position", "question", "share"] = "position"
    descending: bool = False
    answering: str = ""
    """Model whose share counts, with this judge and condition."""
    judge: str | None = None
    condition: str | None = None
    trait: str | None = None
    """Its mean score replaces the share if no template was evaluated."""


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """Results of some of a run's questions."""

    question_ids: list[str]
    rows: list[ResultSummary]
    """All results of these questions, in the run's order."""
    total: int
    """Number of questions in the run."""
    models: list[ComparisonKey]
    """Models of the whole run, in the order of first occurrence."""


@dataclass(frozen=True, slots=True)
class ExamplePool:
    """Examples saved with one question."""

    text: str
    """Text of the question."""
    examples: tuple[str, ...]
    """Question of each example, in order."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Position of a result among those that match the filter; all None if it does not match."""

    previous: int | None = None
    next: int | None = None
    number: int | None = None
    """1-based."""
    total: int = 0


@dataclass(frozen=True, slots=True)
class StoredResult:
    """One result with its id."""

    summary: ResultSummary
    result: VerificationResult
