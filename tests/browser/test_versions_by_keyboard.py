"""A version is published, a file linked, changed outside, compared, and merged by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from tests.browser.accidents import Server
from tests.browser.conftest import SIZE

pytestmark = pytest.mark.browser

FOCUS = """(() => {
  const here = document.activeElement;
  return here.matches("button, input, textarea, a") ? here.innerText.trim() || here.ariaLabel : "";
})()"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "data").mkdir()
    server = Server(tmp_path / "data")
    server.start()
    yield server
    server.kill()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport=SIZE, reduced_motion="reduce")
    page.set_default_timeout(15_000)
    yield page
    page.close()


def command(page: Page, name: str) -> None:
    """Run a command by the palette."""
    page.keyboard.press("Control+k")
    expect(page.locator(".palette input")).to_be_focused()
    page.keyboard.type(name)
    expect(page.locator(".palette-rows .q-item").first).to_contain_text(name)
    page.keyboard.press("Enter")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the control of this name has the focus; an icon before it is no part of the name."""
    for _ in range(60):
        if str(page.evaluate(FOCUS)).rpartition("\n")[2] == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {name}")


def answers(server: Server) -> list[object]:
    return [answer for (answer,) in server.rows("SELECT raw_answer FROM question WHERE benchmark_id = 1 ORDER BY id")]


def test_a_changed_file_is_compared_and_merged_by_keyboard(server: Server, page: Page, tmp_path: Path) -> None:
    page.goto(f"{server.address}/benchmarks/1/questions/1")
    page.wait_for_function("window.did_handshake")
    command(page, "Publish version")
    expect(page.get_by_role("dialog", name="Publish version")).to_be_visible()
    tab_to(page, "Version name")
    page.keyboard.type("pilot")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Published v1 (pilot).")).to_be_visible()

    command(page, "Link benchmark file")
    expect(page.get_by_label("Linked file", exact=True)).to_be_focused()
    path = tmp_path / "colleague.jsonld"
    page.keyboard.type(str(path))
    tab_to(page, "Write new file")
    page.keyboard.press("Enter")
    expect(page.get_by_text("colleague.jsonld has no changes")).to_be_visible()

    document = load_checkpoint(path)
    before = answers(server)
    document.entries[0].question.raw_answer = "Edited by a colleague."
    document.entries[1].question.raw_answer = "Edited, too."
    save_checkpoint(document, path)
    expect(page.get_by_text("colleague.jsonld changed on disk: 2 questions changed.").first).to_be_visible()
    tab_to(page, "Compare")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Compare with colleague.jsonld")).to_be_visible()
    expect(page.get_by_role("cell", name="Edited by a colleague.")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("cell", name="Edited, too.")).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_role("cell", name="Edited by a colleague.")).to_be_visible()

    tab_to(page, "Apply")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Applied: reference answer.")).to_be_visible()
    expect(page.get_by_role("cell", name="Edited, too.")).to_be_visible()
    assert answers(server)[:2] == ["Edited by a colleague.", before[1]]
    # The next difference has the focus.
    tab_to(page, "Apply all fields")
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Undone: Applied changes to")).to_be_visible()
    expect(page.locator(".model-list-entry")).to_have_count(2)
    assert answers(server) == before

    tab_to(page, "Apply…")
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.closest('.q-menu')")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".q-menu .menu-item").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 questions changed. You can undo it in one step.")).to_be_visible()
    tab_to(page, "Apply all")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Both versions are the same.").first).to_be_visible()
    assert answers(server)[:2] == ["Edited by a colleague.", "Edited, too."]
    command(page, "Questions")
    expect(page.locator(".question-count")).to_have_text("13 questions")
    expect(page.get_by_text("changed on disk")).to_have_count(0)
