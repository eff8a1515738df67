"""Figures of runs that were drawn lead to what they count."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.store.library import Library
from tests.browser.conftest import served
from tests.figures.random_run import RandomRun, fill
from tests.figures.recount import Recount

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


def test_a_figure_leads_to_what_it_counts(drawn: str, page: Page) -> None:
    page.goto(f"{drawn}/runs/2")
    page.locator(".rate-n .figure[data-figure='pass-rate']").first.click()
    expect(page).to_have_url(re.compile(r"/guide\?page=glossary#figure-pass-rate$"))
    entry = page.locator("#figure-pass-rate")
    expect(entry).to_be_in_viewport()
    expect(entry).to_have_text("Pass rate")
