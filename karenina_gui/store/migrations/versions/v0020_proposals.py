"""Drafts of models that wait for their author."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("benchmark_id", sa.Integer, sa.ForeignKey("benchmark.id", ondelete="CASCADE"), nullable=False),
        sa.Column("question", sa.Integer, sa.ForeignKey("question.id", ondelete="CASCADE")),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("draft", sa.JSON, nullable=False),
        sa.Column("instructions", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("recording", sa.String),
        sa.Column("updated_at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_proposal_benchmark", "proposal", ["benchmark_id", "state", "kind", "question"])


def downgrade() -> None:
    op.drop_table("proposal")
