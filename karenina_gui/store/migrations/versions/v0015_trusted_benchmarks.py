"""When a person trusted the code of a benchmark."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("benchmark", sa.Column("trusted_at", sa.String))


def downgrade() -> None:
    op.drop_column("benchmark", "trusted_at")
