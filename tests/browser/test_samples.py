"""Sample answers of a question, by keyboard alone: entered, read by a judge, tested, and kept from a result."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.test_main_job_by_keyboard import Keys

pytestmark = pytest.mark.browser

RECORDED = (
    "Yes. Aspirin transfers its acetyl group to a serine of cyclooxygenase-1. The enzyme stays blocked for the "
    "platelet's remaining life, about eight to ten days, since platelets have no nucleus to make more."
)
"""An answer to the first question of the example, whose reading by the sample judge is recorded."""
JUDGE = "sample-judge"


@pytest.fixture
def keys(page: Page, example_copy: str) -> Keys:
    """The tab Template of the first question."""
    page.goto(f"{example_copy}/questions")
    page.get_by_role("row", name=re.compile("Does low-dose aspirin")).click()
    expect(page.get_by_role("heading", level=1, name=re.compile("Does low-dose aspirin"))).to_be_visible()
    page.goto(f"{page.url.partition('#')[0]}?tab=template")
    expect(page.get_by_text("2 of 2 as expected.")).to_be_visible()
    for left in (1, 0):  # begin without those of the example
        page.get_by_role("button", name="Sample answer", exact=True).first.click()
        page.get_by_role("menuitem", name="Delete").click()
        expect(page.get_by_role("button", name="Sample answer", exact=True)).to_have_count(left)
    page.reload()
    expect(page.get_by_text("No problems: 1 field")).to_be_visible()
    return Keys(page)


def test_an_answer_is_read_by_a_judge_and_tested_on_each_edit(keys: Keys) -> None:
    page = keys.page
    keys.tab_to(page.get_by_role("tab", name="Try it"), "Shift+Tab")
    keys.press("Home", "Enter")
    keys.tab_to(page.get_by_role("button", name="Add starter samples"))
    keys.press("Enter")
    expect(page.get_by_text("3 of 3 as expected.")).to_be_visible()
    keys.tab_to(page.get_by_role("button", name="Add", exact=True), "Shift+Tab")
    keys.press("Enter")
    choose(keys, "Correct answer", "Correct, in other words")
    expect(page.get_by_role("textbox", name="Answer text")).to_be_focused()
    keys.type(RECORDED)
    expect(page.get_by_text("3 of 4 as expected, 1 not read yet.")).to_be_visible()
    assert violations(page) == []
    keys.tab_to(page.get_by_role("button", name="Read with judge"), "Shift+Tab")
    keys.press("Enter")
    keys.tab_to(page.get_by_role("combobox", name="Judge"))
    keys.write(JUDGE)
    expect(page.get_by_role("option")).to_have_text([JUDGE])
    keys.press("ArrowDown", "Enter")
    keys.tab_to(page.get_by_role("button", name="Read 1 answer"))
    keys.press("Enter")
    expect(page.get_by_text("Read 1 answer.")).to_be_visible()
    keys.press("Escape")
    expect(page.get_by_text("4 of 4 as expected.")).to_be_visible()
    expect(page.get_by_role("tab", name="Sample answers (4)")).to_be_visible()
    first = page.get_by_role("row", name=re.compile("Does low-dose aspirin"))
    expect(first.get_by_text("Works")).to_be_visible()
    keys.tab_to(page.get_by_role("combobox", name="Expected value: irreversible"), "Shift+Tab")
    keys.press("Enter")
    expect(page.get_by_role("option", name="No")).to_be_visible()
    keys.press("ArrowDown", "Enter")
    expect(page.get_by_text("2 of 4 as expected, 2 wrong verdicts.")).to_be_visible()
    expect(first.get_by_text("Failing")).to_be_visible()


def choose(keys: Keys, *names: str) -> None:
    """Go down an open menu by these entries, and choose the last one."""
    expect(keys.page.locator(".q-menu")).to_be_focused()
    for name in names:
        keys.press("ArrowDown")
        expect(keys.page.get_by_role("menuitem", name=name, exact=True)).to_be_focused()
    keys.press("Enter")
