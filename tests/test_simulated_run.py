"""Simulated runs have the requested properties, and the library returns what was drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from karenina_gui.store.library import Library
from tests.simulated_run import CITES, CLARITY, TONE, Simulation, fill

LARGE = Simulation(
    questions=5, models=2, conditions=3, replicates=2, judges=2, judge_replicates=2, failures=0.2, not_run=0.1
)


def test_the_library_gives_back_what_was_drawn(library: Library) -> None:
    _, run = fill(library, LARGE)
    kept = asdict(library.results.table(run))
    assert {name: column if isinstance(column, dict) else [*column] for name, column in kept.items()} == asdict(
        LARGE.table()
    )
    summary = library.runs.summary(run)
    assert (summary.total, summary.done, summary.status) == (5 * 2 * 3 * 2 * 2 * 2, 216, "cancelled")
    assert summary.outcomes == Counter(outcome for outcome in LARGE.table().outcome if outcome)


def test_the_same_simulation_is_the_same_run() -> None:
    assert LARGE.table() == Simulation(**asdict(LARGE)).table()
    assert LARGE.table().outcome != Simulation(**(asdict(LARGE) | {"seed": 2})).table().outcome


def test_an_answer_that_did_not_come_has_no_judgment_at_all() -> None:
    table = Simulation(questions=40, judges=2, failures=0.3).table()
    by_answer: dict[tuple[object, ...], set[bool]] = {}
    for row in zip(table.question_id, table.answering, table.condition, table.replicate, table.outcome, strict=True):
        by_answer.setdefault(row[:4], set()).add(row[4] == "error")
    assert all(len(both) == 1 for both in by_answer.values())
    failed = sum(both == {True} for both in by_answer.values())
    assert 0.25 < failed / len(by_answer) < 0.35


def test_where_all_is_equal_nothing_varies() -> None:
    table = Simulation(conditions=12, judges=2, judge_replicates=3, all_equal=True).table()
    assert set(table.outcome) == {"passed"}
    assert {tuple(scores.items()) for scores in table.traits} == {((CITES, True), (CLARITY, 4), (TONE, 1))}
    assert len(set(table.condition)) == 12
