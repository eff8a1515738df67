"""Model configurations that a person keeps for later runs, by name. No key is ever among them."""

from __future__ import annotations

from sqlmodel import col, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent


class Models:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, ModelConfig]:
        """Name: configuration, in alphabetical order."""
        with self._database.reading() as session:
            rows = session.exec(select(tables.Model).order_by(col(tables.Model.name))).all()
        return {row.name: _config(row) for row in rows}

    @persistent
    def save(self, name: str, config: ModelConfig) -> None:
        """Keep a configuration under this name, in the place of one that has it."""
        with self._database.writing() as session:
            row = session.exec(select(tables.Model).where(tables.Model.name == name)).first()
            row = row or tables.Model(name=name, config={}, updated_at="")
            row.config = config.model_dump(mode="json", exclude_defaults=True)
            row.manual_traces = config.manual_traces
            row.updated_at = now()
            session.add(row)

    @persistent
    def delete(self, name: str) -> ModelConfig:
        """Forget it; returns what it was, so that it can be saved again. Errors: `NotFoundError`."""
        with self._database.writing() as session:
            row = session.exec(select(tables.Model).where(tables.Model.name == name)).first()
            if row is None:
                raise NotFoundError(f"There is no model named {name!r} here.")
            session.delete(row)
            return _config(row)


def _config(row: tables.Model) -> ModelConfig:
    return ModelConfig.model_validate({**row.config, "manual_traces": row.manual_traces})
