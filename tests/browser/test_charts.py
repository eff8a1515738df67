"""Charts of a run as a person goes through them: from the run, by filters, table and files, to the results behind."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.app import build
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.runs.service import RunOrder
from karenina_gui.settings import Settings
from tests.browser.accessibility import violations
from tests.browser.conftest import served
from tests.example.plain_run import plain_run
from tests.saved_models import start_run

pytestmark = pytest.mark.browser

ARMS, LAST = CHARTS[0], CHARTS[-1]
HEATMAP = next(chart for chart in CHARTS if chart.name == "heatmap")
DRAWN = ".chart-view[data-drawn]"
FILLS = """() => {
  const right = (part) => document.querySelector(part).getBoundingClientRect().right;
  return right(".chart-view .nsewdrag") > right(".chart-view") - 60;
}"""
"""Whether the plot takes the width of its figure."""


@pytest.fixture(scope="module")
def run(first_data: Path, tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[str]:
    """Address of a finished run of the example."""
    folder = tmp_path_factory.mktemp("charts") / "data"
    shutil.copytree(first_data, folder)
    application = build(Settings(data=folder))
    try:
        number = start_run(application, RunOrder(1, plain_run(), name="First light"))
        assert application.runs.wait(number, 60)
    finally:
        application.close()
    with served(folder, port) as address:
        yield f"{address}/runs/{number}"


def test_a_chart_is_read_filtered_and_taken_away(page: Page, run: str) -> None:
    page.goto(run)
    page.get_by_role("link", name="Charts").click()
    expect(page.get_by_role("heading", name=ARMS.title)).to_be_visible()
    page.locator(DRAWN).wait_for(timeout=20_000)
    expect(page.get_by_text("71 of 72 jobs scored · 1 parse error")).to_be_visible()
    expect(page.get_by_role("img", name="sample-careful, 97%")).to_be_visible()
    page.get_by_role("navigation", name="Charts").get_by_role("link", name=LAST.title).press("Enter")
    expect(page.get_by_role("heading", name=LAST.title)).to_be_visible()
    page.get_by_role("navigation", name="Charts").get_by_role("link", name=ARMS.title).press("Enter")
    expect(page.get_by_role("heading", name=ARMS.title)).to_be_visible()
    page.get_by_role("combobox", name="Models").click()
    page.get_by_role("option", name="sample-hasty").click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("sample-hasty has a pass rate")).to_be_visible()
    expect(page.get_by_text("35 of 36 jobs scored")).to_be_visible()
    page.get_by_role("button", name="Table").press("Enter")
    expect(page.get_by_role("table").get_by_role("rowheader")).to_have_text(["sample-hasty"])
    expect(page).to_have_url(re.compile("model=sample-hasty.*view=table"))
    page.reload()
    expect(page.get_by_role("table").get_by_role("rowheader")).to_have_text(["sample-hasty"])
    expect(page.get_by_text("35 of 36 jobs scored")).to_be_visible()
    rows = list(csv.DictReader(saved(page, "Table (CSV)", r"n35\.csv$").read_text().splitlines()))
    assert [row["Model"] for row in rows] == ["sample-hasty"]
    page.go_back()
    expect(page.locator(DRAWN)).to_be_visible()
    expect(page.get_by_text("35 of 36 jobs scored")).to_be_visible()
    page.get_by_role("button", name="Clear filters").press("Enter")
    expect(page.get_by_text("71 of 72 jobs scored")).to_be_visible()
    expect(page.get_by_role("combobox", name="Metric")).to_be_focused()  # the button itself is gone


@pytest.mark.thorough
def test_a_chart_that_is_pressed_while_a_filter_is_chosen_is_shown_with_that_filter(page: Page, run: str) -> None:
    page.goto(f"{run}/charts")
    page.locator(DRAWN).wait_for(timeout=20_000)
    page.get_by_role("combobox", name="Models").click()
    page.get_by_role("option", name="sample-hasty").click()
    place = page.get_by_role("navigation", name="Charts").get_by_role("link", name=LAST.title).bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 40, place["y"] + 10)
    page.mouse.down()  # closes the list of models, which asks for the filter
    expect(page).to_have_url(re.compile("model=sample-hasty"))
    page.mouse.up()
    expect(page.get_by_role("heading", name=LAST.title)).to_be_visible()
    expect(page).to_have_url(re.compile(f"chart={LAST.name}.*model=sample-hasty"))


@pytest.mark.thorough
def test_names_of_questions_grow_with_the_window(page: Page, run: str) -> None:
    page.goto(f"{run}/charts?chart={HEATMAP.name}")
    page.locator(DRAWN).wait_for(timeout=20_000)
    names = page.locator(".chart-view .ytick text")
    cut = names.first.text_content() or ""
    assert cut.endswith("…")
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(names.first).not_to_have_text(cut)
    assert len(names.first.text_content() or "") > len(cut)
    page.wait_for_function(FILLS)
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(names.first).to_have_text(cut)


@pytest.mark.thorough
def test_a_mark_leads_to_its_results_and_back_to_the_chart(page: Page, run: str) -> None:
    page.goto(f"{run}/charts?errors=fail")
    page.locator(DRAWN).wait_for(timeout=20_000)
    expect(page.get_by_text("71 of 72 jobs scored · 1 counted as a failure")).to_be_visible()
    assert (
        saved(page, "Picture (PNG)", r"Scores-by-configuration-Pass-rate-errors-as-failures-n72\.png$").read_bytes()[:4]
        == b"\x89PNG"
    )
    drawing = saved(page, "Vector graphic (SVG)", r"\.svg$").read_text()
    assert ARMS.title in drawing
    assert "71 of 72 jobs scored" in drawing
    page.locator(".chart-view .points path").last.click(force=True)
    expect(page.locator("#results-count")).to_have_text(re.compile("36 of 72 results"))
    page.go_back()
    page.locator(DRAWN).wait_for()
    assert violations(page) == []
    page.get_by_role("navigation", name="Charts").get_by_role("link", name=HEATMAP.title).press("Enter")
    cell = page.locator(".chart-view .heatmaplayer").first.bounding_box()
    assert cell is not None
    page.mouse.click(cell["x"] + 20, cell["y"] + 20)
    expect(page).to_have_url(re.compile("model=sample-careful&question=[0-9a-f]+.*replicate=1"))
    expect(page.locator("#results-count")).to_have_text(re.compile("1 of 72 results"))


def saved(page: Page, kind: str, name: str) -> Path:
    page.get_by_role("button", name="Export chart").click()
    with page.expect_download() as download:
        page.get_by_text(kind, exact=True).click()
    assert re.search(name, download.value.suggested_filename), download.value.suggested_filename
    return download.value.path()
