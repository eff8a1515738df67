"""The library file: creation, upgrades, rejected files, crashes."""

from __future__ import annotations

import json
import os
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
from karenina_gui.schemas.prices import ModelTokens, Spending
from karenina_gui.schemas.result_summaries import ResultFilter
from karenina_gui.schemas.run_counts import ComparisonKey
from karenina_gui.store import migration
from karenina_gui.store.library import FILE_NAME, Library
from karenina_gui.store.process_identity import is_alive, this_process


def test_a_new_file_has_exactly_the_tables_that_the_code_knows(library: Library, tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'data' / FILE_NAME}")
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), SQLModel.metadata)
    engine.dispose()
    assert differences == []


def test_the_newest_migration_is_the_head_that_the_code_knows() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migration.__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == migration.HEAD


def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        number = library.benchmarks.create(BenchmarkDocument(name="kept"))
    with Library.open(tmp_path) as library:
        assert library.benchmarks.document(number).name == "kept"


def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    Library.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(InputError, match="newer version"):
        Library.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_an_older_file_is_copied_aside_before_it_is_upgraded(tmp_path: Path) -> None:
    first_version(tmp_path / FILE_NAME)
    with Library.open(tmp_path) as library:
        assert [row.name for row in library.benchmarks.summaries()] == ["old and dear"]
        assert [row.text for row in library.questions.summaries(7)] == ["Why?"]
        assert library.benchmarks.create(BenchmarkDocument(name="new")) == 8
        (creation,) = library.commands.entries(["benchmarks"])
        library.commands.undo(creation.id)
        assert library.benchmarks.numbers() == [7]
        library.commands.redo(creation.id)
    engine = create_engine(f"sqlite:///{tmp_path / FILE_NAME}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []
    engine.dispose()
    (copy,) = tmp_path.glob("library-0001-*.backup.sqlite")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT name FROM benchmark").fetchall() == [("old and dear",)]


def test_results_and_templates_of_the_fourth_version_are_found_and_counted(tmp_path: Path) -> None:
    fourth_version(tmp_path / FILE_NAME)
    with Library.open(tmp_path) as library:
        stored = library.results.get(5)
        assert stored.result.metadata.question_text == "Which Größe?"
        found = {
            text: library.results.page(3, ResultFilter(text=text)).total for text in ("GRÖSSE", "ADA", "late", "no")
        }
        assert found == {"GRÖSSE": 1, "ADA": 1, "late": 1, "no": 0}
        assert library.results.counts(3).verdicts == [(ComparisonKey("ada"), "error", 1)]
        assert [row.category for row in library.results.page(3).rows] == ["timeout"]
        assert [row.has_template for row in library.questions.summaries(7)] == [False, True]
        assert library.benchmarks.summary(7).ready == 1
        assert library.results.spending(3) == Spending((ModelTokens("openai:gpt", 14, 4, 4),), untold=1, results=1)
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
            assert connection.execute("SELECT answer_tokens FROM result").fetchall() == [(9,)]
        library.runs.erase(3)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute("SELECT count(*) FROM payload").fetchone() == (0,)


def fourth_version(file: Path) -> None:
    """A library of schema version 4: two finished questions, one with a template, and a run with one result."""
    first_version(file)
    command.upgrade(migration._alembic(file), "0004")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE question SET finished = 1")
        connection.execute(
            "INSERT INTO question (benchmark_id, question_id, position, question, raw_answer, keywords, date_created, "
            "date_modified, finished, source, revision, updated_at, answer_template) "
            "VALUES (7, 'p', 1, 'How?', 'So.', '[]', '2026', '2026', 1, '{}', 1, '2026', 'class Answer(BaseAnswer): x')"
        )
        connection.execute(
            "INSERT INTO run (id, benchmark_id, name, config, manual_traces, status, total, done, outcomes, "
            "sandbox_level, benchmark_hash, owner, created_at) "
            "VALUES (3, 7, 'r', ?, '[]', 'completed', 1, 1, '{}', 's', 'h', 'o', '2026')",
            (json.dumps({"answering_models": []}),),
        )
        identity = {"interface": "manual", "model_name": "ada"}
        step = {"model": "openai:gpt", "input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
        cached = step | {"input_token_details": {"cached_tokens": 4}}
        usage = {"answer_generation": step, "parsing": cached, "total": {"input_tokens": 14, "output_tokens": 4}}
        template = {"usage_metadata": usage, "usage_unavailable": True}
        metadata = {"question_id": "q", "template_id": "t", "question_text": "Which Größe?", "answering": identity}
        connection.execute(
            "INSERT INTO result (id, run_id, job_key, position, question_id, question_text, keywords, answering, "
            "outcome, category, error, seconds, traits, payload) "
            "VALUES (5, 3, 'j', 0, 'q', 'Which Größe?', '[]', 'ada', 'error', 'timeout', 'Too late.', 1.5, '{}', ?)",
            (json.dumps({"metadata": metadata, "template": template}),),
        )


def first_version(file: Path) -> None:
    """A library of schema version 1: one benchmark with number 7 and one question."""
    command.upgrade(migration._alembic(file), "0001")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "INSERT INTO benchmark VALUES "
            "(7, 'old and dear', '', '', NULL, '2026', '2026', NULL, '{}', '[]', '{}', 1, '2026', NULL)"
        )
        connection.execute(
            "INSERT INTO question (benchmark_id, question_id, position, question, raw_answer, keywords, date_created, "
            "date_modified, finished, source, revision, updated_at) "
            "VALUES (7, 'q', 0, 'Why?', 'So.', '[]', '2026', '2026', 0, '{}', 1, '2026')"
        )


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
    first_version(tmp_path / FILE_NAME)
    (tmp_path / f"{FILE_NAME}-journal").mkdir()  # where the database wants to write first
    with pytest.raises(InputError, match=rf"Couldn’t read the library .*{FILE_NAME}"):
        Library.open(tmp_path)


def test_a_library_of_length_zero_is_damaged_and_not_new(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    (tmp_path / "library-0007-20260101-120000.backup.sqlite").write_bytes(b"copy")
    with pytest.raises(InputError, match=r"damaged.*library-0007-20260101-120000\.backup\.sqlite"):
        Library.open(tmp_path)
    assert (tmp_path / FILE_NAME).stat().st_size == 0


def test_a_new_library_leaves_no_other_file_behind(tmp_path: Path) -> None:
    Library.open(tmp_path).close()
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]


def test_three_processes_may_open_a_new_library_at_once(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from karenina_gui.store.library import Library
Library.open(Path({str(tmp_path / "new")!r})).close()
"""
    opening = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(3)]
    assert [process.wait(60) for process in opening] == [0, 0, 0]


def test_an_upgrade_that_breaks_in_its_last_step_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    first_version(file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("ALTER TABLE question ADD COLUMN id_set BOOLEAN")  # the newest step adds it once more
        before = list(connection.iterdump())
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
