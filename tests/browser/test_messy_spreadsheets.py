"""From an empty library to results, with a spreadsheet as people keep them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet
from playwright.sync_api import Page, expect

from tests.examples import cases
from tests.twin import Asked, Reply, Twin, fitting

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

TITLE = "Item bank of the spring exam"
HEADERS = ["  Question ", "Answer", "", "Answer", " Level", "", "Tags  "]
"""One name twice, two columns without a name: the first holds remarks, the second nothing."""
ROWS = [
    ["What is the capital of France?", "Paris", "checked", "Lyon", "easy", "", "geography; Europe"],
    [],
    [" What is the capital of Peru? ", " Lima ", "", "", "easy", "", "geography"],
    ["Which gas do plants take up?", "carbon dioxide", "ask Ada", "", "hard", "", "biology"],
    ["", "", "", "", "", "", ""],
    ["What is the capital of France?", "Paris", "", "", "easy", "", ""],
    ["Which gas do plants take up?", "CO2", "", "", "hard", "", "biology"],
    ["Who wrote the Odyssey?", "", "", "", "hard", "", "literature"],
    ["What is the chemical symbol of gold?", "Au", "", "", "easy", "", "chemistry"],
]
LEFT_OUT = {
    8: "same question as row 3",
    9: "same question as row 6, but with a different reference answer",
    10: "column “Answer” has no reference answer",
}
TEMPLATE = """class Answer(BaseAnswer):
    value: str = VerifiedField(
        description="The answer that the text gives", ground_truth={{raw_answer}}, verify_with=ExactMatch()
    )
"""


def as_csv(folder: Path) -> Path:
    path = folder / "exam.csv"
    lines = [[TITLE, *[""] * 6], HEADERS, *([*row, *[""] * (7 - len(row))] for row in ROWS)]
    path.write_text("\r\n".join(",".join(f'"{cell}"' for cell in line) for line in lines), encoding="utf-8-sig")
    return path


def as_workbook(folder: Path) -> Path:
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.append([TITLE])
    sheet.merge_cells("A1:G1")
    for line in (HEADERS, *ROWS):
        sheet.append([cell or None for cell in line])
    path = folder / "exam.xlsx"
    book.save(path)
    return path


def script(asked: Asked) -> Reply:
    """Knows capitals; as the judge, takes the answer as it is."""
    if asked.schema is not None and "value" not in asked.schema["properties"]:
        return Reply(data=fitting(asked.schema))  # a test of the connection
    if asked.schema is not None:
        return Reply(data={"value": asked.text.partition("<answer>")[2].partition("</answer>")[0].strip()})
    capitals = {"France": "Paris", "Peru": "Lima"}
    return Reply(text=next((city for country, city in capitals.items() if country in asked.text), "I do not know."))


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin(script) as twin:
        yield twin


@pytest.mark.parametrize("written", cases([], [as_workbook, as_csv]))
def test_a_messy_spreadsheet_leads_to_results(
    new_page: Callable[..., Page], empty_library: str, twin: Twin, tmp_path: Path, written: Callable[[Path], Path]
) -> None:
    page = new_page(once=True)
    page.goto(empty_library)
    expect(page.get_by_role("heading", name="No benchmarks yet")).to_be_visible()
    page.locator(".empty").get_by_role("button", name="New benchmark").click()
    page.get_by_label("Name", exact=True).fill("Spring exam")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    page.get_by_role("button", name="Import questions…").click()
    page.locator(".dialog input[type=file]").set_input_files(written(tmp_path))
    expect(page.get_by_role("combobox", name="Header row")).to_have_value(re.compile("^Row 2: Question"))
    expect(page.get_by_role("combobox", name="Column for Question")).to_have_value("Question")
    expect(page.get_by_role("combobox", name="Column for Reference answer")).to_have_value("Answer")
    expect(page.locator(".import-state")).to_have_text("7 rows: 4 new questions, 2 duplicates, 1 skipped.")
    page.get_by_role("button", name="Add remaining columns").click()
    page.get_by_role("combobox", name="Template", exact=True).click()
    page.get_by_role("option", name="Code for all rows").click()
    page.get_by_role("textbox", name="Template (all rows)").fill(TEMPLATE)
    page.get_by_text("More options").click()
    page.get_by_role("checkbox", name="Mark questions finished").click()
    outlook = page.get_by_role("table", name="Preview of the first questions")
    expect(outlook.get_by_role("row")).to_have_count(5)
    expect(outlook).to_contain_text("Column 3: checked, Answer (2): Lyon, Level: easy")
    expect(outlook).to_contain_text("value: carbon dioxide")
    left_out(page)
    page.get_by_role("button", name="Import 4 questions").click()
    expect(page.get_by_text("Imported 4 questions.", exact=True)).to_be_visible()
    left_out(page)
    page.locator(".dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_text("4 questions", exact=True)).to_be_visible()
    expect(page.get_by_label("Question", exact=True)).to_have_value("What is the capital of France?")
    expect(page.get_by_text("4 of 4 ready")).to_be_visible()

    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("heading", name="No models yet")).to_be_visible()
    page.locator(".empty").get_by_role("button", name="New model").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("new model")
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_label("Base URL", exact=True).fill(f"{twin.address}/v1")
    page.get_by_role("button", name="Test connection").click()
    expect(page.locator(".connection-ok", has_text="Base URL")).to_be_visible()
    expect(page.locator(".connection-failed")).to_have_count(0)

    page.get_by_role("link", name="New run", exact=True).click()
    expect(page.get_by_text("4 questions will run.")).to_be_visible()
    for model in page.get_by_role("checkbox", name="ada").all():
        expect(model).to_be_checked()  # the only one
    page.get_by_label("Replicates", exact=True).fill("1")
    expect(page.get_by_text("4 jobs = 4 questions × 1 model")).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/1$"))
    expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("50% · 2 of 4 results")).to_be_visible()
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.locator("#results-count")).to_have_text("4 results")
    for question, verdict in (("What is the capital of Peru?", "Passed"), ("Which gas do plants take up?", "Wrong")):
        expect(page.locator(".results-grid .ag-row", has_text=question)).to_contain_text(verdict)


def left_out(page: Page) -> None:
    """Each row that does not come in is listed with its number in the file, and why."""
    for number, reason in LEFT_OUT.items():
        expect(page.get_by_role("row", name=f"{number} {reason}")).to_be_visible()
