"""Results are compressed; those from before are compressed in the background and can be read meanwhile."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from karenina_gui.store import compression, older_results
from karenina_gui.store.file_check import seal
from karenina_gui.store.library import FILE_NAME, Library
from tests.figures.random_run import RandomRun, fill
from tests.until import comes

RUN = RandomRun(3)
BATCH = 7
ADLER32 = 1023117478


def test_the_shape_of_results_never_changes_since_saved_ones_need_it() -> None:
    assert zlib.adler32(compression._SHAPE) == ADLER32


def test_any_text_is_restored() -> None:
    for text in ("", "{}", "“µ”\u2028\U0001f9ec", '{"metadata": {"failure": null}}' * 1000):
        assert compression.expand(compression.compress(text)) == text
    assert compression.expand('{"from": "before"}') == '{"from": "before"}'


def test_results_from_before_are_compressed_and_stay_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(older_results, "BATCH", BATCH)
    file = tmp_path / FILE_NAME
    with Library.open(tmp_path) as library:
        run = fill(library, RUN)
        before = [result.model_dump() for result in library.results.each(run)]
    assert len(before) > 2 * BATCH  # several transactions
    make_old(file)
    with Library.open(tmp_path) as library:
        assert [result.model_dump() for result in library.results.each(run)] == before
        older = library.older_results
        older._compress(older._last())  # and then a crash
        assert kinds(file) == {"blob": BATCH, "text": len(before) - BATCH}
        assert [result.model_dump() for result in library.results.each(run)] == before
        older.start()
        assert comes(lambda: older._last() == 0)
        older.close()
        assert [result.model_dump() for result in library.results.each(run)] == before
    assert kinds(file) == {"blob": len(before)}
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)


def make_old(file: Path) -> None:
    """Store the documents as texts, like a library from before."""
    with closing(sqlite3.connect(file)) as connection:
        compression.add_expand(connection)
        connection.execute("UPDATE payload SET document = expand(document)")
        (last,) = connection.execute("SELECT max(result_id) FROM payload").fetchone()
        connection.execute(f"PRAGMA user_version = {last}")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    seal(file)


def kinds(file: Path) -> dict[str, int]:
    with closing(sqlite3.connect(file)) as connection:
        return dict(connection.execute("SELECT typeof(document), count(*) FROM payload GROUP BY 1"))
