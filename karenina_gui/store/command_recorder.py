"""Recorder of commands: turns the captured changes of a transaction into one command of the log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from karenina_gui.store.actors import current_actor, current_intent
from karenina_gui.store.capture import LOGGED, SOFT

PAUSE = 5.0
"""Seconds without a save of a field after which the next one is a command of its own."""
LONGEST = 60.0
"""Seconds of typing after which another command begins."""
TITLE = 60
"""Characters of a question in a sentence."""

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
_MEASURE = """
    UPDATE command SET size = (
        SELECT coalesce(sum(coalesce(length(before), 0) + coalesce(length(after), 0)), 0) FROM row_change
        WHERE command_id = command.id
    ) WHERE id = ?
"""
_LAST_OF_ROW = """
    SELECT c.id, c.kind, c.begun_at, c.at, r.before, r.after, r.fields FROM row_change r
    JOIN command c ON c.id = r.command_id
    WHERE r.table_name = ? AND r.row_key = ? AND c.person = ? AND c.state = 'done' AND c.scope = ?
    ORDER BY c.id DESC LIMIT 1
"""
_NEWEST = "SELECT max(id) FROM command WHERE scope = ? AND person = ? AND state <> 'dropped'"


@dataclass(frozen=True)
class _Group:
    """Captured changes of one kind."""

    table: str
    operation: str
    fields: str
    count: int
    first: int
    scope: str


def record_captured(connection: Connection, at: str) -> int | None:
    """Move captured changes into the log and return the number of their command; None: nothing was captured."""
    rows = connection.exec_driver_sql(_GROUPS).all()
    if not rows:
        return None
    command_id = _record(connection, [_Group(*row) for row in rows], at)
    connection.exec_driver_sql("DELETE FROM captured")
    return command_id


def _record(connection: Connection, groups: list[_Group], at: str) -> int | None:
    main = next((group for group in groups if group.fields), None)
    if main is None:
        return None  # places in the order alone are nobody's command
    _fold(connection)
    intent = current_intent()
    command_id = intent.command_id if intent else None
    kind, scope, data = _describe(connection, main, groups)
    if command_id is not None:
        _extend(connection, command_id, kind, data)
    else:
        if intent is None and kind.endswith(".edit") and data["count"] == 1:
            joined = _join_previous(connection, kind, scope, data, at)
            if joined is not None:
                return joined or None
        _drop_redo(connection, scope)
        actor = current_actor()
        written = json.dumps(data, ensure_ascii=False)
        values = (scope, kind, written, actor.person, actor.name, at, at)
        command_id = int(connection.exec_driver_sql(_INSERT, values).scalar_one())
    connection.exec_driver_sql(_MOVE, (command_id,))
    connection.exec_driver_sql(_MEASURE, (command_id,))
    return command_id


def _extend(connection: Connection, command_id: int, kind: str, data: dict[str, Any]) -> None:
    """Count more rows of the same kind in the sentence of a command of several transactions."""
    known, written = connection.exec_driver_sql("SELECT kind, data FROM command WHERE id = ?", (command_id,)).one()
    before = json.loads(written)
    if known == kind and before.get("number") != data.get("number"):
        both = {name: value for name, value in before.items() if name not in ("title", "number")}
        both["count"] = before["count"] + data["count"]
        written = json.dumps(both, ensure_ascii=False)
        connection.exec_driver_sql("UPDATE command SET data = ? WHERE id = ?", (written, command_id))


def _drop_redo(connection: Connection, scope: str) -> None:
    dropping = "UPDATE command SET state = 'dropped' WHERE scope = ? AND person = ? AND state = 'undone'"
    connection.exec_driver_sql(dropping, (scope, current_actor().person))


def _fold(connection: Connection) -> None:
    """Make one change of several to the same row."""
    total, distinct = connection.exec_driver_sql(
        "SELECT count(*), count(DISTINCT table_name || ' ' || row_key) FROM captured"
    ).one()
    if total == distinct:
        return
    kept: dict[tuple[str, str], tuple[int, str]] = {}
    rows = connection.exec_driver_sql("SELECT id, table_name, row_key, operation FROM captured ORDER BY id").all()
    for number, table, key, operation in rows:
        if operation != "update":
            kept[table, key] = (number, operation)
            continue
        first = kept.setdefault((table, key), (number, operation))
        if first[0] == number:
            continue
        if first[1] == "update":
            _merge(connection, first[0], number)
        # An inserted row has no image before it is undone, so that its updates are part of it.
        connection.exec_driver_sql("DELETE FROM captured WHERE id = ?", (number,))


def _merge(connection: Connection, first: int, second: int) -> None:
    both = "SELECT before, after, table_name FROM captured WHERE id IN (?, ?) ORDER BY id"
    (before, middle, table), (then, after, _) = connection.exec_driver_sql(both, (first, second)).all()
    merged = _merged(json.loads(before), json.loads(middle), json.loads(then), json.loads(after))
    fields = _fields(table, merged[0])
    connection.exec_driver_sql(
        "UPDATE captured SET before = ?, after = ?, fields = ? WHERE id = ?",
        (json.dumps(merged[0], ensure_ascii=False), json.dumps(merged[1], ensure_ascii=False), fields, first),
    )


def _merged(
    before: dict[str, Any], middle: dict[str, Any], then: dict[str, Any], after: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Images of two consecutive changes as one, without the columns that are as they were."""
    old, new = {**then, **before}, {**middle, **after}
    changed = [name for name in old if old[name] != new[name]]
    return {name: old[name] for name in changed}, {name: new[name] for name in changed}


