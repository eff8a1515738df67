"""The two views of a template in the browser: its form, and its code."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect


def code(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Answer template")


def open_code(page: Page) -> Locator:
    """Show the code of the template on the page, whichever view is shown, and return its editor."""
    card = page.get_by_role("button", name=re.compile("^Custom code"))
    opener = page.get_by_role("button", name="Code", exact=True).or_(card).filter(visible=True).first
    opener.wait_for()
    is_new = card.is_visible()
    opener.click()
    expect(code(page)).to_be_visible()
    if is_new:  # the card writes a first example
        expect(code(page)).to_contain_text("class Answer")
        code(page).press("Control+a")
        code(page).press("Delete")
    return code(page)


def description_of(page: Page, field: str) -> Locator:
    return page.get_by_role("textbox", name=f"What to extract: {field}")


def expected_value_of(page: Page, field: str) -> Locator:
    return page.get_by_role("textbox", name=f"Expected value: {field}")
