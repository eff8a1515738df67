"""Pairs of similar questions that their author keeps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "question_pair",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("benchmark_id", sa.Integer, sa.ForeignKey("benchmark.id", ondelete="CASCADE"), nullable=False),
        sa.Column("first", sa.Integer, sa.ForeignKey("question.id", ondelete="CASCADE"), nullable=False),
        sa.Column("second", sa.Integer, sa.ForeignKey("question.id", ondelete="CASCADE"), nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("texts_hash", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_question_pair_benchmark_id", "question_pair", ["benchmark_id"])


def downgrade() -> None:
    op.drop_table("question_pair")
