"""Questions that repeat each other, by keys alone: in a benchmark, and in a file."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.app import build
from karenina_gui.settings import Settings
from tests.answered import answer
from tests.browser.accessibility import violations
from tests.browser.conftest import served
from tests.browser.test_imports import press_until

pytestmark = pytest.mark.browser

DOSE = "Which dose of ibuprofen is the maximum per day?"
CLOSE = "Which dose of ibuprofin is the maximum a day?"


@pytest.fixture
def place(first_data: Path, tmp_path: Path) -> Iterator[str]:
    """Address of a benchmark whose questions 1, 2, and 4 are one question. Its first one has results in two runs."""
    shutil.copytree(first_data, tmp_path / "data")
    application = build(Settings(data=tmp_path / "data"))
    try:
        editor = application.editor
        benchmark = editor.create_benchmark("Doses")
        for text, reference in (
            (DOSE, "2400 mg"),
            (DOSE.upper(), "2.4 g"),
            ("Who found DNA?", "Miescher"),
            (CLOSE, "2 g"),
        ):
            editor.add_question(benchmark, text, reference)
        first = application.library.questions.summaries(benchmark)[0].id
        for _ in range(2):
            answer(application.library, benchmark, first)
    finally:
        application.close()
    with served(tmp_path / "data") as address:
        yield f"{address}/benchmarks/{benchmark}/questions"


def run_command(page: Page, name: str) -> None:
    expect(page.get_by_role("dialog")).to_have_count(0)  # the palette of the command before has closed
    page.keyboard.press("Control+k")
    expect(page.get_by_role("textbox", name="Command")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Enter")


def test_duplicates_are_resolved_and_brought_back(new_page: Callable[..., Page], place: str) -> None:
    page = new_page(place)
    page.goto(place)
    expect(page.get_by_text("4 questions", exact=True)).to_be_visible()
    press_until(page, "Tab", page.get_by_role("combobox", name="Status filter"))
    page.keyboard.press("Enter")
    for _ in range(5):  # the last choice
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 of 4", exact=True)).to_be_visible()
    run_command(page, "find duplicates")
    dialog = page.get_by_role("dialog", name="Duplicates")
    state = dialog.get_by_role("status")
    expect(state).to_have_text("1 of 2 pairs: Same wording, except for upper and lower case")
    expect(dialog.get_by_text("Left has 2 results, right 0.")).to_be_visible()
    assert violations(page, ".q-dialog") == []
    page.keyboard.press("j")
    expect(state).to_have_text(re.compile("^2 of 2 pairs: .*similar$"))
    expect(dialog.locator("mark", has_text="ibuprofin")).to_be_visible()
    page.keyboard.press("k")
    expect(state).to_have_text(re.compile("^1 of 2 pairs"))
    expect(dialog.locator("mark", has_text="WHICH").last).to_be_visible()
    page.keyboard.press("1")
    expect(dialog.get_by_role("checkbox", name="Reference answer (1)")).to_be_checked()
    page.keyboard.press("l")
    expect(state).to_have_text(re.compile("^1 of 1 pair: .*similar$"))
    expect(dialog.locator("mark", has_text="ibuprofin")).to_be_visible()
    press_until(page, "Tab", dialog.get_by_role("button", name="Keep both (B)"))
    page.keyboard.press("Enter")
    expect(state).to_have_text("No duplicates.")
    assert violations(page, ".q-dialog") == []
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("0 of 3", exact=True)).to_be_visible()
    press_until(page, "Tab", page.get_by_role("button", name="Clear filters"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("3 questions", exact=True)).to_be_visible()
    expect(page.get_by_label("Reference answer", exact=True)).to_have_value("2.4 g")

    run_command(page, "undo")
    expect(page.get_by_text(re.compile("[Cc]onfirmed the pair of similar questions")).first).to_be_visible()
    run_command(page, "undo")
    expect(page.get_by_text("4 questions", exact=True)).to_be_visible()
    expect(page.get_by_label("Reference answer", exact=True)).to_have_value("2400 mg")


@pytest.mark.thorough
def test_a_similar_row_updates_the_answer_of_the_question_in_the_benchmark(
    new_page: Callable[..., Page], place: str, tmp_path: Path
) -> None:
    file = tmp_path / "doses.csv"
    file.write_text(
        f"Question,Answer\n{DOSE.replace('maximum', 'maximal')},3200 mg\nWho found DNA?,Friedrich Miescher\n"
    )
    page = new_page(place)
    page.goto(place)
    expect(page.get_by_text("4 questions", exact=True)).to_be_visible()
    run_command(page, "import questions")
    with page.expect_file_chooser() as chooser:
        press_until(page, "Tab", page.get_by_role("button", name="Choose a file"))
        page.keyboard.press("Enter")
    chooser.value.set_files(file)
    state = page.locator(".import-state")
    expect(state).to_have_text(
        "2 rows: 1 new question, 1 already in the benchmark (1 with a different reference answer, see above)."
    )
    similar = page.get_by_role("radiogroup", name="Row 2")
    expect(page.locator("mark", has_text="maximal")).to_be_visible()
    expect(page.locator("mark", has_text="Friedrich")).to_be_visible()
    assert violations(page, ".q-dialog") == []
    press_until(page, "Tab", page.get_by_role("radiogroup", name="Row 3").get_by_role("radio", name="Update"))
    page.keyboard.press("Space")
    press_until(page, "Tab", similar.get_by_role("radio", name="Update"))
    page.keyboard.press("Space")
    expect(state).to_have_text("2 rows: 0 new questions, 2 updated.")
    press_until(page, "Tab", page.get_by_role("button", name="Update 2"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Updated 2 reference answers.", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Reference answer", exact=True)).to_have_value("3200 mg")
