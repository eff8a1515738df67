"""Calibrations: drawn answers, labels, and values of judges. They stay on this computer and are never exported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.calibration import (
    AnswerLabel,
    Calibration,
    CalibrationTarget,
    DrawnAnswer,
    JudgedValue,
    JudgmentSet,
    Wording,
)
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent

label_row = tables.AnswerLabelRow
set_row = tables.JudgmentSetRow


class Calibrations:
    """Tables of calibrations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def add(
        self,
        target: CalibrationTarget,
        seed: int,
        answers: Sequence[DrawnAnswer],
        judged: Sequence[JudgmentSet],
        by: str,
    ) -> int:
        """Save a draw with the values that judges gave in earlier runs, and return its id."""
        with self._database.writing() as session:
            row = tables.CalibrationRow(
                benchmark_id=target.benchmark_id,
                question=target.number,
                kind=target.kind,
                name=target.name,
                seed=seed,
                answers=[answer.model_dump(mode="json") for answer in answers],
                created_by=by,
                created_at=now(),
            )
            session.add(row)
            session.flush()
            assert row.id is not None
            for judgment_set in judged:
                session.add(_set_row(row, judgment_set))
            return row.id

    def get(self, calibration_id: int) -> Calibration:
        """Return a draw with its labels. Raises `NotFoundError`."""
        with self._database.reading() as session:
            return _calibration(session, _row(session, calibration_id))

    def ids(self, target: CalibrationTarget) -> list[int]:
        """Ids of all draws for a trait or field, the latest first."""
        row = tables.CalibrationRow
        statement = select(row.id).where(
            row.benchmark_id == target.benchmark_id,
            row.kind == target.kind,
            row.name == target.name,
            col(row.question).is_not_distinct_from(target.number),
        )
        with self._database.reading() as session:
            return [id_ for id_ in session.exec(statement.order_by(col(row.id).desc())) if id_ is not None]

    @persistent
    def set_label(self, calibration_id: int, label: AnswerLabel) -> None:
        """Save a label; it replaces an earlier one for this answer. Raises `NotFoundError`."""
        with self._database.writing() as session:
            draw = _row(session, calibration_id)
            statement = select(label_row).where(
                label_row.calibration_id == calibration_id, label_row.answer_key == label.key
            )
            row = session.exec(statement).first()
            columns: dict[str, Any] = {
                "value": label.value,
                "skipped": label.skipped,
                "wording": label.wording.model_dump(mode="json"),
            }
            columns |= {"wording_hash": label.wording.hash, "author": label.author}
            if row is None:
                row = label_row(
                    benchmark_id=draw.benchmark_id,
                    calibration_id=calibration_id,
                    answer_key=label.key,
                    answer=label.answer,
                    at=now(),
                    **columns,
                )
            elif any(getattr(row, name) != value for name, value in columns.items()):
                for name, value in {**columns, "at": now()}.items():
                    setattr(row, name, value)
            session.add(row)

    def judgments(self, calibration_id: int) -> list[JudgmentSet]:
        """Values of judges for the answers of a draw, the oldest first."""
        statement = select(set_row).where(set_row.calibration_id == calibration_id).order_by(col(set_row.id))
        with self._database.reading() as session:
            return [_judgments(row) for row in session.exec(statement)]

    @persistent
    def add_judgments(self, calibration_id: int, judged: JudgmentSet) -> int:
        """Save the values of a judge and return their id. Raises `NotFoundError`."""
        with self._database.writing() as session:
            row = _set_row(_row(session, calibration_id), judged)
            session.add(row)
            session.flush()
            assert row.id is not None
            return row.id


def _row(session: Session, calibration_id: int) -> tables.CalibrationRow:
    row = session.get(tables.CalibrationRow, calibration_id)
    if row is None:
        raise NotFoundError("This calibration no longer exists.")
    return row


def _set_row(draw: tables.CalibrationRow, judged: JudgmentSet) -> tables.JudgmentSetRow:
    assert draw.id is not None
    return set_row(
        benchmark_id=draw.benchmark_id,
        calibration_id=draw.id,
        wording=None if judged.wording is None else judged.wording.model_dump(mode="json"),
        wording_hash="" if judged.wording is None else judged.wording.hash,
        judge=judged.judge,
        source=judged.source,
        judged={key: value.model_dump(mode="json") for key, value in judged.values.items()},
        problems=judged.problems,
        at=now(),
    )


def _judgments(row: tables.JudgmentSetRow) -> JudgmentSet:
    assert row.id is not None
    return JudgmentSet(
        id=row.id,
        wording=None if row.wording is None else Wording.model_validate(row.wording),
        judge=row.judge,
        source=row.source,
        values={key: JudgedValue.model_validate(value) for key, value in row.judged.items()},
        problems=row.problems,
        at=row.at,
    )


def _calibration(session: Session, row: tables.CalibrationRow) -> Calibration:
    assert row.id is not None
    rows = session.exec(select(label_row).where(label_row.calibration_id == row.id))
    labels = {label.answer_key: _label(label) for label in rows}
    return Calibration(
        id=row.id,
        target=CalibrationTarget(row.benchmark_id, row.question, row.kind, row.name),  # type: ignore[arg-type]
        seed=row.seed,
        answers=tuple(DrawnAnswer.model_validate(answer) for answer in row.answers),
        created_by=row.created_by,
        created_at=row.created_at,
        labels=labels,
    )


def _label(row: tables.AnswerLabelRow) -> AnswerLabel:
    fields = {name: getattr(row, name) for name in ("answer", "value", "skipped", "author", "at")}
    return AnswerLabel(key=row.answer_key, wording=Wording.model_validate(row.wording), **fields)
