"""Problems of a benchmark, and find and replace, with keys alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from karenina_gui.app import build
from karenina_gui.settings import Settings
from karenina_gui.store.library import Library
from tests.browser.accessibility import violations
from tests.browser.conftest import served
from tests.browser.test_imports import press_until

pytestmark = pytest.mark.browser

NUMBER = """class Answer(BaseAnswer):
    colour: str = VerifiedField(description="The colour.", ground_truth="red", verify_with=ExactMatch())
"""
SAID = ".status-problem"


@pytest.fixture
def benchmark(tmp_path: Path) -> Iterator[str]:
    """Address of a benchmark of three questions: one without an answer, one with a broken template, one finished."""
    application = build(Settings(data=tmp_path / "data"))
    editor = application.editor
    try:
        number = editor.create_benchmark("Colours")
        first, second, third = (
            editor.add_question(number, f"{word} colour?", "red").summary.number for word in ("Which", "What", "Whose")
        )
        editor.edit(number, first, {"raw_answer": "", "answer_template": NUMBER})
        editor.edit(number, second, {"answer_template": "class Answer("})
        editor.edit(number, third, {"answer_template": NUMBER, "answer_notes": "Any colour word."})
        editor.set_finished(number, [third], True)
        editor.check_all(number)
    finally:
        application.close()
    with served(tmp_path / "data") as address:
        yield f"{address}/benchmarks/{number}"


def into_editor(page: Page) -> None:
    """Go from pane to pane until the focus is in the question editor."""
    for _ in range(6):
        page.keyboard.press("F6")
        if page.locator("[aria-label='Question editor'] :focus").count():
            return
    raise AssertionError("F6 does not lead to the editor.")


def test_f8_leads_from_one_problem_to_the_next_while_typing(page: Page, benchmark: str) -> None:
    page.goto(f"{benchmark}/questions")
    expect(page.locator(".question-head-title")).to_have_text("Which colour?")
    into_editor(page)
    press_until(page, "Tab", page.get_by_role("textbox", name="Notes"))
    page.keyboard.type("Typed before F8")
    page.keyboard.press("F8")
    expect(page.locator(SAID)).to_have_text("1 of 2: No reference answer. (question 1)")
    answer = page.get_by_role("textbox", name="Reference answer")
    expect(answer).to_be_focused()
    page.keyboard.press("F8")
    expect(page.locator(SAID)).to_contain_text("2 of 2: The answer template has an error.")
    expect(page.locator(".question-head-title")).to_have_text("What colour?")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("F8")
    expect(page.locator(SAID)).to_have_text("From the top again: 1 of 2: No reference answer. (question 1)")
    expect(answer).to_be_focused()
    expect(page.get_by_role("textbox", name="Notes")).to_have_value("Typed before F8")
    page.keyboard.type("red")
    page.keyboard.press("Shift+F8")
    expect(page.locator(SAID)).to_contain_text("The answer template has an error.")
    page.keyboard.press("F8")
    expect(page.locator(SAID)).to_contain_text("1 of 1: The answer template has an error.")


@pytest.mark.thorough
def test_problems_that_come_late_do_not_take_the_focus(page: Page, benchmark: str) -> None:
    late: list[Route] = []
    page.route("**/api/benchmarks/*/problems*", lambda route: late.append(route))
    page.goto(f"{benchmark}/questions")
    expect(page.locator(".question-head-title")).to_have_text("Which colour?")
    page.keyboard.press("Control+Alt+p")
    panel = page.get_by_role("region", name="Problems")
    expect(panel.locator("input").first).to_be_focused()
    search = page.get_by_role("textbox", name="Search questions")
    search.click()
    page.keyboard.type("co")
    for route in late:
        route.continue_()
    expect(panel.locator(".ag-row")).to_have_count(2)
    page.keyboard.type("lour")
    expect(search).to_be_focused()
    expect(search).to_have_value("colour")


@pytest.mark.thorough
def test_the_panel_is_used_by_keys_and_stays_as_it_was_left(page: Page, benchmark: str) -> None:
    page.goto(f"{benchmark}/questions")
    expect(page.locator(".question-head-title")).to_have_text("Which colour?")
    page.keyboard.press("Control+Alt+p")
    panel = page.get_by_role("region", name="Problems")
    expect(panel.get_by_role("status")).to_contain_text("2 errors")
    expect(panel.locator(".ag-row")).to_have_count(2)
    expect(page.locator(".problems-grid .ag-cell:focus")).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".question-head-title")).to_have_text("What colour?")
    expect(page.locator(".cm-content")).to_be_focused()
    expect(page.locator(".problems-grid .row-here")).to_contain_text("The answer template has an error.")
    before = panel.bounding_box()
    handle = page.get_by_role("separator", name="Height of the Problems panel")
    handle.focus()
    page.keyboard.press("ArrowUp")
    expect(handle).to_have_attribute("aria-valuenow", "33")
    press_until(page, "Tab", page.get_by_role("combobox", name="Severity filter"))
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(panel.locator(".ag-row").filter(has_text="Note").first).to_be_visible()
    after = panel.bounding_box()
    assert before and after and after["height"] > before["height"]
    page.wait_for_timeout(300)  # the preferences are stored a moment later
    page.reload()
    expect(panel.locator(".ag-row").filter(has_text="Note").first).to_be_visible()
    expect(handle).to_have_attribute("aria-valuenow", "33")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 640, "height": 400})
    expect(panel.get_by_role("button", name="Close Problems panel")).to_be_in_viewport()
    page.keyboard.press("Control+Alt+p")
    expect(panel).to_be_hidden()


@pytest.mark.thorough
def test_chosen_matches_are_replaced_and_taken_back_by_keys(page: Page, benchmark: str, tmp_path: Path) -> None:
    page.goto(f"{benchmark}/questions")
    expect(page.locator(".question-head-title")).to_have_text("Which colour?")
    page.keyboard.press("Control+Shift+H")
    expect(page.get_by_role("textbox", name="Find", exact=True)).to_be_focused()
    page.keyboard.type("colour")
    page.keyboard.press("Tab")
    page.keyboard.type("shade tone")
    counts = page.locator(".page .bar [role=status]")
    expect(counts).to_have_text("8 matches in 3 questions, 4 chosen.")
    expect(page.get_by_text("1 finished question needs another review afterwards: “Whose colour?”.")).to_be_visible()
    expect(page.get_by_text("The template would have an error").first).to_be_visible()
    assert violations(page) == []
    button = page.get_by_role("button", name="Replace 4 matches")
    expect(button).to_be_enabled()
    press_until(page, "Tab", page.locator(".replace-grid .ag-header-cell").first)
    page.keyboard.press("Tab")
    expect(page.locator(".replace-grid .ag-row .ag-cell:focus")).to_have_count(1)
    page.keyboard.press("Space")
    expect(counts).to_have_text("8 matches in 3 questions, 3 chosen.")
    press_until(page, "Shift+Tab", page.get_by_role("button", name="Replace 3 matches"))
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("Replaced 3 matches in . questions"))).to_be_visible()
    expect(counts).to_have_text("5 matches in 2 questions, 1 chosen.")
    assert texts(tmp_path / "data") == ["Which colour?", "What shade tone?", "Whose shade tone?"]
    page.locator("#page").focus()
    page.keyboard.press("Control+z")
    expect(page.get_by_text(re.compile("Undone: Replaced text in . questions"))).to_be_visible()
    expect(counts).to_have_text("8 matches in 3 questions, 4 chosen.")
    assert texts(tmp_path / "data") == ["Which colour?", "What colour?", "Whose colour?"]


def texts(data: Path) -> list[str]:
    library = Library.open(data)
    try:
        return [row.text for row in library.questions.summaries(library.benchmarks.numbers()[0])]
    finally:
        library.close()


@pytest.mark.thorough
def test_the_menu_opens_the_panel_with_its_table(page: Page, benchmark: str) -> None:
    page.goto(f"{benchmark}/questions")
    page.get_by_role("menuitem", name="View", exact=True).click()
    page.get_by_role("menuitem", name="Show or hide problems").click()
    expect(page.locator(".problems-grid .ag-row").first).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0
