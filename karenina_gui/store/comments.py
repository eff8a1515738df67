"""Comments about questions. They stay on this computer and are never exported."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import col, func, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.review import Comment, CommentKind
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.question_summaries import among, of_benchmark
from karenina_gui.store.writes import persistent

row_of = tables.CommentRow


class Comments:
    """Comment table. Comments of a deleted question come back with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, number: int) -> list[Comment]:
        """Comments about a question, the oldest first."""
        with self._database.reading() as session:
            rows = session.exec(select(row_of).where(row_of.question_number == number).order_by(col(row_of.id))).all()
            return [_comment(row) for row in rows]

    def open_counts(self, benchmark_id: int, numbers: Iterable[int] | None = None) -> dict[int, int]:
        """Open comments by question, for those that have any; notes with which a question was returned do not count.

        `numbers` None: all questions of the benchmark.
        """
        question = tables.QuestionRow
        of_these = () if numbers is None else (among(question.id, numbers),)
        counted = (
            select(row_of.question_number, func.count())
            .join(question, col(question.id) == col(row_of.question_number))
            .where(*of_benchmark(benchmark_id), *of_these, col(row_of.done_at).is_(None), row_of.kind == "comment")
            .group_by(col(row_of.question_number))
        )
        with self._database.reading() as session:
            return dict(session.exec(counted).all())

    @persistent
    def add(
        self, number: int, author: str, text: str, *, part: str | None = None, kind: CommentKind = "comment"
    ) -> int:
        """Add a comment and return its id; `part` None: about the whole question."""
        with self._database.writing() as session:
            if session.get(tables.QuestionRow, number) is None:
                raise NotFoundError("This question was erased.")
            row = row_of(
                question_number=number, author=author, text=text, part=part, kind=kind, created_at=now(), done_at=None
            )
            session.add(row)
            session.flush()
            assert row.id is not None
            return row.id

    @persistent
    def set_done(self, comment_id: int, done: bool) -> None:
        """Mark a comment as done, or as open again. Raises `NotFoundError` if it was deleted."""
        with self._database.writing() as session:
            _row_or_error(session.get(row_of, comment_id)).done_at = now() if done else None

    @persistent
    def delete(self, comment_id: int) -> Comment:
        """Delete a comment and return it. Raises `NotFoundError` if it was deleted before."""
        with self._database.writing() as session:
            row = _row_or_error(session.get(row_of, comment_id))
            deleted = _comment(row)
            session.delete(row)
            return deleted


def _row_or_error(row: tables.CommentRow | None) -> tables.CommentRow:
    if row is None:
        raise NotFoundError("This comment was deleted.")
    return row


def _comment(row: tables.CommentRow) -> Comment:
    assert row.id is not None
    kind: CommentKind = row.kind  # type: ignore[assignment]
    return Comment(
        row.id, row.question_number, row.author, row.text, row.part, kind, row.created_at, row.done_at is not None
    )
