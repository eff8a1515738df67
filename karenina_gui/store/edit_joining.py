"""Joining of edits: a field is saved several times while somebody types, which is one command to them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from karenina_gui.store.actors import current_actor
from karenina_gui.store.capture import LOGGED, SOFT
from karenina_gui.store.command_description import Description

PAUSE = 5.0
"""Seconds without a save of a field after which the next one is a command of its own."""
LONGEST = 60.0
"""Seconds of typing after which another command begins."""
NOTHING_LEFT = 0
"""Result of `join_previous_edit` if both edits together change nothing."""

Pair = tuple[str, str]
"""Images of a change as JSON: before and after."""

_LAST_OF_ROW = """
    SELECT c.id, c.begun_at, c.at, r.before, r.after FROM row_change r JOIN command c ON c.id = r.command_id
    WHERE r.table_name = ? AND r.row_key = ? AND r.fields = ? AND c.kind = ? AND c.state = 'done'
        AND c.id = (SELECT max(id) FROM command WHERE scope = ? AND person = ? AND state <> 'dropped')
"""
_MEASURE = """
    UPDATE command SET size = (
        SELECT coalesce(sum(coalesce(length(before), 0) + coalesce(length(after), 0)), 0) FROM row_change
        WHERE command_id = command.id
    ) WHERE id = ?
"""


@dataclass(frozen=True)
class _Edit:
    """Captured change of the only row of an edit."""

    table: str
    key: str
    fields: str
    before: str
    after: str


def join_previous_edit(connection: Connection, found: Description, at: str) -> int | None:
    """Join an edit with the last command of the same author, if that edited the same fields a moment before.

    Returns the number of that command, `NOTHING_LEFT`, or None if this edit stays by itself.
    """
    edit = _Edit(
        *connection.exec_driver_sql(
            "SELECT table_name, row_key, fields, before, after FROM captured WHERE fields <> ''"
        ).one()
    )
    values = (edit.table, edit.key, edit.fields, found.kind, found.scope, current_actor().person)
    previous = connection.exec_driver_sql(_LAST_OF_ROW, values).one_or_none()
    if previous is None:
        return None
    command_id, begun, last, before, after = previous
    is_late = _seconds(last, at) > PAUSE or _seconds(begun, at) > LONGEST
    if is_late or not _continues(after, edit.before):
        return None
    old, new = images_as_one((before, after), (edit.before, edit.after))
    if not old:
        connection.exec_driver_sql("DELETE FROM command WHERE id = ?", (command_id,))
        return NOTHING_LEFT
    if not logged_fields(edit.table, old):
        return None  # typed back, but a mark of the review stays
    _write(connection, command_id, edit, old, new)
    described = json.dumps(found.data, ensure_ascii=False)
    connection.exec_driver_sql("UPDATE command SET at = ?, data = ? WHERE id = ?", (at, described, command_id))
    measure(connection, command_id)
    return int(command_id)


def images_as_one(first: Pair, second: Pair) -> tuple[dict[str, Any], dict[str, Any]]:
    """Images before and after two consecutive changes, without the columns that are as they were."""
    (before, middle), (then, after) = ([json.loads(image) for image in pair] for pair in (first, second))
    old, new = {**then, **before}, {**middle, **after}
    changed = [name for name in old if old[name] != new[name]]
    return {name: old[name] for name in changed}, {name: new[name] for name in changed}


def logged_fields(table: str, image: dict[str, Any]) -> str:
    """Columns of an image that decide on conflicts, as the log writes them."""
    return ",".join(name for name in LOGGED[table].logged if name in image and name not in SOFT)


def measure(connection: Connection, command_id: int) -> None:
    """Note the size of a command."""
    connection.exec_driver_sql(_MEASURE, (command_id,))


def _continues(after: str, before: str) -> bool:
    """Check that nobody else has edited the fields in between."""
    left, found = json.loads(after), json.loads(before)
    return all(left.get(name, value) == value for name, value in found.items())


def _write(connection: Connection, command_id: int, edit: _Edit, old: dict[str, Any], new: dict[str, Any]) -> None:
    images = [json.dumps(each, ensure_ascii=False) for each in (old, new)]
    connection.exec_driver_sql(
        "UPDATE row_change SET before = ?, after = ?, fields = ? "
        "WHERE command_id = ? AND table_name = ? AND row_key = ?",
        (*images, logged_fields(edit.table, old), command_id, edit.table, edit.key),
    )


def _seconds(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
