"""Runs the migrations on the file that `migration.upgrade` names, all in one transaction that keeps others out."""

from __future__ import annotations

from typing import Any

from alembic import context
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import NullPool

from karenina_gui.store.migration import BUSY_SECONDS


def _leave_transactions_to_us(connection: Any, _record: Any) -> None:
    connection.isolation_level = None


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN EXCLUSIVE")


path = context.config.attributes["path"]
engine = create_engine(f"sqlite:///{path}", poolclass=NullPool, connect_args={"timeout": BUSY_SECONDS})
event.listen(engine, "connect", _leave_transactions_to_us)
event.listen(engine, "begin", _begin)
with engine.connect() as connection:
    context.configure(connection=connection, render_as_batch=True, transactional_ddl=True)
    with context.begin_transaction():
        context.run_migrations()
