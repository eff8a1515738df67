"""Replies of judges for jobs that are worth another try: what was paid for once is not paid for again."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, delete, select

from karenina_gui.store import tables
from karenina_gui.store.database import Database


class Replies:
    """By run and job; they come and go with the job's result, see `Runs.record`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, run_id: int, job_key: str) -> dict[str, Any] | None:
        """None: there are none."""
        wanted = select(tables.KeptReply.replies).where(*_of(run_id), tables.KeptReply.job_key == job_key)
        with self._database.reading() as session:
            found = session.exec(wanted).first()
        return None if found is None else dict(found)

    def keys(self, run_id: int) -> set[str]:
        """Jobs of a run with replies."""
        with self._database.reading() as session:
            return set(session.exec(select(tables.KeptReply.job_key).where(*_of(run_id))).all())


def keep_replies(session: Session, run_id: int, job_key: str, replies: dict[str, Any] | None) -> None:
    """In the place of those that the job had; None: it needs none any more."""
    session.exec(delete(tables.KeptReply).where(*_of(run_id), col(tables.KeptReply.job_key) == job_key))
    if replies is not None:
        session.add(tables.KeptReply(run_id=run_id, job_key=job_key, replies=replies))


def forget_replies(session: Session, run_id: int) -> None:
    """Nobody will ask for them any more."""
    session.exec(delete(tables.KeptReply).where(*_of(run_id)))


def _of(run_id: int) -> tuple[Any]:
    return (col(tables.KeptReply.run_id) == run_id,)
