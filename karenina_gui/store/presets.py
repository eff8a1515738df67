"""Saved presets."""

from __future__ import annotations

from sqlmodel import Session, col, select

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.preset import Preset
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent


class Presets:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, Preset]:
        """Presets by id, sorted by name."""
        with self._database.reading() as session:
            rows = session.exec(select(tables.PresetRow)).all()
        return {row.uid: _preset(row) for row in sorted(rows, key=lambda row: row.name.casefold())}

    def get(self, preset_id: str) -> Preset:
        """Return a preset. Raises `NotFoundError`."""
        with self._database.reading() as session:
            return _preset(_row(session, preset_id))

    @persistent
    def save(self, preset: Preset) -> Preset:
        """Save a preset, replacing the one with its id. Raises `InputError` if another has its name."""
        with self._database.writing() as session:
            other = session.exec(select(tables.PresetRow).where(tables.PresetRow.name == preset.name)).first()
            if other is not None and other.uid != preset.id:
                raise InputError(f"The preset “{preset.name}” already exists. Choose another name.")
            row = session.exec(select(tables.PresetRow).where(tables.PresetRow.uid == preset.id)).first()
            row = row or tables.PresetRow(
                uid=preset.id, name="", config={}, created_at=preset.created_at, updated_at=""
            )
            row.name, row.description = preset.name, preset.description
            row.config = preset.config.model_dump(mode="json")
            row.updated_at = now()
            session.add(row)
            return _preset(row)

    @persistent
    def delete(self, preset_id: str) -> Preset:
        """Delete a preset and return it, so that it can be saved again. Raises `NotFoundError`."""
        with self._database.writing() as session:
            row = _row(session, preset_id)
            session.delete(row)
            return _preset(row)


def _row(session: Session, preset_id: str) -> tables.PresetRow:
    row = session.exec(select(tables.PresetRow).where(col(tables.PresetRow.uid) == preset_id)).first()
    if row is None:
        raise NotFoundError("This preset no longer exists. It may have been deleted in another window.")
    return row


def _preset(row: tables.PresetRow) -> Preset:
    return Preset.model_validate(
        {
            "id": row.uid,
            "name": row.name,
            "description": row.description,
            "config": row.config,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
        }
    )
