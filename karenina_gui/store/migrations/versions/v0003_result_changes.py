"""Number of changes of stored results by run: new results have new ids, but a repeated job changes its result."""

from __future__ import annotations

from alembic import op

revision = "v0003"
down_revision = "v0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Without a reference to the run: the number must outlive it, as another run may get its id.
    op.execute("CREATE TABLE result_change (run_id INTEGER NOT NULL PRIMARY KEY, number INTEGER NOT NULL)")
    op.execute(
        "CREATE TRIGGER result_changed AFTER UPDATE ON result BEGIN "
        "INSERT INTO result_change (run_id, number) VALUES (new.run_id, 1) "
        "ON CONFLICT (run_id) DO UPDATE SET number = number + 1; END"
    )