def _fields(table: str, image: dict[str, Any]) -> str:
    return ",".join(name for name in LOGGED[table].logged if name in image and name not in SOFT)


def _describe(connection: Connection, main: _Group, groups: list[_Group]) -> tuple[str, str, dict[str, Any]]:
    """Kind, scope, and data of the command."""
    first = connection.exec_driver_sql(
        "SELECT row_key, before, after FROM captured WHERE id = ?", (main.first,)
    ).one_or_none() or ("", None, None)
    alike = [each for each in groups if (each.table, each.operation) == (main.table, main.operation) and each.fields]
    count = sum(each.count for each in alike)
    verb = _verb(main, first[2])
    intent = current_intent()
    data: dict[str, Any] = {"count": count}
    if count == 1:
        data["title"] = _title(connection, main.table, first[0], first[1])
        if main.table == "question":
            data["number"] = int(first[0])
    if verb == "edit":
        data["fields"] = sorted({name for each in alike for name in each.fields.split(",")})
    of_presence = main.table == "benchmark" and verb in ("add", "delete", "restore")
    scope = "benchmarks" if of_presence else main.scope
    wanted = intent.verb if intent and intent.verb else verb
    return wanted if "." in wanted else f"{main.table}.{wanted}", scope, {**data, **(intent.data if intent else {})}


def _verb(group: _Group, after: str | None) -> str:
    if group.operation != "update":
        return {"insert": "add", "delete": "delete"}[group.operation]
    names, new = set(group.fields.split(",")), json.loads(after or "{}")
    if names == {"deleted_at"}:
        return "delete" if new["deleted_at"] else "restore"
    if names <= {"finished", "finished_at"}:
        return "review" if "finished" not in names else "finish" if new["finished"] else "unfinish"
    return "edit"


def _title(connection: Connection, table: str, key: str, before: str | None) -> str:
    logged = LOGGED[table]
    found = connection.exec_driver_sql(f"SELECT {logged.title} FROM {table} WHERE {logged.key} = ?", (key,)).scalar()
    # A row that is gone has its name in its image.
    text = found if found is not None else json.loads(before or "{}").get(logged.title)
    words = " ".join(str(text or "").split())
    return words if len(words) <= TITLE else f"{words[: TITLE - 1]}…"


def _join_previous(connection: Connection, kind: str, scope: str, data: dict[str, Any], at: str) -> int | None:
    """Join an edit with the previous one of the same fields by the same author, as typing makes several.

    Returns the number of that command, 0 if both together changed nothing, and None if this edit stays by itself.
    """
    table, key, before, after, fields = connection.exec_driver_sql(
        "SELECT table_name, row_key, before, after, fields FROM captured WHERE fields <> '' ORDER BY id"
    ).one()
    person = current_actor().person
    found = connection.exec_driver_sql(_LAST_OF_ROW, (table, key, person, scope)).one_or_none()
    newest = connection.exec_driver_sql(_NEWEST, (scope, person)).scalar()
    if found is None or found[0] != newest or found[1] != kind or found[6] != fields:
        return None
    command_id, _, begun, last, old, middle, _ = found
    if _seconds(last, at) > PAUSE or _seconds(begun, at) > LONGEST:
        return None
    previous, then = json.loads(middle), json.loads(before)
    if any(previous.get(name, value) != value for name, value in then.items()):
        return None  # somebody else edited it in between
    merged = _merged(json.loads(old), previous, then, json.loads(after))
    if not merged[0]:
        connection.exec_driver_sql("DELETE FROM command WHERE id = ?", (command_id,))
        return 0
    if not _fields(table, merged[0]):
        return None  # typed back, but a mark of the review stays
    images = [json.dumps(each, ensure_ascii=False) for each in merged]
    connection.exec_driver_sql(
        "UPDATE row_change SET before = ?, after = ?, fields = ? "
        "WHERE command_id = ? AND table_name = ? AND row_key = ?",
        (*images, _fields(table, merged[0]), command_id, table, key),
    )
    connection.exec_driver_sql(
        "UPDATE command SET at = ?, data = ? WHERE id = ?",
        (at, json.dumps(data, ensure_ascii=False), command_id),
    )
    connection.exec_driver_sql(_MEASURE, (command_id,))
    return int(command_id)


def _seconds(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
