"""A benchmark written question by question, from nothing, as its author sees it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from karenina_gui.schemas.question import question_fingerprint

pytestmark = pytest.mark.browser

TEXT = "Which vitamin reverses warfarin?"


@pytest.fixture
def empty(page: Page, address: str) -> Page:
    """A page on a new benchmark without questions."""
    page.goto(f"{address}/benchmarks")
    page.get_by_role("button", name="New benchmark").click()
    page.get_by_label("Name", exact=True).fill("By hand")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    return page


def test_several_questions_wait_for_their_texts_and_are_left_out_until_then(empty: Page, tmp_path: Path) -> None:
    for _ in range(2):
        new_question(empty)
        expect(empty.get_by_role("heading", level=1, name="Untitled question")).to_be_visible()
    expect(empty.get_by_role("row", name=re.compile("Untitled question"))).to_have_count(2)
    empty.get_by_role("button", name="Mark finished", exact=True).first.click()
    expect(empty.get_by_text("Not marked finished. Write the question first.")).to_be_visible()
    box(empty, "Question").fill(TEXT)
    expect(empty.get_by_role("row", name=re.compile("Untitled question"))).to_have_count(1)
    assert exported_ids(empty, tmp_path) == [question_fingerprint(TEXT)]
    expect(empty.get_by_text("Exported without 1 question: no text yet, or an unedited copy.")).to_be_visible()


def new_question(page: Page) -> None:
    before = page.url
    page.get_by_role("button", name="New question", exact=False).first.click()
    page.wait_for_url(lambda url: url != before and re.search(r"/questions/\d+$", url) is not None)
    expect(box(page, "Question")).to_have_value("")


def box(page: Page, label: str) -> Locator:
    return page.get_by_label(label, exact=True)


def exported_ids(page: Page, folder: Path) -> list[str]:
    with page.expect_download() as download:
        page.keyboard.press("Escape")
        page.get_by_role("menuitem", name="File").click()
        page.get_by_role("menuitem", name=re.compile("^Export")).first.click()
    download.value.save_as(folder / "file.jsonld")
    elements = json.loads((folder / "file.jsonld").read_text())["dataFeedElement"]
    return [element["@id"] for element in elements]


@pytest.mark.thorough
def test_the_focus_stays_where_the_author_went_while_a_tooltip_opens(empty: Page) -> None:
    # Quasar keeps focus calls back until a tooltip is open: 300 ms, made longer here than the author takes.
    empty.evaluate(
        "() => { const later = setTimeout; window.setTimeout = (f, ms) => later(f, ms === 300 ? 2500 : ms) }"
    )
    add = empty.get_by_role("button", name="New question").first
    add.hover()
    empty.locator(".q-tooltip").first.wait_for(state="attached")
    add.click()
    box(empty, "Question").fill("Why?")
    answer = box(empty, "Reference answer")
    answer.focus()
    empty.wait_for_timeout(3000)
    expect(answer).to_be_focused()
