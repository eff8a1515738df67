"""Published versions, states that files were exchanged in, and linked files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_NEVER = "SELECT RAISE(ABORT, 'A published version never changes.')"
_TRIGGERS = {
    "published_version_changes": "BEFORE UPDATE ON published_version",
    # A benchmark that is erased for good takes its versions along.
    "published_version_goes": "BEFORE DELETE ON published_version "
    "WHEN EXISTS (SELECT 1 FROM benchmark WHERE id = OLD.benchmark_id)",
    "frozen_benchmark_changes": "BEFORE UPDATE ON frozen_benchmark",
}


def _benchmark(*, primary: bool = False) -> sa.Column[int]:
    owner = sa.ForeignKey("benchmark.id", ondelete="CASCADE")
    return sa.Column("benchmark_id", sa.Integer, owner, nullable=False, primary_key=primary)


def _frozen() -> sa.Column[str]:
    return sa.Column("frozen", sa.String, sa.ForeignKey("frozen_benchmark.key"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "frozen_benchmark",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("document", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "published_version",
        sa.Column("id", sa.Integer, primary_key=True),
        _benchmark(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("note", sa.String, nullable=False),
        sa.Column("sha256", sa.String, nullable=False),
        _frozen(),
        sa.Column("questions", sa.Integer, nullable=False),
        sa.Column("finished", sa.Integer, nullable=False),
        sa.Column("published_at", sa.String, nullable=False),
        sa.Column("published_by", sa.String, nullable=False),
        sa.UniqueConstraint("benchmark_id", "number"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "exchange",
        sa.Column("id", sa.Integer, primary_key=True),
        _benchmark(),
        _frozen(),
        sa.Column("at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_exchange_benchmark", "exchange", ["benchmark_id", "id"])
    op.create_table(
        "linked_file",
        _benchmark(primary=True),
        sa.Column("path", sa.String, nullable=False),
        sa.Column("seen", sa.String, nullable=False),
        _frozen(),
        sa.Column("linked_at", sa.String, nullable=False),
    )
    for name, event in _TRIGGERS.items():
        op.execute(f"CREATE TRIGGER {name} {event} BEGIN {_NEVER}; END")


def downgrade() -> None:
    for name in _TRIGGERS:
        op.execute(f"DROP TRIGGER {name}")
    for table in ("linked_file", "exchange", "published_version", "frozen_benchmark"):
        op.drop_table(table)
