"""Log of the commands of authors, for undo, redo, and history."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "command",
        sa.Column("id", sa.Integer, primary_key=True, nullable=False),
        sa.Column("scope", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("person", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("begun_at", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("undone_at", sa.String),
        sa.Column("undone_by", sa.String),
        sa.Column("size", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_command_scope", "command", ["scope", "person", "state", "id"])
    op.create_table(
        "row_change",
        sa.Column("id", sa.Integer, primary_key=True, nullable=False),
        sa.Column("command_id", sa.Integer, sa.ForeignKey("command.id", ondelete="CASCADE"), nullable=False),
        sa.Column("table_name", sa.String, nullable=False),
        sa.Column("row_key", sa.String, nullable=False),
        sa.Column("operation", sa.String, nullable=False),
        sa.Column("fields", sa.String, nullable=False),
        sa.Column("before", sa.String),
        sa.Column("after", sa.String),
    )
    op.create_index("ix_row_change_command", "row_change", ["command_id"])
    op.create_index("ix_row_change_row", "row_change", ["table_name", "row_key", "command_id"])


def downgrade() -> None:
    op.drop_table("row_change")
    op.drop_table("command")
