"""Texts that no keyboard gives, but a clipboard does."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def test_half_of_a_character_does_not_keep_the_rest_of_a_text_from_being_saved(page: Page, example_copy: str) -> None:
    page.goto(f"{example_copy}/questions")
    notes = page.get_by_label("Notes")
    notes.evaluate("(field) => field.focus()")
    page.evaluate(
        "() => { const f = document.activeElement; f.value = 'a face \\ud83d, a half \\ude00, a whole 😀';"
        " f.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    notes.press("Tab")
    expect(page.locator(".status-saved")).to_contain_text("Saved")
    page.reload()
    expect(notes).to_have_value("a face \N{REPLACEMENT CHARACTER}, a half \N{REPLACEMENT CHARACTER}, a whole 😀")
    expect(page.locator(".status-unsaved")).to_be_empty()
