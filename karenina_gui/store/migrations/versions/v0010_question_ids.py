"""Questions may wait for an id, ids set on purpose are marked, and placeholder ids give way to the texts' ids.

A placeholder id is replaced in its question and in everything that refers to it: jobs, results, stored answers, runs
and the benchmarks as runs found them. Recorded answers and presets, which belong to no benchmark, get the new ids in
addition. Where two questions of a benchmark have the same text, the first gets the text's id and the next ones get it
with a number after it, as when a file is imported.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from karenina_gui.store.migrations.placeholder_repair import PlaceholderRepair

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("question", sa.Column("id_set", sa.Boolean, nullable=False, server_default="0"))
    op.drop_index("ix_question_id", "question")
    PlaceholderRepair(op.get_bind()).run()
    _create_index("deleted_at IS NULL AND question_id <> ''")
    # Unfinished sentences of starters count as errors from here on, so these templates are checked again.
    op.execute("UPDATE question SET template_valid = NULL WHERE answer_template LIKE '%…%'")


def downgrade() -> None:
    op.execute("UPDATE question SET question = 'New question ' || id WHERE trim(question) = ''")
    op.execute("UPDATE question SET question_id = 'question-' || id WHERE question_id = ''")
    op.drop_index("ix_question_id", "question")
    op.drop_column("question", "id_set")
    _create_index("deleted_at IS NULL")


def _create_index(where: str) -> None:
    columns = ["benchmark_id", "question_id"]
    op.create_index("ix_question_id", "question", columns, unique=True, sqlite_where=sa.text(where))
