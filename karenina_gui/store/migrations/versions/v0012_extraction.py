"""How judges were asked for data; of older results nobody knows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("result", sa.Column("extraction", sa.String))


def downgrade() -> None:
    op.drop_column("result", "extraction")
