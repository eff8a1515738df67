"""Recorder of commands: turns the captured changes of a transaction into one command of the log."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection

from karenina_gui.store.actors import current_actor, current_intent
from karenina_gui.store.command_description import CapturedGroup, Description, describe
from karenina_gui.store.edit_joining import NOTHING_LEFT, images_as_one, join_previous_edit, logged_fields, measure

_GROUPS = """
    SELECT table_name, operation, fields, count(*), min(id), scope FROM captured
    GROUP BY table_name, operation, fields ORDER BY min(id)
"""
_INSERT = """
    INSERT INTO command (scope, kind, data, person, name, begun_at, at, state, size)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'done', 0) RETURNING id
"""
_MOVE = """
    INSERT INTO row_change (command_id, table_name, row_key, operation, fields, before, after)
    SELECT ?, table_name, row_key, operation, fields, before, after FROM captured ORDER BY id
"""


def record_captured(connection: Connection, at: str) -> int | None:
    """Move captured changes into the log and return the number of their command; None: nothing is left of them."""
    rows = connection.exec_driver_sql(_GROUPS).all()
    if not rows:
        return None
    # Places in the order alone are nobody's command.
    groups = [group for group in (CapturedGroup(*row) for row in rows) if group.fields]
    command_id = _record(connection, groups, at) if groups else None
    connection.exec_driver_sql("DELETE FROM captured")
    return command_id


def _record(connection: Connection, groups: list[CapturedGroup], at: str) -> int | None:
    _fold(connection)
    found, intent = describe(connection, groups), current_intent()
    if intent is None and found.is_edit_of_one:
        joined = join_previous_edit(connection, found, at)
        if joined is not None:
            return None if joined == NOTHING_LEFT else joined
    if intent is not None and intent.command_id is not None:
        command_id = intent.command_id
        _extend(connection, command_id, found)
    else:
        command_id = _begin(connection, found, at)
    connection.exec_driver_sql(_MOVE, (command_id,))
    measure(connection, command_id)
    return command_id


def _begin(connection: Connection, found: Description, at: str) -> int:
    """Add a command to the log. What its author has undone before can no longer be redone."""
    actor = current_actor()
    dropping = "UPDATE command SET state = 'dropped' WHERE scope = ? AND person = ? AND state = 'undone'"
    connection.exec_driver_sql(dropping, (found.scope, actor.person))
    written = json.dumps(found.data, ensure_ascii=False)
    values = (found.scope, found.kind, written, actor.person, actor.name, at, at)
    return int(connection.exec_driver_sql(_INSERT, values).scalar_one())


def _extend(connection: Connection, command_id: int, found: Description) -> None:
    """Count more rows of the same kind in the sentence of a command of several transactions."""
    known, written = connection.exec_driver_sql("SELECT kind, data FROM command WHERE id = ?", (command_id,)).one()
    before: dict[str, Any] = json.loads(written)
    if known == found.kind and before.get("number") != found.data.get("number"):
        both = {name: value for name, value in before.items() if name not in ("title", "number")}
        both["count"] = before["count"] + found.data["count"]
        written = json.dumps(both, ensure_ascii=False)
        connection.exec_driver_sql("UPDATE command SET data = ? WHERE id = ?", (written, command_id))


def _fold(connection: Connection) -> None:
    """Make one change of several to the same row."""
    counting = "SELECT count(*), count(DISTINCT table_name || ' ' || row_key) FROM captured"
    total, distinct = connection.exec_driver_sql(counting).one()
    if total == distinct:
        return
    known: dict[tuple[str, str], tuple[int, str]] = {}
    rows = connection.exec_driver_sql("SELECT id, table_name, row_key, operation FROM captured ORDER BY id").all()
    for number, table, key, operation in rows:
        first = known.get((table, key))
        if operation != "update" or first is None:
            known[table, key] = (number, operation)
            continue
        if first[1] == "update":
            _merge(connection, first[0], number)
        # An inserted row has no image before it is undone, so that its updates are part of it.
        connection.exec_driver_sql("DELETE FROM captured WHERE id = ?", (number,))


def _merge(connection: Connection, first: int, second: int) -> None:
    both = "SELECT before, after, table_name FROM captured WHERE id IN (?, ?) ORDER BY id"
    (before, middle, table), (then, after, _) = connection.exec_driver_sql(both, (first, second)).all()
    old, new = images_as_one((before, middle), (then, after))
    connection.exec_driver_sql(
        "UPDATE captured SET before = ?, after = ?, fields = ? WHERE id = ?",
        (json.dumps(old, ensure_ascii=False), json.dumps(new, ensure_ascii=False), logged_fields(table, old), first),
    )
