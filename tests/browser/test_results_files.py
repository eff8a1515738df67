"""Files of results in the browser: looked through, and opened as runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.test_imports import drop

pytestmark = pytest.mark.browser


def choose(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file, or drop it here").click()
    chooser.value.set_files(path)


def open_results(page: Page, address: str, path: Path) -> None:
    """By the menu, up to the run."""
    page.goto(f"{address}/benchmarks")
    page.get_by_role("menuitem", name="File").click()
    page.get_by_role("menuitem", name="Import results…").click()
    choose(page, path)
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Import (results|anyway)$")).click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))


def file_of(folder: Path, rows: list[Any], name: str = "mine.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(rows))
    return path


def row(number: int, text: str = "It is 42.") -> dict[str, Any]:
    return {
        "metadata": {
            "question_id": f"q{number}",
            "template_id": "t",
            "question_text": f"What is the number {number}?",
            "answering": {"interface": "manual", "model_name": "ada"},
            "timestamp": f"2026-01-01 00:00:{number:02}",
            "execution_time": float(number),
        },
        "template": {
            "raw_llm_response": text,
            "template_verification_performed": True,
            "verify_result": number % 3 == 0,
            "parsed_llm_response": {"number": 41},
            "parsed_gt_response": {"number": 42},
        },
    }


def test_a_file_is_looked_through_before_it_is_opened_and_can_be_taken_back(
    page: Page, address: str, tmp_path: Path
) -> None:
    path = file_of(tmp_path, [row(1), {"metadata": {}}, row(2)], "two-of-three.json")
    page.goto(f"{address}/runs")
    page.get_by_role("button", name="Import results…").click()
    dialog = page.get_by_role("dialog")
    choose(page, path)
    expect(dialog.get_by_text("1 unreadable result will be skipped; 2 results")).to_be_visible()
    expect(dialog.get_by_text("Result 2: metadata.question_id: missing")).to_be_visible()
    expect(dialog.get_by_text("New benchmark from 2 questions")).to_be_visible()
    dialog.get_by_role("button", name="Import results").click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    expect(page.get_by_text("Partial")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page).to_have_url(re.compile("/runs$"))
    expect(page.get_by_text("Imported from two-of-three.json")).to_have_count(0)


@pytest.mark.thorough
def test_a_file_that_is_dropped_and_was_opened_before_says_so(page: Page, address: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, [row(7)], "again.json")
    open_results(page, address, path)
    page.goto(f"{address}/runs?open=1")
    carried = page.evaluate_handle(
        """text => { const carried = new DataTransfer();
           carried.items.add(new File([text], "again.json", { type: "application/json" })); return carried; }""",
        path.read_text(),
    )
    page.locator(".drop").dispatch_event("drop", {"dataTransfer": carried})
    expect(page.get_by_role("dialog").get_by_text("Already in the library")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_text("(has 1 of 1 question, matched by ID and text)")).to_be_visible()
    expect(page.get_by_role("button", name="Import anyway")).to_be_enabled()


@pytest.mark.thorough
def test_results_with_the_ids_of_other_questions_ask_for_their_benchmark(
    page: Page, address: str, tmp_path: Path
) -> None:
    open_results(page, address, file_of(tmp_path, [row(21)], "gold.json"))
    other = row(21)
    other["metadata"]["question_text"] = "Which mouse is this?"
    page.goto(f"{address}/runs?open=1")
    choose(page, file_of(tmp_path, [other], "mouse.json"))
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("The question IDs are also in “gold”, but with other texts.")).to_be_visible()
    go = dialog.get_by_role("button", name="Import results")
    expect(go).to_be_disabled()
    dialog.get_by_role("combobox", name="Benchmark").click()
    page.get_by_role("option", name="New benchmark from 1 question").click()
    go.click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    expect(page.locator(".result-grid").get_by_text("Which mouse is this?")).to_be_visible()


@pytest.mark.thorough
def test_results_that_are_dropped_on_the_window_open_wherever_it_is(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}/guide")
    expect(page.get_by_role("heading", name="Get started").first).to_be_visible()
    drop(page, "#page", "let-go.json", file_of(tmp_path, [row(11)]).read_text())
    dialog = page.get_by_role("dialog", name="Import results")
    expect(dialog.get_by_text("Import let-go.json")).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    drop(page, "#page", "once-more.json", file_of(tmp_path, [row(12)]).read_text())
    expect(dialog.get_by_text("Import once-more.json")).to_be_visible()
    dialog.get_by_role("button", name="Import results").click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))


@pytest.mark.thorough
def test_what_is_no_file_of_results_is_told_and_another_can_be_chosen(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}/runs?open=1")
    choose(page, file_of(tmp_path, [], "none.json"))
    expect(page.get_by_role("alert")).to_have_text(re.compile("none.json contains no readable results"))
    choose(page, file_of(tmp_path, [row(8)], "good.json"))
    expect(page.get_by_role("button", name="Import results", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_opening_results_is_accessible(page: Page, address: str, shared: Path, tmp_path: Path) -> None:
    page.goto(f"{address}/runs?open=1")
    expect(page.get_by_role("button", name="Choose a file, or drop it here")).to_be_visible()
    assert violations(page) == []
    choose(page, shared / "results/full.export.csv")
    expect(page.get_by_role("combobox", name="Benchmark")).to_be_visible()
    assert violations(page, ".q-dialog") == []
    page.get_by_role("button", name="Choose another file").click()
    choose(page, file_of(tmp_path, [row(1), "broken"]))
    expect(page.get_by_role("region", name="Skipped results")).to_be_visible()
    assert violations(page, ".q-dialog") == []
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Import (results|anyway)$")).click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    page.locator(".result-grid .ag-cell").first.wait_for()
    expect(page.locator("[aria-colcount='0']")).to_have_count(0)  # the table has its columns
    assert violations(page) == []
