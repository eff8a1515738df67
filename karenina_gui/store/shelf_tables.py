"""Table of the library of traits and templates."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field, SQLModel


class ShelfItemRow(SQLModel, table=True):
    """Trait or template that is kept for other benchmarks."""

    __tablename__ = "shelf_item"
    __table_args__ = (Index("ix_shelf_item_kind", "kind", "name"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    kind: str
    """trait or template."""
    name: str
    type_name: str = ""
    """Type of a trait; empty for templates."""
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """Stored record of a trait, or the source of a template."""
    author: str = ""
    at: str
