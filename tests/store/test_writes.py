"""Writes that the computer refuses for a while: nothing is lost, and the reason is visible."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError

from karenina_gui.errors import NotSavedError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.write_delay import WriteDelay
from karenina_gui.store import writes
from karenina_gui.store.library import FILE_NAME, Library
from tests.until import comes


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path) as library:
        yield library


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a write transaction of another program."""
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full(library: Library) -> Iterator[None]:
    """Leave no space for writes, by SQLite's own limit on every connection."""

    def limit(connection: sqlite3.Connection, pages: int | None = None) -> None:
        used = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages or used}")

    engine = library._database._engine

    def before(connection: object) -> None:
        limit(connection.connection.dbapi_connection)  # type: ignore[attr-defined]

    def after(connection: object) -> None:
        limit(connection.connection.dbapi_connection, 2**30)  # type: ignore[attr-defined]

    event.listen(engine, "begin", before)
    yield
    event.remove(engine, "begin", before)
    event.listen(engine, "begin", after)


def create(library: Library, name: str = "B", size: int = 10) -> int:
    return library.benchmarks.create(BenchmarkDocument(name=name, description="x" * size))


def test_a_write_waits_for_another_program_and_says_so(
    library: Library, tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    changes: list[WriteDelay | None] = []
    library.writes.delay_changed.subscribe(lambda: changes.append(library.writes.delay))
    with locked(tmp_path):
        write = pool.submit(create, library)
        assert comes(lambda: library.writes.delay is not None)
        assert not write.done()
    number = write.result(10)
    assert library.benchmarks.summary(number).name == "B"
    assert [each and (each.cause, each.waiting) for each in changes] == [(writes.IN_USE, 1), None]


def test_a_write_waits_for_room_on_the_disk(library: Library, pool: ThreadPoolExecutor) -> None:
    with full(library):
        write = pool.submit(create, library, size=100_000)
        assert comes(lambda: library.writes.delay is not None)
        delay = library.writes.delay
        assert delay is not None
        assert delay.cause == writes.DISK_FULL
    assert len(library.benchmarks.summary(write.result(10)).description) == 100_000
    assert library.writes.delay is None


def test_writes_that_wait_together_are_counted(library: Library, tmp_path: Path, pool: ThreadPoolExecutor) -> None:
    with locked(tmp_path):
        waiting = [pool.submit(create, library, name) for name in "abc"]
        assert comes(lambda: (delay := library.writes.delay) is not None and delay.waiting == 3)
    assert len({each.result(10) for each in waiting}) == 3


def test_readers_do_not_wait(library: Library, tmp_path: Path, pool: ThreadPoolExecutor) -> None:
    number = create(library)
    with locked(tmp_path):
        write = pool.submit(library.benchmarks.delete, number)
        assert comes(lambda: library.writes.delay is not None)
        assert library.benchmarks.summary(number).name == "B"
    write.result(10)


def test_a_cause_that_cannot_pass_reaches_the_caller_at_once(library: Library) -> None:
    def break_a_constraint() -> None:
        with library._database.writing() as session:
            session.connection().exec_driver_sql("INSERT INTO job (run_id, key) VALUES (99, 'no such run')")

    with pytest.raises(IntegrityError):
        library.writes.persist(break_a_constraint)
    assert library.writes.delay is None


def test_closing_ends_what_waits(library: Library, tmp_path: Path, pool: ThreadPoolExecutor) -> None:
    with locked(tmp_path):
        write = pool.submit(create, library)
        assert comes(lambda: library.writes.delay is not None)
        library.writes.close()
        with pytest.raises(NotSavedError, match="another program"):
            write.result(10)


def test_what_comes_one_by_one_is_whole_in_the_second_attempt(
    library: Library, tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    number = create(library)
    with locked(tmp_path):
        write = pool.submit(library.questions.set_finished, number, iter(["a", "b"]), True)
        assert comes(lambda: library.writes.delay is not None)
    assert write.result(10) == 0


def test_nothing_waits_on_an_event_loop(library: Library, tmp_path: Path) -> None:
    async def write() -> None:
        create(library)

    with locked(tmp_path), pytest.raises(NotSavedError, match="Not saved: another program is using the library"):
        asyncio.run(write())
