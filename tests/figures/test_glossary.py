"""Each figure that is shown has an entry in the glossary, which says what it counts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_request import ChartRequest
from karenina_gui.analysis.charts.column_words import COLUMN_WORDS
from karenina_gui.analysis.costs import cost
from karenina_gui.analysis.glossary import figures_of
from karenina_gui.analysis.rates import summarise
from karenina_gui.analysis.run_counting import count_run
from karenina_gui.analysis.run_data import RunData, compute_chart
from karenina_gui.analysis.thresholds import MAX_GRADES
from karenina_gui.analysis.trait_figures import trait_figures
from karenina_gui.gui.charts.charts import CHARTS, ChartKind
from karenina_gui.gui.charts.head import coverage
from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.charts.table_file import table_view
from karenina_gui.gui.pages.guide.chapters import CHAPTERS
from karenina_gui.gui.pages.guide.page import FIGURES, figures_in_words
from karenina_gui.gui.pages.results import sections
from karenina_gui.gui.pages.runs.overview import overview
from karenina_gui.gui.pages.runs.progress import line, time_spent
from karenina_gui.runs.progress import RunProgressState
from karenina_gui.schemas.prices import Price
from karenina_gui.store.library import Library
from tests.examples import examples
from tests.figures.random_run import SCALES, RandomRun, fill

KNOWN = {figure.key: figure for figure in FIGURES}
WORDS = ("rate-key", "rate-head", "result-muted")
"""Classes of names that people give and of sentences, which may have digits."""


class Unexplained(HTMLParser):
    """Figures in the markup that no element around them explains."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.found: list[str] = []
        self.explained: set[str] = set()
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not re.search(r"\d", data):
            return
        keys = {key for _, of in self._open if (key := of.get("data-figure"))}
        words = any(set((of.get("class") or "").split()) & set(WORDS) for _, of in self._open)
        if keys:
            self.explained |= keys
        elif not words and not re.match(r"[\d.]+ to ", data):  # the ends of a scale are no figures
            self.found.append(data)


@pytest.mark.parametrize("seed", range(8))
def test_each_figure_on_the_page_of_a_run_has_an_entry(seed: int, library: Library) -> None:
    run = fill(library, RandomRun(seed))
    counts, spending = count_run(library.results.table(run)), library.results.spending(run)
    prices = {each.model: Price(model=each.model, input=1.0, output=2.0) for each in spending.tokens}
    shown = overview(summarise(counts), trait_figures(counts, SCALES), cost(spending, prices))
    page = Unexplained(str(shown))
    assert page.found == []
    assert page.explained <= KNOWN.keys() and page.explained


def test_each_figure_in_the_head_of_a_run_has_an_entry() -> None:
    progress = RunProgressState(9, 4, {"passed": 3, "error": 1})
    head = Unexplained(f"{line(progress)}{time_spent(progress)}")
    assert head.found == [] and head.explained == {"jobs-done", "outcomes", "time-spent"}
    timed = Unexplained(str(line(RunProgressState(9, 4, {"passed": 4}, seconds=3, seconds_left=4))))
    assert timed.explained == {"jobs-done", "outcomes", "time-left"}


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_each_column_of_figures_of_a_chart_has_an_entry(chart: ChartKind, library: Library) -> None:
    seen = set()
    for seed in range(examples(2, 6)):
        run = fill(library, RandomRun(seed))
        material = RunData(library.results.table(run), SCALES)
        for metric in material.metrics:
            for clustered in (False, True):
                request = ChartRequest(trait=metric.trait, clustered=clustered, within=5)
                seen |= _have_entries(chart, compute_chart(material, chart.find, request).finding)
    assert seen


def _have_entries(chart: ChartKind, finding: Finding) -> set[str]:
    columns, rows = finding.table.columns, finding.table.rows
    numeric = {name for at, name in enumerate(columns) if any(isinstance(row[at], int | float) for row in rows)}
    known = figures_of(chart.own_figures, columns)
    assert numeric - known.keys() == set()
    assert {*columns} - known.keys() - COLUMN_WORDS.keys() == set()
    below = str(coverage(finding, chart))
    assert all(known[name].address in below for name in numeric)
    shown = {name for at, name in enumerate(columns) if any(row[at] is not None for row in rows)}
    filled = {figure.address for name, figure in known.items() if name in shown}
    assert not any(f'href="{figure.address}"' in below for figure in known.values() if figure.address not in filled)
    return numeric


def test_the_head_of_a_table_leads_to_the_entries(library: Library) -> None:
    run = fill(library, RandomRun(3))
    material = RunData(library.results.table(run), SCALES)
    query = ChartQuery.from_query({"chart": "arms"})
    shown = str(table_view(query, run, compute_chart(material, query.chart.find, query.request).finding))
    assert f'title="{COLUMN_WORDS["Method"]}"' in shown
    assert 'data-figure="chart-mean"' in shown and 'href="/guide?page=glossary#figure-chart-mean"' in shown


def test_the_guide_has_each_entry_once_with_all_that_it_says() -> None:
    guide = str(figures_in_words())
    assert len(KNOWN) == len(FIGURES)
    for figure in KNOWN.values():
        assert guide.count(f'id="{figure.anchor}"') == 1
        assert all(said.endswith(".") for said in (figure.counted, figure.left_out, figure.weighed, figure.interval))
    assert guide.count("<b>Interval: </b>") == len(KNOWN)


@pytest.mark.parametrize(
    "term",
    ["Dynamic trait", "Grade", "ICC, reliability", "Questions × configurations", "Upper bound"],
)
def test_words_of_tables_that_no_text_beside_them_explains_are_terms(term: str) -> None:
    assert f"| **{term}** |" in CHAPTERS["glossary"].markdown


def test_the_entry_about_grades_has_the_limit_of_the_tests() -> None:
    assert f"at most {MAX_GRADES} different values" in CHAPTERS["glossary"].markdown


def test_each_entry_stands_beside_what_computes_it() -> None:
    """No page and no list writes one."""
    root = Path(__file__).resolve().parents[2] / "karenina_gui"
    homes = {path.relative_to(root) for path in root.rglob("*.py") if "Figure(\n" in path.read_text(encoding="utf-8")}
    assert {home.parts[0] for home in homes} <= {"analysis", "runs"}
    assert Path("analysis/glossary.py") not in homes


def test_each_figure_of_a_result_has_an_entry(library: Library) -> None:
    run = fill(library, RandomRun(3))
    for row in library.results.page(run).rows[:20]:
        stored = library.results.get(row.id)
        shown = Unexplained(str(sections.tokens(stored.result, {})))
        assert shown.found == [] and shown.explained <= KNOWN.keys()
        head = str(sections.head(stored))
        assert 'data-figure="result-time"' in head and ('data-figure="tokens"' in head) == (row.tokens is not None)
