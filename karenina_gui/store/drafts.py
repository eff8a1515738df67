"""What people typed and could not be saved: it waits here until they decide, through reloads, crashes and days."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from karenina_gui.schemas.summaries import UnsavedEdit, WaitingEdit
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent


class Drafts:
    """One for each place and person; the last one counts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def keep(self, place: str, person: str, typed: Any, base: Any) -> UnsavedEdit:
        """On disk when the call returns. `base` is the saved value over which it was typed; both are plain JSON."""
        with self._database.writing() as session:
            row = session.exec(_one(place, person)).first() or tables.Draft(place=place, person=person, updated_at="")
            row.value = {"typed": typed, "base": base}
            row.updated_at = now()
            session.add(row)
        return _edit(row)

    @persistent
    def forget(self, place: str, person: str) -> None:
        """It is decided; nothing happens where there is none."""
        with self._database.writing() as session:
            for row in session.exec(_one(place, person)).all():
                session.delete(row)

    def of(self, person: str, within: str = "") -> list[UnsavedEdit]:
        """All of a person, or those of one record (`question/12`), the last first."""
        wanted = select(tables.Draft).where(tables.Draft.person == person)
        if within:
            wanted = wanted.where(col(tables.Draft.place).startswith(f"{within}/", autoescape=True))
        with self._database.reading() as session:
            rows = session.exec(wanted.order_by(col(tables.Draft.updated_at).desc(), col(tables.Draft.id))).all()
        return [_edit(row) for row in rows]

    def waiting(self, person: str) -> list[WaitingEdit]:
        """Where this person has edits to decide, the last first; what is deleted is left out until it is restored."""
        with self._database.reading() as session:
            found = [_waiting(session, edit.place) for edit in self.of(person)]
        return [each for each in found if each is not None]


def _waiting(session: Session, place: str) -> WaitingEdit | None:
    kind, number, field = place.split("/", 2)
    if kind == "preset":
        kept = session.exec(select(tables.Preset).where(tables.Preset.uid == number)).first()
        return WaitingEdit(None, None, field, number) if kept else None
    question = session.get(tables.Question, int(number)) if kind == "question" else None
    if kind == "question" and (question is None or question.deleted_at is not None):
        return None
    benchmark = session.get(tables.Benchmark, question.benchmark_id if question else int(number))
    if benchmark is None or benchmark.id is None or benchmark.deleted_at is not None:
        return None
    return WaitingEdit(benchmark.id, question.id if question else None, field)


def _edit(row: tables.Draft) -> UnsavedEdit:
    return UnsavedEdit(row.place, row.value["typed"], row.value["base"], row.updated_at)


def _one(place: str, person: str) -> Any:
    return select(tables.Draft).where(tables.Draft.place == place, tables.Draft.person == person)
