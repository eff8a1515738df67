"""Tables of the command log. They are written in SQL, by `command_recorder` and `command_log`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field, SQLModel


class CommandRow(SQLModel, table=True):
    """Command of an author; see `schemas.command.LoggedCommand`."""

    __tablename__ = "command"
    __table_args__ = (Index("ix_command_scope", "scope", "person", "state", "id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    scope: str
    kind: str
    data: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    person: str
    """Browser id; empty: a program."""
    name: str
    """Name of the author at the time; empty: unknown."""
    begun_at: str
    at: str
    """Time of the last edit that belongs to it; later than `begun_at` if somebody went on typing."""
    state: str
    undone_at: str | None = None
    undone_by: str | None = None
    """Name of its undoer; None: nobody, or unknown."""
    size: int
    """Characters of its images."""


class RowChangeRow(SQLModel, table=True):
    """Change of one row by a command; see `schemas.command.RowChange`."""

    __tablename__ = "row_change"
    __table_args__ = (
        Index("ix_row_change_command", "command_id"),
        Index("ix_row_change_row", "table_name", "row_key", "command_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    command_id: int = Field(foreign_key="command.id", ondelete="CASCADE")
    table_name: str
    row_key: str
    operation: str
    fields: str
    """Changed columns that decide on conflicts, separated by commas; empty: only places in the order changed."""
    before: str | None = None
    after: str | None = None
