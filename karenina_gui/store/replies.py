"""Judge replies saved for jobs that will be retried, so that no reply is paid for twice."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, delete, select

from karenina_gui.store import tables
from karenina_gui.store.database import Database


class Replies:
    """Replies by run and job. `Runs.record` saves and deletes them together with the job's result."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, run_id: int, job_key: str) -> dict[str, Any] | None:
        """Saved replies of a job; None: there are none."""
        statement = select(tables.KeptReplyRow.replies).where(*_of_run(run_id), tables.KeptReplyRow.job_key == job_key)
        with self._database.reading() as session:
            replies = session.exec(statement).first()
        return None if replies is None else dict(replies)

    def keys(self, run_id: int) -> set[str]:
        """Keys of a run's jobs with saved replies."""
        with self._database.reading() as session:
            return set(session.exec(select(tables.KeptReplyRow.job_key).where(*_of_run(run_id))).all())


def keep_replies(session: Session, run_id: int, job_key: str, replies: dict[str, Any] | None) -> None:
    """Replace the saved replies of a job; None: delete them."""
    session.exec(delete(tables.KeptReplyRow).where(*_of_run(run_id), col(tables.KeptReplyRow.job_key) == job_key))
    if replies is not None:
        session.add(tables.KeptReplyRow(run_id=run_id, job_key=job_key, replies=replies))


def forget_replies(session: Session, run_id: int) -> None:
    """Delete all saved replies of a run."""
    session.exec(delete(tables.KeptReplyRow).where(*_of_run(run_id)))


def _of_run(run_id: int) -> tuple[Any]:
    return (col(tables.KeptReplyRow.run_id) == run_id,)
