"""User preferences: theme, pane sizes, last benchmark, author name and so on."""

from __future__ import annotations

from typing import Any

from sqlmodel import select

from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent


class PreferenceStore:
    """One JSON value for each user and name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def save(self, person: str, name: str, value: Any) -> None:
        """Save a plain JSON value."""
        with self._database.writing() as session:
            session.merge(tables.PreferenceRow(person=person, name=name, value=value, updated_at=now()))

    def of(self, person: str) -> dict[str, Any]:
        """All preferences of a user by name."""
        with self._database.reading() as session:
            rows = session.exec(select(tables.PreferenceRow).where(tables.PreferenceRow.person == person)).all()
            return {row.name: row.value for row in rows}
