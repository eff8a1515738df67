"""Steps from one version of rows to another, and their execution."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import JSON, Connection

from karenina_gui.schemas.command import Operation, RowChange
from karenina_gui.store.capture import CHECKS, LOGGED, SOFT, LoggedTable
from karenina_gui.store.row_mapping import REVIEWED, change_since_review

Image = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """Change to make to one row."""

    table: str
    key: str
    operation: Operation
    expected: Image | None
    """Columns as they have to be now; None: nothing is expected."""
    target: Image | None
    """Columns to write; None: delete the row."""

    @property
    def row(self) -> tuple[str, str]:
        return self.table, self.key


_OPPOSITE: dict[Operation, Operation] = {"insert": "delete", "delete": "insert", "update": "update"}


def steps_back(changes: Sequence[RowChange]) -> list[Step]:
    """Steps that undo the changes."""
    return [Step(c.table, c.key, _OPPOSITE[c.operation], c.after, c.before) for c in reversed(changes)]


def steps_forward(changes: Sequence[RowChange]) -> list[Step]:
    """Steps that make the changes again."""
    return [Step(c.table, c.key, c.operation, c.before, c.after) for c in changes]


def images(connection: Connection, table: str, keys: Iterable[str]) -> dict[str, Image]:
    """Rows by key, those that exist."""
    logged = LOGGED[table]
    rows = connection.exec_driver_sql(
        f"SELECT {', '.join(logged.columns)} FROM {table} WHERE {logged.key} IN (SELECT value FROM json_each(?))",
        (json.dumps([_key_value(logged, key) for key in keys]),),
    )
    return {str(row[0]): dict(zip(logged.columns, row, strict=True)) for row in rows.all()}


def current_images(connection: Connection, steps: Sequence[Step]) -> dict[tuple[str, str], Image]:
    """Rows of the steps as they are now."""
    rows = {}
    for table in {step.table for step in steps}:
        keys = [step.key for step in steps if step.table == table]
        rows.update({(table, key): image for key, image in images(connection, table, keys).items()})
    return rows


def is_as_expected(step: Step, now: Image | None) -> bool:
    """Check that no column that the step changes was changed since."""
    if step.operation == "insert":
        return now is None
    if now is None:
        return False
    expected = step.expected or {}
    columns = [name for name in expected if name in LOGGED[step.table].logged and name not in SOFT]
    return all(now[name] == expected[name] for name in columns)


def take_steps(connection: Connection, steps: Sequence[Step], now: dict[tuple[str, str], Image], at: str) -> None:
    """Carry out the steps. Counters and times of the rows go on growing."""
    current = [_with_review(_without_moved(step, now.get(step.row)), now.get(step.row)) for step in steps]
    for (table, operation, columns), group in groupby(current, key=_shape):
        rows = list(group)
        if operation == "delete":
            deleting = f"DELETE FROM {table} WHERE {LOGGED[table].key} = ?"
            connection.exec_driver_sql(deleting, [(step.key,) for step in rows])
        elif operation == "insert":
            _insert(connection, LOGGED[table], columns, rows, at)
        elif columns:
            _update(connection, LOGGED[table], columns, rows, at)


def _shape(step: Step) -> tuple[str, Operation, tuple[str, ...]]:
    return step.table, step.operation, tuple(step.target or ())


def _without_moved(step: Step, now: Image | None) -> Step:
    """Leave out columns that may have changed since, and did; columns that this version does not have, too."""
    if step.target is None:
        return step
    columns = {name: value for name, value in step.target.items() if name in LOGGED[step.table].columns}
    if step.operation == "update" and now is not None and step.expected is not None:
        expected = step.expected
        columns = {n: v for n, v in columns.items() if n not in SOFT or now[n] == expected.get(n)}
    return replace(step, target=columns)


def _insert(
    connection: Connection, table: LoggedTable, columns: tuple[str, ...], rows: Sequence[Step], at: str
) -> None:
    values = []
    for step in rows:
        image = {**(step.target or {}), "updated_at": at}
        if table.counts_revisions:
            image["revision"] = image.get("revision", 1) + 1
        values.append(tuple(image[name] for name in columns))
    places = ", ".join("?" for _ in columns)
    connection.exec_driver_sql(f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({places})", values)


def _update(
    connection: Connection, table: LoggedTable, columns: tuple[str, ...], rows: Sequence[Step], at: str
) -> None:
    times = {"updated_at": at, "date_modified": datetime.now().isoformat()}
    extras = {name: time for name, time in times.items() if name in table.columns}
    settings = [*(f"{name} = ?" for name in columns), *(f"{name} = ?" for name in extras)]
    if table.counts_revisions:
        settings.append("revision = revision + 1")
    settings += [f"{name} = NULL" for name in _outdated_checks(table, columns)]
    values = [(*(step.target or {}).values(), *extras.values(), step.key) for step in rows]
    connection.exec_driver_sql(f"UPDATE {table.name} SET {', '.join(settings)} WHERE {table.key} = ?", values)


def _outdated_checks(table: LoggedTable, columns: Sequence[str]) -> list[str]:
    """Results of checks that were of another template, or of other samples."""
    if table.name == "question" and "answer_template" in columns:
        return sorted(CHECKS)
    return ["samples_unread", "samples_wrong"] if table.name == "question" and "custom_metadata" in columns else []


def _with_review(step: Step, now: Image | None) -> Step:
    """Add the review mark to a step that changes what was reviewed of a finished question."""
    if step.table != "question" or step.operation != "update" or step.target is None or now is None:
        return step
    # A step that also restores the mark knows better.
    if not now["finished"] or step.target.keys() & {"finished", "changed_since_review"}:
        return step
    if not step.target.keys() & set(REVIEWED):
        return step
    before, after = _documents(now), _documents({**now, **step.target})
    return replace(step, target={**step.target, **change_since_review(before, after)})


def _documents(image: Image) -> Image:
    """The image with its columns of JSON parsed."""
    columns = LOGGED["question"].rows.__table__.columns  # type: ignore[attr-defined]
    return {n: json.loads(v) if v is not None and isinstance(columns[n].type, JSON) else v for n, v in image.items()}


def _key_value(table: LoggedTable, key: str) -> int | str:
    """Key as the table holds it; the log holds all of them as text."""
    return int(key) if table.key == "id" else key
