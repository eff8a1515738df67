"""Review by keyboard alone: two questions go back to their author, the others are finished."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations

pytestmark = pytest.mark.browser

TEXTS = ("Which enzyme do statins inhibit?", "What is 6 x 7?", "Who was first?", "Which vitamin reverses warfarin?")


@pytest.fixture
def author(page: Page, address: str) -> Page:
    """A benchmark of four questions by Ada, none of them finished, on the list of its questions."""
    name(page, address, "Ada")
    page.goto(f"{address}/benchmarks")
    page.get_by_role("button", name="New benchmark").click()
    page.get_by_label("Name", exact=True).fill("To review")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    for number, text in enumerate(TEXTS, 1):
        page.keyboard.press("Control+Alt+n")
        expect(page.get_by_text(f"{number} question{'s' if number > 1 else ''}", exact=True)).to_be_visible()
        expect(page.get_by_role("textbox", name="Question", exact=True)).to_be_focused()
        page.keyboard.type(text)
        expect(page.get_by_role("row", name=re.compile(re.escape(text)))).to_be_visible()
        page.get_by_role("textbox", name="Reference answer").fill(f"The answer to {number}")
    expect(page.get_by_text(re.compile("^Saved "))).to_be_visible()
    return page


def name(page: Page, address: str, person: str) -> None:
    """Enter the name of the person in front of the screen."""
    page.goto(f"{address}/settings")
    page.get_by_role("textbox", name=re.compile("^(Author: )?Name$")).fill(person)
    page.get_by_role("textbox", name=re.compile("^(Author: )?Name$")).press("Tab")
    page.wait_for_timeout(600)


def test_a_reviewer_returns_two_and_finishes_the_rest(author: Page, address: str) -> None:
    page, questions = author, author.url.partition("/questions")[0] + "/questions"
    name(page, address, "Grace")
    page.goto(questions)
    page.get_by_role("row", name=re.compile(re.escape(TEXTS[0]))).click()
    expect(page.get_by_role("heading", level=1, name=TEXTS[0])).to_be_visible()
    page.goto(f"{page.url.partition('#')[0]}?tab=review")
    for number, text in enumerate(TEXTS, 1):
        expect(page.get_by_role("heading", level=1, name=text)).to_be_visible()
        expect(page.get_by_role("list", name="Checklist").get_by_text("Reference answer.")).to_be_visible()
        expect(page.get_by_text(f"The answer to {number}")).to_be_hidden()
        page.keyboard.press("x")
        expect(page.get_by_text(f"The answer to {number}", exact=True)).to_be_visible()
        if number in (1, 3):
            page.keyboard.press("r")
            expect(page.get_by_role("textbox", name="What should change")).to_be_focused()
            page.keyboard.type(f"Please look at {number} again.")
            page.keyboard.press("Tab")
            page.keyboard.press("Tab")
            expect(page.get_by_role("button", name="Return", exact=True)).to_be_focused()
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("f")
    expect(page.get_by_text("No other question waits for you.")).to_be_visible()
    assert violations(page) == []
    name(page, address, "Ada")
    page.goto(f"{questions}#finished=waiting")
    expect(page.get_by_role("row", name=re.compile("Returned to its author"))).to_have_count(2)
    expect(page.get_by_text(re.compile("^2 of 4"))).to_be_visible()
    page.get_by_role("row", name=re.compile(re.escape(TEXTS[2]))).click()
    expect(page.get_by_text("Please look at 3 again.")).to_be_visible()
    page.get_by_role("button", name="Ask for review").click()
    expect(page.get_by_text(re.compile("^1 of 4"))).to_be_visible()
