"""Files that come in, as a person brings them: chosen, dropped, and by keyboard alone."""

from __future__ import annotations

import base64
import csv
import json
import re
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.accessibility import violations

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes on the first sheet; on the second 400 questions below a title, two of them broken."""
    book = Workbook()
    notes = book.active
    assert isinstance(notes, Worksheet)
    notes.title = "Read me"
    for line in ("Exam of spring", "Each question has its answer beside it"):
        notes.append([line])
    items = book.create_sheet("Items")
    items.append(["Item bank"])
    items.append([])
    items.append(["Prompt", "Gold", "Tags", "Area", "Level"])
    for number in range(1, 401):
        items.append([f"What is the dose of drug {number}?", number / 2, "dose; oral", "Heart/Kidney", "easy"])
    items["B40"], items["A50"] = "#N/A", None
    path = tmp_path_factory.mktemp("files") / "exam.xlsx"
    book.save(path)
    return path


@pytest.fixture
def empty(page: Page, address: str) -> Page:
    return with_new_benchmark(page, address)


@pytest.mark.thorough
def test_400_questions_come_in_from_a_workbook_and_two_broken_rows_are_named(
    empty: Page, exam: Path, tmp_path: Path
) -> None:
    empty.get_by_role("button", name="Import questions…").click()
    choose(empty, exam)
    expect(empty.get_by_role("heading", name="Import questions from exam.xlsx")).to_be_visible()
    expect(state(empty)).to_have_text("400 rows: 398 new questions, 2 skipped.")

    empty.get_by_role("button", name="Add keyword column").click()
    empty.get_by_role("combobox", name="Keyword separator 2").click()
    empty.get_by_role("option", name="slash").click()
    empty.get_by_role("button", name="Add remaining columns").click()
    first = empty.get_by_role("table", name="Preview of the first questions")
    expect(first.get_by_role("row", name="4 What is the dose of drug 1? 0.5 dose, oral, Heart, Kidney")).to_be_visible()
    refused = empty.get_by_role("table", name="Skipped rows")
    expect(refused.get_by_role("row", name="40 cell B40 contains #N/A; correct it in the sheet")).to_be_visible()
    expect(refused.get_by_role("row", name="50 column “Prompt” is empty: no question text")).to_be_visible()
    with empty.expect_download() as download:
        empty.get_by_role("button", name="Download CSV").click()
    saved = tmp_path / "skipped.csv"
    download.value.save_as(saved)
    assert [row[:3] for row in csv.reader(saved.read_text("utf-8-sig").splitlines())][1:] == [
        ["40", "cell B40 contains #N/A; correct it in the sheet", "What is the dose of drug 37?"],
        ["50", "column “Prompt” is empty: no question text", ""],
    ]

    empty.get_by_role("button", name="Import 398 questions").click()
    expect(empty.get_by_text("Imported 398 questions.", exact=True)).to_be_visible()
    expect(empty.get_by_role("row", name="40 cell B40 contains #N/A; correct it in the sheet")).to_be_visible()
    empty.get_by_role("button", name="Close").click()
    expect(empty.get_by_text("398 questions", exact=True)).to_be_visible()
    size = empty.viewport_size
    empty.set_viewport_size({"width": 1920, "height": 1080})  # a narrow list has no room for keywords
    expect(empty.get_by_role("row", name=re.compile(r"drug 1\?.*dose, oral, Heart, Kidney"))).to_be_visible()
    assert size is not None
    empty.set_viewport_size(size)
    the_first_rows_stand_while_the_others_come(empty)


def the_first_rows_stand_while_the_others_come(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/benchmarks/*/questions", lambda route: held.append(route))
    page.reload()
    expect(page.get_by_role("row", name=re.compile(r"drug 1\?"))).to_be_visible()
    expect(page.locator(".ag-row.row-here")).to_have_count(1)  # from now on nothing but a key scrolls
    last = page.get_by_role("row", name=re.compile(r"drug 400\?"))
    page.locator(".list-grid .ag-body-viewport").press("Control+End")
    expect(page.get_by_role("row", name=re.compile(r"drug 102\?"))).to_be_visible()
    expect(page.locator(".question-count")).to_be_empty()
    held[0].continue_()
    page.unroute("**/api/benchmarks/*/questions")
    expect(page.get_by_text("398 questions", exact=True)).to_be_visible()
    page.get_by_label("Search questions").fill("400")
    expect(last).to_be_visible()


def test_the_same_by_keyboard_alone_and_taken_back(empty: Page, exam: Path) -> None:
    empty.keyboard.press("Control+k")
    expect(empty.get_by_role("textbox", name="Command")).to_be_focused()
    empty.keyboard.type("import questions")
    empty.keyboard.press("Enter")
    expect(empty.get_by_role("heading", name="Import questions")).to_be_focused()
    with empty.expect_file_chooser() as chooser:
        press_until(empty, "Tab", empty.get_by_role("button", name="Choose a file"))
        empty.keyboard.press("Enter")
    chooser.value.set_files(exam)
    expect(empty.get_by_role("heading", name="Import questions from exam.xlsx")).to_be_focused()
    expect(state(empty)).to_have_text("400 rows: 398 new questions, 2 skipped.")

    press_until(empty, "Tab", empty.get_by_role("combobox", name="Sheet"))
    empty.keyboard.press("Enter")
    empty.keyboard.press("ArrowUp")
    empty.keyboard.press("Enter")
    expect(state(empty)).to_have_text(re.compile("^Choose the question"))
    press_until(empty, "Tab", empty.get_by_role("combobox", name="Sheet"))
    empty.keyboard.press("Enter")
    empty.keyboard.press("ArrowDown")
    empty.keyboard.press("Enter")
    expect(state(empty)).to_have_text("400 rows: 398 new questions, 2 skipped.")
    press_until(empty, "Tab", empty.get_by_role("region", name="Skipped rows"))
    press_until(empty, "Tab", empty.get_by_role("button", name="Import 398 questions"))
    empty.keyboard.press("Enter")
    expect(empty.get_by_role("heading", name="Import finished")).to_be_focused()
    expect(empty.get_by_text("398 questions", exact=True)).to_be_visible()

    press_until(empty, "Tab", empty.get_by_role("button", name="Undo import"))
    empty.keyboard.press("Enter")
    expect(empty.get_by_text("Import undone. 398 questions removed.")).to_be_visible()
    expect(empty.get_by_text("0 questions", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_a_table_is_dropped_on_the_window_and_met_again_is_known(empty: Page, address: str) -> None:
    text = "Exam\n\nQuestion,Answer\nDose of A?,5 mg\nDose of B?,9 mg\nDose of B?,8 mg\n"
    drop(empty, "body", "doses.csv", text, drop_it=False)
    expect(empty.get_by_text("Drop to import")).to_be_visible()
    expect(empty.get_by_text("Drop to import")).to_be_hidden()  # carried off again
    drop(empty, "body", "doses.csv", text)
    expect(state(empty)).to_have_text("3 rows: 2 new questions, 1 duplicate.")
    expect(empty.get_by_role("row", name="6 same question as row 5, but with a different reference")).to_be_visible()
    empty.get_by_role("button", name="Import 2 questions").click()
    empty.get_by_role("button", name="Undo", exact=True).click()  # that of the message
    expect(empty.get_by_text("0 questions", exact=True)).to_be_visible()
    expect(empty.locator(".q-dialog__inner")).to_have_count(0)
    drop(empty, "body", "doses.csv", text)
    empty.get_by_role("button", name="Import 2 questions").click()
    empty.get_by_role("button", name="Close").click()

    home = empty.url
    empty.goto(f"{address}/guide")
    expect(empty.get_by_role("heading", name="Get started").first).to_be_visible()
    drop(empty, "#page", "doses.csv", text.replace("5 mg", "6 mg"))
    expect(empty).to_have_url(re.compile(re.escape(home.rsplit("/", 1)[0])))
    expect(state(empty)).to_have_text(
        "3 rows: 0 new questions, 1 duplicate, 2 already in the benchmark (1 with a different reference answer, "
        "see above)."
    )
    expect(empty.get_by_role("radiogroup", name="Row 4").get_by_role("radio", name="Update")).to_be_visible()
    listed = empty.get_by_role("region", name="Already in the benchmark")
    expect(listed.get_by_role("row", name="already in the benchmark, with the same reference answer")).to_be_visible()
    expect(listed).not_to_contain_text("different")
    expect(empty.get_by_role("button", name="Nothing to import")).to_be_disabled()


@pytest.mark.thorough
def test_a_benchmark_file_is_dropped_and_an_unknown_kind_is_told(page: Page, address: str) -> None:
    page.goto(f"{address}/guide")
    expect(page.get_by_role("heading", name="Get started").first).to_be_visible()
    drop(page, "#page", "photo.png", "no table")
    expect(page.get_by_text("Couldn’t import photo.png: unsupported file type.")).to_be_visible()
    checkpoint = {
        "@context": {"@vocab": "http://schema.org/"}, "@type": "DataFeed", "name": "Dropped one", "dataFeedElement": [],
    }  # fmt: skip
    drop(page, "#page", "dropped.json", json.dumps(checkpoint))
    page.wait_for_url(re.compile(r"/benchmarks(/\d+/questions|\?import=1)"))
    expect(page.get_by_text("Dropped one").first).to_be_visible()


@pytest.mark.thorough
def test_a_file_dropped_beside_the_place_in_the_dialog_is_taken_and_a_bad_one_says_what_to_do(empty: Page) -> None:
    empty.get_by_role("button", name="Import questions…").click()
    drop(empty, ".q-dialog__backdrop", "old.xls", "\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1", latin=True)
    expect(empty.get_by_role("alert")).to_contain_text("old.xls is an old Excel workbook (.xls)")
    drop(empty, ".drop", "one.jsonl", '{"item": {"text": "Why?"}, "answer": "So"}\n{"item": 1}\n')
    expect(state(empty)).to_have_text("2 lines: 1 new question, 1 skipped.")


def test_recorded_answers_are_mapped_and_seen_before_they_are_used(page: Page, address: str, tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text(
        "item,said by the model,run\nWhich enzyme is inhibited?,It is CYP3A4.,1\nWhich enzyme is inhibited?,,2\n"
        "Which enzyme is inhibited?,CYP2D6.,3\nAnother question?,No.,1\n"
    )
    page.goto(f"{address}/benchmarks/3/questions")
    expect(page.get_by_role("link", name="Long conversations")).to_be_visible()
    page.goto(f"{address}/models")
    page.get_by_role("button", name="New model").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value(re.compile("new model"))
    page.get_by_role("combobox", name="Interface", exact=True).click()
    page.get_by_role("option", name="Recorded answers").click()
    page.get_by_role("button", name="Import answers for “Long conversations”…").click()
    choose(page, answers)
    expect(state(page)).to_have_text("Select the question column and the answer column.")
    for column, option in (("Question", "item"), ("Answer", "said by the model"), ("Replicate", "run")):
        page.get_by_role("combobox", name=column).click()
        page.get_by_role("option", name=option, exact=True).click()
        expect(page.get_by_role("option")).to_have_count(0)  # its list closes before the next opens
    expect(page.get_by_role("row", name="Which enzyme is inhibited? 2 of 3 It is CYP3A4.")).to_be_visible()
    expect(page.get_by_role("row", name="3 column “said by the model” has no answer")).to_be_visible()
    expect(page.get_by_role("row", name="Another question? No question has this ID or text.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Import answers", exact=True).click()
    expect(page.get_by_text("Imported answers to 1 of 1 question.")).to_be_visible()
    page.get_by_role("button", name="Delete model").click()


@pytest.mark.thorough
def test_answers_of_one_model_and_the_judged_part_of_its_dialogues_are_chosen(
    page: Page, address: str, tmp_path: Path
) -> None:
    def dialogue(answer: str) -> list[dict[str, str]]:
        return [{"role": "assistant", "content": answer}, {"role": "user", "content": "Thank you."}]

    question = "Which enzyme is inhibited?"
    rows = [{"question": question, "model": of, "messages": dialogue(f"Says {of}.")} for of in ("ada", "bob")]
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(rows))
    page.goto(f"{address}/benchmarks/3/questions")
    expect(page.get_by_role("link", name="Long conversations")).to_be_visible()
    page.goto(f"{address}/models")
    page.get_by_role("button", name="New model").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value(re.compile("new model"))
    page.get_by_role("combobox", name="Interface", exact=True).click()
    page.get_by_role("option", name="Recorded answers").click()
    page.get_by_role("button", name="Import answers for “Long conversations”…").click()
    choose(page, answers)
    expect(state(page)).to_have_text("Select the model whose answers these are.")
    page.get_by_role("combobox", name="Answers of").click()
    page.get_by_role("option", name="bob · 1 answer").click()
    expect(page.get_by_text("1 conversation ends with a message of the user (1).")).to_be_visible()
    expect(page.get_by_role("row", name=f"{question} all Says bob.", exact=True)).to_be_visible()
    expect(page.get_by_role("row", name="ada 1")).to_be_visible()
    page.get_by_role("combobox", name="Judged text").click()
    page.get_by_role("option", name="The whole dialogue").click()
    expect(page.get_by_role("row", name="Says bob. --- User Message --- Thank you.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Import answers", exact=True).click()
    expect(page.get_by_text("Imported answers to 1 of 1 question.")).to_be_visible()
    page.get_by_role("button", name="Delete model").click()


@pytest.mark.thorough
def test_the_dialog_is_accessible_empty_in_error_full_and_done(empty: Page, exam: Path, tmp_path: Path) -> None:
    page = empty
    page.get_by_role("button", name="Import questions…").click()
    expect(page.get_by_role("button", name="Choose a file")).to_be_visible()
    assert violations(page) == []
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(exam.read_bytes()[:3000])
    choose(page, broken)
    expect(page.get_by_role("alert")).to_contain_text("broken.xlsx is damaged")
    assert violations(page, ".q-dialog") == []
    choose(page, exam)
    page.get_by_role("button", name="Add remaining columns").click()
    page.get_by_role("combobox", name="Template", exact=True).click()
    page.get_by_role("option", name="Code for all rows").click()
    expect(page.get_by_role("textbox", name="Template (all rows)")).to_be_visible()
    expect(page.get_by_role("table", name="Skipped rows")).to_be_visible()
    assert violations(page, ".q-dialog") == []
    page.get_by_role("button", name="Import 398 questions").click()
    expect(page.get_by_role("button", name="Undo import")).to_be_visible()
    assert violations(page, ".q-dialog") == []


def with_new_benchmark(page: Page, address: str) -> Page:
    page.goto(f"{address}/benchmarks")
    page.get_by_role("button", name="New benchmark").click()
    page.get_by_label("Name", exact=True).fill("Doses")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    return page


def choose(page: Page, file: Path) -> None:
    page.locator(".dialog input[type=file]").set_input_files(file)


def state(page: Page) -> Locator:
    """What the dialog says comes of the file."""
    return page.locator(".import-state")


def press_until(page: Page, key: str, wanted: Locator) -> None:
    """As a person goes on with a key until the focus is where it should be."""
    for _ in range(60):
        if wanted.evaluate("each => each === document.activeElement || each.contains(document.activeElement)"):
            return
        page.keyboard.press(key)
    expect(wanted).to_be_focused()


def drop(page: Page, target: str, name: str, text: str, *, drop_it: bool = True, latin: bool = False) -> None:
    """Carry a file over an element, as from the desktop, and let it go there."""
    raw = base64.b64encode(text.encode("latin-1" if latin else "utf-8")).decode()
    page.locator(target).first.evaluate(
        """(element, [name, raw, dropIt]) => {
            const carried = new DataTransfer();
            carried.items.add(new File([Uint8Array.from(atob(raw), (c) => c.charCodeAt(0))], name));
            const event = (kind) => new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true });
            element.dispatchEvent(event("dragover"));
            if (dropIt) element.dispatchEvent(event("drop"));
        }""",
        [name, raw, drop_it],
    )
