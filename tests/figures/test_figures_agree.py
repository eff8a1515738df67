"""Every figure that the application shows of a run, against one independent recount (`recount.py`).

300 runs are drawn with `KARENINA_FIGURES=300`; the ordinary suite draws a few.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from karenina_gui.analysis.costs import cost
from karenina_gui.analysis.rates import summarise
from karenina_gui.analysis.traits import trait_figures
from karenina_gui.gui.results.verdicts import ENDINGS
from karenina_gui.gui.runs.overview import overview
from karenina_gui.schemas.condition import named
from karenina_gui.schemas.summaries import RunCounts
from karenina_gui.store.library import Library
from tests.figures.random_run import CITES, CLARITY, SCALES, TONE, RandomRun, fill
from tests.figures.recount import Mean, Recount, Row
from tests.figures.shown import Line, lines, outcomes

RUNS = int(os.environ.get("KARENINA_FIGURES", "15"))


class Case:
    """A run that was drawn, in a library, and what it should say."""

    def __init__(self, library: Library, seed: int) -> None:
        self.library, self.drawn = library, RandomRun(seed)
        self.run = fill(library, self.drawn)
        self.counts: RunCounts = library.results.counts(self.run)
        self.right = Recount(self.drawn.rows)

    @property
    def overview(self) -> str:
        spent = cost(self.library.results.spending(self.run), {})
        return str(overview(summarise(self.counts), trait_figures(self.counts, SCALES), spent))

    def lines(self, part: str) -> Iterator[Line]:
        return (line for line in lines(self.overview) if line.part.startswith(part))


@pytest.fixture(params=range(RUNS), scope="module")
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, new_library: Path) -> Iterator[Case]:
    folder = tmp_path_factory.mktemp("drawn")
    (folder / new_library.name).write_bytes(new_library.read_bytes())
    with Library.open(folder) as library:
        yield Case(library, request.param)


def percent(share: Fraction) -> str:
    """As it must be written: all and none told apart from what is only near."""
    whole = int(share * 100 + Fraction(1, 2))
    if share in (0, 1):
        return str(whole)
    return ">99" if whole >= 100 else "<1" if whole <= 0 else str(whole)


def is_rate(line: Line, right: Mean) -> None:
    if right.value is None:
        assert "nothing" in line.text, line
        return
    assert (line.percent, line.counts[:1]) == (percent(right.value), [(right.passed, right.scored)]), line


# ---- the page of the run


def test_outcomes_are_counted(case: Case) -> None:
    titles = {ENDINGS[outcome].title: number for outcome, number in case.right.outcomes.items() if outcome}
    shown = outcomes(case.overview)
    if case.right.judged:
        assert shown == titles
    else:
        assert shown.items() <= titles.items()


def test_rates_are_means_over_questions(case: Case) -> None:
    right = case.right
    if not right.judged:
        return
    groups = {
        "Pass rate": {named(*arm): right.of(arm) for arm in right.arms},
        "By condition": _by(right.rows, lambda row: [row.condition]),
        "By judge": _by(right.rows, lambda row: [row.judge]),
        "By keyword": _by(right.rows, lambda row: list(row.keywords)),
    }
    for part, group in groups.items():
        for line in case.lines(part):
            found = right.verdict(group[line.name])
            is_rate(line, found)
            assert line.before("without a verdict") == found.left_out, line


def test_scores_of_traits_are_means_over_questions_and_what_lacks_one_is_said(case: Case) -> None:
    right, seen = case.right, set()
    for line in case.lines("Traits"):
        whole = not line.head
        trait = next(name for name in (CITES, CLARITY, TONE) if name in (line.name if whole else line.head))
        seen.add(trait)
        rows = right.rows if whole else next(right.of(arm) for arm in right.arms if named(*arm) == line.name)
        found = right.trait(trait, rows)
        lacking = found.left_out
        assert line.before(rf"of {lacking + found.scored} without a score") == lacking, line
        if found.value is None:
            assert "nothing scored" in line.text
        elif trait == CITES:
            is_rate(line, found)
        elif trait == CLARITY:
            assert line.mean == pytest.approx(float(found.value), abs=0.00501)
            assert f"n = {found.scored:,}" in line.text
    assert seen >= set(right.traits)


def _by(rows: list[Row], keys: object) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        for key in keys(row):  # type: ignore[operator]
            found.setdefault(key, []).append(row)
    return found
