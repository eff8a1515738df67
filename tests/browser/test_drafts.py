"""Drafts of the example, which are recorded: ordered, read, and accepted by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import violations

pytestmark = pytest.mark.browser

STOPS = 60
"""Presses of Tab within which a control must come."""


def test_a_template_and_traits_are_drafted_by_keyboard(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/questions")
    expect(page.locator(".ag-row").first).to_be_visible()
    command(page, "Draft templates")
    expect(page.get_by_text("at no cost")).to_be_visible()
    assert violations(page, ".dialog") == []
    press_on(page, page.get_by_role("button", name="Start", exact=True))
    expect(page.get_by_text("1 draft to review.")).to_be_visible()
    command(page, "Review drafts")
    review = page.locator(".draft-review")
    expect(review.get_by_text("Recorded reply")).to_be_visible()
    expect(review.get_by_text("Choices: kidneys, liver, lungs, other")).to_be_visible()
    assert violations(page, ".dialog") == []
    expect(review.locator(".draft-review-body")).to_be_focused()
    page.keyboard.press("d")
    expect(review.get_by_text("No drafts to review.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(review).to_have_count(0)
    press_on(page, page.get_by_role("button", name="Undo"))
    expect(page.get_by_text("1 draft to review.")).to_be_visible()
    command(page, "Review drafts")
    expect(review.get_by_text("Recorded reply")).to_be_visible()
    expect(review.locator(".draft-review-body")).to_be_focused()
    page.keyboard.press("e")
    expect(page.get_by_role("textbox", name="What to extract: organ")).to_be_visible()
    expect(page.get_by_text("No problems: 2 fields, filled in by a judge, read without running code.")).to_be_visible()

    page.goto(f"{address}/benchmarks/1/rubric")
    expect(page.get_by_role("button", name="New trait")).to_be_visible()
    command(page, "Suggest traits")
    expect(page.get_by_text("at no cost")).to_be_visible()
    press_on(page, page.get_by_role("button", name="Start", exact=True))
    expect(page.get_by_text("plain language (1 to 5)")).to_be_visible()
    assert violations(page, ".proposal") == []
    press_on(page, page.get_by_role("button", name="Add all"))
    expect(page.get_by_role("region", name="Suggested traits")).to_be_hidden()
    expect(page.locator(".trait-line", has_text="hedging")).to_be_visible()


@pytest.mark.thorough
def test_a_draft_is_shown_next_to_the_template_that_it_would_replace(page: Page, example_copy: str) -> None:
    page.goto(f"{example_copy}/questions")
    page.locator(".ag-row", has_text="How is gentamicin eliminated?").click()
    expect(page.get_by_role("heading", level=1, name="How is gentamicin eliminated?")).to_be_visible()
    page.get_by_role("tab", name="Template").click()
    page.get_by_role("button", name="Text A name or term").click()
    expect(page.get_by_role("textbox", name="What to extract: name")).to_be_visible()
    page.get_by_role("button", name="Template actions").click()
    page.get_by_role("menuitem", name="Draft with model…").click()
    page.get_by_role("button", name="Start", exact=True).click()
    draft = page.get_by_role("region", name="Drafted template")
    expect(draft.get_by_role("columnheader", name="Current template")).to_be_visible()
    expect(draft.get_by_role("button", name="Accept")).to_be_focused()
    assert violations(page, ".proposal") == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="What to extract: organ")).to_be_visible()
    expect(draft).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("textbox", name="What to extract: name")).to_be_visible()
    expect(draft).to_be_visible()


def command(page: Page, words: str) -> None:
    """Run a command by the palette."""
    page.keyboard.press("Control+k")
    expect(page.get_by_role("textbox", name="Command")).to_be_focused()
    page.keyboard.type(words)
    expect(page.get_by_role("menu", name="Commands").get_by_role("menuitem").first).to_contain_text(words)
    page.keyboard.press("Enter")


def press_on(page: Page, control: Locator) -> None:
    """Reach a control with Tab, and press it."""
    expect(control).to_be_visible()
    for _ in range(STOPS):
        if control.evaluate("each => each === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(control).to_be_focused()
    page.keyboard.press("Enter")
