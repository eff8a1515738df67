"""Saved run forms: the settings of each user for the next run of a benchmark."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlmodel import col, select

from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent


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
