"""Log of the commands of authors: undo, redo, and lists for the history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from karenina_gui.errors import CannotUndoError, NotFoundError
from karenina_gui.schemas.command import Actor, LoggedCommand, RowChange, benchmark_in, sentence
from karenina_gui.store.actors import current_actor
from karenina_gui.store.database import Database, now
from karenina_gui.store.row_mapping import require_benchmark
from karenina_gui.store.row_steps import (
    Image,
    Step,
    current_images,
    images,
    is_as_expected,
    steps_back,
    steps_forward,
    take_steps,
)
from karenina_gui.store.writes import persistent

Row = tuple[str, str]
"""Table and key."""

KEPT_DAYS = 90
KEPT_COMMANDS = 1_000
"""Commands of each scope that are kept however old they are."""
KEPT_CHARACTERS = 500_000_000
"""Size of all images together; beyond it, the oldest commands go first."""

_COLUMNS = "id, scope, kind, data, person, name, at, state, undone_at, undone_by"
_TOUCHES = "id IN (SELECT command_id FROM row_change WHERE table_name = ? AND row_key = ? AND fields <> '')"


@dataclass(frozen=True)
class Reversal:
    """A command that was undone or redone, and the rows that changed with it."""

    command: LoggedCommand
    before: dict[Row, Image]
    """Rows as they were; one that is missing did not exist."""
    after: dict[Row, Image]
    """Rows as they are now; one that is missing is gone."""


class CommandLog:
    """Commands by scope. `undo` and `redo` raise `CannotUndoError` if a later change stands against it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, command_id: int) -> LoggedCommand:
        with self._database.reading() as session:
            return read_command(session.connection(), command_id)

    def entries(
        self, scopes: Sequence[str], *, row: Row | None = None, before: int | None = None, limit: int = 100
    ) -> list[LoggedCommand]:
        """Commands of these scopes, the newest first.

        `row`: only those that changed this (table, key). `before`: only those older than this one.
        """
        where, values = ["scope IN (SELECT value FROM json_each(?))"], [json.dumps(list(scopes))]
        if row is not None:
            where, values = [*where, _TOUCHES], [*values, *row]
        if before is not None:
            where, values = [*where, "id < CAST(? AS INTEGER)"], [*values, str(before)]
        statement = f"SELECT {_COLUMNS} FROM command WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT {int(limit)}"
        with self._database.reading() as session:
            return [_command(row_) for row_ in session.connection().exec_driver_sql(statement, tuple(values)).all()]

    def next_undo(self, scope: str, person: str) -> LoggedCommand | None:
        """Last command of this person that is not undone; None if nothing is left to undo."""
        return self._first(f"SELECT {_COLUMNS} FROM command WHERE {_OWN} 'done' ORDER BY id DESC", scope, person)

    def next_redo(self, scope: str, person: str) -> LoggedCommand | None:
        """Command of this person that was undone last; None if nothing is left to redo."""
        order = "ORDER BY undone_at DESC, id"
        return self._first(f"SELECT {_COLUMNS} FROM command WHERE {_OWN} 'undone' {order}", scope, person)

    def changes(self, command_id: int, row: Row | None = None, *, limit: int = -1) -> list[RowChange]:
        """Changes of a command in their order, without those of places in the order alone. `row`: only of this one."""
        also = "AND fields <> ''" + (" AND table_name = ? AND row_key = ?" if row else "")
        with self._database.reading() as session:
            return read_changes(session.connection(), command_id, also, row or (), limit=limit)

    @persistent
    def undo(self, command_id: int) -> Reversal:
        """Put back the columns that the command changed."""
        with self._database.writing() as session:
            connection = session.connection()
            command = read_command(connection, command_id)
            if command.state != "done":
                raise CannotUndoError(f"Already undone: {sentence(command)}.")
            if benchmark_id := benchmark_in(command.scope):
                require_benchmark(session, benchmark_id)
            changes = read_changes(connection, command_id)
            _keep_inserted(connection, command_id, changes)
            steps = steps_back(changes)
            reversal = _reverse(connection, command, steps, "undo")
            _set_state(connection, command_id, "undone")
            return reversal

    @persistent
    def redo(self, command_id: int) -> Reversal:
        """Make the changes of an undone command again."""
        with self._database.writing() as session:
            connection = session.connection()
            command = read_command(connection, command_id)
            if command.state != "undone":
                raise CannotUndoError(f"Can’t redo this any more: {sentence(command)}.")
            if benchmark_id := benchmark_in(command.scope):
                require_benchmark(session, benchmark_id)
            steps = steps_forward(read_changes(connection, command_id))
            reversal = _reverse(connection, command, steps, "redo")
            _set_state(connection, command_id, "done")
            return reversal

    @persistent
    def prune(self) -> int:
        """Delete commands that are older than `KEPT_DAYS` and not among the last of their scope; returns how many."""
        oldest = (datetime.now(UTC) - timedelta(days=KEPT_DAYS)).isoformat(timespec="milliseconds")
        with self._database.writing() as session:
            deleted = session.connection().exec_driver_sql(_PRUNE, (oldest, KEPT_COMMANDS, KEPT_CHARACTERS))
            return deleted.rowcount

    def _first(self, statement: str, *values: str) -> LoggedCommand | None:
        with self._database.reading() as session:
            row = session.connection().exec_driver_sql(f"{statement} LIMIT 1", values).one_or_none()
        return None if row is None else _command(row)


