"""Scores out of scale, and tokens by the length of their requests.

Earlier results had their scores moved into the scale. Their tokens are those of all requests of a step together.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_INDEX = ("run_id", "model", "input", "output", "cache_read", "cache_creation")


def upgrade() -> None:
    op.add_column("result", sa.Column("out_of_scale", sa.JSON, nullable=False, server_default="[]"))
    op.add_column("token_count", sa.Column("cache_creation_1h", sa.Integer, nullable=False, server_default="0"))
    op.add_column("token_count", sa.Column("length", sa.Integer))
    # Below the first length at which a price changes, the sum of several requests is as good as each of them.
    op.execute("UPDATE token_count SET length = 0 WHERE input <= 32000")
    op.drop_index("ix_token_count_run", "token_count")
    columns = ["run_id", "model", "length", "input", "output", "cache_read", "cache_creation", "cache_creation_1h"]
    op.create_index("ix_token_count_run", "token_count", columns)


def downgrade() -> None:
    op.drop_index("ix_token_count_run", "token_count")
    op.create_index("ix_token_count_run", "token_count", list(_INDEX))
    op.drop_column("token_count", "length")
    op.drop_column("token_count", "cache_creation_1h")
    op.drop_column("result", "out_of_scale")
