"""Figures as Chromium shows them, of runs that were drawn: against the recount, and each leads to its entry."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.schemas.condition import combined_name
from karenina_gui.store.library import Library
from tests.browser.conftest import served
from tests.examples import cases
from tests.figures.random_run import RandomRun, fill
from tests.figures.recount import Recount
from tests.figures.shown import lines, outcomes

SEEDS = tuple(seed for seed in range(16) if Recount(RandomRun(seed).rows).judged > 20)[:4]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[str]:
    """An application with these runs, as numbers 1, 2, 3."""
    folder = tmp_path_factory.mktemp("drawn") / "data"
    folder.mkdir()
    with Library.open(folder) as library:
        for seed in SEEDS:
            fill(library, RandomRun(seed))
    with served(folder, port) as address:
        yield address


@pytest.mark.thorough
@pytest.mark.parametrize("number", cases([1], range(2, len(SEEDS) + 1)))
def test_page_table_and_chart_show_what_the_recount_says(drawn: str, page: Page, number: int) -> None:
    right = Recount(RandomRun(SEEDS[number - 1]).rows)
    page.goto(f"{drawn}/runs/{number}")
    expect(page.locator(".overview-counts")).to_be_visible()
    expect(page.locator("#results-count")).to_have_text(f"{len(right.ended):,} results")
    shown = page.locator(".overview").inner_html()
    assert sum(outcomes(shown).values()) == len(right.ended)
    shares = {line.name: line.percent for line in lines(shown) if line.part.startswith("Pass rate")}
    page.goto(f"{drawn}/runs/{number}/charts?chart=arms&view=table")
    expect(page.locator(".chart-table table")).to_be_visible()
    assert shares
    for row in page.locator(".chart-table tbody tr").all():
        model, condition, mean = [cell.inner_text() for cell in row.locator("th, td").all()[:3]]
        arm = (model, None if condition == "–" else condition)
        value = right.verdict(right.of(arm)).value
        if value is not None:
            assert mean == f"{float(value):.1%}"
            assert shares[combined_name(*arm)] == f"{int(100 * value + 0.5)}"


def test_a_figure_leads_to_what_it_counts(drawn: str, page: Page) -> None:
    page.goto(f"{drawn}/runs/2")
    page.locator(".rate-n .figure[data-figure='pass-rate']").first.click()
    expect(page).to_have_url(re.compile(r"/guide\?page=glossary#figure-pass-rate$"))
    entry = page.locator("#figure-pass-rate")
    expect(entry).to_be_in_viewport()
    expect(entry).to_have_text("Pass rate")


@pytest.mark.thorough
def test_the_list_of_runs_counts_results_and_gives_no_rate_of_its_own(drawn: str, page: Page) -> None:
    page.goto(f"{drawn}/runs")
    right = Recount(RandomRun(SEEDS[-1]).rows)
    told = f"{right.outcomes['passed']:,} of {right.judged:,}" if right.judged else "–"
    expect(page.get_by_role("row").filter(has_text=f"Drawn {SEEDS[-1]}").first).to_contain_text(told)
    expect(page.get_by_role("columnheader", name="Results passed")).to_be_visible()
    expect(page.locator(".ag-center-cols-container")).not_to_contain_text("%")
