"""The tables of the library file. A change here needs a migration beside it; a test compares the two."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import JSON, Column, Index, LargeBinary, UniqueConstraint, text
from sqlmodel import Field, SQLModel


class _Document(JSON):
    """JSON in which the order of keys counts: the classes of a trait are scored by their place."""

    cache_ok = True

    def compare_values(self, x: Any, y: Any) -> bool:
        return bool(x == y) and json.dumps(x, default=str) == json.dumps(y, default=str)


def _document(nullable: bool = True) -> Any:
    """A JSON column; Python's None is SQL's NULL."""
    return Column(_Document(none_as_null=True), nullable=nullable)


_NEVER_TWICE = {"sqlite_autoincrement": True}
"""Its numbers stand in addresses: one that is deleted must not come back as something else."""


class Benchmark(SQLModel, table=True):
    __table_args__ = (_NEVER_TWICE,)

    id: int | None = Field(default=None, primary_key=True)
    name: str
    description: str = ""
    version: str = ""
    creator: Any = Field(default=None, sa_column=_document())
    date_created: str
    date_modified: str
    rubric: dict[str, Any] | None = Field(default=None, sa_column=_document())
    custom_properties: dict[str, Any] = Field(default_factory=dict, sa_column=_document(nullable=False))
    scenarios: list[dict[str, Any]] = Field(default_factory=list, sa_column=_document(nullable=False))
    source: dict[str, Any] = Field(default_factory=dict, sa_column=_document(nullable=False))
    revision: int = 1
    updated_at: str
    deleted_at: str | None = None
    """Set: hidden, until it is restored."""
    workspace_root: str | None = None
    """Folder of this machine below which its workspaces are; never written into a file of the benchmark."""
    trusted_at: str | None = None
    """When a person last trusted its code on this machine, never written into a file; None: it is not trusted."""


class Question(SQLModel, table=True):
    """Columns named as the fields of `schemas.Question`, whose `id` is `question_id` here."""

    __table_args__ = (
        Index(
            "ix_question_id", "benchmark_id", "question_id", unique=True,
            sqlite_where=text("deleted_at IS NULL AND question_id <> ''"),
        ),
        Index("ix_question_order", "benchmark_id", "position"),
        Index("ix_question_state", "benchmark_id", "deleted_at", "finished", "has_template", "template_valid"),
        _NEVER_TWICE,
    )  # fmt: skip

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    question_id: str
    """Empty: it has no id yet."""
    id_set: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    """Whether a person kept or set the id on purpose; False where it is the MD5 of the text."""
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
    few_shot_examples: list[dict[str, Any]] | None = Field(default=None, sa_column=_document())
    custom_metadata: dict[str, Any] | None = Field(default=None, sa_column=_document())
    finished: bool
    has_template: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    """Whether the template is more than the one that a new question begins with."""
    template_valid: bool | None = None
    """What the last check said of the template as it stands; None: not checked."""
    source: dict[str, Any] = Field(default_factory=dict, sa_column=_document(nullable=False))
    revision: int = 1
    updated_at: str
    deleted_at: str | None = None
    """Set: taken out, until it is restored; the same for all that were deleted together."""


class Model(SQLModel, table=True):
    """A model configuration that a person keeps for later runs. It names the variable of a key, never the key."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    config: dict[str, Any] = Field(sa_column=_document(nullable=False))
    manual_traces: dict[str, Any] | None = Field(default=None, sa_column=_document())
    updated_at: str


class Run(SQLModel, table=True):
    __table_args__ = (Index("ix_run_benchmark", "benchmark_id"), _NEVER_TWICE)

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    name: str
    config: dict[str, Any] = Field(sa_column=_document(nullable=False))
    manual_traces: list[Any] = Field(sa_column=_document(nullable=False))
    """Recorded answers by answering model, in the configuration's order; null where a model has none."""
    status: str
    total: int
    done: int = 0
    outcomes: dict[str, int] = Field(default_factory=dict, sa_column=_document(nullable=False))
    sandbox_level: str
    recording_label: str | None = None
    benchmark_hash: str
    owner: str
    """The process that executes the run, see `process.py`."""
    message: str | None = None
    created_at: str
    finished_at: str | None = None
    begun_at: str | None = None
    """When it was resumed last; None: never."""
    heard_at: str | None = None
    """When its last result was kept."""
    worked_before: float = 0.0
    """Seconds that it worked before it was resumed last."""
    recording: str | None = None
    """The file that keeps its exchanges with models; None: they are not kept."""
    origin: str | None = None
    """Name of the file that it was read from; None: it was run here."""
    deleted_at: str | None = None
    """None: it is not deleted."""
    reproducibility: dict[str, Any] | None = Field(default=None, sa_column=_document())
    """What the run was made of, see `schemas.reproducibility`; None: it was made elsewhere, or before this was kept."""


class Snapshot(SQLModel, table=True):
    """A benchmark as runs found it, once for all runs that found it so."""

    hash: str = Field(primary_key=True)
    """A run's `benchmark_hash`."""
    document: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """The `BenchmarkDocument` as JSON, compressed by zlib."""


