"""Answers drawn for a calibration, labels of persons, values of judges, and the library of traits and templates."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "calibration",
        sa.Column("id", sa.Integer, primary_key=True),
        _owner(),
        sa.Column("question", sa.Integer, sa.ForeignKey("question.id", ondelete="CASCADE")),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("answers", sa.JSON, nullable=False),
        sa.Column("created_by", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_calibration_target", "calibration", ["benchmark_id", "kind", "name", "question"])
    op.create_table(
        "answer_label",
        sa.Column("id", sa.Integer, primary_key=True),
        _owner(),
        sa.Column("calibration_id", sa.Integer, sa.ForeignKey("calibration.id", ondelete="CASCADE"), nullable=False),
        sa.Column("answer_key", sa.String, nullable=False),
        sa.Column("answer", sa.String, nullable=False),
        sa.Column("value", sa.JSON),
        sa.Column("skipped", sa.Boolean, nullable=False),
        sa.Column("wording", sa.JSON, nullable=False),
        sa.Column("wording_hash", sa.String, nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_answer_label", "answer_label", ["calibration_id", "answer_key"], unique=True)
    op.create_table(
        "judgment_set",
        sa.Column("id", sa.Integer, primary_key=True),
        _owner(),
        sa.Column("calibration_id", sa.Integer, nullable=False),
        sa.Column("wording", sa.JSON),
        sa.Column("wording_hash", sa.String, nullable=False),
        sa.Column("judge", sa.String, nullable=False),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("judged", sa.JSON, nullable=False),
        sa.Column("problems", sa.JSON, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_judgment_set", "judgment_set", ["calibration_id"])
    op.create_table(
        "shelf_item",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("type_name", sa.String, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_shelf_item_kind", "shelf_item", ["kind", "name"])


def downgrade() -> None:
    op.drop_table("shelf_item")
    op.drop_table("judgment_set")
    op.drop_table("answer_label")
    op.drop_table("calibration")


def _owner() -> sa.Column[int]:
    return sa.Column("benchmark_id", sa.Integer, sa.ForeignKey("benchmark.id", ondelete="CASCADE"), nullable=False)
