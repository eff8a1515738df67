"""Replaces placeholder ids of questions by the ids of their texts, with everything that refers to them."""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.canonical import benchmark_hash
from karenina_gui.schemas.placeholder_ids import ids_of_copies, is_placeholder
from karenina_gui.schemas.question import question_fingerprint
from karenina_gui.store.migrations.renamed import renamed, with_added

LEVEL = 3
"""Of zlib, as in `store/snapshots.py`."""


@dataclass
class _Row:
    number: int
    id: str
    text: str
    present: bool
    new_id: str = ""
    placeholder: bool = False


class PlaceholderRepair:
    """Of a library in the middle of its migration: ids need not be unique until it ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._everywhere: dict[str, list[str]] = defaultdict(list)
        """{placeholder id: new ids, in any benchmark}"""

    def run(self) -> None:
        for (benchmark,) in self._all("SELECT id FROM benchmark"):
            rows = self._rows(benchmark)
            _decide(rows)
            for row in rows:
                self._write(row)
            self._repair_runs(benchmark, [row for row in rows if row.placeholder], rows)
        if self._everywhere:
            self._add_in("model", "manual_traces")
            self._add_in("preset", "config")
            self._do("DELETE FROM snapshot WHERE hash NOT IN (SELECT benchmark_hash FROM run)")

    def _rows(self, benchmark: int) -> list[_Row]:
        """Those that are not deleted first, in the benchmark's order; then the last deleted."""
        found = self._all(
            "SELECT id, question_id, question, deleted_at IS NULL FROM question WHERE benchmark_id = :b "
            "ORDER BY deleted_at IS NOT NULL, deleted_at DESC, position, id",
            b=benchmark,
        )
        return [_Row(number, question_id, words, bool(present)) for number, question_id, words, present in found]

    def _write(self, row: _Row) -> None:
        id_set = row.new_id != question_fingerprint(row.text)
        if id_set or row.placeholder:
            self._do(
                "UPDATE question SET question_id = :new, id_set = :id_set WHERE id = :number",
                new=row.new_id,
                id_set=id_set,
                number=row.number,
            )
        if row.placeholder:
            self._everywhere[row.id].append(row.new_id)
            self._rename_in("question", "source", "id", row.number, {row.id: row.new_id})

    def _repair_runs(self, benchmark: int, repaired: list[_Row], rows: list[_Row]) -> None:
        old_ids = {row.id for row in repaired}
        if not old_ids:
            return
        for run, key in self._all("SELECT id, benchmark_hash FROM run WHERE benchmark_id = :b", b=benchmark):
            document = self._snapshot(key)
            texts = {entry["question"]["id"]: entry["question"]["question"] for entry in document.get("entries", ())}
            sought = "SELECT question_id, min(question_text) FROM result WHERE run_id = :run GROUP BY question_id"
            texts |= dict(self._all(sought, run=run))
            new_ids = {old: _meant(rows, old, texts.get(old)) for old in old_ids}
            new_ids = {old: new for old, new in new_ids.items() if old != new}
            for old, new in new_ids.items():
                self._repair_run(run, old, new)
            for column in ("config", "manual_traces", "reproducibility"):
                self._rename_in("run", column, "id", run, new_ids)
            if new_ids.keys() & texts.keys() and document:
                self._keep_snapshot(run, renamed(document, new_ids))

    def _repair_run(self, run: int, old: str, new: str) -> None:
        names: dict[str, Any] = {"run": run, "old": old, "new": new, "length": len(old) + 1}
        results = self._all("SELECT id FROM result WHERE run_id = :run AND question_id = :old", run=run, old=old)
        for (number,) in results:
            self._rename_in("payload", "document", "result_id", number, {old: new})
        for table, column in (("job", "key"), ("result", "job_key"), ("answer", "key")):
            self._do(
                f"UPDATE {table} SET {column} = :new || substr({column}, :length) "
                f"WHERE run_id = :run AND substr({column}, 1, :length) = :old || char(9)",
                **names,
            )
        self._do(
            "UPDATE result SET sought = replace(sought, char(10) || :old, char(10) || :new) "
            "WHERE run_id = :run AND question_id = :old",
            **names,
        )
        for table in ("job", "result"):
            self._do(f"UPDATE {table} SET question_id = :new WHERE run_id = :run AND question_id = :old", **names)

    def _snapshot(self, key: str) -> dict[str, Any]:
        """The benchmark as a run found it; empty: it was not kept."""
        found = self._all("SELECT document FROM snapshot WHERE hash = :key", key=key)
        return json.loads(zlib.decompress(found[0][0])) if found else {}

    def _keep_snapshot(self, run: int, document: dict[str, Any]) -> None:
        read = BenchmarkDocument.model_validate(document)
        key, content = benchmark_hash(read), zlib.compress(read.model_dump_json().encode(), LEVEL)
        self._do("INSERT OR IGNORE INTO snapshot (hash, document) VALUES (:key, :content)", key=key, content=content)
        self._do("UPDATE run SET benchmark_hash = :key WHERE id = :run", key=key, run=run)

    def _rename_in(self, table: str, column: str, key: str, number: int, new_ids: Mapping[str, str]) -> None:
        """In the JSON of one row."""
        for (written,) in self._all(f"SELECT {column} FROM {table} WHERE {key} = :number", number=number):
            if written and any(old in written for old in new_ids):
                content = _written(renamed(json.loads(written), new_ids))
                change = f"UPDATE {table} SET {column} = :content WHERE {key} = :number"
                self._do(change, content=content, number=number)

    def _add_in(self, table: str, column: str) -> None:
        """In the JSON of all rows, what belongs to a placeholder id also belongs to the new ids."""
        for number, written in self._all(f"SELECT id, {column} FROM {table} WHERE {column} IS NOT NULL"):
            if any(old in written for old in self._everywhere):
                content = _written(with_added(json.loads(written), self._everywhere))
                self._do(f"UPDATE {table} SET {column} = :content WHERE id = :number", content=content, number=number)

    def _all(self, statement: str, **values: Any) -> list[Any]:
        return [tuple(row) for row in self._connection.execute(text(statement), values)]

    def _do(self, statement: str, **values: Any) -> None:
        self._connection.execute(text(statement), values)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _decide(rows: list[_Row]) -> None:
    """The new id of each row."""
    copies = ids_of_copies({row.text for row in rows})
    for row in rows:
        own = question_fingerprint(row.text)
        row.placeholder = is_placeholder(row.id, row.text) or (row.id in copies and row.id != own)
        row.new_id = own if row.placeholder else row.id
    taken = {row.id for row in rows if row.present and not row.placeholder}
    for row in (row for row in rows if row.present and row.placeholder):
        number = 0
        while row.new_id in taken:
            number += 1
            row.new_id = f"{question_fingerprint(row.text)}-{number}"
        taken.add(row.new_id)


def _meant(rows: list[_Row], old: str, words: str | None) -> str:
    """The new id of the question that a run asked: the one with this text, or else the first that had the id."""
    had = [row for row in rows if row.id == old]
    return next((row for row in had if row.text == words), had[0]).new_id
