"""How many traits of a result a failed call has cost their score; of older results nobody knows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("result", sa.Column("unscored_traits", sa.Integer, nullable=False, server_default="0"))
    op.create_index("ix_result_unscored", "result", ["run_id"], sqlite_where=sa.text("unscored_traits > 0"))


def downgrade() -> None:
    op.drop_index("ix_result_unscored", "result")
    op.drop_column("result", "unscored_traits")