class Answer(SQLModel, table=True):
    """A generated answer, kept before anybody judges it: one that was paid for is never asked for again."""

    __table_args__ = (UniqueConstraint("run_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    key: str
    payload: dict[str, Any] = Field(sa_column=_document(nullable=False))


class KeptReply(SQLModel, table=True):
    """Good replies of judges for a job whose result is worth another try."""

    __tablename__ = "kept_reply"
    __table_args__ = (UniqueConstraint("run_id", "job_key"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    job_key: str
    replies: dict[str, Any] = Field(sa_column=_document(nullable=False))
    """See `adapters.judge_memory`."""


class Job(SQLModel, table=True):
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


class Result(SQLModel, table=True):
    __table_args__ = (
        UniqueConstraint("run_id", "job_key"),
        Index("ix_result_light", *("run_id", "position", "answering", "judge", "replicate", "outcome", "category",
                                   "seconds", "tokens", "condition", "judge_replicate")),
        Index("ix_result_question", "run_id", "question_id", "position", "answering", "judge", "outcome"),
        Index("ix_result_sought", "run_id", "sought", "position"),
        Index("ix_result_keywords", "run_id", "keywords", "outcome"),
        Index("ix_result_traits", "run_id", "traits"),
        Index("ix_result_unscored", "run_id", sqlite_where=text("unscored_traits > 0")),
        _NEVER_TWICE,
    )  # fmt: skip
    # Each index holds all that its question asks for, so that the rows themselves are not read.

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
    """Of `tokens`, those of the answer; None: its provider did not tell them, or an earlier judgment counts them."""
    recording_label: str | None = None
    traits: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column(JSON(none_as_null=True), nullable=False, server_default="{}")
    )
    unscored_traits: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """See `schemas.outcome.traits_worth_another_try`."""
    extraction: str | None = None
    """How judges were asked for data, the surest way first, as `schema, text`; None: nobody knows."""
    sought: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """By what it is found, and put in the order of questions: see `narrowing.sought`."""


class Payload(SQLModel, table=True):
    """The whole of a result, apart from its row: looking through a hundred thousand rows must not read it."""

    result_id: int | None = Field(default=None, primary_key=True, foreign_key="result.id", ondelete="CASCADE")
    document: dict[str, Any] = Field(sa_column=_document(nullable=False))
    """The `VerificationResult`."""


class TokenCount(SQLModel, table=True):
    """Tokens of one result by one model; several rows for a result, none where no model was called."""

    __tablename__ = "token_count"
    __table_args__ = (
        Index("ix_token_count_result", "result_id"),
        Index("ix_token_count_run", *("run_id", "model", "input", "output", "cache_read", "cache_creation")),
        Index("ix_token_count_model", "model"),
    )

    id: int | None = Field(default=None, primary_key=True)
    result_id: int = Field(foreign_key="result.id", ondelete="CASCADE")
    run_id: int
    model: str | None = None
    """`interface:model_name`; None: a call of this result is not counted, since the provider did not tell."""
    input: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    output: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    cache_read: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    cache_creation: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class ModelPrice(SQLModel, table=True):
    """US dollars for a million tokens; see `schemas.prices.Price`."""

    __tablename__ = "model_price"

    model: str = Field(primary_key=True)
    input: float
    output: float
    cache_read: float | None = None
    cache_creation: float | None = None
    updated_at: str


class Preset(SQLModel, table=True):
    """A run configuration under a name. It names variables of keys, never keys."""

    id: int | None = Field(default=None, primary_key=True)
    uid: str = Field(unique=True)
    """The id that preset files carry."""
    name: str = Field(unique=True)
    description: str = ""
    config: dict[str, Any] = Field(sa_column=_document(nullable=False))
    created_at: str
    updated_at: str


class Preference(SQLModel, table=True):
    """One setting of a person's windows."""

    person: str = Field(primary_key=True)
    """The browser's number."""
    name: str = Field(primary_key=True)
    value: Any = Field(default=None, sa_column=_document())
    updated_at: str


class RunChoice(SQLModel, table=True):
    """The choices of a person for the next run of a benchmark."""

    __tablename__ = "run_choice"

    benchmark_id: int = Field(primary_key=True, foreign_key="benchmark.id", ondelete="CASCADE")
    person: str = Field(primary_key=True)
    """The browser's number."""
    choice: dict[str, Any] = Field(sa_column=_document(nullable=False))
    updated_at: str


class Draft(SQLModel, table=True):
    """What a person typed where somebody else has saved something else: it waits until one of both is chosen."""

    __table_args__ = (UniqueConstraint("place", "person"),)

    id: int | None = Field(default=None, primary_key=True)
    place: str
    """`question/12/answer_template`, `benchmark/3/rubric`."""
    person: str
    """The browser's number."""
    value: Any = Field(default=None, sa_column=_document())
    updated_at: str
