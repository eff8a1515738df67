"""How long a run worked in all its parts, and the recording that it goes on with when it is resumed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("recording", sa.String))
    op.add_column("run", sa.Column("begun_at", sa.String))
    op.add_column("run", sa.Column("heard_at", sa.String))
    op.add_column("run", sa.Column("worked_before", sa.Float, nullable=False, server_default="0"))


def downgrade() -> None:
    for column in ("worked_before", "heard_at", "begun_at", "recording"):
        op.drop_column("run", column)
