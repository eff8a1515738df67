"""Recorder of commands: turns the captured changes of a transaction into one command of the log.

A field is saved several times while somebody types, which is one command to them: such edits are joined.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from karenina_gui.store.actors import current_actor, current_intent
from karenina_gui.store.capture import LOGGED, SOFT

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
TITLE = 60
"""Characters of a question in a sentence."""


@dataclass(frozen=True)
class CapturedGroup:
    """Captured changes of one kind."""

    table: str
    operation: str
    fields: str
    count: int
    first: int
    """Number of the first of them."""
    scope: str


@dataclass(frozen=True)
class Description:
    kind: str
    scope: str
    data: dict[str, Any]
    """See `schemas.command.LoggedCommand`."""

    @property
    def is_edit_of_one(self) -> bool:
        return self.kind.endswith(".edit") and self.data["count"] == 1


def describe(connection: Connection, groups: Sequence[CapturedGroup]) -> Description:
    """Describe a command by the first of its changes and those like it."""
    main = groups[0]
    alike = [group for group in groups if (group.table, group.operation) == (main.table, main.operation)]
    names = {name for group in alike for name in group.fields.split(",")}
    verb = _verb(connection, alike, names)
    count = sum(group.count for group in alike)
    data = {"count": count, **(_identity(connection, main) if count == 1 else {})}
    if verb == "edit":
        data["fields"] = sorted(names)
    of_presence = main.table == "benchmark" and verb in ("add", "delete", "restore")
    return _as_intended(Description(f"{main.table}.{verb}", "benchmarks" if of_presence else main.scope, data))


def _as_intended(description: Description) -> Description:
    """Replace what the command itself says about its kind."""
    intent = current_intent()
    if intent is None:
        return description
    table = description.kind.partition(".")[0]
    verb = intent.verb or description.kind
    kind = verb if "." in verb else f"{table}.{verb}"
    return Description(kind, description.scope, {**description.data, **intent.data})


def _verb(connection: Connection, groups: Sequence[CapturedGroup], names: set[str]) -> str:
    if groups[0].operation != "update":
        return {"insert": "add", "delete": "delete"}[groups[0].operation]
    if names == {"deleted_at"}:
        return "delete" if _after(connection, groups, "deleted_at") else "restore"
    if names <= {"finished", "finished_at", "finished_by", "returned_at"}:
        if "finished" in names:
            return "finish" if _after(connection, groups, "finished") else "unfinish"
        if "returned_at" in names:
            return "return" if _after(connection, groups, "returned_at") else "ask"
        return "review"
    return "edit"


def _after(connection: Connection, groups: Sequence[CapturedGroup], name: str) -> Any:
    """Value of a field after the command, in a row that it changed."""
    # Rows of one command may differ in the fields that changed, such as those of questions that were finished before.
    group = next(group for group in groups if name in group.fields.split(","))
    after = connection.exec_driver_sql("SELECT after FROM captured WHERE id = ?", (group.first,)).scalar_one()
    return json.loads(after)[name]


def _identity(connection: Connection, group: CapturedGroup) -> dict[str, Any]:
    """Title of the only row, and its number if it is a question."""
    logged = LOGGED[group.table]
    key, before = connection.exec_driver_sql("SELECT row_key, before FROM captured WHERE id = ?", (group.first,)).one()
    reading = f"SELECT {logged.title} FROM {logged.name} WHERE {logged.key} = ?"
    title_now = connection.exec_driver_sql(reading, (key,)).scalar()
    # A row that is gone has its name in its image.
    text = title_now if title_now is not None else json.loads(before or "{}").get(logged.title)
    line = " ".join(str(text or "").split())
    title = line if len(line) <= TITLE else f"{line[: TITLE - 1]}…"
    return {"title": title, **({"number": int(key)} if group.table == "question" else {})}


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
    description, intent = describe(connection, groups), current_intent()
    if intent is None and description.is_edit_of_one:
        joined = join_previous_edit(connection, description, at)
        if joined is not None:
            return None if joined == NOTHING_LEFT else joined
    if intent is not None and intent.command_id is not None:
        command_id = intent.command_id
        _extend(connection, command_id, description)
    else:
        command_id = _begin(connection, description, at)
    connection.exec_driver_sql(_MOVE, (command_id,))
    measure(connection, command_id)
    return command_id


def _begin(connection: Connection, description: Description, at: str) -> int:
    """Add a command to the log. What its author has undone before can no longer be redone."""
    actor = current_actor()
    dropping = "UPDATE command SET state = 'dropped' WHERE scope = ? AND person = ? AND state = 'undone'"
    connection.exec_driver_sql(dropping, (description.scope, actor.person))
    written = json.dumps(description.data, ensure_ascii=False)
    values = (description.scope, description.kind, written, actor.person, actor.name, at, at)
    return int(connection.exec_driver_sql(_INSERT, values).scalar_one())


def _extend(connection: Connection, command_id: int, description: Description) -> None:
    """Count more rows of the same kind in the sentence of a command of several transactions."""
    kind, written = connection.exec_driver_sql("SELECT kind, data FROM command WHERE id = ?", (command_id,)).one()
    before: dict[str, Any] = json.loads(written)
    if kind == description.kind and before.get("number") != description.data.get("number"):
        both = {name: value for name, value in before.items() if name not in ("title", "number")}
        both["count"] = before["count"] + description.data["count"]
        written = json.dumps(both, ensure_ascii=False)
        connection.exec_driver_sql("UPDATE command SET data = ? WHERE id = ?", (written, command_id))


def _fold(connection: Connection) -> None:
    """Make one change of several to the same row."""
    counting = "SELECT count(*), count(DISTINCT table_name || ' ' || row_key) FROM captured"
    total, distinct = connection.exec_driver_sql(counting).one()
    if total == distinct:
        return
    first_changes: dict[tuple[str, str], tuple[int, str]] = {}
    rows = connection.exec_driver_sql("SELECT id, table_name, row_key, operation FROM captured ORDER BY id").all()
    for number, table, key, operation in rows:
        first = first_changes.get((table, key))
        if operation != "update" or first is None:
            first_changes[table, key] = (number, operation)
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


@dataclass(frozen=True)
class _Edit:
    """Captured change of the only row of an edit."""

    table: str
    key: str
    fields: str
    before: str
    after: str


def join_previous_edit(connection: Connection, description: Description, at: str) -> int | None:
    """Join an edit with the last command of the same author, if that edited the same fields a moment before.

    Returns the number of that command, `NOTHING_LEFT`, or None if this edit stays by itself.
    """
    rows = connection.exec_driver_sql(
        "SELECT table_name, row_key, fields, before, after FROM captured WHERE fields <> ''"
    ).all()
    if len(rows) > 1:  # calibrations follow a new name
        return None
    edit = _Edit(*rows[0])
    values = (edit.table, edit.key, edit.fields, description.kind, description.scope, current_actor().person)
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
    _write_joined(connection, command_id, edit, old, new)
    described = json.dumps(description.data, ensure_ascii=False)
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
    images_after, images_before = json.loads(after), json.loads(before)
    return all(images_after.get(name, value) == value for name, value in images_before.items())


def _write_joined(
    connection: Connection, command_id: int, edit: _Edit, old: dict[str, Any], new: dict[str, Any]
) -> None:
    images = [json.dumps(image, ensure_ascii=False) for image in (old, new)]
    connection.exec_driver_sql(
        "UPDATE row_change SET before = ?, after = ?, fields = ? "
        "WHERE command_id = ? AND table_name = ? AND row_key = ?",
        (*images, logged_fields(edit.table, old), command_id, edit.table, edit.key),
    )


def _seconds(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
