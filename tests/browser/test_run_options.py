"""The options of a run, as a person sets them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import open_advanced

GROUPS = 12


def head(page: Page, title: str) -> Locator:
    """The head of a group of options; its name says what is set in it."""
    return page.locator(".run-form-group").get_by_role("button", name=title)


@pytest.mark.thorough
def test_all_options_are_accessible_and_reached_by_keyboard(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/3/run")
    expect(page.get_by_text("Run plan")).to_be_visible()
    page.get_by_role("radio", name="Template and rubric").click()
    open_advanced(page)
    heads = page.locator(".run-form-group .q-item[aria-expanded]")
    expect(heads).to_have_count(GROUPS)
    assert violations(page) == []  # closed, dark from here on
    page.emulate_media(color_scheme="light")
    heads.first.focus()
    for number in range(GROUPS):
        expect(heads.nth(number)).to_be_focused()
        page.keyboard.press("Tab")
    head(page, "Pre-checks").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("checkbox", name="Check for refusals")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(head(page, "Pre-checks: Refusal check")).to_be_visible()
    head(page, "Deep judgment").click()
    page.get_by_role("radio", name="Reasoning: First explains").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("radio", name="Quotes and reasoning:")).to_be_checked()
    page.get_by_role("checkbox", name="Check quotes for hallucinations").click()
    expect(page.get_by_text("TAVILY_API_KEY is not set.").filter(visible=True)).to_be_visible()
    for title in ("Field extraction", "Embedding", "Traits", "Few-shot", "Additional", "Retries", "Concurrency"):
        head(page, title).click()
    page.get_by_role("checkbox", name="Compare mismatches").click()
    page.get_by_role("radio", name="Both:").click()
    page.get_by_role("button", name="Add example").click()
    page.get_by_label("Similarity threshold", exact=True).fill("2")
    expect(page.get_by_text("A number from 0 to 1.").first).to_be_visible()
    expect(head(page, "Embedding check: Needs fixing")).to_be_visible()
    assert violations(page) == []


@pytest.mark.thorough
def test_what_is_looked_for_in_a_group_that_slides_open_keeps_its_place(page: Page, address: str) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"{address}/benchmarks/3/run")
    expect(page.get_by_text("Run plan")).to_be_visible()
    open_advanced(page)
    group = page.locator(".run-form-group", has_text="Few-shot examples")
    moved = group.evaluate(LOOKED_FOR_WHILE_SLIDING, "Both:")
    assert moved == 0
    expect(page.get_by_role("radio", name="Both:")).to_be_visible()


LOOKED_FOR_WHILE_SLIDING = """async (group, name) => {
  const [head, sliding] = group.querySelector(".q-expansion-item__container").children;
  head.click();
  while (!sliding.style.height) await new Promise(requestAnimationFrame);
  const wanted = [...sliding.querySelectorAll("[role=radio]")].find((each) => each.ariaLabel.startsWith(name));
  wanted.scrollIntoView();
  return sliding.scrollTop;
}"""
"""How far the group was scrolled within, which it would be scrolled back when it is open."""


@pytest.mark.thorough
def test_what_would_be_sent_is_shown_for_the_answer_that_is_entered(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/run")
    page.get_by_role("button", name="Preview requests…").click()
    requests = page.get_by_role("dialog").get_by_role("region", name=re.compile(r"^Request \d: "))
    expect(requests.first).to_contain_text("· sample-careful")
    page.get_by_label("Answer", exact=True).fill("It surely does, by acetylation.")
    expect(requests.nth(1)).to_contain_text("by acetylation")
    expect(requests.first).not_to_contain_text("by acetylation")
    page.get_by_role("dialog").get_by_label("Answering model").click()
    page.get_by_role("option", name="sample-hasty").click()
    expect(requests.first).to_contain_text("· sample-hasty")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_two_conditions_are_written_by_keyboard_held_against_one_another_and_run(
    page: Page, plain_run_page: str
) -> None:
    page.goto(plain_run_page)
    expect(page.get_by_text("72 jobs")).to_be_visible()
    page.get_by_role("button", name="Add condition").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("System prompt, condition 1")).to_be_focused()
    page.get_by_label("Condition 1 name").fill("as it is")
    page.get_by_role("button", name="Copy condition 1").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Condition 2 name")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("careful")
    expect(page.get_by_text("Same as “as it is”")).to_be_visible()
    page.get_by_role("textbox", name="System prompt, condition 2").focus()
    page.keyboard.type("Be careful.")
    which = page.get_by_role("radiogroup", name="System prompt source, condition 2")
    expect(which.get_by_role("radio", name="Custom")).to_be_checked()
    expect(page.locator(".condition-difference mark")).to_have_text("Be careful.")
    expect(page.get_by_text("144 jobs")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Start run").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Start anyway?")  # nobody has recorded the second one
    dialog.get_by_role("button", name="Start run").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/\d+$"))


def test_selected_questions_run(page: Page, plain_run_page: str) -> None:
    page.goto(plain_run_page)
    expect(page.get_by_text("72 jobs")).to_be_visible()
    page.get_by_role("radio", name="Selected questions").click()
    rows = page.get_by_role("group", name="Questions to select").locator(".ag-row")
    rows.nth(1).click()
    page.keyboard.down("Control")
    rows.nth(3).click()
    page.keyboard.up("Control")
    expect(page.get_by_text("12 jobs")).to_be_visible()
    page.reload()
    expect(rows.and_(page.locator("[aria-selected=true]"))).to_have_count(2)
