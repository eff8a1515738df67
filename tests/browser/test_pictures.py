"""The main screens, drawn full: what the README shows is taken here, when it is asked for (`make pictures`)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import STILL
from tests.browser.test_two_windows import kept

PICTURES = os.environ.get("KARENINA_PICTURES", "")
"""Folder that receives the pictures; empty: none are taken; other files go through these screens as well."""
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not PICTURES, reason="pictures are taken by `make pictures`")]


def picture(page: Page, name: str) -> None:
    page.mouse.move(640, 790)
    page.evaluate(STILL)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than its window"
    page.screenshot(path=Path(PICTURES) / f"{name}.png")


def test_a_template_being_tried(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/questions/2?tab=template")
    page.get_by_role("tab", name="Try it").click()
    page.get_by_label("Value of dose_mg").fill("300")
    expect(page.locator(".try-verdict")).to_contain_text("Fails")
    picture(page, "template")


def test_a_rubric(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/questions/1?tab=rubric")
    expect(page.get_by_role("textbox", name=re.compile("description"))).to_be_visible()
    expect(page.get_by_text("…", exact=True)).to_have_count(0)  # all templates of the list are checked
    picture(page, "rubric")


def test_an_import(page: Page, address: str, tmp_path: Path) -> None:
    table = tmp_path / "enzymes.csv"
    rows = ["Question,Answer,Topics,Difficulty"]
    rows += [f"Which enzyme is number {n}?,Enzyme {n},enzymes; kinetics,{n % 3}" for n in range(1, 40)]
    rows[7] = ",Enzyme 7,enzymes,1"
    rows[12] = rows[11]
    table.write_text("\n".join(rows))
    page.goto(f"{address}/benchmarks/1/questions")
    page.get_by_role("button", name="Import questions").first.click()
    page.locator(".dialog input[type=file]").set_input_files(table)
    expect(page.get_by_role("region", name="Data in the file")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Import"), exact=False).last).to_be_enabled()
    picture(page, "import")


def test_a_run_one_of_its_results_and_a_chart(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/run")
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/\d+"))
    expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
    expect(page.locator(".chart-sentence")).to_be_visible(timeout=60_000)
    picture(page, "run")
    run = page.url
    page.goto(f"{run}/charts?chart=comparison")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    picture(page, "chart")
    page.goto(f"{run}?outcome=wrong")
    expect(page.locator("#results-count")).to_have_text(re.compile(r"^\d+ of \d+ results$"))
    page.wait_for_function("window.did_handshake")
    page.locator(".results-link").first.click()
    page.wait_for_url(re.compile(r"/results/\d+"))
    picture(page, "result")


def test_what_an_agent_did_and_why_it_failed(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/2/run")
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/\d+"))
    expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
    page.goto(f"{page.url}?outcome=wrong")
    expect(page.locator("#results-count")).to_have_text("2 of 6 results")
    page.goto(f"{address}{page.locator('.results-link').first.get_attribute('href')}")
    page.get_by_role("link", name="why").first.click()
    expect(page.get_by_text("Going by rule.md").last).to_be_visible()
    picture(page, "evidence")


def test_two_versions_of_one_field(new_page: Callable[..., Page], address: str) -> None:
    one, two = new_page(), new_page()
    for page in (one, two):
        page.goto(f"{address}/benchmarks/1/questions/5?tab=question")
        expect(page.get_by_label("Notes")).to_be_visible()
    one.get_by_label("Notes").click()
    two.get_by_label("Notes").fill("Accept the date of approval in any notation, but not the month alone.")
    kept(two, "but not the month alone.")
    one.keyboard.press("Control+a")
    one.keyboard.type("Accept the date of approval in any notation, also without the day.")
    expect(one.get_by_role("button", name="Keep mine")).to_be_visible()
    one.get_by_role("button", name="Keep mine").scroll_into_view_if_needed()
    expect(one.get_by_role("group", name="Conflict")).to_contain_text("also without the day.")
    picture(one, "conflict")
    one.get_by_role("button", name="Use other version").click()
