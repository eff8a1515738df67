"""Simulated runs have the requested properties, and the library returns what was drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from karenina_gui.store.library import Library
from tests.job_tables import column, columns
from tests.simulated_run import CITES, CLARITY, TONE, Simulation, fill

LARGE = Simulation(
    questions=5, models=2, conditions=3, replicates=2, judges=2, judge_replicates=2, failures=0.2, not_run=0.1
)


def test_the_library_gives_back_what_was_drawn(library: Library) -> None:
    _, run = fill(library, LARGE)
    assert columns(library.results.table(run)) == columns(LARGE.table())
    summary = library.runs.summary(run)
    assert (summary.total, summary.done, summary.status) == (5 * 2 * 3 * 2 * 2 * 2, 216, "cancelled")
    assert summary.outcomes == Counter(outcome for outcome in column(LARGE.table(), "outcome") if outcome)


def test_the_same_simulation_is_the_same_run() -> None:
    table = columns(LARGE.table())
    assert table == columns(Simulation(**asdict(LARGE)).table())
    assert table["outcome"] != columns(Simulation(**(asdict(LARGE) | {"seed": 2})).table())["outcome"]


def test_an_answer_that_did_not_come_has_no_judgment_at_all() -> None:
    table = Simulation(questions=40, judges=2, failures=0.3).table()
    by_answer: dict[tuple[object, ...], set[bool]] = {}
    names = ("question_id", "answering", "condition", "replicate", "outcome")
    for row in zip(*(column(table, name) for name in names), strict=True):
        by_answer.setdefault(row[:4], set()).add(row[4] == "error")
    assert all(len(both) == 1 for both in by_answer.values())
    failed = sum(both == {True} for both in by_answer.values())
    assert 0.25 < failed / len(by_answer) < 0.35


def test_where_all_is_equal_nothing_varies() -> None:
    table = Simulation(conditions=12, judges=2, judge_replicates=3, all_equal=True).table()
    assert set(column(table, "outcome")) == {"passed"}
    assert table.scores == ({CITES: True, CLARITY: 4, TONE: 1},)
    assert len(set(column(table, "condition"))) == 12
