"""Ids of traits and incomplete traits beside each rubric; incomplete traits were drafts of one person before."""

from __future__ import annotations

import json

from alembic import op

revision = "v0002"
down_revision = "v0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("benchmark", "question"):
        op.execute(f"ALTER TABLE {table} ADD COLUMN trait_edits JSON")
        op.execute(f"CREATE INDEX ix_{table}_trait_edits ON {table} (id) WHERE trait_edits IS NOT NULL")
    connection = op.get_bind()
    edits: dict[tuple[str, str], list[dict[str, object]]] = {}
    for place, value in connection.exec_driver_sql("SELECT place, value FROM draft WHERE place LIKE '%/traits'"):
        table, number, _ = place.split("/")
        edits.setdefault((table, number), []).extend(
            {**{key: item[key] for key in ("id", "type", "values")}, "name": (item["over"] or {}).get("name")}
            for item in json.loads(value)["typed"]
        )
    for (table, number), traits in edits.items():
        connection.exec_driver_sql(f"UPDATE {table} SET trait_edits = ? WHERE id = ?", (json.dumps(traits), number))
    op.execute("DELETE FROM draft WHERE place LIKE '%/traits'")
