"""The main job with the mouse: from an empty library to results, and all of it in a second library."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.schemas.question import question_fingerprint
from tests.browser import main_job
from tests.browser.conftest import served_empty
from tests.browser.main_job import (
    BENCHMARK,
    CAREFUL,
    COMPARED,
    COMPARISON,
    COUNTS,
    FAILED,
    FAILED_ROW,
    FAILED_WORDS,
    FIRST_TEXT,
    KEY,
    KEY_VARIABLE,
    MODEL,
    PLAIN,
    PROMPT,
    REPLICATES,
    RESULTS,
    TASKS,
    Task,
)
from tests.browser.template_views import description_of, expected_value_of
from tests.twin import Twin

pytestmark = pytest.mark.browser


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin(main_job.script) as twin:
        yield twin


@pytest.mark.thorough
def test_a_benchmark_is_written_run_read_and_carried_to_a_second_library(
    new_page: Callable[..., Page], empty_library: str, twin: Twin, tmp_path: Path
) -> None:
    page = new_page(once=True)
    write_benchmark(page, empty_library)
    add_model(page, twin)
    run_it(page)
    read_run(page)
    sentence = read_chart(page)
    benchmark, results = take_away(page, tmp_path)
    with served_empty(tmp_path / "second") as second:
        bring_in(page, second, benchmark, results)
        read_run(page)
        assert read_chart(page) == sentence
    for file in (benchmark, results, *(tmp_path / "data").iterdir(), *(tmp_path / "second").iterdir()):
        assert file.is_dir() or KEY.encode() not in file.read_bytes(), file.name


def write_benchmark(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name="No benchmarks yet")).to_be_visible()
    page.locator(".empty").get_by_role("button", name="New benchmark").click()
    page.get_by_label("Name", exact=True).fill(BENCHMARK)
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    for number, task in enumerate(TASKS, 1):
        text = FIRST_TEXT if number == 1 else task.text
        before = page.url
        page.get_by_role("button", name="New question").first.click()
        page.wait_for_url(lambda url, before=before: url != before and "/questions/" in url)
        expect(page.get_by_role("heading", level=1, name="Untitled question")).to_be_visible()
        page.get_by_label("Question", exact=True).fill(text)
        page.get_by_label("Reference answer").fill(task.reference)
        expect(page.get_by_label("ID", exact=True)).to_have_value(question_fingerprint(text))
        write_template(page, task)
        page.get_by_role("button", name="Mark finished", exact=True).first.click()
        expect(page.get_by_role("button", name="Finished", exact=True)).to_be_visible()
        expect(page.get_by_text(f"{number} of {number} ready")).to_be_visible()
    page.get_by_role("row", name=FIRST_TEXT).get_by_text(FIRST_TEXT).click()
    expect(page.get_by_role("heading", level=1, name=FIRST_TEXT)).to_be_visible()
    page.get_by_role("tab", name="Question", exact=True).click()
    expect(page.get_by_label("Question", exact=True)).to_have_value(FIRST_TEXT)
    page.get_by_label("Question", exact=True).fill(TASKS[0].text)
    expect(page.get_by_label("ID", exact=True)).to_have_value(question_fingerprint(TASKS[0].text))
    expect(page.get_by_role("row", name=TASKS[0].text)).to_be_visible()
    expect(page.get_by_text("5 of 5 ready")).to_be_visible()


def write_template(page: Page, task: Task) -> None:
    page.get_by_role("tab", name="Template", exact=True).click()
    page.get_by_role("button", name=re.compile(f"^{task.starter} ")).click()
    expect(description_of(page, task.field)).to_be_focused()
    description_of(page, task.field).fill(task.description)
    if task.expected:
        expected_value_of(page, task.field).fill(task.expected)
    expect(page.get_by_text("No problems: 1 field")).to_be_visible()
    verdict = page.locator(".try-verdict")
    for entered, word in ((task.right, "Passes"), (task.wrong, "Fails")):
        if task.is_chosen:
            page.get_by_role("combobox", name=f"Value of {task.field}").click()
            page.get_by_role("option", name=entered, exact=True).click()
        else:
            page.get_by_label(f"Value of {task.field}").fill(entered)
        expect(verdict).to_contain_text(word)


def add_model(page: Page, twin: Twin) -> None:
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("heading", name="No models yet")).to_be_visible()
    page.locator(".empty").get_by_role("button", name="New model").click()
    page.get_by_label("Name", exact=True).fill(MODEL)
    page.get_by_label("Base URL", exact=True).fill(f"{twin.address}/v1")
    page.get_by_label("API key variable").fill(KEY_VARIABLE)
    expect(page.get_by_text(f"{KEY_VARIABLE} is not set.").first).to_be_visible()
    page.get_by_role("button", name="Enter key…").click()
    sheet = page.get_by_role("dialog", name=f"Enter key {KEY_VARIABLE}")
    sheet.locator("input[type=password]").fill(KEY)
    sheet.get_by_role("button", name="Set key").click()
    expect(page.get_by_text(f"{KEY_VARIABLE} is used until you quit.")).to_be_visible()
    page.get_by_role("button", name="Test connection").click()
    for part in ("Base URL", "API key"):
        expect(page.locator(".connection-ok", has_text=part).first).to_be_visible()
    expect(page.locator(".connection-failed")).to_have_count(0)


def run_it(page: Page) -> None:
    page.get_by_role("link", name="New run", exact=True).click()
    expect(page.get_by_text("5 questions will run.")).to_be_visible()
    for box in page.get_by_role("checkbox", name=MODEL).all():
        expect(box).to_be_checked()  # the only one
    page.get_by_role("button", name="Compare prompt on/off").click()
    for number, name in enumerate((PLAIN, CAREFUL), 1):
        expect(page.get_by_label(f"Condition {number} name")).to_have_value(name)
    page.get_by_label("System prompt, condition 2").fill(PROMPT)
    page.get_by_label("Replicates", exact=True).fill(str(REPLICATES))
    expect(page.get_by_text("20 jobs = 5 questions × 1 model × 2 conditions × 2 replicates")).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/1$"))


def read_run(page: Page) -> None:
    """Pass counts of both conditions, and the field on which a wrong answer failed."""
    expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
    rates = page.get_by_role("region", name="Pass rates")
    for condition, count in COUNTS.items():
        expect(rates).to_contain_text(re.compile(f"{MODEL} · {condition} ?{count}"))
    page.locator(".overview-outcome", has_text="Wrong").click()
    expect(page.locator("#results-count")).to_have_text(f"8 of {RESULTS} results")
    page.locator(".results-grid").get_by_role("link", name=FAILED.text).first.click()
    expect(page.locator(".result-head-verdict")).to_contain_text(FAILED_WORDS)
    fields = page.get_by_role("table", name="Fields")
    expect(fields.get_by_role("row", name=FAILED_ROW)).to_be_visible()
    page.go_back()
    expect(page.locator("#results-count")).to_have_text(f"8 of {RESULTS} results")


def read_chart(page: Page) -> str:
    """The sentence of the comparison of both conditions."""
    page.get_by_role("link", name="Charts").click()
    page.get_by_role("navigation", name="Charts").get_by_role("link", name=COMPARISON).click()
    expect(page.get_by_role("heading", name=COMPARISON)).to_be_visible()
    expect(page.locator(".chart-view[data-drawn]")).to_be_visible(timeout=30_000)
    sentence = page.locator(".chart-sentence")
    expect(sentence).to_contain_text(COMPARED)
    expect(page.get_by_text("20 of 20 jobs scored")).to_be_visible()
    return sentence.inner_text()


def take_away(page: Page, folder: Path) -> tuple[Path, Path]:
    """Files of the benchmark and of the results."""
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="File").click()
        page.get_by_role("menuitem", name="Export benchmark file…").click()
    benchmark = folder / download.value.suggested_filename
    download.value.save_as(benchmark)
    entries = json.loads(benchmark.read_text())["dataFeedElement"]
    assert [entry["@id"] for entry in entries] == [question_fingerprint(task.text) for task in TASKS]
    page.get_by_role("link", name=re.compile(r"^Runs")).click()
    page.get_by_role("link", name=re.compile(r"^Run \d")).first.click()
    page.get_by_role("button", name="Export results").click()
    with page.expect_download() as download:
        page.get_by_text("Everything (JSON)").click()
    results = folder / download.value.suggested_filename
    download.value.save_as(results)
    assert len(json.loads(results.read_text())["results"]) == RESULTS
    return benchmark, results


def bring_in(page: Page, address: str, benchmark: Path, results: Path) -> None:
    """Both files into another library, up to the run."""
    page.goto(address)
    expect(page.get_by_role("heading", name="No benchmarks yet")).to_be_visible()
    page.get_by_role("button", name="Import benchmark file…", exact=True).click()
    choose(page, benchmark)
    page.wait_for_url(re.compile(r"/benchmarks/1/questions$"))
    expect(page.get_by_text("5 of 5 ready")).to_be_visible()
    page.get_by_role("tab", name="Question", exact=True).click()
    for task in TASKS:
        page.get_by_role("row", name=task.text).get_by_text(task.text).click()
        expect(page.get_by_label("Question", exact=True)).to_have_value(task.text)
        expect(page.get_by_label("ID", exact=True)).to_have_value(question_fingerprint(task.text))
    page.get_by_role("menuitem", name="File").click()
    page.get_by_role("menuitem", name="Import results…").click()
    choose(page, results)
    expect(page.get_by_text(f"{BENCHMARK} (has 5 of 5 questions, matched by ID and text)")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Import results").click()
    page.wait_for_url(re.compile(r"/runs/1$"))


def choose(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("dialog").get_by_role("button", name=re.compile("Choose a file")).click()
    chooser.value.set_files(path)
