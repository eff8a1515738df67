"""Triggers that note each change of an author's tables while a transaction writes.

They are temporary, one set per connection, and are built from `tables`: no migration ever has to change them. What
they note is in the temporary table `captured` until `command_recorder` moves it into the log, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Float
from sqlmodel import SQLModel

from karenina_gui.store import tables

# Checked again after each edit, so that putting old results back would only hide new ones.
CHECKS = frozenset({"template_valid", "mutation", "samples_wrong", "samples_unread"})
"""Columns of a question that hold results of checks."""
UNLOGGED = frozenset({"revision", "updated_at", "date_modified", "trusted_at"}) | CHECKS
"""Columns that undo leaves alone: counters and times of saves, which go on growing, results of checks, and trust in
code, which nobody should get back by a shortcut."""
SOFT = frozenset({"position", "changed_since_review", "reviewed_hash"})
"""Columns that are put back where they are still as the command left them, and never keep a command from being undone.
They also change with commands about other questions or fields."""


@dataclass(frozen=True)
class LoggedTable:
    """A table whose changes are commands of authors."""

    rows: type[SQLModel]
    key: str
    """Primary key."""
    scope: str
    """SQL for the scope of a change; `{row}` stands for OLD or NEW."""
    title: str
    """Column that names a row in sentences."""

    @property
    def name(self) -> str:
        return str(self.rows.__tablename__)

    @property
    def columns(self) -> list[str]:
        """All columns, the key first."""
        return [column.name for column in self.rows.__table__.columns]  # type: ignore[attr-defined]

    @property
    def logged(self) -> list[str]:
        return [name for name in self.columns if name not in UNLOGGED and name != self.key]

    @property
    def counts_revisions(self) -> bool:
        return "revision" in self.columns


LOGGED = {
    table.name: table
    for table in (
        LoggedTable(tables.BenchmarkRow, "id", "'benchmark/' || {row}.id", "name"),
        LoggedTable(tables.QuestionRow, "id", "'benchmark/' || {row}.benchmark_id", "question"),
        LoggedTable(
            tables.CommentRow,
            "id",
            "'benchmark/' || (SELECT benchmark_id FROM question WHERE id = {row}.question_number)",
            "text",
        ),
        LoggedTable(tables.QuestionPairRow, "id", "'benchmark/' || {row}.benchmark_id", "title"),
        LoggedTable(tables.CalibrationRow, "id", "'benchmark/' || {row}.benchmark_id", "name"),
        LoggedTable(tables.AnswerLabelRow, "id", "'benchmark/' || {row}.benchmark_id", "answer"),
        LoggedTable(tables.ShelfItemRow, "id", "'benchmarks'", "name"),
        LoggedTable(tables.ModelRow, "id", "'models'", "name"),
        LoggedTable(tables.PresetRow, "id", "'presets'", "name"),
        LoggedTable(tables.ModelPriceRow, "model", "'prices'", "model"),
    )
}
"""By name of the table."""

_CAPTURED = """
    CREATE TEMP TABLE captured (
        id INTEGER PRIMARY KEY, table_name TEXT, row_key TEXT, scope TEXT, operation TEXT, fields TEXT,
        before TEXT, after TEXT
    )
"""


def prepare_capture(connection: Any) -> None:
    """Create the triggers on a new connection of the driver."""
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(_CAPTURED)
    for statement in _triggers():
        connection.execute(statement)


@cache
def _triggers() -> tuple[str, ...]:
    return tuple(statement for table in LOGGED.values() for statement in _triggers_of(table))


def _triggers_of(table: LoggedTable) -> list[str]:
    name, logged = table.name, table.logged
    reals = {column.name for column in table.rows.__table__.columns if isinstance(column.type, Float)}  # type: ignore[attr-defined]

    def quote(column: str, row: str) -> str:
        value = f"{row}.{column}"
        # json_quote writes 15 digits of a number, which are too few to get the same one back.
        return f"iif({value} IS NULL, 'null', printf('%!.17g', {value}))" if column in reals else f"json_quote({value})"

    whole = ", ".join(f"'{column}', json({quote(column, 'OLD')})" for column in table.columns)
    differs = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in logged)
    fields = _join_parts(logged, lambda column: "''" if column in SOFT else f"',{column}'")
    inserted = _capture(table, "NEW", "insert", "'+', NULL, NULL")
    images = ", ".join(_image(logged, partial(quote, row=row)) for row in ("OLD", "NEW"))
    updated = _capture(table, "NEW", "update", f"{fields}, {images}")
    deleted = _capture(table, "OLD", "delete", f"'-', json_object({whole}), NULL")
    events = {"INSERT": inserted, f"UPDATE OF {', '.join(logged)}": updated, "DELETE": deleted}
    return [
        f"CREATE TEMP TRIGGER captured_{name}_{event[:6].lower()} AFTER {event} ON main.{name} "
        f"{f'WHEN {differs} ' if event.startswith('UPDATE') else ''}BEGIN {capturing}; END"
        for event, capturing in events.items()
    ]


def _capture(table: LoggedTable, row: str, operation: str, rest: str) -> str:
    values = f"'{table.name}', {row}.{table.key}, {table.scope.format(row=row)}, '{operation}', {rest}"
    return f"INSERT INTO captured (table_name, row_key, scope, operation, fields, before, after) VALUES ({values})"


def _image(columns: list[str], quote: Callable[[str], str]) -> str:
    """SQL for the changed columns of a row as JSON."""
    parts = _join_parts(columns, lambda column: f"""',"{column}":' || {quote(column)}""")
    return f"'{{' || {parts} || '}}'"


def _join_parts(columns: list[str], part: Callable[[str], str]) -> str:
    """SQL that joins the parts of all changed columns, each of which begins with a comma."""
    # Faster than json_group_object over a subquery, which would run once for each row of a bulk edit.
    parts = (f"CASE WHEN OLD.{name} IS NOT NEW.{name} THEN {part(name)} ELSE '' END" for name in columns)
    return f"substr({' || '.join(parts)}, 2)"
