"""Rows of results without their bulk, which gets a table of its own, and what a hundred thousand are found by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

LIGHT = ["run_id", "position", "answering", "judge", "replicate", "outcome", "category", "seconds", "tokens"]
INDEXES = {
    "ix_result_light": LIGHT,
    "ix_result_question": ["run_id", "question_id", "position", "answering", "judge", "outcome"],
    "ix_result_sought": ["run_id", "sought", "position"],
    "ix_result_keywords": ["run_id", "keywords", "outcome"],
    "ix_result_traits": ["run_id", "traits"],
}
BEFORE = {
    "ix_result_order": ["run_id", "position"],
    "ix_result_question": ["run_id", "question_id"],
    "ix_result_outcome": ["run_id", "outcome"],
}


def upgrade() -> None:
    op.create_table(
        "payload",
        sa.Column("result_id", sa.Integer, sa.ForeignKey("result.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("document", sa.JSON, nullable=False),
    )
    op.execute("INSERT INTO payload SELECT id, payload FROM result")
    op.drop_column("result", "payload")
    op.add_column("result", sa.Column("sought", sa.String, nullable=False, server_default=""))
    _fill_in_what_is_sought()
    _exchange(BEFORE, INDEXES)


def downgrade() -> None:
    _exchange(INDEXES, BEFORE)
    op.drop_column("result", "sought")
    op.add_column("result", sa.Column("payload", sa.JSON, nullable=False, server_default="{}"))
    op.execute("UPDATE result SET payload = (SELECT document FROM payload WHERE result_id = id)")
    op.drop_table("payload")


def _fill_in_what_is_sought() -> None:
    connection = op.get_bind()
    connection.connection.driver_connection.create_function("casefold", 1, str.casefold, deterministic=True)  # type: ignore[union-attr]
    op.execute(
        "UPDATE result SET sought = casefold(question_text || char(10) || question_id || char(10) || answering "
        "|| coalesce(char(10) || error, ''))"
    )


def _exchange(old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
    for name in old:
        op.drop_index(name, "result")
    for name, columns in new.items():
        op.create_index(name, "result", columns)
