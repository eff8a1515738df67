"""User preferences (theme, pane sizes, last benchmark, author name and so on), and saved run forms."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlmodel import col, select

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


class RunChoices:
    """One form for each benchmark and user; a later one replaces it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def save(self, benchmark_id: int, person: str, choice: dict[str, Any]) -> None:
        """Save a form as plain JSON. Raises `IntegrityError` if the benchmark does not exist."""
        with self._database.writing() as session:
            session.merge(
                tables.RunChoiceRow(benchmark_id=benchmark_id, person=person, choice=choice, updated_at=now())
            )

    def of(self, person: str, benchmark_ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """Forms of a user by benchmark id."""
        row = tables.RunChoiceRow
        statement = select(row).where(row.person == person, col(row.benchmark_id).in_(benchmark_ids))
        with self._database.reading() as session:
            return {choice_row.benchmark_id: choice_row.choice for choice_row in session.exec(statement).all()}
