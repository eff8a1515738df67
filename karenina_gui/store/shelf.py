"""Library of traits and templates. It stays on this computer."""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import count
from typing import Any

from sqlmodel import col, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.shelf import ShelfItem, ShelfKind
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent

row_of = tables.ShelfItemRow


class Shelf:
    """Table of library entries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, kind: ShelfKind) -> list[ShelfItem]:
        """Entries of a kind by name."""
        statement = select(row_of).where(row_of.kind == kind).order_by(col(row_of.name))
        with self._database.reading() as session:
            return [_item(row) for row in session.exec(statement)]

    @persistent
    def add(
        self, kind: ShelfKind, name: str, content: dict[str, Any], *, type_name: str = "", by: str = ""
    ) -> ShelfItem:
        """Save an entry. If its name is taken, it gets a number; an equal entry is returned as it is."""
        with self._database.writing() as session:
            rows = session.exec(select(row_of).where(row_of.kind == kind)).all()
            # Pressed twice, or saved by two people: a second copy would only make the list longer.
            for row in rows:
                # With keys in their order, because a trait's classes are scored by position.
                if row.type_name == type_name and json.dumps(row.content) == json.dumps(content):
                    return _item(row)
            free = _free_name(name, {row.name for row in rows})
            row = row_of(kind=kind, name=free, type_name=type_name, content=content, author=by, at=now())
            session.add(row)
            session.flush()
            return _item(row)

    @persistent
    def delete(self, item_id: int) -> None:
        """Delete an entry. Raises `NotFoundError`."""
        with self._database.writing() as session:
            row = session.get(row_of, item_id)
            if row is None:
                raise NotFoundError("This saved trait or template has already been deleted.")
            session.delete(row)


def _free_name(name: str, taken: Collection[str]) -> str:
    if name not in taken:
        return name
    return next(f"{name} {number}" for number in count(2) if f"{name} {number}" not in taken)


def _item(row: tables.ShelfItemRow) -> ShelfItem:
    assert row.id is not None
    kind: ShelfKind = row.kind  # type: ignore[assignment]
    return ShelfItem(row.id, kind, row.name, row.type_name, dict(row.content), row.author, row.at)
