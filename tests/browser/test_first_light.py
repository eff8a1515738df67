"""The first ten minutes of a newcomer: open, change a template, try it, run, read a failed result down to its trace."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.template_views import open_code

pytestmark = pytest.mark.browser

PICTURES = os.environ.get("KARENINA_PICTURES")
"""Folder that receives a picture of each station; unset: no pictures are kept."""


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.wait_for_timeout(400)
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


@pytest.mark.thorough
def test_a_newcomer_changes_a_question_runs_it_and_reads_why_it_failed(page: Page, address: str) -> None:
    page.set_default_timeout(20_000)
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"{address}/benchmarks")
    page.get_by_role("button", name="Medicines example").click()
    page.wait_for_url(re.compile(r"/benchmarks/\d+/questions$"))
    page.get_by_role("gridcell", name=re.compile("volume of distribution")).click()
    page.wait_for_url(re.compile(r"/questions/\d+$"))
    expect(page.get_by_role("heading", name=re.compile("volume of distribution"))).to_be_visible()
    page.get_by_role("tab", name="Template").click()

    code = open_code(page)
    expect(code).to_contain_text("ground_truth=350")
    code.get_by_text("350", exact=True).dblclick()
    page.keyboard.type("300")
    expect(code).to_contain_text("ground_truth=300")
    expect(page.get_by_text("No problems:")).to_be_visible()

    verdict = page.locator(".try-verdict")
    page.get_by_label("Value of dose_mg").fill("350")
    expect(verdict).to_contain_text("Fails")
    page.get_by_label("Value of dose_mg").fill("300")
    expect(verdict).to_contain_text("Passes")
    picture(page, "try")

    page.locator('a[href$="/run"]').first.click()
    page.wait_for_url(re.compile(r"/run$"))
    expect(page.get_by_text("12 of 13 questions will run, 1 will be skipped.")).to_be_visible()
    picture(page, "run-form")
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/\d+"))
    expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
    expect(page.locator("#results-count")).to_have_text("288 results")
    picture(page, "run")

    page.get_by_label("Search results").fill("volume of distribution")
    expect(page.locator("#results-count")).to_have_text("24 of 288 results")
    others = page.locator(".results-grid .ag-row a").filter(has_not_text="volume of distribution")
    expect(others).to_have_count(0)
    page.get_by_role("link", name=re.compile("volume of distribution")).first.click()
    page.wait_for_url(re.compile(r"/results/\d+"))
    expect(page.get_by_text("dose_mg = 350, expected 300")).to_be_visible()
    expect(page.get_by_text("sample recording").first).to_be_visible()
    expect(page.get_by_text("judged answer")).to_be_visible()
    picture(page, "result")
    page.reload()
    expect(page.get_by_text("dose_mg = 350, expected 300")).to_be_visible()
