"""Runs the migrations on the file that `migration.upgrade` names."""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

engine = create_engine(f"sqlite:///{context.config.attributes['path']}", poolclass=NullPool)
with engine.connect() as connection:
    context.configure(connection=connection, render_as_batch=True, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()
