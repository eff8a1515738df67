"""Results saved from now on are compressed; `older_results.py` compresses those before in the background."""

from __future__ import annotations

from alembic import op

revision = "v0004"
down_revision = "v0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    (last,) = op.get_bind().exec_driver_sql("SELECT coalesce(max(result_id), 0) FROM payload").one()
    op.execute(f"PRAGMA user_version = {last}")
