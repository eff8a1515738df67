"""Edits of finished questions, and when they were finished."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("question", sa.Column("finished_at", sa.String))
    op.add_column("question", sa.Column("changed_since_review", sa.Boolean, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("question", "changed_since_review")
    op.drop_column("question", "finished_at")
