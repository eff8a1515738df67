"""Tables of calibrations: drawn answers, labels of persons, and values of judges."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field, SQLModel


class CalibrationRow(SQLModel, table=True):
    """Answers that were drawn for a trait or a template field."""

    __tablename__ = "calibration"
    __table_args__ = (
        Index("ix_calibration_target", "benchmark_id", "kind", "name", "question"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    question: int | None = Field(default=None, foreign_key="question.id", ondelete="CASCADE")
    """None: a trait of the benchmark."""
    kind: str
    """trait or field."""
    name: str
    seed: int
    answers: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))
    """See `schemas.calibration.DrawnAnswer`."""
    created_by: str = ""
    created_at: str


class AnswerLabelRow(SQLModel, table=True):
    """Label of a person for one drawn answer."""

    __tablename__ = "answer_label"
    __table_args__ = (
        Index("ix_answer_label", "calibration_id", "answer_key", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    # Beside the calibration's own, so that the log finds the benchmark of a label whose calibration is gone.
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    calibration_id: int = Field(foreign_key="calibration.id", ondelete="CASCADE")
    answer_key: str
    answer: str
    value: Any = Field(default=None, sa_column=Column(JSON))
    skipped: bool = False
    wording: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    wording_hash: str
    author: str = ""
    at: str


class JudgmentSetRow(SQLModel, table=True):
    """Values of one judge under one wording."""

    __tablename__ = "judgment_set"
    __table_args__ = (Index("ix_judgment_set", "calibration_id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    # No foreign key: values that were paid for are still there after a draw was undone and redone.
    calibration_id: int
    wording: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    wording_hash: str
    judge: str
    source: str
    """results or asked."""
    judged: dict[str, Any] = Field(sa_column=Column("judged", JSON, nullable=False))
    problems: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    at: str
