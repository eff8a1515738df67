"""Benchmarks and their questions, models, runs with their jobs and results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _authored()
    _executed()


def downgrade() -> None:
    for table in ("result", "job", "run", "model", "question", "benchmark"):
        op.drop_table(table)


def _authored() -> None:
    op.create_table(
        "benchmark",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("description", sa.String, nullable=False),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("creator", sa.JSON),
        sa.Column("date_created", sa.String, nullable=False),
        sa.Column("date_modified", sa.String, nullable=False),
        sa.Column("rubric", sa.JSON),
        sa.Column("custom_properties", sa.JSON, nullable=False),
        sa.Column("scenarios", sa.JSON, nullable=False),
        sa.Column("source", sa.JSON, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("updated_at", sa.String, nullable=False),
        sa.Column("deleted_at", sa.String),
    )
    op.create_table(
        "question",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("benchmark_id", sa.Integer, sa.ForeignKey("benchmark.id", ondelete="CASCADE"), nullable=False),
        sa.Column("question_id", sa.String, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("question", sa.String, nullable=False),
        sa.Column("raw_answer", sa.String, nullable=False),
        sa.Column("keywords", sa.JSON, nullable=False),
        sa.Column("date_created", sa.String, nullable=False),
        sa.Column("date_modified", sa.String, nullable=False),
        sa.Column("answer_notes", sa.String),
        sa.Column("author", sa.JSON),
        sa.Column("sources", sa.JSON),
        sa.Column("answer_template", sa.String),
        sa.Column("workspace_path", sa.String),
        sa.Column("question_rubric", sa.JSON),
        sa.Column("few_shot_examples", sa.JSON),
        sa.Column("custom_metadata", sa.JSON),
        sa.Column("finished", sa.Boolean, nullable=False),
        sa.Column("template_valid", sa.Boolean),
        sa.Column("source", sa.JSON, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("updated_at", sa.String, nullable=False),
        sa.UniqueConstraint("benchmark_id", "question_id"),
    )
    op.create_index("ix_question_order", "question", ["benchmark_id", "position"])
    op.create_table(
        "model",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False, unique=True),
        sa.Column("config", sa.JSON, nullable=False),
        sa.Column("manual_traces", sa.JSON),
        sa.Column("updated_at", sa.String, nullable=False),
    )


def _executed() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("benchmark_id", sa.Integer, sa.ForeignKey("benchmark.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("config", sa.JSON, nullable=False),
        sa.Column("manual_traces", sa.JSON, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("outcomes", sa.JSON, nullable=False),
        sa.Column("sandbox_level", sa.String, nullable=False),
        sa.Column("recording_label", sa.String),
        sa.Column("benchmark_hash", sa.String, nullable=False),
        sa.Column("owner", sa.String, nullable=False),
        sa.Column("message", sa.String),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("finished_at", sa.String),
    )
    op.create_index("ix_run_benchmark", "run", ["benchmark_id"])
    op.create_table(
        "job",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("question_id", sa.String, nullable=False),
        sa.Column("answering", sa.String, nullable=False),
        sa.Column("judge", sa.String),
        sa.Column("replicate", sa.Integer),
        sa.Column("status", sa.String, nullable=False),
        sa.UniqueConstraint("run_id", "key"),
    )
    op.create_table(
        "result",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
        sa.Column("job_key", sa.String, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("question_id", sa.String, nullable=False),
        sa.Column("question_text", sa.String, nullable=False),
        sa.Column("keywords", sa.JSON, nullable=False),
        sa.Column("answering", sa.String, nullable=False),
        sa.Column("judge", sa.String),
        sa.Column("replicate", sa.Integer),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("passed", sa.Boolean),
        sa.Column("category", sa.String),
        sa.Column("stage", sa.String),
        sa.Column("error", sa.String),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("tokens", sa.Integer),
        sa.Column("recording_label", sa.String),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.UniqueConstraint("run_id", "job_key"),
    )
    op.create_index("ix_result_order", "result", ["run_id", "position"])
    op.create_index("ix_result_question", "result", ["run_id", "question_id"])
    op.create_index("ix_result_outcome", "result", ["run_id", "outcome"])
