"""Calibration of a trait of the example, by keyboard alone: labeled blind, compared, and worded anew."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.app import build
from karenina_gui.runs.service import RunOrder
from karenina_gui.settings import Settings
from tests.browser.accessibility import violations
from tests.browser.test_main_job_by_keyboard import Keys
from tests.example.plain_run import plain_run
from tests.saved_models import start_run

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def data(first_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a run of the example."""
    folder = shutil.copytree(first_data, tmp_path_factory.mktemp("calibration") / "data")
    application = build(Settings(data=folder))
    try:
        assert application.runs.wait(start_run(application, RunOrder(1, plain_run())), 60)
    finally:
        application.close()
    return folder


def test_a_trait_is_labeled_blind_and_worded_anew(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/questions/1?tab=rubric")
    expect(page.get_by_role("option", name=re.compile("clarity"))).to_be_visible()
    keys = Keys(page)
    keys.command("Calibrate trait")
    start = page.get_by_role("button", name=re.compile("Label 6 answers"))
    expect(start).to_be_focused()
    keys.press("Enter")
    for place, label in enumerate("5332s4"):
        expect(page.get_by_text(f"Answer {place + 1} of 6")).to_be_visible()
        expect(page.get_by_role("group", name="Label for “clarity”")).to_be_focused()
        assert "sample-judge" not in page.locator("#page").inner_text(), "the judge is hidden"
        if place == 3:
            assert violations(page) == []
            keys.press("r")
            expect(page.get_by_text("Reference answer: Yes.")).to_be_visible()
            keys.press("Backspace")
            expect(page.get_by_text("Answer 3 of 6")).to_be_visible()
            expect(page.get_by_role("button", name="3", exact=True)).to_have_attribute("aria-pressed", "true")
            keys.press("4")
            expect(page.get_by_text("Answer 4 of 6")).to_be_visible()
        keys.press(label)
    said = page.get_by_text(re.compile(r"agree with sample-judge \(wording A, in use\) on \d of 5 answers"))
    expect(said).to_be_visible()
    keys.tab_to(page.get_by_role("button", name="Insert recorded wording"))
    keys.press("Enter")
    expect(page.get_by_role("textbox", name="Description")).to_have_value(re.compile("How much of the reason"))
    keys.tab_to(page.get_by_role("button", name="Judge again"))
    keys.press("Enter")
    expect(page.get_by_text("Judged 6 answers.")).to_be_visible()
    change = r"sample-judge \(wording A, in use\) agrees on \d and sample-judge \(wording B\) on \d"
    expect(page.get_by_text(re.compile(change))).to_be_visible()
    assert violations(page) == []
    keys.tab_to(page.get_by_role("button", name="Use this wording"))
    keys.press("Enter")
    expect(page.get_by_text(re.compile(r"sample-judge \(wording B, in use\)")).first).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile("labels were given under another wording"))).to_be_visible()
