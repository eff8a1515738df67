"""A run from its plan to one failed answer, as a person goes through it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SIZE, check, eventually
from tests.twin import Reply, Twin

pytestmark = pytest.mark.browser

LONG = "/runs/1"
"""The run of the long conversation; it is there from the beginning."""


@pytest.fixture(scope="module")
def example_run(plain_run_page: str, chromium: Browser) -> Iterator[str]:
    """Address of a finished run of the example, started from the Run page."""
    page = chromium.new_page(viewport=SIZE, reduced_motion="reduce")
    page.goto(plain_run_page)
    expect(page.get_by_text("12 of 13 questions will run.")).to_be_visible()
    expect(page.get_by_text("72 jobs")).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
    yield page.url
    page.close()


@pytest.mark.thorough
def test_the_mark_of_a_recording_fits_beside_the_name_of_its_run(page: Page, example_run: str) -> None:
    page.goto(example_run.rpartition("/")[0])
    mark = page.locator(".results-name .chip").first
    expect(mark).to_have_attribute("title", "sample recording")
    column, inside = page.locator(".ag-cell:has(.results-name)").first.bounding_box(), mark.bounding_box()
    assert column and inside and inside["x"] + inside["width"] <= column["x"] + column["width"]


@pytest.mark.thorough
def test_a_cell_of_the_matrix_narrows_the_table_to_its_replicates(page: Page, example_run: str) -> None:
    page.goto(example_run)
    page.locator(".matrix.outcome-varies").first.click()
    expect(page.locator("#results-count")).to_have_text("3 of 72 results")
    assert "question=" in page.url
    page.get_by_role("button", name="Clear filters").click()
    expect(page.locator("#results-count")).to_have_text("72 results")


@pytest.mark.thorough
def test_a_filter_that_nothing_passes_keeps_the_headers_and_can_be_cleared(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}/results")
    page.get_by_label("Search results").fill("no such words")
    expect(page.get_by_text("No results match these filters.")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Outcome")).to_be_visible()
    page.get_by_role("button", name="Clear filters").press("Enter")
    expect(page.locator("#results-count")).to_have_text("72 results")
    expect(page.get_by_label("Search results")).to_be_focused()  # the button itself is gone


@pytest.mark.thorough
def test_a_search_for_a_very_long_text_fits_into_an_address(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}/results")
    search = page.get_by_label("Search results")
    search.fill("long " * 20_000)
    expect(page.get_by_text("No results match these filters.")).to_be_visible()
    expect(search).to_have_value("long " * 200)
    page.reload()
    expect(page.get_by_text("No results match these filters.")).to_be_visible()
    expect(search).to_have_value("long " * 200)


@pytest.mark.thorough
def test_twelve_rows_with_whole_questions_and_the_columns_as_the_person_left_them(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}/results?outcome=wrong")
    page.locator(".results-grid .ag-row a").nth(12).wait_for()
    body = page.locator(".results-grid .ag-body-viewport").bounding_box()
    last = page.locator(".results-grid .ag-row[row-index='11']").bounding_box()
    assert body and last and last["y"] + last["height"] <= min(body["y"] + body["height"], SIZE["height"])
    short = page.locator(".results-link").filter(has_text=re.compile("^.{60,90}$")).first
    assert short.evaluate("(e) => e.scrollHeight <= e.clientHeight"), "a question of 90 characters is cut"
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="Show column Why").click()
    page.get_by_role("button", name="Pin column Model").click()
    expect(page.locator(".results-grid .ag-pinned-left-header [col-id=answering]")).to_be_visible()
    page.get_by_role("button", name="Unpin column Model").wait_for()
    page.reload()
    expect(page.locator(".results-grid .ag-pinned-left-header [col-id=answering]")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Why")).to_have_count(0)
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("button", name="Reset columns").click()
    expect(page.get_by_role("columnheader", name="Why")).to_be_visible()


@pytest.mark.thorough
def test_the_views_of_a_run_keep_filter_order_and_chart(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}?outcome=wrong")  # as results were addressed before they had a view of their own
    page.wait_for_url(f"{example_run}/results?outcome=wrong")
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="sample-hasty").click()
    page.keyboard.press("Escape")
    page.get_by_role("columnheader", name="Time").click()
    expect(page).to_have_url(re.compile("model=sample-hasty.*sort=seconds"))
    views = page.get_by_role("navigation", name="Views of the run")
    views.get_by_role("link", name="Charts").click()
    page.get_by_role("navigation", name="Charts").get_by_role("link", name="Outcomes by question").click()
    expect(page).to_have_url(re.compile("chart=heatmap.*model=sample-hasty"))
    views.get_by_role("link", name="Record").click()
    expect(page.get_by_role("heading", name="Reproducibility record")).to_be_visible()
    views.get_by_role("link", name="Results").click()
    expect(page.locator("#results-count")).to_have_text(re.compile(r"^\d+ of 72 results$"))
    expect(page.get_by_role("button", name="Remove filter: Model: sample-hasty")).to_be_visible()
    for kept in ("outcome=wrong", "sort=seconds", "chart=heatmap"):
        expect(page).to_have_url(re.compile(kept))


def test_a_filter_survives_a_reload_and_the_export_holds_exactly_it(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}?outcome=wrong")
    wrong = number_of(page, example_run, outcome="wrong")
    expect(page.locator("#results-count")).to_have_text(f"{wrong} of 72 results")
    page.reload()
    expect(page.get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Export filtered results").click()
    with page.expect_download() as download:
        page.get_by_text("Everything (JSON)").click()
    exported = json.loads(download.value.path().read_text())
    assert [row["template"]["verify_result"] for row in exported["results"]] == [False] * wrong


def test_a_failed_answer_is_read_from_the_table_to_its_fields(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}?outcome=wrong")
    page.locator(".results-grid .ag-row a").first.click()
    expect(page.get_by_text("irreversible = no, expected yes.")).to_be_visible()
    expect(page.get_by_role("table", name="Fields")).to_contain_text("irreversible")
    expect(page.get_by_role("button", name="Comparison")).to_have_attribute("title", re.compile("This step decided"))
    wrong = number_of(page, example_run, outcome="wrong")
    expect(page.get_by_text(f"1 of {wrong} in this filter")).to_be_visible()
    first = page.url
    page.keyboard.press("j")
    expect(page.get_by_text(f"2 of {wrong} in this filter")).to_be_visible()
    page.keyboard.press("k")
    expect(page).to_have_url(first)


@pytest.mark.thorough
def test_results_are_reached_and_exported_by_keys(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}/results?outcome=wrong")
    expect(page.locator(".results-grid .ag-row").first).to_contain_text("Wrong")
    page.keyboard.press("F6")
    expect(page.get_by_label("Search results")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".results-grid .ag-row").first.locator(".ag-cell").first).to_be_focused()
    page.keyboard.press("Control+K")
    page.keyboard.type("export results")
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="CSV")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menuitem", name="CSV")).to_be_hidden()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.get_by_label("Search results")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/results/\d+"))


def test_a_judge_s_malformed_reply_says_which_stage_failed_and_what_to_do(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}?outcome=error")
    expect(page.locator("#results-count")).to_have_text("1 of 72 results")  # a click may miss rows that still change
    page.locator(".results-grid .ag-row a").first.click()
    expect(page.get_by_role("button", name=re.compile("^Field extraction"))).to_have_class(re.compile("stage-failed"))
    expect(page.get_by_role("region", name="What to do")).to_contain_text("choose another judge")
    page.get_by_text("The judge’s reply", exact=True).click()
    reply = page.get_by_role("region", name="The judge’s reply")
    expect(reply).to_contain_text("there is no date")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    assert "there is no date" in download.value.path().read_text()
    expect(reply).to_be_visible()
    assert reply.evaluate("(e) => e.scrollWidth <= e.clientWidth"), "a long line runs out of sight"


@pytest.mark.thorough
def test_a_long_conversation_is_searched_as_a_whole_and_linked_by_message(page: Page, address: str) -> None:
    page.goto(f"{address}{LONG}/results")
    page.locator(".results-grid .ag-row a").first.click()
    expect(page.get_by_label("Go to message, 1 to 42")).to_be_visible()
    expect(page.locator(".trace-list").get_by_text("The needle is here.")).to_have_count(0)
    page.get_by_label("Search messages").fill("needle" * 20_000)
    expect(page.locator(".trace-hits")).to_have_text("No matches")
    page.get_by_label("Search messages").fill("needle")
    page.keyboard.press("Enter")
    expect(page.locator(".trace-now")).to_be_in_viewport()
    page.goto("about:blank")
    page.go_back()
    page.goto(page.url.split("#")[0] + "#message-41")
    page.reload()
    expect(page.get_by_role("article", name="Tool result, message 41")).to_be_in_viewport()


@pytest.mark.thorough
def test_the_list_of_runs_follows_figures_whose_share_stays_the_same_and_what_halts_a_run(
    new_page: Callable[..., Page], address: str
) -> None:
    with Twin(lambda asked: Reply(text="It is CYP3A4.", delay=0.3)) as twin:
        page, listed = new_page(), new_page()
        add_model(page, address, "halting", twin.address)
        page.goto(f"{address}/benchmarks/3/run")
        check(page.get_by_role("checkbox", name="halting").first)
        page.get_by_label("Replicates", exact=True).fill("40")
        expect(page.get_by_text("40 jobs")).to_be_visible()
        listed.goto(f"{address}/runs")
        page.get_by_role("button", name="Start run").click()
        page.wait_for_url(re.compile(r"/runs/\d+$"))
        row = listed.get_by_role("row", name="halting")
        expect(row.get_by_text("Running")).to_be_visible()
        expect(row.get_by_text(re.compile(r"^([1-9]|1\d) of 40$"))).to_be_visible()
        page.get_by_role("button", name="Pause").press("Enter")
        expect(page.get_by_role("button", name="Continue")).to_be_focused()
        expect(row.get_by_text("Paused", exact=True)).to_be_visible()

        def all_passed() -> bool:
            done = re.match(r"(\d+) of 40", row.get_by_text(" of 40").inner_text())
            return done is not None and row.get_by_text(f"{done[1]} of {done[1]}", exact=True).is_visible()

        eventually(listed, all_passed)  # the calls under way come to their end
        page.get_by_role("button", name="Stop run").click()
        expect(row.get_by_text("Stopped", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_the_name_of_a_run_is_cut_only_where_the_room_for_it_ends(page: Page, address: str) -> None:
    page.goto(f"{address}{LONG}")
    name = page.get_by_role("heading", level=1)
    cut = "(e) => e.scrollWidth > e.clientWidth"
    name.evaluate("(e) => e.textContent = 'Long conversations, answered anew with tools'")
    assert not name.evaluate(cut)
    name.evaluate("(e) => e.textContent = 'Long conversations '.repeat(40)")
    assert name.evaluate(cut)
    for part in (page.locator(".progress-title .run-status"), page.get_by_role("link", name="Summary")):
        expect(part).to_be_in_viewport(ratio=1)


@pytest.mark.thorough
def test_the_menu_bar_is_reached_seen_and_walked_by_keyboard(page: Page, example_run: str) -> None:
    page.goto(f"{example_run}/results")
    page.locator(".results-grid .ag-row").first.wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Tab")
    file = page.get_by_role("menuitem", name="File")
    expect(file).to_be_focused()
    expect(file).to_have_css("outline-style", "solid")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".q-menu[data-menu=File]")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".q-menu[data-menu=Edit]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".q-menu[data-menu=Edit] .q-item").first).to_be_focused()
    expect(page.locator(".q-menu[data-menu=File]")).to_have_count(0)
    page.keyboard.press("Escape")


def test_the_run_page_keeps_its_choices_follows_the_models_and_starts_one_run_by_two_clicks(
    new_page: Callable[..., Page], address: str
) -> None:
    with Twin(lambda asked: Reply(text="It is 42.")) as twin:
        page, models = new_page(), new_page()
        add_model(models, address, "steady", twin.address)
        page.goto(f"{address}/benchmarks/3/run")
        check(page.get_by_role("checkbox", name="steady").first)  # if it is the only one, it is checked by itself
        page.get_by_label("Replicates", exact=True).fill("3")
        expect(page.get_by_text("3 jobs")).to_be_visible()
        page.get_by_role("link", name="Manage models").click()
        page.wait_for_url(re.compile("/models"))
        page.go_back()
        expect(page.get_by_label("Replicates", exact=True)).to_have_value("3")
        models.get_by_label("Name", exact=True).fill("steadier")
        expect(page.get_by_role("checkbox", name="steadier").first).to_be_checked()
        expect(page.get_by_role("checkbox", name="steady", exact=True)).to_have_count(0)
        expect(page.get_by_text("3 jobs")).to_be_visible()
        before = page.request.get(f"{address}/api/runs").json()
        page.get_by_role("button", name="Start run").dblclick()
        page.wait_for_url(re.compile(r"/runs/\d+$"))
        expect(page.get_by_text("Completed")).to_be_visible()
        assert len(page.request.get(f"{address}/api/runs").json()) == len(before) + 1


def number_of(page: Page, run: str, **wanted: str) -> int:
    """How many results of the run pass this filter, as the application's own data has it."""
    address, _, number = run.partition("/runs/")
    reply = page.request.get(f"{address}/api/runs/{number}/results", params=wanted)
    return int(reply.json()["total"])


def add_model(page: Page, address: str, name: str, server: str) -> None:
    page.goto(f"{address}/models")
    page.get_by_role("button", name="New model").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value(re.compile("new model"))
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Base URL", exact=True).fill(server)
    page.get_by_label("Base URL", exact=True).blur()
    expect(page.locator(".model-list-entry[aria-current]")).to_contain_text("no key needed")
