"""Numbers in addresses are never given twice, and deleted questions are kept to be restored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NUMBERED = ("benchmark", "run", "result")
NAMES = {"uq": "uq_%(table_name)s_%(column_0_name)s"}
"""The constraint was made without a name, and needs one to be dropped."""


def upgrade() -> None:
    for table in NUMBERED:
        _rebuild(table, autoincrement=True)
    with op.batch_alter_table(
        "question", recreate="always", table_kwargs={"sqlite_autoincrement": True}, naming_convention=NAMES
    ) as batch:
        batch.add_column(sa.Column("deleted_at", sa.String))
        batch.drop_constraint("uq_question_benchmark_id", type_="unique")
    op.create_index(
        "ix_question_id",
        "question",
        ["benchmark_id", "question_id"],
        unique=True,
        sqlite_where=sa.text("deleted_at IS NULL"),
    )


def downgrade() -> None:
    op.execute("DELETE FROM question WHERE deleted_at IS NOT NULL")
    op.drop_index("ix_question_id", "question")
    with op.batch_alter_table("question", recreate="always") as batch:
        batch.drop_column("deleted_at")
        batch.create_unique_constraint("uq_question_benchmark_id", ["benchmark_id", "question_id"])
    for table in NUMBERED:
        _rebuild(table, autoincrement=False)


def _rebuild(table: str, *, autoincrement: bool) -> None:
    with op.batch_alter_table(table, recreate="always", table_kwargs={"sqlite_autoincrement": autoincrement}):
        pass
