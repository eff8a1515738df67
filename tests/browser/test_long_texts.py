"""Texts too long for one message to the server are saved all the same, in their order."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import eventually
from tests.browser.test_two_windows import kept

LONG = 1_300_000


@pytest.fixture
def page(new_page: Callable[..., Page], address: str) -> Page:
    page = new_page(once=True)
    page.goto(f"{address}/benchmarks/1/questions/2?tab=question")
    return page


def insert(page: Page, label: str, text: str, times: int = 1) -> None:
    """As a paste does."""
    page.get_by_label(label, exact=True).focus()
    page.keyboard.press("Control+End")
    page.evaluate("([text, times]) => document.execCommand('insertText', false, text.repeat(times))", [text, times])


@pytest.mark.thorough
def test_a_text_of_more_than_a_megabyte_is_saved_with_what_is_typed_after_it(page: Page) -> None:
    notes = page.get_by_label("Notes", exact=True)
    insert(page, "Notes", "words ", LONG // 6)
    page.keyboard.type("and an end")
    expect(page.locator(".status")).to_contain_text("Saved")
    page.wait_for_timeout(1500)
    expect(page.locator("#too_long_message_popup")).to_have_attribute("aria-hidden", "true")
    page.reload()
    expect(notes).to_have_value(re.compile("words and an end$"))
    assert len(notes.input_value()) > LONG - 10
    notes.fill("short again")
    kept(page, "short again")
    page.reload()
    expect(notes).to_have_value("short again")


@pytest.mark.thorough
def test_a_text_that_cannot_be_sent_is_said_to_be_unsaved_and_not_left_unasked(page: Page) -> None:
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("window.fetch = async () => new Response(null, { status: 413 })")
    insert(page, "Notes", "words ", LONG // 6)
    said = page.get_by_text("Not saved: this text is too long.")
    expect(said).to_be_visible()
    page.wait_for_timeout(1000)
    expect(said).to_be_visible()
    page.evaluate("setTimeout(() => location.reload())")
    eventually(page, lambda: asked == ["beforeunload"])
    page.get_by_label("Notes", exact=True).fill("short again")
    expect(said).to_have_count(0)
