"""Tables of the library file. Each change here needs a migration; a test compares the two."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import JSON, Column, Index, LargeBinary, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from karenina_gui.store.compression import CompressedText


class _Document(JSON):
    """JSON whose changes include the order of keys, because a trait's classes are scored by position."""

    cache_ok = True

    def compare_values(self, x: Any, y: Any) -> bool:
        return bool(x == y) and json.dumps(x, default=str) == json.dumps(y, default=str)


def _document(nullable: bool = True) -> Any:
    """JSON column in which Python's None is SQL's NULL."""
    return Column(_Document(none_as_null=True), nullable=nullable)


_NEVER_TWICE = {"sqlite_autoincrement": True}
"""SQLite option that never reuses a deleted row's id, because ids are part of URLs."""


class BenchmarkRow(SQLModel, table=True):
    __tablename__ = "benchmark"
    __table_args__ = (
        Index("ix_benchmark_trait_edits", "id", sqlite_where=text("trait_edits IS NOT NULL")),
        _NEVER_TWICE,
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str
    description: str = ""
    version: str = ""
    creator: Any = Field(default=None, sa_column=_document())
    date_created: str
    date_modified: str
    rubric: dict[str, Any] | None = Field(default=None, sa_column=_document())
    trait_edits: list[dict[str, Any]] | None = Field(default=None, sa_column=_document())
    """Ids and incomplete values of its traits, see `TraitEdit`; never exported. None: neither."""
    custom_properties: dict[str, Any] = Field(default_factory=dict, sa_column=_document(nullable=False))
    scenarios: list[dict[str, Any]] = Field(default_factory=list, sa_column=_document(nullable=False))
    source: dict[str, Any] = Field(default_factory=dict, sa_column=_document(nullable=False))
    revision: int = 1
    updated_at: str
    deleted_at: str | None = None
    """Time of deletion; None: not deleted."""
    workspace_root: str | None = None
    """Workspace root on this computer; never exported."""
    separate_review: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    """True: nobody can finish a question that they wrote. Applies to this computer; never exported."""
    trusted_at: str | None = None
    """Time at which a user last trusted the benchmark's code on this computer; None: not trusted. Never exported."""


class QuestionRow(SQLModel, table=True):
    """Question of a benchmark. Columns are named like the fields of `Question`, except for its `id`."""

    __tablename__ = "question"
    __table_args__ = (
        Index(
            "ix_question_id",
            "benchmark_id",
            "question_id",
            unique=True,
            sqlite_where=text("deleted_at IS NULL AND question_id <> ''"),
        ),
        Index("ix_question_order", "benchmark_id", "position"),
        Index("ix_question_trait_edits", "id", sqlite_where=text("trait_edits IS NOT NULL")),
        Index("ix_question_state", "benchmark_id", "deleted_at", "finished", "has_template", "template_valid"),
        _NEVER_TWICE,
    )

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    question_id: str
    """Empty: no id yet."""
    id_set: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    """True if a user set or kept the id explicitly; False: it is the MD5 of the text."""
    position: int
    question: str
    raw_answer: str
    keywords: list[str] = Field(default_factory=list, sa_column=_document(nullable=False))
    date_created: str
    date_modified: str
    answer_notes: str | None = None
    author: dict[str, Any] | None = Field(default=None, sa_column=_document())
    sources: list[dict[str, Any]] | None = Field(default=None, sa_column=_document())
    answer_template: str | None = None
    workspace_path: str | None = None
    question_rubric: dict[str, Any] | None = Field(default=None, sa_column=_document())
    trait_edits: list[dict[str, Any]] | None = Field(default=None, sa_column=_document())
    """As of the benchmark."""
    few_shot_examples: list[dict[str, Any]] | None = Field(default=None, sa_column=_document())
    custom_metadata: dict[str, Any] | None = Field(default=None, sa_column=_document())
    finished: bool
    finished_at: str | None = None
    """Time at which it was marked finished on this computer; None: it is not finished, or was when it came here."""
    finished_by: str | None = None
    """Name of the person who marked it finished on this computer; None: not finished, or nobody is known."""
    returned_at: str | None = None
    """Time at which a reviewer returned it to its author; None: it is not with its author."""
    changed_since_review: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    """True if it is finished, and something that a reviewer looks at differs from what was reviewed."""
    reviewed_hash: str | None = None
    """Hash of what was reviewed, if that was edited since; None: not edited, or edited before hashes were kept."""
    has_template: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    """True if the template differs from the default template of a new question."""
    template_valid: bool | None = None
    """Result of the last check of the present template; None: not checked."""
    samples: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Number of sample answers in the metadata."""
    samples_wrong: int | None = None
    """Sample answers with another verdict than expected; None: not tested since the last edit."""
    samples_unread: int | None = None
    """Sample answers without values for the present template; None: not tested since the last edit."""
    mutation: str | None = None
    """Outcome of trying wrong values on the present template, see `MutationOutcome`; None: not tested."""
    source: dict[str, Any] = Field(default_factory=dict, sa_column=_document(nullable=False))
    revision: int = 1
    updated_at: str
    deleted_at: str | None = None
    """Time of deletion, equal for all questions deleted together; None: not deleted."""


class ModelRow(SQLModel, table=True):
    """Saved model configuration. It names the environment variable of a key, never the key."""

    __tablename__ = "model"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    config: dict[str, Any] = Field(sa_column=_document(nullable=False))
    manual_traces: dict[str, Any] | None = Field(default=None, sa_column=_document())
    updated_at: str


class RunRow(SQLModel, table=True):
    __tablename__ = "run"
    __table_args__ = (Index("ix_run_benchmark", "benchmark_id"), _NEVER_TWICE)

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    name: str
    config: dict[str, Any] = Field(sa_column=_document(nullable=False))
    manual_traces: list[Any] = Field(sa_column=_document(nullable=False))
    """Recorded answers by answering model, in the configuration's order; null: the model has none."""
    status: str
    total: int
    done: int = 0
    outcomes: dict[str, int] = Field(default_factory=dict, sa_column=_document(nullable=False))
    sandbox_level: str
    recording_label: str | None = None
    benchmark_hash: str
    owner: str
    """Token of the process that executes the run, see `process_identity.py`."""
    message: str | None = None
    created_at: str
    finished_at: str | None = None
    begun_at: str | None = None
    """Time of the last resume; None: never resumed."""
    heard_at: str | None = None
    """Time at which the last result was saved."""
    worked_before: float = 0.0
    """Seconds worked before the last resume."""
    recording: str | None = None
    """File with the recorded model exchanges; None: not recorded."""
    origin: str | None = None
    """Name of the imported file; None: the run was executed here."""
    deleted_at: str | None = None
    """Time of deletion; None: not deleted."""
    reproducibility: dict[str, Any] | None = Field(default=None, sa_column=_document())
    """See `schemas.reproducibility`; None: imported without a record, or older than such records."""


class SnapshotRow(SQLModel, table=True):
    """Benchmark at the start of a run, shared by all runs of an equal benchmark."""

    __tablename__ = "snapshot"

    hash: str = Field(primary_key=True)
    """`benchmark_hash` of the runs."""
    document: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """`BenchmarkDocument` as JSON, compressed by zlib."""


class AnswerRow(SQLModel, table=True):
    """Generated answer, saved before it is judged so that it is never paid for twice."""

    __tablename__ = "answer"
    __table_args__ = (UniqueConstraint("run_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    key: str
    payload: dict[str, Any] = Field(sa_column=_document(nullable=False))


class KeptReplyRow(SQLModel, table=True):
    """Valid judge replies for a job that will be retried."""

    __tablename__ = "kept_reply"
    __table_args__ = (UniqueConstraint("run_id", "job_key"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    job_key: str
    replies: dict[str, Any] = Field(sa_column=_document(nullable=False))
    """See `adapters.judge_memory`."""


class JobRow(SQLModel, table=True):
    __tablename__ = "job"
    __table_args__ = (UniqueConstraint("run_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    key: str
    position: int
    question_id: str
    answering: str
    judge: str | None = None
    replicate: int | None = None
    condition: str | None = None
    judge_replicate: int | None = None
    status: str = "planned"
    """planned or done."""


class ResultRow(SQLModel, table=True):
    __tablename__ = "result"
    __table_args__ = (
        # Each index covers one query, so that SQLite does not read the rows themselves.
        UniqueConstraint("run_id", "job_key"),
        Index(
            "ix_result_light",
            *("run_id", "position", "answering", "judge", "replicate", "outcome", "category"),
            *("seconds", "tokens", "condition", "judge_replicate"),
        ),
        Index("ix_result_question", "run_id", "question_id", "position", "answering", "judge", "outcome"),
        Index("ix_result_sought", "run_id", "sought", "position"),
        Index("ix_result_keywords", "run_id", "keywords", "outcome"),
        Index("ix_result_traits", "run_id", "traits"),
        Index("ix_result_unscored", "run_id", sqlite_where=text("unscored_traits > 0")),
        _NEVER_TWICE,
    )

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    job_key: str
    position: int
    question_id: str
    question_text: str
    keywords: list[str] = Field(default_factory=list, sa_column=_document(nullable=False))
    answering: str
    judge: str | None = None
    replicate: int | None = None
    condition: str | None = None
    judge_replicate: int | None = None
    outcome: str
    passed: bool | None = None
    category: str | None = None
    stage: str | None = None
    error: str | None = None
    seconds: float
    tokens: int | None = None
    answer_tokens: int | None = None
    """Part of `tokens` used by the answer; None: not reported, or counted by an earlier judgment."""
    recording_label: str | None = None
    traits: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column(JSON(none_as_null=True), nullable=False, server_default="{}")
    )
    unscored_traits: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """See `schemas.outcome.traits_worth_another_try`."""
    out_of_scale: list[str] = Field(
        default_factory=list, sa_column=Column(JSON(none_as_null=True), nullable=False, server_default="[]")
    )
    """Traits whose scores are out of scale, which are not among `traits`."""
    extraction: str | None = None
    """Extraction methods of the judges, the most reliable first, such as `schema, text`; None: unknown."""
    sought: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Searchable text, which also sorts by question: see `result_filters.sought`."""


class ResultChangeRow(SQLModel, table=True):
    """Number of changes of a run's stored results, counted by a trigger; it outlives the run."""

    __tablename__ = "result_change"

    run_id: int = Field(primary_key=True)
    number: int


class PayloadRow(SQLModel, table=True):
    """Complete result, in a table of its own so that scans of `Result` do not read it."""

    __tablename__ = "payload"

    result_id: int | None = Field(default=None, primary_key=True, foreign_key="result.id", ondelete="CASCADE")
    document: str = Field(sa_column=Column(CompressedText, nullable=False))
    """JSON of the `VerificationResult`."""


class TokenCountRow(SQLModel, table=True):
    """Tokens of one result by one model in requests of one length.

    A result has several rows, or none if no model was called.
    """

    __tablename__ = "token_count"
    __table_args__ = (
        Index("ix_token_count_result", "result_id"),
        Index(
            "ix_token_count_run",
            *("run_id", "model", "length", "input", "output", "cache_read", "cache_creation", "cache_creation_1h"),
        ),
        Index("ix_token_count_model", "model"),
    )

    id: int | None = Field(default=None, primary_key=True)
    result_id: int = Field(foreign_key="result.id", ondelete="CASCADE")
    run_id: int
    model: str | None = None
    """`interface:model_name`; None: the provider reported no tokens for a call."""
    input: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    output: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    cache_read: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    cache_creation: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    cache_creation_1h: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    length: int | None = None
    """Length of each request, see `prices.length_of`; None: unknown."""


class ModelPriceRow(SQLModel, table=True):
    """US dollars per million tokens; see `schemas.prices.Price`."""

    __tablename__ = "model_price"

    model: str = Field(primary_key=True)
    input: float
    output: float
    cache_read: float | None = None
    cache_creation: float | None = None
    updated_at: str


class PresetRow(SQLModel, table=True):
    """Named run configuration. It names the environment variables of keys, never keys."""

    __tablename__ = "preset"

    id: int | None = Field(default=None, primary_key=True)
    uid: str = Field(unique=True)
    """Id in preset files."""
    name: str = Field(unique=True)
    description: str = ""
    config: dict[str, Any] = Field(sa_column=_document(nullable=False))
    created_at: str
    updated_at: str


class PreferenceRow(SQLModel, table=True):
    """One preference of a user."""

    __tablename__ = "preference"

    person: str = Field(primary_key=True)
    """Browser id."""
    name: str = Field(primary_key=True)
    value: Any = Field(default=None, sa_column=_document())
    updated_at: str


class RunChoiceRow(SQLModel, table=True):
    """Form of a user for the next run of a benchmark."""

    __tablename__ = "run_choice"

    benchmark_id: int = Field(primary_key=True, foreign_key="benchmark.id", ondelete="CASCADE")
    person: str = Field(primary_key=True)
    """Browser id."""
    choice: dict[str, Any] = Field(sa_column=_document(nullable=False))
    updated_at: str


class DraftRow(SQLModel, table=True):
    """Text that was not saved because another user had saved something else. It waits for the user's choice."""

    __tablename__ = "draft"
    __table_args__ = (UniqueConstraint("place", "person"),)

    id: int | None = Field(default=None, primary_key=True)
    place: str
    """Such as `question/12/answer_template` or `benchmark/3/rubric`."""
    person: str
    """Browser id."""
    value: Any = Field(default=None, sa_column=_document())
    updated_at: str


class CalibrationRow(SQLModel, table=True):
    """Answers that were drawn for a trait or a template field."""

    __tablename__ = "calibration"
    __table_args__ = (
        Index("ix_calibration_target", "benchmark_id", "kind", "name", "question"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    question: int | None = Field(default=None, foreign_key="question.id", ondelete="CASCADE")
    """None: a trait of the benchmark."""
    kind: str
    """trait or field."""
    name: str
    seed: int
    answers: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))
    """See `schemas.calibration.DrawnAnswer`."""
    created_by: str = ""
    created_at: str


class AnswerLabelRow(SQLModel, table=True):
    """Label of a person for one drawn answer."""

    __tablename__ = "answer_label"
    __table_args__ = (
        Index("ix_answer_label", "calibration_id", "answer_key", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    # Beside the calibration's own, so that the log finds the benchmark of a label whose calibration is gone.
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    calibration_id: int = Field(foreign_key="calibration.id", ondelete="CASCADE")
    answer_key: str
    answer: str
    value: Any = Field(default=None, sa_column=Column(JSON))
    skipped: bool = False
    wording: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    wording_hash: str
    author: str = ""
    at: str


class JudgmentSetRow(SQLModel, table=True):
    """Values of one judge under one wording."""

    __tablename__ = "judgment_set"
    __table_args__ = (Index("ix_judgment_set", "calibration_id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    # No foreign key: values that were paid for are still there after a draw was undone and redone.
    calibration_id: int
    wording: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    wording_hash: str
    judge: str
    source: str
    """results or asked."""
    judged: dict[str, Any] = Field(sa_column=Column("judged", JSON, nullable=False))
    problems: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    at: str


class CommandRow(SQLModel, table=True):
    """Command of an author; see `schemas.command.LoggedCommand`."""

    __tablename__ = "command"
    __table_args__ = (Index("ix_command_scope", "scope", "person", "state", "id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    scope: str
    kind: str
    data: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    person: str
    """Browser id; empty: a program."""
    name: str
    """Name of the author at the time; empty: unknown."""
    begun_at: str
    at: str
    """Time of the last edit that belongs to it; later than `begun_at` if somebody went on typing."""
    state: str
    undone_at: str | None = None
    undone_by: str | None = None
    """Name of its undoer; None: nobody, or unknown."""
    size: int
    """Characters of its images."""


class RowChangeRow(SQLModel, table=True):
    """Change of one row by a command; see `schemas.command.RowChange`."""

    __tablename__ = "row_change"
    __table_args__ = (
        Index("ix_row_change_command", "command_id"),
        Index("ix_row_change_row", "table_name", "row_key", "command_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    command_id: int = Field(foreign_key="command.id", ondelete="CASCADE")
    table_name: str
    row_key: str
    operation: str
    fields: str
    """Changed columns that decide on conflicts, separated by commas; empty: only places in the order changed."""
    before: str | None = None
    after: str | None = None


class CommentRow(SQLModel, table=True):
    """Comment about a question, or the note with which it was returned."""

    __tablename__ = "comment"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    question_number: int = Field(foreign_key="question.id", ondelete="CASCADE", index=True)
    author: str
    text: str
    part: str | None = None
    """Part of the question; None: the whole."""
    kind: str
    created_at: str
    done_at: str | None = None
    """Time at which it was marked as done; None: it is open."""


class ProposalRow(SQLModel, table=True):
    """Draft of a model that an author accepts or refuses."""

    __tablename__ = "proposal"
    __table_args__ = (
        Index("ix_proposal_benchmark", "benchmark_id", "state", "kind", "question"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    question: int | None = Field(default=None, foreign_key="question.id", ondelete="CASCADE")
    """None: it is about the benchmark."""
    kind: str
    state: str = "open"
    """open, accepted, or refused."""
    model: str
    """`interface:model_name`."""
    draft: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """See `schemas.model_draft.ModelDraft`."""
    instructions: str = ""
    subject: str = ""
    recording: str | None = None
    updated_at: str


class QuestionPairRow(SQLModel, table=True):
    """Two similar questions that an author keeps, so that they are not reported as duplicates again."""

    __tablename__ = "question_pair"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE", index=True)
    first: int = Field(foreign_key="question.id", ondelete="CASCADE")
    second: int = Field(foreign_key="question.id", ondelete="CASCADE")
    title: str
    """Start of the first text, for the history."""
    texts_hash: str
    """Hash of both texts. If it is another one by now, the pair is reported again."""


class ShelfItemRow(SQLModel, table=True):
    """Trait or template that is kept for other benchmarks."""

    __tablename__ = "shelf_item"
    __table_args__ = (Index("ix_shelf_item_kind", "kind", "name"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    kind: str
    """trait or template."""
    name: str
    type_name: str = ""
    """Type of a trait; empty for templates."""
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """Stored record of a trait, or the source of a template."""
    author: str = ""
    at: str


class FrozenRow(SQLModel, table=True):
    """Complete state of a benchmark, finished marks and dates included; never changed."""

    __tablename__ = "frozen_benchmark"

    key: str = Field(primary_key=True)
    """SHA-256 of the document as JSON."""
    document: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """`BenchmarkDocument` as JSON, compressed by zlib."""


class PublishedVersionRow(SQLModel, table=True):
    """Published version; triggers of the migration keep it from being changed or deleted."""

    __tablename__ = "published_version"
    __table_args__ = (UniqueConstraint("benchmark_id", "number"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    number: int
    name: str
    note: str
    sha256: str
    frozen: str = Field(foreign_key="frozen_benchmark.key")
    questions: int
    finished: int
    published_at: str
    published_by: str


class ExchangeRow(SQLModel, table=True):
    """State of a benchmark as it came from a file or went into one: a common ancestor of later versions."""

    __tablename__ = "exchange"
    __table_args__ = (Index("ix_exchange_benchmark", "benchmark_id", "id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    frozen: str = Field(foreign_key="frozen_benchmark.key")
    at: str


class LinkedFileRow(SQLModel, table=True):
    """Checkpoint file on this computer that is watched for changes from outside."""

    __tablename__ = "linked_file"

    benchmark_id: int = Field(primary_key=True, foreign_key="benchmark.id", ondelete="CASCADE")
    path: str
    seen: str
    """SHA-256 of the content that the user last dealt with."""
    frozen: str = Field(foreign_key="frozen_benchmark.key")
    """That content as a benchmark: the common ancestor of the file and the benchmark."""
    linked_at: str
