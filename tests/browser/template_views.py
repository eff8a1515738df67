"""The two views of a template in the browser: its form, and its code."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect


def code(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Answer template")


def open_code(page: Page) -> Locator:
    """Show the code of the template on the page, whichever view is shown, and return its editor."""
    page.get_by_role("button", name=re.compile("^(Code|Write the code)$")).click()
    expect(code(page)).to_be_visible()
    return code(page)


def description_of(page: Page, field: str) -> Locator:
    return page.get_by_role("textbox", name=f"What to extract: {field}")


def expected_value_of(page: Page, field: str) -> Locator:
    return page.get_by_role("textbox", name=f"Expected value: {field}")
