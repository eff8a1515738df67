"""Runs that are deleted can be restored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("deleted_at", sa.String))


def downgrade() -> None:
    op.execute("DELETE FROM run WHERE deleted_at IS NOT NULL")
    op.drop_column("run", "deleted_at")
