"""Every published checkpoint is opened, looked at in its editors, edited in one field and saved: no more changes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.authoring.test_nothing_is_lost import FILES, differences
from tests.examples import cases

pytestmark = pytest.mark.browser

ALWAYS = ("05_question_rubric_all_types",)
"""What the application keeps of the others is in `authoring/test_nothing_is_lost.py`."""


@pytest.mark.parametrize("name", cases(ALWAYS, [name for name in FILES if name not in ALWAYS]))
def test_a_checkpoint_is_opened_edited_in_one_field_and_saved(
    name: str, page: Page, address: str, shared: Path
) -> None:
    original = shared / "checkpoints" / f"{name}.jsonld"
    file = json.loads(original.read_bytes())
    questions = open_file(page, address, original)
    for element in file["dataFeedElement"][:3]:
        title = " ".join(element["item"]["text"].split())
        page.get_by_role("gridcell", name=title, exact=True).first.click()
        page.wait_for_url(re.compile(r"/questions/\d+$"))
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        page.wait_for_timeout(300)  # the editor of the first question gives way to its own
        for tab in ("Template", "Rubric", "Workspace", "Question"):
            page.get_by_role("tab", name=tab, exact=True).click()
            expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_label("Question", exact=True)).to_have_value(element["item"]["text"])
    page.goto(questions)
    page.get_by_label("Reference answer").fill("Something else")
    expect(page.get_by_text(re.compile(r"^Saved "))).to_be_visible()
    saved = save(page, questions)
    changed = {place for place in differences(file, saved) if not place.endswith("dateModified")}
    properties = file["dataFeedElement"][0]["item"]["additionalProperty"]
    finished = any(each["name"] == "finished" and each["value"] is True for each in properties)
    # A finished question says that it was edited since its review.
    mark = {"dataFeedElement[0]/item/additionalProperty:changed_since_review"} if finished else set()
    assert changed == {"dataFeedElement[0]/item/acceptedAnswer/text", *mark}


def open_file(page: Page, address: str, file: Path) -> str:
    """Address of the questions of the benchmark that was made of the file."""
    page.goto(f"{address}/benchmarks?import=1")
    page.locator(".dialog input[type=file]").set_input_files(file)
    button = page.get_by_role("button", name="Open benchmark")
    page.wait_for_function("location.pathname.endsWith('/questions') || document.querySelector('.import-report')")
    if button.is_visible():
        button.click()
    page.wait_for_url(re.compile(r"/benchmarks/\d+/questions$"))
    return page.url


def save(page: Page, questions: str) -> object:
    """What the application hands out as the benchmark's file."""
    reply = page.request.get(questions.replace("/benchmarks/", "/api/benchmarks/").replace("/questions", "/file"))
    assert reply.ok
    return json.loads(reply.body())
