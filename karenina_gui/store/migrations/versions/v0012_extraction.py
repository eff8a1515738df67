"""How judges were asked for data, and their good replies for jobs that are worth another try."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_RETRIED = (
    "timeout",
    "connection",
    "rate_limit",
    "server_error",
    "authentication",
    "rejected",
    "cancelled",
    "parsing",
    "unexpected_error",
)
_UNSCORED = f"""
    UPDATE result SET unscored_traits = (
        SELECT count(*) FROM payload, json_each(payload.document, '$.rubric.trait_faults') AS fault
        WHERE payload.result_id = result.id AND fault.value IN {_RETRIED!r}
    ) WHERE id IN (SELECT result_id FROM payload WHERE json_type(document, '$.rubric.trait_faults') = 'object')
"""


def upgrade() -> None:
    op.add_column("result", sa.Column("extraction", sa.String))
    op.execute(_UNSCORED)
    op.create_table(
        "kept_reply",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
        sa.Column("job_key", sa.String, nullable=False),
        sa.Column("replies", sa.JSON, nullable=False),
        sa.UniqueConstraint("run_id", "job_key"),
    )


def downgrade() -> None:
    op.drop_table("kept_reply")
    op.drop_column("result", "extraction")
