"""Pairs of similar questions, and the texts by which they are found."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlmodel import col, select

from karenina_gui.store import tables
from karenina_gui.store.database import Database
from karenina_gui.store.question_summaries import has_id, of_benchmark
from karenina_gui.store.row_mapping import benchmark_row
from karenina_gui.store.writes import persistent

pair_of = tables.QuestionPairRow
row_of = tables.QuestionRow


@dataclass(frozen=True, slots=True)
class KeptPair:
    """Two questions that an author keeps although they are similar."""

    first: int
    """Number of the question."""
    second: int
    texts_hash: str
    """Hash of both texts at that time."""


class QuestionPairs:
    """Table of kept pairs. They stay on this computer and are never exported."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def texts(self, benchmark_id: int) -> dict[int, str]:
        """Texts of all questions with an id by number, in the benchmark's order."""
        statement = select(row_of.id, row_of.question).where(*of_benchmark(benchmark_id), has_id())
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            rows = session.exec(statement.order_by(col(row_of.position), col(row_of.id))).all()
            return {number: text for number, text in rows if number is not None}

    def list_kept(self, benchmark_id: int) -> set[KeptPair]:
        with self._database.reading() as session:
            rows = session.exec(select(pair_of).where(pair_of.benchmark_id == benchmark_id)).all()
            return {KeptPair(row.first, row.second, row.texts_hash) for row in rows}

    @persistent
    def keep(self, benchmark_id: int, pair: KeptPair, title: str) -> None:
        """Save a pair; it replaces an earlier one of the same questions. `title`: name of the pair in the history."""
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id)
            same = (pair_of.benchmark_id == benchmark_id, pair_of.first == pair.first, pair_of.second == pair.second)
            row = session.exec(select(pair_of).where(*same)).first()
            if row is None:
                row = pair_of(benchmark_id=benchmark_id, **asdict(pair), title=title)
            row.title, row.texts_hash = title, pair.texts_hash
            session.add(row)
