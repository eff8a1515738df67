"""Model prices, and the models that results report."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import col, select

from karenina_gui.schemas.prices import Price
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent

FIELDS = ("model", "input", "output", "cache_read", "cache_creation")


class Prices:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, Price]:
        """Prices by model, sorted."""
        with self._database.reading() as session:
            rows = session.exec(select(tables.ModelPriceRow).order_by(col(tables.ModelPriceRow.model))).all()
        return {row.model: Price(**{name: getattr(row, name) for name in FIELDS}) for row in rows}

    @persistent
    def save(self, price: Price) -> None:
        """Save a price, replacing the model's earlier one."""
        with self._database.writing() as session:
            session.merge(tables.ModelPriceRow(**price.model_dump(include=set(FIELDS)), updated_at=now()))

    @persistent
    def delete(self, model: str) -> None:
        """Delete a model's price. Does nothing if there is none."""
        with self._database.writing() as session:
            row = session.get(tables.ModelPriceRow, model)
            if row is not None:
                session.delete(row)

    def used(self) -> list[str]:
        """Models with reported token counts, sorted."""
        model = col(tables.TokenCountRow.model)
        with self._database.reading() as session:
            names = session.exec(select(model).where(model.is_not(None)).distinct().order_by(model)).all()
        return [name for name in names if name]

    def at_own_addresses(self) -> set[str]:
        """Models that a run or saved configuration calls at a custom base URL."""
        with self._database.reading() as session:
            return {name for (name,) in session.execute(_AT_OWN_ADDRESSES).all()}


_OF_RUN = """
    SELECT model.value FROM run, json_each(run.config, '$.answering_models') AS model
    UNION ALL SELECT model.value FROM run, json_each(run.config, '$.parsing_models') AS model
    UNION ALL SELECT config FROM model
"""
_ADDRESSES = ("endpoint_base_url", "anthropic_base_url")
_AT_OWN_ADDRESSES = text(
    f"WITH asked(value) AS ({_OF_RUN}) "
    "SELECT DISTINCT json_extract(value, '$.interface') || ':' || json_extract(value, '$.model_name') FROM asked WHERE "
    + " OR ".join(f"json_extract(value, '$.{name}') IS NOT NULL" for name in _ADDRESSES)
)
