"""Hash of what was reviewed, by which an edit that is taken back is known."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("question", sa.Column("reviewed_hash", sa.String))


def downgrade() -> None:
    op.drop_column("question", "reviewed_hash")
