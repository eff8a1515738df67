"""Light rows: what a list shows of benchmarks, questions, runs and results, and how such a list is filtered.

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
"""interrupted: the application ended while the run was going. failed: the run itself broke (see its message).
partial: it was opened from a file that holds only a part of its results."""

SortKey = Literal["position", "question", "answering", "judge", "replicate", "outcome", "category", "seconds", "tokens",
                  "condition", "judge_replicate"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class BenchmarkSummary:
    id: int
    name: str
    description: str
    questions: int
    finished: int
    ready: int
    """Finished, and with a template that is not known to be broken."""
    runs: int
    updated_at: str
    revision: int
    """Grows with every edit, those of its questions included."""


@dataclass(frozen=True, slots=True)
class OnThisComputer:
    """What this computer alone knows of a benchmark: no document of it has this."""

    workspace_root: Path | None = None
    """The folder below which its workspaces are; None: not set."""
    trusted: bool = False
    """Its code is trusted: it may run where this computer has no lock for it."""


@dataclass(frozen=True, slots=True)
class DeletedBenchmark:
    """One that can be restored, with all that it had."""

    id: int
    name: str
    questions: int
    runs: int
    deleted_at: str


@dataclass(frozen=True, slots=True)
class QuestionSummary:
    number: int
    """Its number in the library, which never changes: addresses, the desk and the store use it."""
    id: str
    """By which results and files refer to it; empty: it has none yet, so it is neither run nor exported."""
    position: int
    text: str
    """First 200 characters."""
    keywords: tuple[str, ...]
    finished: bool
    has_template: bool
    template_valid: bool | None
    """None: there is no template, or it was not checked since it was last edited."""
    has_rubric: bool
    revision: int
    updated_at: str
    id_set: bool = False
    """Whether a person kept or set the id on purpose, so it does not follow the text."""


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """Which questions are meant; the default means all."""

    numbers: tuple[int, ...] | None = None
    has_template: bool | None = None
    unchecked: bool = False
    """Only those whose template was not checked since it was last edited."""
    first: int | None = None
    """At most so many, from the beginning."""


@dataclass(frozen=True, slots=True)
class DeletedQuestion:
    number: int
    id: str
    text: str
    """First 200 characters."""
    deleted_at: str
    """The same for all that were deleted together."""


@dataclass(frozen=True, slots=True)
class Restored:
    """Deleted questions after an attempt to restore them."""

    numbers: list[int]
    """Of those that are back."""
    refused: list[str]
    """A sentence for each that stays deleted because another question has its id."""


@dataclass(frozen=True, slots=True)
class Saved:
    """An edit that is in the store."""

    revision: int
    at: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit that was not saved, because the question changed after it was read: `entry` is how it stands now."""

    entry: BenchmarkEntry
    revision: int
    at: str


@dataclass(frozen=True, slots=True)
class BenchmarkConflict:
    """The same for a benchmark's own fields: `document` (without questions) is how it stands now."""

    document: BenchmarkDocument
    revision: int
    at: str


@dataclass(frozen=True, slots=True)
class UnsavedEdit:
    """What a person typed and could not be saved: others changed it first, it was deleted, or the value is refused."""

    place: str
    """`question/12/answer_template`: kind of the record, its number or id, the field."""
    typed: Any
    base: Any
    """The saved value over which it was typed."""
    at: str


@dataclass(frozen=True, slots=True)
class WaitingEdit:
    """Where an unsaved edit is to be decided."""

    benchmark_id: int | None
    """None: it is of a preset."""
    number: int | None
    """Of the question; None: it is of the benchmark itself."""
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
    """Jobs planned."""
    done: int
    outcomes: dict[Outcome, int]
    """Outcomes of the jobs that are done; those that did not occur are absent."""
    answering: tuple[str, ...]
    judges: tuple[str, ...]
    replicates: int
    evaluation_mode: str
    sandbox_level: str
    recording_label: str | None
    """Set when replies were played back from a recording."""
    benchmark_hash: str
    """SHA-256 of the benchmark as it was when the run was planned."""
    message: str | None
    """Why the run ended before all jobs were done; None: it did not."""
    created_at: str
    finished_at: str | None
    """None: it is going, or nobody knows when its process ended."""
    seconds: float
    """That it worked, all its parts together; of one whose end nobody knows, until its last result."""
    origin: str | None = None
    """Name of the file that it was opened from; None: it was run here."""
    conditions: tuple[str, ...] = ()
    """Names, the baseline first; empty: the run has none."""
    judge_replicates: int = 1
    benchmark_deleted: bool = False
    """Whether its benchmark is deleted, and the run with it: no list shows it until the benchmark is restored."""


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """One that can be restored, with its results."""

    run: RunSummary
    deleted_at: str


