"""Saved model configurations, each with a permanent number and a name that may change. They hold no keys."""

from __future__ import annotations

import secrets
from itertools import chain, count

from sqlmodel import Session, col, select

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.saved_model import SavedModel, with_name
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent

# Random, because SQLite gives the number of a deleted model to the next one, and a URL or form of the deleted model
# would then open or edit another.
NUMBERS = 2**31
"""Exclusive upper limit of new model numbers."""


class Models:
    """Model table. Every call with a number raises `NotFoundError` if that model is deleted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self) -> list[SavedModel]:
        """All models, sorted by name."""
        with self._database.reading() as session:
            rows = session.exec(select(tables.ModelRow).order_by(col(tables.ModelRow.name))).all()
        return [_saved_model(row) for row in rows]

    def all(self) -> dict[str, ModelConfig]:
        """Configurations by name, sorted."""
        return {entry.name: entry.config for entry in self.entries()}

    def get(self, number: int) -> SavedModel:
        with self._database.reading() as session:
            return _saved_model(_row(session, number))

    @persistent
    def add(self, preferred: str, config: ModelConfig) -> SavedModel:
        """Save a new model under the preferred name, or under `name 2`, `name 3` and so on if it is taken."""
        with self._database.writing() as session:
            name = _free_name(session, preferred)
            return _add_row(session, _unused_number(), name, with_name(config, name))

    @persistent
    def update(self, number: int, config: ModelConfig) -> None:
        """Replace the configuration."""
        with self._database.writing() as session:
            _fill(_row(session, number), config)

    @persistent
    def rename(self, number: int, name: str) -> None:
        """Rename a model. Raises `InputError` if another model has this name."""
        with self._database.writing() as session:
            row = _row(session, number)
            if row.name != name and name in _names(session):
                raise InputError("Another model has this name. Choose another name.")
            row.name = name
            _fill(row, with_name(_config(row), name))

    @persistent
    def save(self, name: str, config: ModelConfig) -> SavedModel:
        """Save a configuration unchanged under exactly this name, replacing the model that has the name."""
        with self._database.writing() as session:
            row = session.exec(select(tables.ModelRow).where(tables.ModelRow.name == name)).first()
            if row is None:
                return _add_row(session, _unused_number(), name, config)
            _fill(row, config)
            return _saved_model(row)

    @persistent
    def delete(self, number: int) -> SavedModel:
        """Delete a model and return it for `restore`."""
        with self._database.writing() as session:
            row = _row(session, number)
            session.delete(row)
            return _saved_model(row)

    @persistent
    def restore(self, deleted: SavedModel) -> SavedModel:
        """Restore a deleted model under its number, with a numbered name if its own is taken by now.

        Does nothing if the model exists.
        """
        with self._database.writing() as session:
            if row := session.get(tables.ModelRow, deleted.number):
                return _saved_model(row)
            name = _free_name(session, deleted.name)
            return _add_row(session, deleted.number, name, with_name(deleted.config, name))


def _unused_number() -> int:
    return secrets.randbelow(NUMBERS) + 1


def _names(session: Session) -> set[str]:
    return set(session.exec(select(tables.ModelRow.name)).all())


def _free_name(session: Session, preferred: str) -> str:
    taken = _names(session)
    return next(name for name in chain([preferred], (f"{preferred} {n}" for n in count(2))) if name not in taken)


def _add_row(session: Session, number: int, name: str, config: ModelConfig) -> SavedModel:
    row = tables.ModelRow(id=number, name=name, config={}, updated_at="")
    _fill(row, config)
    session.add(row)
    return _saved_model(row)


def _fill(row: tables.ModelRow, config: ModelConfig) -> None:
    row.config = config.model_dump(mode="json", exclude_defaults=True)
    row.manual_traces = config.manual_traces
    row.updated_at = now()


def _row(session: Session, number: int) -> tables.ModelRow:
    row = session.get(tables.ModelRow, number)
    if row is None:
        raise NotFoundError("This model was deleted.")
    return row


def _saved_model(row: tables.ModelRow) -> SavedModel:
    assert row.id is not None
    return SavedModel(row.id, row.name, _config(row))


def _config(row: tables.ModelRow) -> ModelConfig:
    return ModelConfig.model_validate({**row.config, "manual_traces": row.manual_traces})
