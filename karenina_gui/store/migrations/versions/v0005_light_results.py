"""What a hundred thousand results are found by, their bulk in a table of its own, and states of questions to count."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from karenina_gui.schemas.default_template import is_default_template

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
    _lend_functions()
    op.create_table(
        "payload",
        sa.Column("result_id", sa.Integer, sa.ForeignKey("result.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("document", sa.JSON, nullable=False),
    )
    op.execute("INSERT INTO payload SELECT id, payload FROM result")
    op.drop_column("result", "payload")
    op.add_column("result", sa.Column("sought", sa.String, nullable=False, server_default=""))
    op.execute(
        "UPDATE result SET sought = casefold(question_text || char(10) || question_id || char(10) || answering "
        "|| coalesce(char(10) || error, ''))"
    )
    _exchange(BEFORE, INDEXES)
    op.add_column("question", sa.Column("has_template", sa.Boolean, nullable=False, server_default="0"))
    op.execute("UPDATE question SET has_template = is_written(answer_template)")
    op.create_index(
        "ix_question_state", "question", ["benchmark_id", "deleted_at", "finished", "has_template", "template_valid"]
    )


def downgrade() -> None:
    op.drop_index("ix_question_state", "question")
    op.drop_column("question", "has_template")
    _exchange(INDEXES, BEFORE)
    op.drop_column("result", "sought")
    op.add_column("result", sa.Column("payload", sa.JSON, nullable=False, server_default="{}"))
    op.execute("UPDATE result SET payload = (SELECT document FROM payload WHERE result_id = id)")
    op.drop_table("payload")


def _lend_functions() -> None:
    connection: Any = op.get_bind().connection.driver_connection
    connection.create_function("casefold", 1, str.casefold, deterministic=True)
    connection.create_function("is_written", 1, lambda template: not is_default_template(template), deterministic=True)


def _exchange(old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
    for name in old:
        op.drop_index(name, "result")
    for name, columns in new.items():
        op.create_index(name, "result", columns)
