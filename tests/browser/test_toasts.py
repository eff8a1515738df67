"""Messages cover nothing that can be pressed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.examples import cases

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

COVERED = """() => {
    const overlaps = (a, b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
    const toasts = [...document.querySelectorAll(".toast")].map((each) => each.getBoundingClientRect());
    return [...document.querySelectorAll("button, a, input, textarea, [role=tab], [role=button]")]
        .filter((each) => !each.closest(".toasts, .sr-only, .skip") && each.checkVisibility())
        .filter((each) => toasts.some((toast) => overlaps(each.getBoundingClientRect(), toast)))
        .map((each) => each.getAttribute("aria-label") || each.textContent);
}"""
PLACES = cases(
    ["questions/1?tab=template", "details"],
    ["questions/1?tab=question", "questions/1?tab=rubric", "questions/1?tab=workspace", "run"],
)


@pytest.mark.parametrize("place", PLACES)
def test_two_messages_cover_no_control(page: Page, address: str, place: str) -> None:
    page.goto(f"{address}/benchmarks/1/{place}")
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    for count in (1, 2):
        page.keyboard.press("Control+k")
        page.get_by_role("textbox", name="Command").fill("Resume run")
        page.keyboard.press("Enter")
        expect(page.locator(".palette")).to_be_hidden()
        expect(page.locator(".toast")).to_have_count(count)
    assert page.evaluate(COVERED) == []


def test_two_long_messages_cover_no_control(page: Page, example_copy: str) -> None:
    page.goto(f"{example_copy}/questions")
    for count, text in enumerate(("Which four drugs make up", "A patient who takes warfarin"), 1):
        page.get_by_role("gridcell", name=re.compile(text)).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(text)
        page.keyboard.press("Control+Enter")
        expect(page.locator(".toast")).to_have_count(count)
    assert page.evaluate(COVERED) == []
    for key, word in (("Control+z", "Undone"), ("Control+z", "Undone"), ("Control+Shift+z", "Redone")):
        page.keyboard.press(key)
        expect(page.locator(".toast", has_text=word).last).to_be_visible()
    expect(page.locator(".toast", has=page.locator(".toast-link"))).to_have_count(2)
    assert page.evaluate(COVERED) == []
