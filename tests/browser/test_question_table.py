"""Table of questions, with keys alone: cells are edited in place, pasted, and kept through a crash."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from karenina_gui.store.library import Library
from tests.browser.accidents import Server
from tests.browser.conftest import eventually
from tests.browser.test_faults_while_typing import cells as cells, person as person
from tests.browser.test_main_job_by_keyboard import Keys

pytestmark = pytest.mark.browser

BLOCK = """Which organelle makes ATP?\tMitochondrion\tAny spelling\tcells; energy
"Which gas do plants
take in?"\tCarbon dioxide\t\tplants
Which organelle makes ATP?\tTwice
"""


@pytest.fixture
def keys(page: Page) -> Keys:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return Keys(page)


def cell(page: Page, row: int, name: str) -> Locator:
    return page.locator(f".ag-row[row-index='{row}'] .ag-cell[col-id='{name}']")


def paste(keys: Keys, text: str) -> None:
    keys.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    keys.press("Control+v")


def test_a_block_from_a_spreadsheet_becomes_questions_whose_cells_are_edited(
    keys: Keys, empty_library: str, tmp_path: Path
) -> None:
    page = keys.page
    page.goto(f"{empty_library}/benchmarks?new=1")
    expect(page.get_by_role("textbox", name="Name")).to_be_focused()
    keys.type("Cells")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    keys.command("Table of questions")
    expect(page.get_by_text("No questions. Add one, or paste rows from a spreadsheet.")).to_be_visible()
    keys.command("New question")
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_be_focused()
    keys.press("Escape")
    paste(keys, BLOCK)
    expect(page.get_by_text("Edited 1 question. Added 1 question.")).to_be_visible()
    expect(page.get_by_text("Not saved: “Which organelle makes ATP?” is in the benchmark already.")).to_be_visible()
    expect(cell(page, 0, "raw_answer")).to_have_text("Mitochondrion")
    expect(cell(page, 1, "question")).to_have_text("Which gas do plants take in?")
    expect(cell(page, 0, "keywords")).to_have_text("cells, energy")

    # Type over a cell, begin a line in it, cancel another, and clear a third.
    keys.press("ArrowRight", "Enter")
    expect(page.get_by_role("textbox", name="Reference answer")).to_be_focused()
    keys.write("The mitochondrion.")
    keys.press("Shift+Enter")
    keys.type("Plural, too.")
    keys.press("Enter")
    expect(cell(page, 0, "raw_answer")).to_have_text("The mitochondrion. Plural, too.")
    expect(page.locator(".status-saved")).to_contain_text("Saved")
    keys.press("F2")
    keys.write("Never mind")
    keys.press("Escape")
    expect(cell(page, 1, "raw_answer")).to_have_text("Carbon dioxide")
    keys.press("ArrowUp", "ArrowRight", "Delete")
    expect(cell(page, 0, "answer_notes")).to_have_text("")
    keys.press("Control+c")
    keys.press("Control+z")
    expect(cell(page, 0, "answer_notes")).to_have_text("Any spelling")

    # Keywords of both at once.
    keys.command("Select all questions")
    keys.tab_to(page.get_by_role("button", name="More edits"), "Shift+Tab")
    keys.press("Enter")
    expect(page.locator(".q-menu")).to_be_focused()
    keys.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Edit keywords…")).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_role("textbox", name="Keywords to add")).to_be_focused()
    keys.type("biology, cells")
    keys.press("Enter")
    expect(cell(page, 0, "keywords")).to_have_text("cells, energy, biology")
    expect(cell(page, 1, "keywords")).to_have_text("plants, biology, cells")

    library = Library.open(tmp_path / "data")
    try:
        first, second = library.benchmarks.document(library.benchmarks.numbers()[0]).entries
    finally:
        library.close()
    assert first.question.raw_answer == "The mitochondrion.\nPlural, too."
    assert second.question.question == "Which gas do plants\ntake in?"
    assert first.question.answer_notes == "Any spelling"


@pytest.fixture
def server(cells: Path, tmp_path: Path) -> Iterator[Server]:
    server = Server(shutil.copytree(cells, tmp_path / "data"))
    server.start()
    yield server
    server.kill()


@pytest.mark.thorough
def test_a_cell_typed_while_the_application_is_killed_is_saved(server: Server, person: BrowserContext) -> None:
    page = person.new_page()
    page.goto(f"{server.address}/benchmarks/3/table")
    cell(page, 1, "answer_notes").click()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Notes")).to_be_focused()
    page.keyboard.type("Typed just before")
    server.kill()
    page.keyboard.type(" and after the end")
    page.keyboard.press("Enter")
    expect(page.locator(".offline")).to_contain_text("1 edit stored in this browser")
    server.start()
    expect(page.locator(".offline")).to_have_count(0, timeout=60_000)
    expect(cell(page, 1, "answer_notes")).to_have_text("Typed just before and after the end", timeout=60_000)
    stored = "SELECT answer_notes FROM question WHERE benchmark_id = 3 ORDER BY position"
    wanted = [(None,), ("Typed just before and after the end",)]
    eventually(page, lambda: server.rows(stored) == wanted)
    expect(page.locator(".status-unsaved")).to_have_text("")


@pytest.mark.thorough
def test_a_cell_that_cannot_be_saved_gets_its_text_back(server: Server, person: BrowserContext) -> None:
    first, second = person.new_page(), person.new_page()
    for page in (first, second):
        page.goto(f"{server.address}/benchmarks/3/table")
        expect(cell(page, 1, "question")).to_be_visible()
    cell(first, 0, "question").click()
    first.keyboard.press("Enter")
    cell(second, 0, "question").click()
    second.keyboard.press("Enter")
    first.keyboard.press("Control+a")
    first.keyboard.type("What is a cell, really?")
    first.keyboard.press("Enter")
    expect(cell(first, 0, "question")).to_have_text("What is a cell, really?")
    second.keyboard.press("Control+a")
    second.keyboard.type("What is an organelle?")
    second.keyboard.press("Enter")
    message = second.get_by_text("Not saved: Someone else changed this cell meanwhile.")
    expect(message).to_contain_text("Your text waits in the question.")
    expect(cell(second, 0, "question")).to_have_text("What is a cell, really?")
    expect(second.locator(".status-unsaved")).to_have_text("")
    second.get_by_role("link", name="Show").click()
    expect(second.get_by_label("Question", exact=True)).to_have_value("What is an organelle?")
    second.get_by_role("button", name="Keep mine").click()
    first.reload()
    expect(cell(first, 0, "question")).to_have_text("What is an organelle?")