_OWN = "scope = ? AND person = ? AND state ="
_PRUNE = """
    DELETE FROM command WHERE id IN (
        SELECT id FROM (
            SELECT id, at, row_number() OVER (PARTITION BY scope ORDER BY id DESC) AS place,
                sum(size) OVER (ORDER BY id DESC) AS total
            FROM command
        ) WHERE (at < ? AND place > ?) OR total > ?
    )
"""


def read_command(connection: Connection, command_id: int) -> LoggedCommand:
    row = connection.exec_driver_sql(f"SELECT {_COLUMNS} FROM command WHERE id = ?", (command_id,)).one_or_none()
    if row is None:
        raise NotFoundError("This action is no longer in the history.")
    return _command(row)


def read_changes(
    connection: Connection, command_id: int, also: str = "", values: Sequence[str] = (), *, limit: int = -1
) -> list[RowChange]:
    """Changes of a command in their order."""
    rows = connection.exec_driver_sql(
        "SELECT table_name, row_key, operation, before, after FROM row_change "
        f"WHERE command_id = ? {also} ORDER BY id LIMIT {int(limit)}",
        (command_id, *values),
    )
    return [
        RowChange(table, key, operation, _load(before), _load(after))
        for table, key, operation, before, after in rows.all()
    ]


def _load(image: str | None) -> Image | None:
    return None if image is None else json.loads(image)


def _command(row: Any) -> LoggedCommand:
    number, scope, kind, data, person, name, at, state, undone_at, undone_by = row
    return LoggedCommand(number, scope, kind, json.loads(data), Actor(person, name), at, state, undone_at, undone_by)


def _set_state(connection: Connection, command_id: int, state: str) -> None:
    undone = state == "undone"
    connection.exec_driver_sql(
        "UPDATE command SET state = ?, undone_at = ?, undone_by = ? WHERE id = ?",
        (state, now() if undone else None, (current_actor().name or None) if undone else None, command_id),
    )


def _keep_inserted(connection: Connection, command_id: int, changes: list[RowChange]) -> None:
    """Keep images of inserted rows, which undo is about to delete, for redo."""
    # Not when they are inserted: an import would be written twice, for the rare case that it is undone.
    inserted = [change for change in changes if change.operation == "insert"]
    for table in {change.table for change in inserted}:
        keys = [change.key for change in inserted if change.table == table]
        values = [
            (json.dumps(image, ensure_ascii=False), command_id, table, key)
            for key, image in images(connection, table, keys).items()
        ]
        if values:
            connection.exec_driver_sql(
                "UPDATE row_change SET after = ? WHERE command_id = ? AND table_name = ? AND row_key = ?", values
            )


def _reverse(connection: Connection, command: LoggedCommand, steps: list[Step], word: str) -> Reversal:
    """Carry out the steps of an undo or a redo."""
    present = current_images(connection, steps)
    for step in steps:
        if not is_as_expected(step, present.get(step.row)):
            raise CannotUndoError(_reason(connection, command, word, step))
    if word == "undo":
        _refuse_used(connection, command)
    try:
        take_steps(connection, steps, present, now())
    except IntegrityError as error:
        raise CannotUndoError(
            f"Can’t {word} this: {sentence(command)}. Something else now has the same ID or name. Change that first."
        ) from error
    _touch(connection, command)
    # An undo is not a command itself.
    connection.exec_driver_sql("DELETE FROM captured")
    after = {step.row: {**present.get(step.row, {}), **step.target} for step in steps if step.target is not None}
    return Reversal(command, present, after)


