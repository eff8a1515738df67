"""Description of a command: its kind, its scope, and the parts of its sentence, from what was captured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from karenina_gui.store.actors import current_intent
from karenina_gui.store.capture import LOGGED

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
    alike = [each for each in groups if (each.table, each.operation) == (main.table, main.operation)]
    names = {name for each in alike for name in each.fields.split(",")}
    verb = _verb(connection, alike, names)
    count = sum(each.count for each in alike)
    data = {"count": count, **(_identity(connection, main) if count == 1 else {})}
    if verb == "edit":
        data["fields"] = sorted(names)
    of_presence = main.table == "benchmark" and verb in ("add", "delete", "restore")
    return _as_intended(Description(f"{main.table}.{verb}", "benchmarks" if of_presence else main.scope, data))


def _as_intended(found: Description) -> Description:
    """Replace what the command itself says about its kind."""
    intent = current_intent()
    if intent is None:
        return found
    table = found.kind.partition(".")[0]
    verb = intent.verb or found.kind
    kind = verb if "." in verb else f"{table}.{verb}"
    return Description(kind, found.scope, {**found.data, **intent.data})


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
    group = next(each for each in groups if name in each.fields.split(","))
    after = connection.exec_driver_sql("SELECT after FROM captured WHERE id = ?", (group.first,)).scalar_one()
    return json.loads(after)[name]


def _identity(connection: Connection, group: CapturedGroup) -> dict[str, Any]:
    """Title of the only row, and its number if it is a question."""
    logged = LOGGED[group.table]
    key, before = connection.exec_driver_sql("SELECT row_key, before FROM captured WHERE id = ?", (group.first,)).one()
    reading = f"SELECT {logged.title} FROM {logged.name} WHERE {logged.key} = ?"
    found = connection.exec_driver_sql(reading, (key,)).scalar()
    # A row that is gone has its name in its image.
    text = found if found is not None else json.loads(before or "{}").get(logged.title)
    words = " ".join(str(text or "").split())
    title = words if len(words) <= TITLE else f"{words[: TITLE - 1]}…"
    return {"title": title, **({"number": int(key)} if group.table == "question" else {})}
