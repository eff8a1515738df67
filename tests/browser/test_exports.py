"""A file that takes a while to make: its window says so until it comes, and why it does not."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect


@pytest.fixture
def page(new_page: Callable[..., Page], address: str) -> Page:
    page = new_page(once=True)
    page.goto(f"{address}/benchmarks/1/details")
    return page


def test_the_status_bar_says_that_a_file_is_being_made_until_it_comes(page: Page) -> None:
    def slowly(route: Route) -> None:
        time.sleep(1)
        route.continue_()

    page.route("**/api/benchmarks/1/file", slowly)
    line = page.locator("#status-export")
    expect(line).to_have_text("")
    page.get_by_role("button", name="Export file").click()
    line.get_by_role("button", name="Cancel").click()
    expect(line).to_have_text("")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export file").click()
        expect(line).to_have_text("Exporting… Cancel")
    assert download.value.suggested_filename == "Medicines-a-first-look.jsonld"
    expect(line).to_have_text("")


@pytest.mark.thorough
def test_a_file_that_cannot_be_made_says_why(page: Page) -> None:
    reply = "async () => new Response(JSON.stringify({ message: 'The disk is full.' }), { status: 400 })"
    page.get_by_role("button", name="Export file").wait_for()
    page.evaluate(f"window.fetch = {reply}")
    page.get_by_role("button", name="Export file").click()
    expect(page.get_by_text("Couldn’t export the file. The disk is full.")).to_be_visible()
    expect(page.locator("#status-export")).to_have_text("")
