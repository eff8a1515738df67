"""Invariants of a library that no application has open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from karenina_gui.schemas.question import question_fingerprint
from karenina_gui.store.library import FILE_NAME, Library


def library_problems(folder: Path) -> list[str]:
    """Messages about all damage in the library of this data folder."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as file:
        file.row_factory = sqlite3.Row
        found = [*_damage(file)] or [*_wrong_ids(file), *_wrong_counts(file)]
    return found or [*_unreadable(folder)]


def _damage(file: sqlite3.Connection) -> Iterator[str]:
    for (line,) in file.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield f"The file is damaged: {line}"
    for table, row, parent, _ in file.execute("PRAGMA foreign_key_check"):
        yield f"Row {row} of {table} refers to a row of {parent} that does not exist"


WITHOUT_OWN_ID = """
    SELECT id, benchmark_id, question_id, question FROM question AS q
    WHERE deleted_at IS NULL AND question_id <> '' AND NOT id_set
    AND NOT EXISTS (SELECT 1 FROM job JOIN run ON run.id = job.run_id
                    WHERE run.benchmark_id = q.benchmark_id AND job.question_id = q.question_id)
"""
"""Questions with an id that no user has set and no run refers to."""


def _wrong_ids(file: sqlite3.Connection) -> Iterator[str]:
    twice = """
        SELECT benchmark_id, question_id FROM question WHERE deleted_at IS NULL AND question_id <> ''
        GROUP BY benchmark_id, question_id HAVING count(*) > 1
    """
    for benchmark, question in file.execute(twice):
        yield f"Two questions of benchmark {benchmark} have the id {question}"
    for row in file.execute("SELECT id FROM question WHERE finished AND question_id = '' AND deleted_at IS NULL"):
        yield f"Question {row['id']} is finished and has no id"
    (begun,) = file.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run'").fetchone()
    if begun > file.execute("SELECT count(*) FROM run").fetchone()[0]:
        return  # a question may have kept its id for a run that was deleted since
    for row in file.execute(WITHOUT_OWN_ID):
        if row["question_id"] != question_fingerprint(row["question"]):
            yield f"Question {row['id']} of benchmark {row['benchmark_id']} has another id than that of its text"


def _wrong_counts(file: sqlite3.Connection) -> Iterator[str]:
    for run in file.execute("SELECT id, status, done, total FROM run").fetchall():
        (results,) = file.execute("SELECT count(*) FROM result WHERE run_id = ?", [run["id"]]).fetchone()
        if run["done"] != results or results > run["total"]:
            yield f"Run {run['id']} counts {run['done']} of {run['total']} jobs and has {results} results"
    lone = "SELECT id FROM result WHERE id NOT IN (SELECT result_id FROM payload)"
    for (number,) in file.execute(lone):
        yield f"Result {number} has no document"


def _unreadable(folder: Path) -> Iterator[str]:
    """Messages about records that the application cannot read."""
    with Library.open(folder) as library:
        lists = {
            "models": library.models.entries,
            "presets": library.presets.all,
            "prices": library.prices.all,
            "benchmarks": library.benchmarks.summaries,
            "runs": library.runs.all,
        }
        documents = {
            f"benchmark {number}": partial(library.benchmarks.document, number)
            for number in library.benchmarks.numbers()
        }
        for name, read in (lists | documents).items():
            try:
                read()
            except Exception as error:
                yield f"The {name} cannot be read: {error!r}"
