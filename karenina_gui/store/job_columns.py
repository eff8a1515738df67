"""All jobs of a run as columns, read from the library file without the layers above SQLite.

Other processes read them, too: they need neither the tables nor the services of a `Library`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from karenina_gui.schemas.job_table import COUNTS, ROW, Coder, JobTable, TableBuilder, TokenTable
from karenina_gui.schemas.result import TraitScale
from karenina_gui.schemas.rubric.types import TRAIT_FIELDS
from karenina_gui.store.column_file import ColumnFile, remove_files
from karenina_gui.store.compression import add_expand
from karenina_gui.store.run_state import state_of

LONGEST_TEXT = 200
"""Maximum characters of a question's text."""
CHUNK = 20_000
"""Rows in memory as Python objects."""
LEAST_STORED = 20_000
"""Jobs of the smallest run whose columns are stored as a file; others are read as fast from the library."""

_JOBS = """
    SELECT result.id, job.question_id, job.answering, job.condition, job.judge, job.judge_replicate, job.replicate,
        result.outcome, result.category, result.seconds, result.tokens, result.answer_tokens, result.traits,
        result.extraction, result.out_of_scale
    FROM job LEFT JOIN result ON result.run_id = job.run_id AND result.job_key = job.key
    WHERE job.run_id = ? ORDER BY job.position
"""


def read_job_table(library: Path, run_id: int) -> JobTable:
    """Jobs of a run with their results, if any, in one transaction. An unknown run gives an empty table."""
    with closing(_connect(library)) as connection:
        connection.execute("BEGIN")
        return _read_table(connection, library, run_id)


def read_run(library: Path, run_id: int) -> tuple[JobTable, dict[str, TraitScale], TokenTable]:
    """Jobs of a run, the recorded scales of its traits, and the tokens of its results, in one transaction."""
    with closing(_connect(library)) as connection:
        connection.execute("BEGIN")
        table = _read_table(connection, library, run_id)
        return table, _read_scales(connection, table), _read_tokens(connection, run_id, table)


def _read_table(connection: sqlite3.Connection, library: Path, run_id: int) -> JobTable:
    file = ColumnFile(library, run_id, state_of(connection, run_id))
    table = file.load()
    if table is None:
        builder, rows = TableBuilder(), connection.execute(_JOBS, (run_id,))
        while chunk := rows.fetchmany(CHUNK):
            builder.add(dict(zip(ROW, zip(*chunk, strict=True), strict=True)))
        texts, keywords = _about_questions(connection, run_id)
        table = builder.build(texts=texts, keywords=keywords, requested=_recorded_traits(connection, run_id))
        if len(table) >= LEAST_STORED:
            file.save(table)
            remove_files(library, [number for (number,) in connection.execute("SELECT id FROM run")])
    questions = set(table.questions)
    # The file has only what results have recorded; the rest is as the benchmark has it today.
    return replace(
        table,
        texts={**_texts_of(connection, run_id, questions - table.texts.keys()), **table.texts},
        requested={**_traits_of_today(connection, run_id, questions - table.requested.keys()), **table.requested},
    )


