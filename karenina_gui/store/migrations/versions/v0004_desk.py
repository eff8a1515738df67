"""Workspace roots, answers and benchmarks as a run found them, presets of runs, and edits that wait for a decision."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("benchmark", sa.Column("workspace_root", sa.String))
    op.add_column("run", sa.Column("origin", sa.String))
    op.create_table(
        "snapshot",
        sa.Column("hash", sa.String, primary_key=True),
        sa.Column("document", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "answer",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.UniqueConstraint("run_id", "key"),
    )
    op.create_table(
        "preset",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("uid", sa.String, nullable=False, unique=True),
        sa.Column("name", sa.String, nullable=False, unique=True),
        sa.Column("description", sa.String, nullable=False),
        sa.Column("config", sa.JSON, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("updated_at", sa.String, nullable=False),
    )
    op.create_table(
        "draft",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("place", sa.String, nullable=False),
        sa.Column("person", sa.String, nullable=False),
        sa.Column("value", sa.JSON),
        sa.Column("updated_at", sa.String, nullable=False),
        sa.UniqueConstraint("place", "person"),
    )


def downgrade() -> None:
    for table in ("draft", "preset", "answer", "snapshot"):
        op.drop_table(table)
    op.drop_column("run", "origin")
    op.drop_column("benchmark", "workspace_root")
