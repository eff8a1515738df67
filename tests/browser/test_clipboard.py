"""Copying says what it did, also in a browser that does not let pages at the clipboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

REFUSING = "Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject(Error('no'))}})"
MISSING = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
"""As on a page that comes from another computer without HTTPS."""
WITHOUT_OLD_WAY = "document.execCommand = () => false"


@pytest.mark.parametrize("browser", [REFUSING, MISSING], ids=["refused", "missing"])
def test_a_text_is_copied_where_the_browser_keeps_the_clipboard_from_pages(
    new_page: Callable[..., Page], address: str, browser: str
) -> None:
    page = new_page(once=True)
    page.add_init_script(browser)
    page.goto(f"{address}/benchmarks/1/questions/1?tab=question")
    shown = page.get_by_label("ID", exact=True).input_value()
    page.get_by_role("button", name="Copy ID").click()
    expect(page.get_by_text("Copied ID")).to_be_visible()
    search = page.get_by_role("textbox", name="Search questions")
    search.press("Control+v")
    expect(search).to_have_value(shown)


def test_a_text_that_was_not_copied_is_not_called_copied(new_page: Callable[..., Page], address: str) -> None:
    page = new_page(once=True)
    page.add_init_script(f"{REFUSING}; {WITHOUT_OLD_WAY}")
    page.goto(f"{address}/benchmarks/1/questions/1?tab=question")
    page.get_by_role("button", name="Copy ID").click()
    expect(page.get_by_text("Not copied: the browser blocked it.")).to_be_visible()
    expect(page.get_by_text("Copied ID")).to_have_count(0)
