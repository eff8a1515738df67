"""Undo by keyboard alone, across a restart; the history as an accessibility check finds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import violations
from tests.browser.accidents import Server
from tests.browser.conftest import SIZE

pytestmark = pytest.mark.browser

COUNT = ".question-count"
FOCUS = "document.activeElement.innerText.trim() || document.activeElement.ariaLabel"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A window whose connection breaks, which the browser complains of."""
    page = chromium.new_page(viewport=SIZE, reduced_motion="reduce")
    page.set_default_timeout(15_000)
    yield page
    page.close()


def test_a_bulk_deletion_is_undone_by_keys_after_a_restart(server: Server, page: Page) -> None:
    questions = f"{server.address}/benchmarks/1/questions"
    page.goto(f"{questions}/1")
    expect(page.locator(COUNT)).to_have_text("13 questions")
    page.keyboard.press("Control+Alt+a")
    expect(page.get_by_text("13 selected")).to_be_visible()
    tab_to(page, "Delete")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Deleted 13 questions.")).to_be_visible()
    expect(page.get_by_text("No questions yet")).to_be_visible()
    page.goto("about:blank")  # a page that meets the restart reloads itself, in the middle of going elsewhere
    server.end()
    server.start()
    page.goto(questions)
    expect(page.get_by_text("No questions yet")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Undone: Deleted 13 questions.")).to_be_visible()
    expect(page.locator(COUNT)).to_have_text("13 questions")
    page.keyboard.press("Control+Shift+z")
    expect(page.get_by_text("Redone: Deleted 13 questions.")).to_be_visible()
    expect(page.locator(COUNT)).to_have_text("0 questions")
    page.keyboard.press("Control+z")
    expect(page.locator(COUNT)).to_have_text("13 questions")


@pytest.mark.thorough
def test_a_text_field_keeps_its_own_undo(server: Server, page: Page) -> None:
    page.goto(f"{server.address}/benchmarks/1/questions/1?tab=question")
    notes = page.get_by_label("Notes", exact=True)
    before = notes.input_value()
    notes.press("End")
    page.keyboard.type(" More.")
    expect(page.get_by_role("contentinfo")).to_contain_text("Saved")
    notes.press("Control+z")
    expect(notes).not_to_have_value(f"{before} More.")
    expect(page.get_by_text("Undone:")).to_have_count(0)


@pytest.mark.thorough
def test_the_history_is_accessible_and_worked_by_keys(server: Server, page: Page) -> None:
    page.goto(f"{server.address}/benchmarks/1/questions/1?tab=question")
    notes = page.get_by_label("Notes", exact=True)
    notes.fill("Other notes.")
    notes.press("Control+Enter")
    expect(page.get_by_text("Marked as unfinished:")).to_be_visible()
    page.get_by_role("button", name="Question history").press("Enter")
    page.wait_for_url("**/history?question=1")
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    page.get_by_role("link", name="Edited the notes").press("Enter")
    expect(page.get_by_role("cell", name="Other notes.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("toolbar", name="Action", exact=True).get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_text("Undone: Edited the notes")).to_be_visible()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the control of this name has the focus."""
    for _ in range(60):
        if page.evaluate(FOCUS) == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {name}")
