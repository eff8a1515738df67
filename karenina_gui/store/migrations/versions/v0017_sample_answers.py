"""Sample answers of questions, and the results of testing templates on them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # A file read by an earlier version may have brought samples along.
    op.add_column("question", sa.Column("samples", sa.Integer, nullable=False, server_default="0"))
    op.add_column("question", sa.Column("samples_wrong", sa.Integer))
    op.add_column("question", sa.Column("samples_unread", sa.Integer))
    op.add_column("question", sa.Column("mutation", sa.String))
    op.execute(
        "UPDATE question SET samples = json_array_length(custom_metadata, '$.sample_answers') "
        "WHERE json_type(custom_metadata, '$.sample_answers') = 'array'"
    )


def downgrade() -> None:
    for name in ("mutation", "samples_unread", "samples_wrong", "samples"):
        op.drop_column("question", name)
