"""The main job without a mouse: only keys, and every stop of Tab shows that it has the focus."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

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

MOST = 50
"""Presses of Tab within which everything is reached from where one was."""


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin(main_job.script) as twin:
        yield twin


@dataclass
class Keys:
    """A person without a mouse."""

    page: Page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def write(self, text: str) -> None:
        """Instead of what is in the field."""
        self.press("Control+a")
        self.type(text)

    def tab_to(self, place: Locator, key: str = "Tab") -> None:
        """Press Tab until this has the focus; each stop on the way shows that it has it."""
        expect(place.first).to_be_visible()
        passed: list[str] = []
        for _ in range(MOST):
            self.press(key)
            stop = place.evaluate_all(STOP)
            assert stop["marked"], "\n".join([f"nothing shows the focus on {stop['name']}; before it:", *passed])
            if stop["here"]:
                return
            passed.append(stop["name"])
        raise AssertionError(f"{place} was not reached: " + "\n".join(passed))

    def command(self, words: str) -> None:
        """By the palette, once the one before has closed."""
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        self.press("Control+k")
        expect(self.page.get_by_role("textbox", name="Command")).to_be_focused()
        self.type(words)
        expect(self.page.get_by_role("dialog").get_by_role("menuitem").first).to_contain_text(words)
        self.press("Enter")


STOP = """async (wanted) => {
  let now = document.activeElement;
  const cell = !!now.closest(".ag-root-wrapper"); // tables mark their cells a moment later, by a thin frame
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, cell ? 80 : 0)));
  const seen = (each) => [null, "::before", "::after"].some((part) => {
    const style = getComputedStyle(each, part);
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    const frame = parseFloat(style.borderTopWidth) >= (cell ? 1 : 2) && !/, 0\\)$/.test(style.borderTopColor);
    return ring || frame || style.boxShadow !== "none";
  });
  const around = () => {
    for (let at = now, up = 0; at && up < 4; at = at.parentElement, up++) if (seen(at)) return true;
    return false;
  };
  const called = (each) => `${each.localName} ${each.ariaLabel || each.innerText || each.outerHTML}`.slice(0, 80);
  let marked = around();
  for (let frames = 0; frames < 30 && !marked; frames++) {
    await new Promise(requestAnimationFrame);
    now = document.activeElement; // pages that are being drawn may move it
    marked = around();
  }
  return { here: wanted.includes(now), marked, name: called(now) };
}"""


def test_the_main_job_is_done_without_a_mouse(
    new_page: Callable[..., Page], empty_library: str, twin: Twin, tmp_path: Path
) -> None:
    page = new_page(once=True)
    keys = Keys(page)
    write_benchmark(keys, empty_library)
    add_model(keys, twin)
    run_it(keys)
    read_run(keys)
    sentence = read_chart(keys)
    benchmark, results = take_away(keys, tmp_path)
    with served_empty(tmp_path / "second") as second:
        bring_in(keys, second, benchmark, results)
        read_run(keys)
        assert read_chart(keys) == sentence


def write_benchmark(keys: Keys, address: str) -> None:
    page = keys.page
    page.goto(address)
    expect(page.get_by_role("heading", name="No benchmarks yet")).to_be_visible()
    page.wait_for_function("window.did_handshake")
    keys.tab_to(page.get_by_role("link", name="Skip to content"))
    keys.press("Enter")
    expect(page.locator("#page")).to_be_focused()
    keys.tab_to(page.locator(".empty").get_by_role("button", name="New benchmark"))
    keys.press("Enter")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    keys.type(BENCHMARK)
    keys.press("Enter")
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    for number, task in enumerate(TASKS, 1):
        text = FIRST_TEXT if number == 1 else task.text
        keys.press("Control+Alt+n")
        expect(page.get_by_role("heading", level=1, name="Untitled question")).to_be_visible()
        expect(page.get_by_label("Question", exact=True)).to_be_focused()
        keys.type(text)
        keys.press("Tab")
        expect(page.get_by_label("Reference answer")).to_be_focused()
        keys.type(task.reference)
        expect(page.get_by_label("ID", exact=True)).to_have_value(question_fingerprint(text))
        write_template(keys, task)
        keys.press("Control+Enter")
        expect(page.get_by_role("button", name="Finished", exact=True)).to_be_visible()
        expect(page.get_by_text(f"{number} of {number} ready")).to_be_visible()
    keys.press("Shift+F6")
    keys.tab_to(page.locator(".list-grid").get_by_role("gridcell"))
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1, name=FIRST_TEXT)).to_be_visible()
    keys.press("F6")
    open_tab(keys, "Question")
    keys.tab_to(page.get_by_label("Question", exact=True))
    keys.write(TASKS[0].text)
    expect(page.get_by_label("ID", exact=True)).to_have_value(question_fingerprint(TASKS[0].text))
    expect(page.get_by_role("row", name=TASKS[0].text)).to_be_visible()
    expect(page.get_by_text("5 of 5 ready")).to_be_visible()


def open_tab(keys: Keys, name: str, key: str = "Tab") -> None:
    """Tab leads to the tab that is open, arrows to the others."""
    tabs = keys.page.get_by_role("region", name="Question editor").get_by_role("tablist").first
    keys.tab_to(tabs.get_by_role("tab"), key)
    keys.press("Home")
    wanted = tabs.get_by_role("tab", name=name, exact=True)
    for _ in range(4):
        if wanted.evaluate("(tab) => tab === document.activeElement"):
            break
        keys.press("ArrowRight")
    keys.press("Enter")
    expect(wanted).to_have_attribute("aria-selected", "true")


def write_template(keys: Keys, task: Task) -> None:
    page = keys.page
    open_tab(keys, "Template", "Shift+Tab")
    keys.tab_to(page.get_by_role("button", name=re.compile(f"^{task.starter} ")))
    keys.press("Enter")
    expect(description_of(page, task.field)).to_be_focused()
    keys.write(task.description)
    if task.expected:
        keys.tab_to(expected_value_of(page, task.field))
        keys.write(task.expected)
    expect(page.get_by_text("No problems: 1 field")).to_be_visible()
    role: Literal["combobox", "textbox"] = "combobox" if task.is_chosen else "textbox"
    keys.tab_to(page.get_by_role(role, name=f"Value of {task.field}"))
    verdict = page.locator(".try-verdict")
    for entered, word in ((task.right, "Passes"), (task.wrong, "Fails")):
        choose(keys, entered) if task.is_chosen else keys.write(entered)
        expect(verdict).to_contain_text(word)


def choose(keys: Keys, option: str) -> None:
    """From the list of the field that has the focus."""
    wanted = keys.page.get_by_role("option", name=option, exact=True)
    keys.press("ArrowDown")
    expect(wanted).to_be_visible()
    for _ in range(6):
        if wanted.evaluate("(each) => each.matches('.q-manual-focusable--focused')"):
            break
        keys.press("ArrowDown")
    keys.press("Enter")


def add_model(keys: Keys, twin: Twin) -> None:
    page = keys.page
    keys.command("Models")
    expect(page.get_by_role("heading", name="No models yet")).to_be_visible()
    keys.command("New model")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    keys.write(MODEL)
    keys.tab_to(page.get_by_label("Base URL", exact=True))
    keys.write(f"{twin.address}/v1")
    keys.tab_to(page.get_by_label("API key variable"))
    keys.write(KEY_VARIABLE)
    expect(page.get_by_text(f"{KEY_VARIABLE} is not set.").first).to_be_visible()
    keys.tab_to(page.get_by_role("button", name="Enter key…"))
    keys.press("Enter")
    expect(page.get_by_label("Key", exact=True)).to_be_focused()
    keys.type(KEY)
    keys.press("Enter")
    expect(page.get_by_text(f"{KEY_VARIABLE} is used until you quit.")).to_be_visible()
    keys.tab_to(page.get_by_role("button", name="Test connection"), "Shift+Tab")
    keys.press("Enter")
    for part in ("Base URL", "API key"):
        expect(page.locator(".connection-ok", has_text=part).first).to_be_visible()
    expect(page.locator(".connection-failed")).to_have_count(0)


def run_it(keys: Keys) -> None:
    page = keys.page
    keys.press("Control+Alt+r")
    expect(page.get_by_text("5 questions will run.")).to_be_visible()
    keys.press("F6")
    for box in page.get_by_role("checkbox", name=MODEL).all():
        expect(box).to_be_checked()  # the only one
    keys.tab_to(page.get_by_role("button", name="Compare prompt on/off"))
    keys.press("Enter")
    expect(page.get_by_label("System prompt, condition 2")).to_be_focused()
    for number, name in enumerate((PLAIN, CAREFUL), 1):
        expect(page.get_by_label(f"Condition {number} name")).to_have_value(name)
    keys.type(PROMPT)
    keys.tab_to(page.get_by_label("Replicates", exact=True))
    keys.write(str(REPLICATES))
    expect(page.get_by_text("20 jobs = 5 questions × 1 model × 2 conditions × 2 replicates")).to_be_visible()
    keys.press("F6")
    keys.tab_to(page.get_by_role("button", name="Start run"))
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/runs/1$"))


def read_run(keys: Keys) -> None:
    """Pass counts of both conditions, and the field on which a wrong answer failed."""
    page = keys.page
    expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
    rates = page.get_by_role("region", name="Pass rates")
    for condition, count in COUNTS.items():
        expect(rates).to_contain_text(re.compile(f"{MODEL} · {condition} ?{count}"))
    keys.tab_to(page.get_by_role("link", name="Wrong"))
    keys.press("Enter")
    expect(page.locator("#results-count")).to_have_text(f"8 of {RESULTS} results")
    keys.tab_to(page.locator(".results-grid [role=gridcell]"))
    for _ in range(8):
        if page.locator(".results-grid .ag-row", has=page.locator(":focus")).filter(has_text=FAILED.text).count():
            break
        keys.press("ArrowDown")
    keys.press("Enter")
    expect(page.locator(".result-head-verdict")).to_contain_text(FAILED_WORDS)
    fields = page.get_by_role("table", name="Fields")
    expect(fields.get_by_role("row", name=FAILED_ROW)).to_be_visible()


def read_chart(keys: Keys) -> str:
    """The sentence of the comparison of both conditions."""
    page = keys.page
    to_run(keys)
    keys.tab_to(page.get_by_role("link", name="Charts"))
    keys.press("Enter")
    keys.tab_to(page.get_by_role("navigation", name="Charts").get_by_role("link", name=COMPARISON))
    keys.press("Enter")
    expect(page.get_by_role("heading", name=COMPARISON)).to_be_visible()
    expect(page.locator(".chart-view[data-drawn]")).to_be_visible(timeout=30_000)
    sentence = page.locator(".chart-sentence")
    expect(sentence).to_contain_text(COMPARED)
    expect(page.get_by_text("20 of 20 jobs scored")).to_be_visible()
    return sentence.inner_text()


def to_run(keys: Keys) -> None:
    """By the list of runs."""
    page = keys.page
    keys.command("All runs")
    expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible()
    keys.tab_to(page.get_by_role("gridcell"))
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/runs/1$"))


def take_away(keys: Keys, folder: Path) -> tuple[Path, Path]:
    """Files of the benchmark and of the results."""
    page = keys.page
    with page.expect_download() as download:
        keys.command("Export benchmark file…")
    benchmark = folder / download.value.suggested_filename
    download.value.save_as(benchmark)
    to_run(keys)
    keys.tab_to(page.get_by_role("button", name="Export results"))
    keys.press("Enter")
    expect(page.get_by_role("menu", name="Export results")).to_be_focused()
    keys.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Everything (JSON)")).to_be_focused()
    with page.expect_download() as download:
        keys.press("Enter")
    results = folder / download.value.suggested_filename
    download.value.save_as(results)
    assert len(json.loads(results.read_text())["results"]) == RESULTS
    return benchmark, results


def bring_in(keys: Keys, address: str, benchmark: Path, results: Path) -> None:
    """Both files into another library, up to the run."""
    page = keys.page
    page.goto(address)
    expect(page.get_by_role("heading", name="No benchmarks yet")).to_be_visible()
    keys.command("Import benchmark file…")
    hand_over(keys, benchmark)
    page.wait_for_url(re.compile(r"/benchmarks/1/questions$"))
    expect(page.get_by_text("5 of 5 ready")).to_be_visible()
    keys.command("Import results…")
    hand_over(keys, results)
    expect(page.get_by_text(f"{BENCHMARK} (has 5 of 5 questions, matched by ID and text)")).to_be_visible()
    keys.tab_to(page.get_by_role("dialog").get_by_role("button", name="Import results"))
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/runs/1$"))


def hand_over(keys: Keys, path: Path) -> None:
    """A file to the dialog that is opening."""
    button = keys.page.get_by_role("button", name=re.compile("Choose a file"))
    shown = keys.page.get_by_role("dialog").filter(has=button)
    expect(shown.locator(":focus")).to_have_count(1)
    expect(keys.page.get_by_role("dialog")).to_have_count(1)  # a palette that closes takes the focus with it
    keys.tab_to(button)
    expect(button).to_be_focused()
    with keys.page.expect_file_chooser() as chooser:
        keys.press("Enter")
    chooser.value.set_files(path)
