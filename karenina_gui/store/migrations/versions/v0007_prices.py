"""Tokens of every result by model, and what they cost; verdicts that a judge of meanings has overridden."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

COUNTED = """
INSERT INTO token_count (result_id, run_id, model, input, output, cache_read, cache_creation)
SELECT result.id, result.run_id, json_extract(step.value, '$.model'),
       sum(coalesce(json_extract(step.value, '$.input_tokens'), 0)),
       sum(coalesce(json_extract(step.value, '$.output_tokens'), 0)),
       sum(coalesce(json_extract(step.value, '$.input_token_details.cache_read'), 0)
         + coalesce(json_extract(step.value, '$.input_token_details.cached_tokens'), 0)),
       sum(coalesce(json_extract(step.value, '$.input_token_details.cache_creation'), 0))
FROM result JOIN payload ON payload.result_id = result.id,
     json_each(payload.document, '$.template.usage_metadata') AS step
WHERE step.key <> 'total' AND step.type = 'object' AND json_extract(step.value, '$.model') IS NOT NULL
GROUP BY result.id, json_extract(step.value, '$.model')
"""
UNTOLD = """
INSERT INTO token_count (result_id, run_id)
SELECT result.id, result.run_id FROM result JOIN payload ON payload.result_id = result.id
WHERE json_extract(payload.document, '$.template.usage_unavailable')
"""
OVERRIDDEN = """
UPDATE result SET category = 'overridden' WHERE category IS NULL AND passed AND id IN (
    SELECT result_id FROM payload WHERE json_extract(document, '$.template.embedding_override_applied'))
"""


def upgrade() -> None:
    op.create_table(
        "model_price",
        sa.Column("model", sa.String, primary_key=True),
        sa.Column("input", sa.Float, nullable=False),
        sa.Column("output", sa.Float, nullable=False),
        sa.Column("cache_read", sa.Float),
        sa.Column("cache_creation", sa.Float),
        sa.Column("updated_at", sa.String, nullable=False),
    )
    op.create_table(
        "token_count",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("result_id", sa.Integer, sa.ForeignKey("result.id", ondelete="CASCADE"), nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("model", sa.String),
        sa.Column("input", sa.Integer, nullable=False, server_default="0"),
        sa.Column("output", sa.Integer, nullable=False, server_default="0"),
        sa.Column("cache_read", sa.Integer, nullable=False, server_default="0"),
        sa.Column("cache_creation", sa.Integer, nullable=False, server_default="0"),
    )
    op.execute(COUNTED)
    op.execute(UNTOLD)
    op.execute(OVERRIDDEN)
    op.create_index("ix_token_count_result", "token_count", ["result_id"])
    op.create_index(
        "ix_token_count_run", "token_count", ["run_id", "model", "input", "output", "cache_read", "cache_creation"]
    )
    op.create_index("ix_token_count_model", "token_count", ["model"])


def downgrade() -> None:
    op.execute("UPDATE result SET category = NULL WHERE category = 'overridden'")
    op.drop_table("token_count")
    op.drop_table("model_price")
