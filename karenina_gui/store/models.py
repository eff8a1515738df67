"""Saved model configurations, each under a number that never changes and a name that can. They hold no keys."""

from __future__ import annotations

import secrets
from itertools import chain, count

from sqlmodel import Session, col, select

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.saved_model import SavedModel, named
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent

NUMBERS = 2**31
"""New numbers are drawn below this. SQLite would count, and give the number of a deleted model to the next one: an
address or a form of the deleted model would then open or edit another."""


class Models:
    """Errors of every call with a number: `NotFoundError` once that model is deleted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self) -> list[SavedModel]:
        """All models, in alphabetical order of their names."""
        with self._database.reading() as session:
            rows = session.exec(select(tables.Model).order_by(col(tables.Model.name))).all()
        return [_saved(row) for row in rows]

    def all(self) -> dict[str, ModelConfig]:
        """Configurations by name, in alphabetical order."""
        return {each.name: each.config for each in self.entries()}

    def get(self, number: int) -> SavedModel:
        with self._database.reading() as session:
            return _saved(_row(session, number))

    @persistent
    def add(self, wanted: str, config: ModelConfig) -> SavedModel:
        """Save a new model under the wanted name, or under `name 2`, `name 3` and so on if it is taken."""
        with self._database.writing() as session:
            name = _free_name(session, wanted)
            return _added(session, _unused_number(), name, named(config, name))

    @persistent
    def update(self, number: int, config: ModelConfig) -> None:
        """Replace the configuration."""
        with self._database.writing() as session:
            _fill(_row(session, number), config)

    @persistent
    def rename(self, number: int, name: str) -> None:
        """Errors: `InputError` if another model has this name."""
        with self._database.writing() as session:
            row = _row(session, number)
            if row.name != name and name in _names(session):
                raise InputError("Another model has this name.")
            row.name = name
            _fill(row, named(_config(row), name))

    @persistent
    def save(self, name: str, config: ModelConfig) -> SavedModel:
        """Save a configuration as it is under exactly this name, replacing the one that has it."""
        with self._database.writing() as session:
            row = session.exec(select(tables.Model).where(tables.Model.name == name)).first()
            if row is None:
                return _added(session, _unused_number(), name, config)
            _fill(row, config)
            return _saved(row)

    @persistent
    def delete(self, number: int) -> SavedModel:
        """Returns the model as it was, for `restore`."""
        with self._database.writing() as session:
            row = _row(session, number)
            session.delete(row)
            return _saved(row)

    @persistent
    def restore(self, deleted: SavedModel) -> SavedModel:
        """Bring a deleted model back under its number; its name gets a number if it is taken by now.

        A model that is back already stays as it is.
        """
        with self._database.writing() as session:
            if row := session.get(tables.Model, deleted.number):
                return _saved(row)
            name = _free_name(session, deleted.name)
            return _added(session, deleted.number, name, named(deleted.config, name))


def _unused_number() -> int:
    return secrets.randbelow(NUMBERS) + 1


def _names(session: Session) -> set[str]:
    return set(session.exec(select(tables.Model.name)).all())


def _free_name(session: Session, wanted: str) -> str:
    taken = _names(session)
    return next(name for name in chain([wanted], (f"{wanted} {n}" for n in count(2))) if name not in taken)


def _added(session: Session, number: int, name: str, config: ModelConfig) -> SavedModel:
    row = tables.Model(id=number, name=name, config={}, updated_at="")
    _fill(row, config)
    session.add(row)
    return _saved(row)


def _fill(row: tables.Model, config: ModelConfig) -> None:
    row.config = config.model_dump(mode="json", exclude_defaults=True)
    row.manual_traces = config.manual_traces
    row.updated_at = now()


def _row(session: Session, number: int) -> tables.Model:
    row = session.get(tables.Model, number)
    if row is None:
        raise NotFoundError("This model was deleted.")
    return row


def _saved(row: tables.Model) -> SavedModel:
    assert row.id is not None
    return SavedModel(row.id, row.name, _config(row))


def _config(row: tables.Model) -> ModelConfig:
    return ModelConfig.model_validate({**row.config, "manual_traces": row.manual_traces})