@dataclass(frozen=True, slots=True)
class ResultSummary:
    id: int
    run_id: int
    position: int
    """Place of its job in the run's stable order, from 0."""
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
    """The stage that decided a failure."""
    error: str | None
    seconds: float
    tokens: int | None
    """Tokens of all calls; None: no provider gave a figure."""
    recording_label: str | None
    traits: dict[str, bool | int | float] = field(default_factory=dict)
    """Scores of the rubric's traits; metric traits, which have several figures, are only in the whole result."""
    condition: str | None = None
    """None: the run has none."""
    judge_replicate: int | None = None
    """Which of the judge's judgments of the answer it is, 1-based; None: there is one."""

    @property
    def only_scored(self) -> bool:
        """Whether there are scores of traits instead of a verdict, and not for want of one."""
        return self.outcome == "unscored" and bool(self.traits) and not self.error


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Which results a table shows; the default shows all."""

    text: str = ""
    """Found in question, question id, answering model or error, in any case."""
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
    """Only results that this trait was scored on."""
    trait_is: bool | None = None
    """With `trait`: only those on which it is true, or false."""
    trait_or_none: bool = False
    """With `trait_is`: those without a score of it as well."""


@dataclass(frozen=True, slots=True)
class ResultSort:
    key: SortKey = "position"
    descending: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    rows: list[ResultSummary] = field(default_factory=list)
    total: int = 0
    """Results that pass the filter, on all pages."""


class Asked(NamedTuple):
    """What results of a run are held beside one another by."""

    answering: str
    """The model, as the run calls it."""
    judge: str | None = None
    """None: the run has none."""
    condition: str | None = None
    """None: the run has none."""


class QuestionMeans(NamedTuple):
    """A mean over questions with equal weight, as its two parts: those of several groups of questions can be added.

    The judgments of an answer are averaged first, then the answers to a question. What has no score is left out.
    """

    total: float = 0.0
    """Sum of the questions' means."""
    questions: int = 0
    """With a score."""

    @property
    def mean(self) -> float | None:
        """None: no question has a score."""
        return self.total / self.questions if self.questions else None


class OfArm(NamedTuple):
    """A model under a condition, and the trait that is meant."""

    answering: str
    condition: str | None
    trait: str | None = None
    """None: the verdict."""


@dataclass(frozen=True, slots=True)
class RunMeans:
    """Means over questions (see `QuestionMeans`), of verdicts and of scores."""

    arms: dict[OfArm, QuestionMeans] = field(default_factory=dict)
    """Verdicts by model and condition; scores of traits as well."""
    conditions: dict[str, QuestionMeans] = field(default_factory=dict)
    """Verdicts under a condition, over all models."""
    judges: dict[str, QuestionMeans] = field(default_factory=dict)
    """By the judgments of this judge alone, over all models."""
    keywords: dict[tuple[str, ...], QuestionMeans] = field(default_factory=dict)
    """Of questions that have exactly these keywords, over all models."""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """All results of a run, counted; whoever wants figures need not look at a hundred thousand rows."""

    verdicts: list[tuple[Asked, Outcome, int]] = field(default_factory=list)
    """Who was asked, outcome, how many; in the order in which they first occur in the run."""
    reasons: list[tuple[Outcome, Reason, int]] = field(default_factory=list)
    """Outcome, why it came out so, how many; the most frequent first."""
    keywords: list[tuple[tuple[str, ...], Outcome, int]] = field(default_factory=list)
    """The keywords of a question, outcome, how many."""
    traits: list[tuple[Asked, dict[str, bool | int | float], int]] = field(default_factory=list)
    """Who was asked, scores, and how many results have exactly these; in the order in which they first occur."""
    judgments: int = 1
    """How often each answer was judged by one judge, at most."""
    extractions: list[tuple[str, str, int]] = field(default_factory=list)
    """Judge, how it was asked for data (`schema, text`), how many results; the most frequent first."""
    means: RunMeans = field(default_factory=RunMeans)
    asked: dict[OfArm, int] = field(default_factory=dict)
    """Results that were to have a score of this trait, with one or without; see `JobTable.asked`."""
    last: int = 0
    """The greatest id of a result: all of them up to it are counted, and none that came later."""


@dataclass(frozen=True, slots=True)
class QuestionSort:
    """Order of the questions of a run: by text, by the share of a model's answers that passed, or as they ran."""

    key: Literal["position", "question", "share"] = "position"
    descending: bool = False
    answering: str = ""
    """The model whose share is meant, with this judge and under this condition."""
    judge: str | None = None
    condition: str | None = None
    trait: str | None = None
    """Its mean score takes the place of the share, where templates have judged nothing."""


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """Results of some of a run's questions."""

    question_ids: list[str]
    rows: list[ResultSummary]
    """All results of these questions, in the run's order."""
    total: int
    """Questions of the run."""
    models: list[Asked]
    """Of the whole run, in the order in which they first occur."""


@dataclass(frozen=True, slots=True)
class ExamplePool:
    """The examples that are kept with one question."""

    text: str
    """What the question asks."""
    examples: tuple[str, ...]
    """What each example asks, in their order."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where a result stands among those that pass the filter; all None when it does not pass itself."""

    previous: int | None = None
    next: int | None = None
    number: int | None = None
    """1-based."""
    total: int = 0


@dataclass(frozen=True, slots=True)
class StoredResult:
    """One result with the id under which it is kept."""

    summary: ResultSummary
    result: VerificationResult
