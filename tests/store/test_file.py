"""The library file: creation, upgrades, rejected files, crashes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlmodel import SQLModel

from karenina_gui.errors import InputError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.store import migration
from karenina_gui.store.backups import Backups
from karenina_gui.store.file_check import break_seal
from karenina_gui.store.library import FILE_NAME, Library
from karenina_gui.store.process_identity import is_alive, this_process

FILES = {FILE_NAME, f"{FILE_NAME}.seal"}


def test_a_new_file_has_exactly_the_tables_that_the_code_knows(library: Library, tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'data' / FILE_NAME}")
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), SQLModel.metadata)
    engine.dispose()
    assert differences == []


def test_the_newest_migration_is_the_head_that_the_code_knows() -> None:
    config = Config()
    config.set_main_option("script_location", str(migration.FOLDER))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == migration.HEAD


def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        number = library.benchmarks.create(BenchmarkDocument(name="kept"))
    with Library.open(tmp_path) as library:
        assert library.benchmarks.document(number).name == "kept"


def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    Library.open(tmp_path).close()
    mark(tmp_path / FILE_NAME, "v9999")
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(InputError, match="newer version"):
        Library.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize("revision", ["0001", "0025"])
def test_a_file_from_before_the_first_release_is_refused_and_left_alone(tmp_path: Path, revision: str) -> None:
    Library.open(tmp_path).close()
    mark(tmp_path / FILE_NAME, revision)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(InputError, match=r"before its first release\. Open it with commit ac329ff9"):
        Library.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]


def test_an_older_file_is_copied_aside_before_it_is_upgraded(tmp_path: Path, next_version: str) -> None:
    with Library.open(tmp_path) as library:
        assert [row.name for row in library.benchmarks.summaries()] == ["old and dear"]
        assert library.benchmarks.create(BenchmarkDocument(name="new")) == 2
        creation = library.commands.entries(["benchmarks"])[0]
        library.commands.undo(creation.id)
        assert library.benchmarks.numbers() == [1]
        library.commands.redo(creation.id)
    assert revision_of(tmp_path / FILE_NAME) == next_version
    (copy,) = Backups(tmp_path / FILE_NAME).all()
    assert (copy.reason, revision_of(copy.path)) == ("update", "v0004")
    with closing(sqlite3.connect(copy.path)) as connection:
        assert connection.execute("SELECT name FROM benchmark").fetchall() == [("old and dear",)]


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Revision of a further migration; the library in `tmp_path` has one benchmark and is of the version before."""
    with Library.open(tmp_path) as library:
        library.benchmarks.create(BenchmarkDocument(name="old and dear"))
    folder = Path(shutil.copytree(migration.FOLDER, tmp_path / "migrations"))
    script = """
from alembic import op

revision, down_revision = "next", "v0004"


def upgrade() -> None:
    op.execute("CREATE TABLE stamp (country TEXT)")
    op.execute("ALTER TABLE benchmark ADD COLUMN country TEXT")
"""
    (folder / "versions" / "next.py").write_text(script, encoding="utf-8")
    monkeypatch.setattr(migration, "FOLDER", folder)
    monkeypatch.setattr(migration, "HEAD", "next")
    return "next"


def mark(file: Path, revision: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    break_seal(file)


def revision_of(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


@pytest.mark.parametrize("content", [b"no database at all, only text " * 100, None])
def test_a_file_that_is_no_library_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / FILE_NAME
    if content is None:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE stamps (country TEXT)")
    else:
        file.write_bytes(content)
    with pytest.raises(InputError, match="library"):
        Library.open(tmp_path)


def test_a_disk_that_refuses_is_named(tmp_path: Path) -> None:
    Library.open(tmp_path).close()
    (tmp_path / f"{FILE_NAME}-journal").mkdir()  # where the database wants to write first
    with pytest.raises(InputError, match=rf"Couldn’t open the library .*{FILE_NAME}"):
        Library.open(tmp_path)


def test_a_library_of_length_zero_is_damaged_and_not_new(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "library-20260101-120000-daily.sqlite").write_bytes(b"copy")
    with pytest.raises(InputError, match=r"damaged: it is empty.*library-20260101-120000-daily\.sqlite"):
        Library.open(tmp_path)
    assert (tmp_path / FILE_NAME).stat().st_size == 0


def test_a_new_library_leaves_no_other_file_behind(tmp_path: Path) -> None:
    Library.open(tmp_path).close()
    assert {file.name for file in tmp_path.iterdir()} == FILES


def test_two_processes_may_open_a_new_library_at_once(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from karenina_gui.store.library import Library
Library.open(Path({str(tmp_path / "new")!r})).close()
"""
    opening = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
    assert [process.wait(60) for process in opening] == [0, 0]


@pytest.mark.usefixtures("next_version")
def test_an_upgrade_that_breaks_in_its_last_step_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("ALTER TABLE benchmark ADD COLUMN country TEXT")  # the newest step adds it once more
        before = list(connection.iterdump())
    break_seal(file)
    with pytest.raises(InputError, match="Couldn’t update"):
        Library.open(tmp_path)
    with closing(sqlite3.connect(file)) as connection:
        assert list(connection.iterdump()) == before


def test_an_edit_survives_the_sudden_death_of_the_process(tmp_path: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.store.library import Library
library = Library.open(Path({str(tmp_path)!r}))
library.benchmarks.create(BenchmarkDocument(name="just typed"))
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    with Library.open(tmp_path) as library:
        assert [row.name for row in library.benchmarks.summaries()] == ["just typed"]


def test_a_process_knows_itself_alive_and_an_ended_one_gone() -> None:
    assert is_alive(this_process())
    with subprocess.Popen([sys.executable, "-c", "pass"]) as child:
        child.wait()
    assert not is_alive(f"{child.pid}@12345")
    assert not is_alive(f"{os.getpid()}@1")


def test_incomplete_traits_that_were_drafts_are_beside_their_rubric(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    command.upgrade(migration._alembic(file), "v0001")
    item = {"id": "1", "type": "regex", "values": {"name": "unit", "pattern": "mg("}, "over": {"name": "unit"}}
    new = {"id": "2", "type": "llm", "values": {"name": "tone"}, "over": None}
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "INSERT INTO benchmark (id, name, description, version, creator, date_created, date_modified, rubric,"
            " custom_properties, scenarios, source, revision, updated_at)"
            """ VALUES (1, 'doses', '', '', '""', '', '', '{"regex_traits": [{"name": "unit", "pattern": "mg"}]}',"""
            " '{}', '[]', '{}', 1, '')"
        )
        for person, traits in (("ada", [item]), ("bob", [new])):
            value = json.dumps({"typed": traits, "base": None})
            connection.execute(
                "INSERT INTO draft (place, person, value, updated_at) VALUES ('benchmark/1/traits', ?, ?, '')",
                (person, value),
            )
    with Library.open(tmp_path) as library:
        saved = library.benchmarks.rubric(1)
        assert saved.rubric == {"regex_traits": [{"name": "unit", "pattern": "mg"}]}
        assert saved.edits == [
            {"id": "1", "type": "regex", "values": item["values"], "name": "unit"},
            {"id": "2", "type": "llm", "values": new["values"], "name": None},
        ]
        assert library.drafts.of("ada") == []
