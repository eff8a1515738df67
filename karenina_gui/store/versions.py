"""Versions of a row or of a whole benchmark: what they differ in, and restoring one.

A version is the state after a command; version 0 is the oldest that the log knows. It is derived from the rows as they
are now and the changes since, newest first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import JSON, Connection
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel, select

from karenina_gui.errors import CannotUndoError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.command import benchmark_scope
from karenina_gui.store.actors import one_command
from karenina_gui.store.capture import LOGGED, UNLOGGED
from karenina_gui.store.database import Database, now
from karenina_gui.store.row_mapping import DOCUMENT_FIELDS, benchmark_row, entry_of, touch
from karenina_gui.store.row_steps import Image, Step, images, take_steps
from karenina_gui.store.tables import BenchmarkRow, QuestionRow
from karenina_gui.store.writes import persistent

Row = tuple[str, str]
"""Table and key."""
Version = dict[Row, Image | None]
"""Rows that changed since; None: the row did not exist."""

_LATER = """
    SELECT r.table_name, r.row_key, r.operation, r.before FROM row_change r JOIN command c ON c.id = r.command_id
    WHERE c.state = 'done' AND c.id > ? AND c.scope = ?
"""


class Versions:
    """Earlier versions of a benchmark and of its questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def difference(
        self, benchmark_id: int, first: int, second: int, row: Row | None = None
    ) -> list[tuple[Row, Image | None, Image | None]]:
        """Rows that differ between the versions after two commands, each with both of its versions.

        `row`: only this one; None: all of the benchmark.
        """
        with self._database.reading() as session:
            connection = session.connection()
            one, two = (_version(connection, benchmark_id, command_id, row) for command_id in (first, second))
            present = _present(connection, [*one, *two])
        differing = []
        # A row that one version lacks is in it as it is today.
        for name in dict.fromkeys([*one, *two]):
            before, after = one.get(name, present.get(name)), two.get(name, present.get(name))
            if _visible(before) != _visible(after):
                differing.append((name, _visible(before), _visible(after)))
        return differing

    def document(self, benchmark_id: int, command_id: int) -> BenchmarkDocument:
        """The benchmark as it was after a command, without questions that had no id."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            connection = session.connection()
            version = _version(connection, benchmark_id, command_id, None)
            numbers = session.exec(select(QuestionRow.id).where(QuestionRow.benchmark_id == benchmark_id))
            rows = [("benchmark", str(benchmark_id)), *(("question", str(number)) for number in numbers.all())]
            then = {**_present(connection, rows), **version}
        # Rows that are deleted today may have been there.
        there = sorted(_questions(then), key=lambda image: (image["position"], image["id"]))
        own = then["benchmark", str(benchmark_id)]
        assert own is not None
        values = _decode(BenchmarkRow, own)
        fields = {name: values[name] for name in DOCUMENT_FIELDS}
        entries = [entry_of(QuestionRow(**_decode(QuestionRow, image))) for image in there]
        return BenchmarkDocument.model_validate({**fields, "entries": entries})

    @persistent
    def restore(self, benchmark_id: int, command_id: int, row: Row | None = None) -> list[Row]:
        """Bring back the version after a command, as a new command; returns the rows that changed.

        Questions that were added since are deleted, so that they can be restored. Raises `CannotUndoError`.
        """
        at = now()
        kind = "question.revert" if row else "benchmark.revert"
        with one_command(kind, count=1) as intent, self._database.writing() as session:
            benchmark = benchmark_row(session, benchmark_id)
            if row is None:
                intent.data["title"] = benchmark.name
            connection = session.connection()
            version = _version(connection, benchmark_id, command_id, row)
            present = _present(connection, list(version))
            steps_or_none = (_step(row_, present.get(row_), image, at) for row_, image in version.items())
            steps = [step for step in steps_or_none if step is not None]
            try:
                take_steps(connection, steps, present, at)
            except IntegrityError as error:
                message = "Can’t restore this version: another question now has one of its IDs. Change that ID first."
                raise CannotUndoError(message) from error
            session.refresh(benchmark)
            touch(benchmark)
        return [step.row for step in steps]


def _version(connection: Connection, benchmark_id: int, command_id: int, row: Row | None) -> Version:
    """Rows that changed after a command, as they were then."""
    only, values = (" AND r.table_name = ? AND r.row_key = ?", row) if row else ("", ())
    changes = connection.exec_driver_sql(
        f"{_LATER}{only} ORDER BY c.id DESC, r.id DESC", (command_id, benchmark_scope(benchmark_id), *values)
    ).all()
    keys = list(dict.fromkeys((table, key) for table, key, _, _ in changes))
    # From today’s rows back, since the log holds what each change replaced, not whole versions.
    version: Version = dict(_present(connection, keys))
    for table, key, operation, before in changes:
        image = version.get((table, key))
        if operation == "insert":
            version[table, key] = None
        elif image is not None:
            version[table, key] = {**image, **json.loads(before)}
    return version


def _present(connection: Connection, rows: Sequence[Row]) -> dict[Row, Image]:
    present: dict[Row, Image] = {}
    for table in {table for table, _ in rows}:
        keys = [key for name, key in rows if name == table]
        present.update({(table, key): image for key, image in images(connection, table, keys).items()})
    return present


def _questions(version: Version) -> list[Image]:
    """Questions that a version shows; those without an id are in no document."""
    rows = [image for (table, _), image in version.items() if table == "question" and image is not None]
    return [image for image in rows if image["question_id"] and not image["deleted_at"]]


def _decode(rows: type[SQLModel], image: Image) -> Image:
    """Values of a row as its model holds them; those of the log are as SQLite stores them."""
    columns = rows.__table__.columns  # type: ignore[attr-defined]
    documents = {column.name for column in columns if isinstance(column.type, JSON)}
    return {
        name: json.loads(value) if name in documents and value is not None else value for name, value in image.items()
    }


def _visible(image: Image | None) -> Image | None:
    """The row without what users do not see; None: it is deleted, or was not there yet."""
    if image is None or image.get("deleted_at"):
        return None
    hidden = ("id", "benchmark_id", "position", "source", "deleted_at", "finished_at", "has_template")
    return {name: value for name, value in image.items() if name not in hidden and name not in UNLOGGED}


def _step(row: Row, present: Image | None, image: Image | None, at: str) -> Step | None:
    """Step from the row as it is now to its version; None: they are equal."""
    # Comments and labels that were added since stay: only what can be restored is ever marked as deleted.
    if present is None or (image is None and "deleted_at" not in present):
        return None
    table, key = row
    then: dict[str, Any] = {"deleted_at": present["deleted_at"] or at} if image is None else image
    changed = {name: value for name, value in then.items() if name in LOGGED[table].logged and present[name] != value}
    return Step(table, key, "update", None, changed) if changed else None
