"""From an empty library and a spreadsheet to 200 finished, tested questions, with keys alone and without code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet
from playwright.sync_api import Page, expect

from karenina_gui.store.library import Library
from tests.browser.accessibility import violations
from tests.browser.test_imports import press_until
from tests.browser.test_main_job_by_keyboard import Keys

pytestmark = pytest.mark.browser

ANSWERS = ("CYP3A4", "5 mg", "yes", "1995-03-02", "liver, kidney and lung")


@pytest.fixture
def exam(tmp_path: Path) -> Path:
    """200 questions with answers of each kind, and a near duplicate below them."""
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.append(["Nr.", "Frage / question text", "Lösung (short)"])
    for number in range(1, 201):
        sheet.append([number, f"What is the answer to question {number}?", ANSWERS[number % len(ANSWERS)]])
    sheet.append([201, "What is the answer\nto question 7?", "yes"])
    path = tmp_path / "exam.xlsx"
    book.save(path)
    return path


def test_200_questions_are_tested_and_finished_without_a_mouse_or_code(
    page: Page, empty_library: str, exam: Path, tmp_path: Path
) -> None:
    page.goto(empty_library)
    expect(page.get_by_role("heading", name="No benchmarks yet")).to_be_visible()
    assert violations(page) == []
    press_until(page, "Tab", page.get_by_role("button", name="Import questions…"))
    page.keyboard.press("Enter")
    with page.expect_file_chooser() as chooser:
        press_until(page, "Tab", page.get_by_role("button", name="Choose a file"))
        page.keyboard.press("Enter")
    chooser.value.set_files(exam)
    expect(page.get_by_role("heading", name="Import questions from exam.xlsx")).to_be_focused()
    expect(page.get_by_role("table", name="Data in the file")).to_contain_text("What is the answer to question 1?")
    state = page.locator(".import-state")
    expect(state).to_have_text("201 rows: 200 new questions, 1 near duplicate.")

    press_until(page, "Tab", page.get_by_role("combobox", name="Template", exact=True))
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("table", name="Preview of the first questions")).to_contain_text("value: 5")
    choice = page.get_by_role("radiogroup", name="Row 202")
    press_until(page, "Tab", choice.get_by_role("radio", name="Import"))
    page.keyboard.press("Space")
    expect(state).to_have_text("201 rows: 201 new questions.")
    expect(choice.get_by_role("radio", name="Import")).to_be_focused()
    press_until(page, "Tab", choice.get_by_role("radio", name="Skip"))
    page.keyboard.press("Space")
    expect(state).to_have_text("201 rows: 200 new questions, 1 near duplicate.")
    assert violations(page, ".q-dialog") == []
    press_until(page, "Tab", page.get_by_role("button", name="Import 200 questions"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Import finished")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_text("200 questions", exact=True)).to_be_visible()
    expect(page.locator(".ag-row[row-index='0']")).to_contain_text("Works", timeout=30_000)

    press_until(page, "Tab", page.get_by_role("combobox", name="Template filter"))
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("0 of 200", exact=True)).to_be_visible()
    press_until(page, "Tab", page.get_by_role("button", name="Clear filters"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("200 questions", exact=True)).to_be_visible()

    Keys(page).command("Test all templates")
    expect(page.get_by_text("200 templates tested: 200 ready.")).to_be_visible(timeout=30_000)
    Keys(page).command("Select all questions")
    expect(page.get_by_text("200 selected")).to_be_visible()
    selection = page.get_by_role("toolbar", name="Selected questions")
    Keys(page).tab_to(selection.get_by_role("button", name="Mark finished"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Marked as finished: 200 questions.")).to_be_visible()
    library = Library.open(tmp_path / "data")
    try:
        rows = library.questions.summaries(library.benchmarks.numbers()[0])
    finally:
        library.close()
    assert [(row.finished, row.template_valid, row.mutation) for row in rows] == [(True, True, "fine")] * 200


@pytest.mark.thorough
def test_the_tour_is_taken_by_keys(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/questions")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("textbox", name="Command")).to_be_focused()
    page.keyboard.type("take the tour")
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog", name="Tour")
    expect(panel.get_by_role("button", name="Next")).to_be_focused()
    expect(page.locator(".tour-target")).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(panel.get_by_text(re.compile("Step 2 of"))).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page.locator(".tour-target")).to_have_count(0)
    assert json.loads(page.evaluate("JSON.stringify(document.activeElement.id)")) == "page"