def _refuse_used(connection: Connection, command: LoggedCommand) -> None:
    """Refuse to take back rows that somebody has worked on since they were added."""
    later = connection.exec_driver_sql(_LATER, {"command": command.id}).one_or_none()
    if later is not None:
        raise CannotUndoError(_refusal(command, "undo", _command(later)))
    if command.kind.startswith("benchmark.") and connection.exec_driver_sql(_RUNS, (command.id,)).first():
        raise CannotUndoError(f"Can’t undo this: {sentence(command)}. It has runs. Delete the benchmark instead.")
    # Published versions are no command, and nothing may take them away.
    if connection.exec_driver_sql(_PUBLISHED, (command.id,)).first():
        raise CannotUndoError(
            f"Can’t undo this: {sentence(command)}. It has published versions. Delete the benchmark instead."
        )


_INSERTED = "SELECT table_name, row_key FROM row_change WHERE command_id = :command AND operation = 'insert'"
_LATER = f"""
    WITH inserted AS ({_INSERTED})
    SELECT {_COLUMNS} FROM command WHERE state = 'done' AND id > :command AND (
        id IN (
            SELECT r.command_id FROM row_change r JOIN inserted i
            ON i.table_name = r.table_name AND i.row_key = r.row_key WHERE r.fields <> ''
        )
        OR id IN (
            SELECT r.command_id FROM comment c
            JOIN inserted i ON i.table_name = 'question' AND i.row_key = CAST(c.question_number AS TEXT)
            JOIN row_change r ON r.table_name = 'comment' AND r.row_key = CAST(c.id AS TEXT)
        )
        OR id IN (
            SELECT r.command_id FROM answer_label l
            JOIN inserted i ON i.table_name = 'calibration' AND i.row_key = CAST(l.calibration_id AS TEXT)
            JOIN row_change r ON r.table_name = 'answer_label' AND r.row_key = CAST(l.id AS TEXT)
        )
        OR id IN (
            SELECT r.command_id FROM calibration c
            JOIN inserted i ON i.table_name = 'question' AND i.row_key = CAST(c.question AS TEXT)
            JOIN row_change r ON r.table_name = 'calibration' AND r.row_key = CAST(c.id AS TEXT)
        )
        OR id IN (
            SELECT r.command_id FROM question_pair p JOIN inserted i
            ON i.table_name = 'question' AND i.row_key IN (CAST(p.first AS TEXT), CAST(p.second AS TEXT))
            JOIN row_change r ON r.table_name = 'question_pair' AND r.row_key = CAST(p.id AS TEXT)
        )
        OR scope IN (SELECT 'benchmark/' || row_key FROM inserted WHERE table_name = 'benchmark')
    ) ORDER BY id DESC LIMIT 1
"""
_PUBLISHED = """
    SELECT 1 FROM published_version v JOIN row_change r ON r.row_key = CAST(v.benchmark_id AS TEXT)
    WHERE r.command_id = ? AND r.table_name = 'benchmark' AND r.operation = 'insert' LIMIT 1
"""
_RUNS = """
    SELECT 1 FROM run JOIN row_change r ON r.row_key = run.benchmark_id
    WHERE r.command_id = ? AND r.table_name = 'benchmark' AND r.operation = 'insert' LIMIT 1
"""


def _reason(connection: Connection, command: LoggedCommand, word: str, step: Step) -> str:
    """Message about the change that stands against a step."""
    row = connection.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM command WHERE state = 'done' AND id <> ? AND {_TOUCHES} ORDER BY id DESC LIMIT 1",
        (command.id, *step.row),
    ).one_or_none()
    return _refusal(command, word, None if row is None else _command(row))


def _refusal(command: LoggedCommand, word: str, later: LoggedCommand | None) -> str:
    start = f"Can’t {word} this: {sentence(command)}."
    if later is None:
        return f"{start} It was changed again since then."
    if later.actor.person == current_actor().person:
        who = "you"
    else:
        who = later.actor.name or "someone else"
    return f"{start} It was changed again by {who}: {sentence(later)}."


def _touch(connection: Connection, command: LoggedCommand) -> None:
    """Mark the benchmark as edited, as any command about it does."""
    benchmark_id = benchmark_in(command.scope)
    if benchmark_id is not None:
        connection.exec_driver_sql(
            "UPDATE benchmark SET revision = revision + 1, updated_at = ?, date_modified = ? WHERE id = ?",
            (now(), datetime.now().isoformat(), benchmark_id),
        )
