"""Unsaved edits: text that could not be saved and waits for the user's decision.

They survive reloads, crashes and restarts.
"""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from karenina_gui.schemas.edits import UnsavedEdit, WaitingEdit
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent

INCOMPLETE = "traits"
"""Field of a waiting edit that stands for incomplete traits."""


class Drafts:
    """One unsaved edit for each place and user; a later one replaces it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def save(self, address: str, person: str, typed: Any, base: Any) -> UnsavedEdit:
        """Save an unsaved edit durably. `base` is the saved value that the user edited; both are plain JSON."""
        with self._database.writing() as session:
            row = session.exec(_select_draft(address, person)).first() or tables.DraftRow(
                place=address, person=person, updated_at=""
            )
            row.value = {"typed": typed, "base": base}
            row.updated_at = now()
            session.add(row)
        return _edit(row)

    @persistent
    def discard(self, address: str, person: str) -> None:
        """Delete an unsaved edit once the user has decided. Does nothing if there is none."""
        with self._database.writing() as session:
            for row in session.exec(_select_draft(address, person)).all():
                session.delete(row)

    def of(self, person: str, within: str = "") -> list[UnsavedEdit]:
        """All unsaved edits of a user, or those within one record (`question/12`), the latest first."""
        statement = select(tables.DraftRow).where(tables.DraftRow.person == person)
        if within:
            statement = statement.where(col(tables.DraftRow.place).startswith(f"{within}/", autoescape=True))
        with self._database.reading() as session:
            rows = session.exec(_latest_first(statement)).all()
        return [_edit(row) for row in rows]

    def waiting(self, person: str) -> list[WaitingEdit]:
        """Places of this user's unsaved edits, the latest first, and of incomplete traits.

        Deleted records are left out until restored.
        """
        edits, traits = self.all_waiting()
        return [*edits.get(person, ()), *traits]

    def all_waiting(self) -> tuple[dict[str, list[WaitingEdit]], list[WaitingEdit]]:
        """Places as in `waiting`: those of unsaved edits by user, and those of incomplete traits."""
        edits: dict[str, list[WaitingEdit]] = {}
        with self._database.reading() as session:
            for row in session.exec(_latest_first(select(tables.DraftRow))):
                if (edit := _waiting_edit(session, row.place)) is not None:
                    edits.setdefault(row.person, []).append(edit)
            traits = [_waiting_edit(session, address) for address in _incomplete_traits(session)]
        return edits, [edit for edit in traits if edit is not None]


def _incomplete_traits(session: Session) -> list[str]:
    return [
        f"{kind}/{number}/{INCOMPLETE}"
        for kind, row in (("question", tables.QuestionRow), ("benchmark", tables.BenchmarkRow))
        for number, edits in session.exec(select(row.id, row.trait_edits).where(col(row.trait_edits).is_not(None)))
        if any("values" in edit for edit in edits or ())
    ]


def _waiting_edit(session: Session, address: str) -> WaitingEdit | None:
    """The record that an edit belongs to; None: it is deleted."""
    kind, number, field = address.split("/", 2)
    if kind == "preset":
        preset = session.exec(select(tables.PresetRow).where(tables.PresetRow.uid == number)).first()
        return WaitingEdit(None, None, field, number) if preset else None
    if kind == "question":
        question = session.get(tables.QuestionRow, int(number))
        if question is None or question.deleted_at is not None:
            return None
        benchmark_id, question_id = question.benchmark_id, question.id
    else:
        benchmark_id, question_id = int(number), None
    benchmark = session.get(tables.BenchmarkRow, benchmark_id)
    if benchmark is None or benchmark.id is None or benchmark.deleted_at is not None:
        return None
    return WaitingEdit(benchmark.id, question_id, field)


def _edit(row: tables.DraftRow) -> UnsavedEdit:
    return UnsavedEdit(row.place, row.value["typed"], row.value["base"], row.updated_at)


def _latest_first(statement: Any) -> Any:
    return statement.order_by(col(tables.DraftRow.updated_at).desc(), col(tables.DraftRow.id))


def _select_draft(address: str, person: str) -> Any:
    return select(tables.DraftRow).where(tables.DraftRow.place == address, tables.DraftRow.person == person)
