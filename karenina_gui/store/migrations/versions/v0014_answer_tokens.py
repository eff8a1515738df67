"""Tokens of the answer alone, beside those of the whole result."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_TOLD = """
    UPDATE result SET answer_tokens = (
        SELECT json_extract(document, '$.template.usage_metadata.answer_generation.total_tokens')
        FROM payload WHERE payload.result_id = result.id
    ) WHERE id IN (
        SELECT result_id FROM payload
        WHERE json_type(document, '$.template.usage_metadata.answer_generation.total_tokens') = 'integer'
    )
"""


def upgrade() -> None:
    op.add_column("result", sa.Column("answer_tokens", sa.Integer))
    op.execute(_TOLD)


def downgrade() -> None:
    op.drop_column("result", "answer_tokens")
