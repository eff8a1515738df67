"""Conditions of runs, repeated judgments, and what a run was made of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_LIGHT = ["run_id", "position", "answering", "judge", "replicate", "outcome", "category", "seconds", "tokens"]


def upgrade() -> None:
    for table in ("job", "result"):
        op.add_column(table, sa.Column("condition", sa.String, nullable=True))
        op.add_column(table, sa.Column("judge_replicate", sa.Integer, nullable=True))
    op.add_column("run", sa.Column("reproducibility", sa.JSON, nullable=True))
    op.drop_index("ix_result_light", "result")
    op.create_index("ix_result_light", "result", [*_LIGHT, "condition", "judge_replicate"])


def downgrade() -> None:
    op.drop_index("ix_result_light", "result")
    for table in ("job", "result"):
        op.drop_column(table, "judge_replicate")
        op.drop_column(table, "condition")
    op.drop_column("run", "reproducibility")
    op.create_index("ix_result_light", "result", _LIGHT)
