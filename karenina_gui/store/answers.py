"""Generated answers of a run, saved as soon as they arrive so that none is paid for twice."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, select

from karenina_gui.store import tables
from karenina_gui.store.database import Database
from karenina_gui.store.writes import persistent


class Answers:
    """Answers by run and `Job.answer_key`, which names the question, the answering model and the replicate."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def save(self, run_id: int, key: str, payload: dict[str, Any]) -> None:
        """Save an answer durably, replacing an earlier one."""
        with self._database.writing() as session:
            row = _row(session, run_id, key) or tables.AnswerRow(run_id=run_id, key=key, payload=payload)
            row.payload = payload
            session.add(row)

    def get(self, run_id: int, key: str) -> dict[str, Any] | None:
        """Payload of a saved answer; None: not generated yet."""
        with self._database.reading() as session:
            row = _row(session, run_id, key)
        return None if row is None else row.payload

    def keys(self, run_id: int) -> set[str]:
        """Keys of all saved answers of a run."""
        with self._database.reading() as session:
            return set(session.exec(select(tables.AnswerRow.key).where(tables.AnswerRow.run_id == run_id)).all())


def _row(session: Session, run_id: int, key: str) -> tables.AnswerRow | None:
    return session.exec(
        select(tables.AnswerRow).where(tables.AnswerRow.run_id == run_id, tables.AnswerRow.key == key)
    ).first()