def _connect(library: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{library.absolute().as_uri()}?mode=rw", uri=True)
    connection.execute("PRAGMA query_only = ON")
    add_expand(connection)
    return connection


def _read_scales(connection: sqlite3.Connection, table: JobTable) -> dict[str, TraitScale]:
    """Scales by trait, as a result with its score recorded them."""
    scales: dict[str, TraitScale] = {}
    looked_up: set[str] = set()
    codes, first = np.unique(table.score, return_index=True)
    for code, row in zip(codes.tolist(), first.tolist(), strict=True):
        if not table.scores[code].keys() <= looked_up:
            looked_up |= table.scores[code].keys()
            (text,) = connection.execute(
                "SELECT json_extract(expand(document), '$.rubric.trait_scales') FROM payload WHERE result_id = ?",
                (int(table.result[row]),),
            ).fetchone() or (None,)
            recorded = json.loads(text or "{}")
            scales = {name: TraitScale.model_validate(scale) for name, scale in recorded.items()} | scales
    return scales


def _read_tokens(connection: sqlite3.Connection, run_id: int, table: JobTable) -> TokenTable:
    kind, parts = Coder(), []
    order = np.argsort(table.result)
    results = table.result[order]
    rows = connection.execute(
        f"SELECT result_id, model, length, {', '.join(COUNTS)} FROM token_count WHERE run_id = ?", (run_id,)
    )
    while chunk := rows.fetchmany(CHUNK):
        ids, models, lengths, *counts = zip(*chunk, strict=True)
        places = np.searchsorted(results, np.array(ids))
        # A result that was saved since the table was read is not in it.
        there = (places < len(results)) & (results[np.minimum(places, len(results) - 1)] == np.array(ids))
        columns = [order[places[there]], kind.codes([*zip(models, lengths, strict=True)])[there]]
        parts.append([*columns, *(np.array(count, dtype=np.int64)[there] for count in counts)])
    whole: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else []
    job, kinds, *numbers = whole or [np.empty(0, dtype=np.int64)] * (2 + len(COUNTS))
    return TokenTable(job, kinds, kind.labels, *numbers)


def _about_questions(connection: sqlite3.Connection, run_id: int) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Texts and keywords of the questions with results."""
    rows = connection.execute(
        "SELECT question_id, substr(question_text, 1, ?), keywords FROM result WHERE run_id = ? GROUP BY question_id",
        (LONGEST_TEXT, run_id),
    ).fetchall()
    texts = {question: text for question, text, _ in rows}
    return texts, {question: tuple(json.loads(keywords)) for question, _, keywords in rows}


def _texts_of(connection: sqlite3.Connection, run_id: int, waiting: set[str]) -> dict[str, str]:
    """Texts of questions without a result, as the benchmark has them today."""
    if not waiting:
        return {}
    rows = connection.execute(
        "SELECT question_id, substr(question, 1, ?) FROM question WHERE benchmark_id = "
        "(SELECT benchmark_id FROM run WHERE id = ?) ORDER BY id",
        (LONGEST_TEXT, run_id),
    )
    return {question: text for question, text in rows if question in waiting}


def _recorded_traits(connection: sqlite3.Connection, run_id: int) -> dict[str, frozenset[str]]:
    """Traits by question, scored or not, from its last result without an error.

    All results of a question have the same rubric.
    """
    rows = connection.execute(
        "SELECT result.question_id, json_extract(expand(payload.document), '$.rubric.trait_scales') "
        "FROM result JOIN payload ON payload.result_id = result.id WHERE result.id IN "
        "(SELECT max(id) FROM result WHERE run_id = ? AND outcome != 'error' GROUP BY question_id)",
        (run_id,),
    )
    return {question: frozenset(json.loads(text)) for question, text in rows if text}


def _traits_of_today(connection: sqlite3.Connection, run_id: int, questions: set[str]) -> dict[str, frozenset[str]]:
    if not questions:
        return {}
    (of_all,) = connection.execute(
        "SELECT benchmark.rubric FROM run JOIN benchmark ON benchmark.id = run.benchmark_id WHERE run.id = ?", (run_id,)
    ).fetchone() or (None,)
    own = connection.execute(
        "SELECT question_id, question_rubric FROM question WHERE deleted_at IS NULL AND benchmark_id = "
        "(SELECT benchmark_id FROM run WHERE id = ?)",
        (run_id,),
    )
    shared = _names_in(of_all)
    # One after the other: a large benchmark has megabytes of rubrics.
    return {question: shared | _names_in(text) for question, text in own if question in questions}


def _names_in(rubric: str | None) -> frozenset[str]:
    """Names of all traits in a stored rubric; empty if `rubric` is None."""
    stored: Mapping[str, Any] = (json.loads(rubric) if rubric else None) or {}
    traits: Iterable[Any] = (trait for kind in TRAIT_FIELDS for trait in stored.get(kind) or ())
    return frozenset(str(trait["name"]) for trait in traits)
