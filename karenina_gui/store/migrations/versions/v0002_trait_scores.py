"""Trait scores beside each result, to count and filter by them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("result", sa.Column("traits", sa.JSON, nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("result", "traits")
