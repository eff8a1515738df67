"""Context menus of rows: the commands of the menus, by mouse, by Shift+F10, and by the menu key."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import violations

pytestmark = pytest.mark.browser


def test_a_question_is_duplicated_and_deleted_from_its_row_by_mouse_and_by_keys(page: Page, example_copy: str) -> None:
    page.goto(f"{example_copy}/questions")
    second = page.locator(".ag-row[row-index='1']")
    second.click(button="right")
    menu = page.get_by_role("menu", name="Actions of the row")
    titles = ["Open", "Open in new tab", "Mark finished or unfinished", "Duplicate question", "Delete question"]
    expect(menu.get_by_role("menuitem")).to_have_text([re.compile(title) for title in titles])
    assert violations(page, ".q-menu") == []
    menu.get_by_role("menuitem", name="Duplicate question").click()
    expect(page.get_by_role("heading", name=re.compile("^Unedited copy"))).to_be_visible()
    copy = page.locator(".ag-row[row-index='2']")
    expect(copy).to_contain_text("Unedited copy")

    copy.locator("[col-id=question]").click()
    page.keyboard.press("Shift+F10")
    expect(menu.get_by_role("menuitem", name="Open", exact=True)).to_be_focused()
    for _ in titles[1:]:
        page.keyboard.press("ArrowDown")
    expect(menu.get_by_role("menuitem", name="Delete question")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Unedited copy")).to_have_count(0)
    expect(menu).to_be_hidden()


@pytest.mark.thorough
def test_the_table_and_the_results_have_the_same_commands_by_keys(page: Page, example_copy: str, address: str) -> None:
    menu = page.get_by_role("menu", name="Actions of the row")
    page.goto(f"{example_copy}/table")
    page.wait_for_function("window.did_handshake")  # from now on it hears what asks for a menu
    page.locator(".ag-row[row-index='1'] [col-id=question]").click()
    page.keyboard.press("Shift+F10")
    titles = ["Open", "Open in new tab", "Mark finished or unfinished", "Duplicate question", "Delete question"]
    expect(menu.get_by_role("menuitem")).to_have_text([re.compile(title) for title in titles])
    assert violations(page, ".q-menu") == []
    menu.get_by_role("menuitem", name="Delete question").click()
    expect(page.get_by_text(re.compile("^Deleted “"))).to_be_visible()

    page.goto(f"{address}/runs/1?outcome=passed")
    page.wait_for_function("window.did_handshake")
    cell = page.locator(".results-grid .ag-row[row-index='0'] [col-id=question]", has=page.locator("a"))
    cell.click(button="right")
    expect(menu.get_by_role("menuitem")).to_have_text(["Open", "Open in new tab"])
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/1/results/\d+\?outcome=passed$"))


@pytest.mark.thorough
def test_a_command_of_a_selected_row_is_about_the_selection(page: Page, example_copy: str) -> None:
    page.goto(f"{example_copy}/questions")
    for index in (0, 1):
        page.locator(f".ag-row[row-index='{index}'] .ag-checkbox-input").check()
    page.locator(".ag-row[row-index='0'] [col-id=question]").click(button="right")
    page.get_by_role("menuitem", name="Delete question").click()
    expect(page.get_by_text("Deleted 2 questions.")).to_be_visible()


@pytest.mark.thorough
def test_benchmarks_and_traits_have_menus_of_their_own(page: Page, example_copy: str, address: str) -> None:
    page.goto(f"{address}/benchmarks")
    row = page.get_by_role("table", name="Benchmarks").get_by_role("row").nth(1)
    row.get_by_role("link").focus()
    page.keyboard.press("ContextMenu")
    menu = page.get_by_role("menu", name="Actions of the row")
    expect(menu.get_by_role("menuitem", name="Duplicate benchmark")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(row.get_by_role("link")).to_be_focused()

    page.goto(f"{example_copy}/rubric")
    traits = page.get_by_role("listbox", name="Traits")
    before = options(traits)
    traits.focus()
    page.keyboard.press("Shift+F10")
    menu.get_by_role("menuitem", name="Duplicate trait").click()
    expect(traits.get_by_role("option")).to_have_count(before + 1)


@pytest.mark.thorough
def test_a_run_is_deleted_from_its_row_and_comes_back(page: Page, address: str) -> None:
    page.goto(f"{address}/runs")
    page.locator(".ag-row[row-index='0']").click(button="right")
    page.get_by_role("menuitem", name="Delete run").click()
    expect(page.get_by_text("Deleted run “Long one”.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Restored run “Long one”.")).to_be_visible()


@pytest.mark.thorough
def test_fields_keep_the_menu_of_the_browser(page: Page, example_copy: str) -> None:
    page.goto(f"{example_copy}/questions")
    page.get_by_label("Search questions").click(button="right")
    expect(page.get_by_role("menu", name="Actions of the row")).to_have_count(0)


def options(traits: Locator) -> int:
    expect(traits.get_by_role("option").first).to_be_visible()
    return traits.get_by_role("option").count()
