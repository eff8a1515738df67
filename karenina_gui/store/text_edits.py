"""Texts of many questions: read together, and edited in one transaction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlmodel import col, select

from karenina_gui.errors import InputError
from karenina_gui.schemas.text_edits import EditsOutcome, FieldEdits, QuestionTexts
from karenina_gui.store import tables
from karenina_gui.store.database import Database
from karenina_gui.store.question_edits import edit_row
from karenina_gui.store.question_ids import KnownIdentities
from karenina_gui.store.question_summaries import among, of_benchmark
from karenina_gui.store.row_mapping import benchmark_row, touch
from karenina_gui.store.writes import persistent

row_of = tables.QuestionRow
TEXT_FIELDS = ("question", "raw_answer", "answer_notes", "keywords", "answer_template", "question_rubric")


class TextEdits:
    """Texts of the question table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def texts(self, benchmark_id: int) -> list[QuestionTexts]:
        """Texts of all questions, in the benchmark's order."""
        columns: Any = [getattr(row_of, name) for name in TEXT_FIELDS]
        statement = select(row_of.id, row_of.finished, *columns).where(*of_benchmark(benchmark_id))
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            rows = session.execute(statement.order_by(col(row_of.position), col(row_of.id))).all()
        return [
            QuestionTexts(number, position, finished, dict(zip(TEXT_FIELDS, values, strict=True)))
            for position, (number, finished, *values) in enumerate(rows, start=1)
        ]

    @persistent
    def save(self, benchmark_id: int, edits: Iterable[FieldEdits], *, corrections: bool = False) -> EditsOutcome:
        """Carry out edits in one transaction.

        A question that is gone, has another value by now, or would get the text of another one stays as it is.
        `corrections`: new texts are corrections, so that a question to whose id results refer keeps it on purpose;
        False: its author decides, see `Questions.update`.
        """
        outcome = EditsOutcome([], [])
        with self._database.writing() as session:
            benchmark = benchmark_row(session, benchmark_id)
            at, identities = touch(benchmark), KnownIdentities(session, benchmark_id)
            edits = list(edits)
            # Together, since a query for each question would also write the one before it by itself.
            statement = select(row_of).where(
                *of_benchmark(benchmark_id), among(row_of.id, [edit.number for edit in edits])
            )
            rows = {row.id: row for row in session.exec(statement).all()}
            for edit in edits:
                try:
                    row = _current(rows.get(edit.number), edit)
                    changes = dict(edit.after)
                    if corrections and "question" in changes and identities.is_referred_to(row.question_id):
                        changes["id"] = row.question_id
                    edit_row(session, row, changes, identities)
                    row.revision, row.updated_at = row.revision + 1, at
                except InputError as error:
                    outcome.refused.append((edit.number, str(error)))
                else:
                    outcome.changed.append(edit.number)
        return outcome


def _current(row: tables.QuestionRow | None, edit: FieldEdits) -> tables.QuestionRow:
    """The row, if its values are still those that the edit is about."""
    if row is None:
        raise InputError("It was deleted in the meantime.")
    if any(getattr(row, name) != value for name, value in edit.before.items()):
        raise InputError("It was edited in the meantime.")
    return row
