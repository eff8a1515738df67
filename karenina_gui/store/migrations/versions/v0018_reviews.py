"""Reviews: comments, returned questions, and names of reviewers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("question", sa.Column("finished_by", sa.String))
    op.add_column("question", sa.Column("returned_at", sa.String))
    op.add_column("benchmark", sa.Column("separate_review", sa.Boolean, nullable=False, server_default="0"))
    op.create_table(
        "comment",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("question_number", sa.Integer, sa.ForeignKey("question.id", ondelete="CASCADE"), nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("part", sa.String),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("done_at", sa.String),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_comment_question_number", "comment", ["question_number"])


def downgrade() -> None:
    op.drop_table("comment")
    op.drop_column("benchmark", "separate_review")
    op.drop_column("question", "returned_at")
    op.drop_column("question", "finished_by")
