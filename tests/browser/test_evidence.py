"""The evidence of an agentic result: from a field to what justifies it, by keyboard and by address."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from karenina_gui.app import build
from karenina_gui.settings import Settings
from tests.agentic_result import agentic_result, change, opened
from tests.browser.accessibility import violations
from tests.browser.conftest import served

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def agents(first_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where an application is served that has results of agents, the second with many files; gives their run."""
    folder = tmp_path_factory.mktemp("agents")
    shutil.copytree(first_data, folder / "data")
    application = build(Settings(data=folder / "data"))
    try:
        run = opened(application, folder, [agentic_result(), with_many_files(), with_a_turned_name()])
    finally:
        application.close()
    with served(folder / "data") as address:
        yield f"{address}/runs/{run}"


def with_many_files() -> object:
    result = agentic_result()
    assert result.workspace is not None
    long = [f"{n},{'value' * 20}" for n in range(2000)]
    changes = [change(f"part/{n:03}.csv", None, long if n == 300 else ["one"]) for n in range(500)]
    other = result.metadata.model_copy(update={"question_id": "many"})
    return agentic_result(metadata=other, workspace=result.workspace.model_copy(update={"changes": changes}))


def with_a_turned_name() -> object:
    result = agentic_result()
    assert result.workspace is not None
    changes = [*result.workspace.changes, change("\u202efdp.exe", None, ["turned"])]
    other = result.metadata.model_copy(update={"question_id": "turned"})
    return agentic_result(metadata=other, workspace=result.workspace.model_copy(update={"changes": changes}))


@pytest.fixture
def results(page: Page, agents: str) -> list[str]:
    """Addresses of the results."""
    address, _, number = agents.partition("/runs/")
    rows = page.request.get(f"{address}/api/runs/{number}/results").json()["rows"]
    return [f"{agents}/results/{row['id']}" for row in rows]


def test_a_field_leads_to_its_passage_to_the_file_and_back_by_keyboard(page: Page, results: list[str]) -> None:
    show(page, results[0])
    why = page.get_by_role("link", name="Why mean_dose?")
    why.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".trace-passage")).to_be_in_viewport()
    assert texts(page.locator(".trace-passage")) == "**mean_dose**: 247.5\nEvidence: line 4 of summary.md"
    expect(page.get_by_role("tab", name="Investigation")).to_have_attribute("aria-selected", "true")
    expect(why).to_be_focused()
    expect(page.get_by_role("status").filter(has_text="Why mean_dose: 3 places found.")).to_be_attached()
    assert violations(page) == []

    page.keyboard.press("F6")
    expect(page.get_by_role("button", name="Close", exact=True)).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".trace-passage")).to_have_text("247.5")
    expect(page.get_by_role("article", name="Tool result, message 6")).to_be_in_viewport()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".changed-line-mark")).to_contain_text("mean_dose: 247.5")
    expect(page.get_by_role("option", name=re.compile("summary.md"))).to_have_attribute("aria-selected", "true")
    assert violations(page, ".evidence") == []

    address = page.url
    assert address.endswith("#why=field%3Amean_dose&file=summary.md%3A4")
    page.goto("about:blank")
    show(page, address)
    expect(page.locator(".changed-line-mark")).to_be_in_viewport()
    page.get_by_role("button", name="Close", exact=True).focus()
    page.keyboard.press("Escape")
    expect(why).to_be_focused()
    expect(page).to_have_url(re.compile("#file=summary.md%3A4$"))


@pytest.mark.thorough
def test_files_are_walked_and_shown_before_after_and_by_what_differs(page: Page, results: list[str]) -> None:
    show(page, f"{results[0]}#workspace")
    files = page.get_by_role("listbox", name="Changed files")
    files.focus()
    for name, said in (("notes.tmp", "Look here first."), ("plot.png", "No text, so its contents are not shown.")):
        page.keyboard.press("ArrowDown")
        expect(page.locator(".changes-name")).to_have_text(name)
        expect(page.locator(".changes-view")).to_contain_text(said)
    page.keyboard.press("Home")
    lines = page.get_by_role("region", name="Lines of analysis/count.py")
    expect(lines.locator(".changed-line-in")).to_have_count(2)
    expect(lines).to_contain_text("<img src=x onerror=alert(1)>")
    for state, number in (("Before", 4), ("After", 6), ("Diff", 6)):
        page.get_by_role("button", name=state, exact=True).press("Enter")
        expect(lines.locator(".changed-line")).to_have_count(number)
    assert page.locator("img").count() == 0


@pytest.mark.thorough
def test_all_lines_are_drawn_however_fast_what_is_shown_of_a_file_changes(page: Page, results: list[str]) -> None:
    """Both clicks before a frame is drawn, as with a computer that is busy."""
    show(page, f"{results[0]}#workspace")
    lines = page.get_by_role("region", name="Lines of analysis/count.py")
    expect(lines.locator(".changed-line")).to_have_count(6)
    page.evaluate(
        """async () => {
          const buttons = [...document.querySelectorAll('.changes-states button')];
          const show = (state) => buttons.find((button) => button.textContent === state).click();
          show('Before');
          for (let tick = 0; tick < 20; tick++) await Promise.resolve();
          show('After');
          for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
        }"""
    )
    expect(lines.locator(".changed-line")).to_have_count(6)


@pytest.mark.thorough
def test_all_files_are_drawn_however_fast_the_search_for_them_changes(page: Page, results: list[str]) -> None:
    show(page, f"{results[1]}#workspace")
    page.get_by_role("listbox", name="Changed files").press("End")
    expect(page.locator(".changes-file[aria-selected=true]")).to_contain_text("part/499.csv")
    for queries, found in ((["499", "49"], 15), (["4", "49", "499", "49"], 15), (["499", "nothing", "300"], 1)):
        page.evaluate(
            """async (queries) => {
              const search = document.querySelector('.changes-files input');
              for (const query of queries) {
                search.value = query;
                search.dispatchEvent(new Event('input'));
                for (let tick = 0; tick < 20; tick++) await Promise.resolve();
              }
              for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
            }""",
            queries,
        )
        expect(page.locator(".changes-file")).to_have_count(found)
        expect(page.locator(".changes-file").first).to_be_in_viewport()
    assert violations(page, ".changes") == []


@pytest.mark.thorough
def test_names_of_files_turn_nothing(page: Page, results: list[str]) -> None:
    show(page, f"{results[2]}#workspace")
    page.get_by_role("listbox", name="Changed files").focus()
    page.keyboard.press("End")
    for place in (page.locator(".changes-name"), page.locator(".changes-path").last):
        expect(place).to_have_text("U+202Efdp.exe")
    page.evaluate("location.hash = 'file=%E2%80%AEfdp.exe%3A1'")
    expect(page.locator(".changed-line-mark")).to_have_text(re.compile("turned"))
    page.evaluate("location.hash = 'file=%E2%80%AEgnp.exe%3A1'")
    expect(page.get_by_text("U+202Egnp.exe is not among the changed files.")).to_be_visible()


@pytest.mark.thorough
def test_five_hundred_files_and_a_long_one_are_drawn_as_far_as_they_are_seen(page: Page, results: list[str]) -> None:
    show(page, f"{results[1]}#file=part%2F300.csv%3A1500-1502")
    expect(page.locator(".changed-line-mark").first).to_be_in_viewport()
    expect(page.locator(".changed-line-mark")).to_have_count(3)
    assert page.locator(".changed-line").count() < 300
    assert page.locator(".changes-file").count() < 100
    page.get_by_label("Find a file").fill("499")
    expect(page.locator(".changes-file")).to_have_count(1)
    page.evaluate("location.hash = 'file=nowhere.csv%3A3'")
    expect(page.get_by_text("nowhere.csv is not among the changed files.")).to_be_visible()


@pytest.mark.thorough
def test_traits_lead_to_their_own_investigation_and_what_is_not_there_is_said(
    new_page: Callable[..., Page], results: list[str]
) -> None:
    page = new_page()
    whole = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 560})
    show(page, f"{results[0]}#why=trait%3ACareful")
    expect(page.get_by_role("link", name="Why Careful?")).to_be_in_viewport(ratio=1)
    page.set_viewport_size(whole)
    page.get_by_role("link", name="Why Reproducible?").click()
    page.get_by_role("link", name="Why Careful?").click()
    expect(page.get_by_label("Investigation of")).to_have_value("investigation-2")
    assert texts(page.locator(".trace-passage")).startswith("Careful: 4 of 5.")
    page.get_by_role("link", name="Why complete?").click()
    expect(page.get_by_role("region", name="Why complete")).to_contain_text("doesn’t mention this field by name")
    expect(page.get_by_label("Investigation of")).to_have_value("investigation-1")
    page.get_by_role("tab", name="Answer").click()
    expect(page).to_have_url(re.compile("#why=field%3Acomplete&pane=answer$"))
    page.get_by_role("tabpanel", name="Answer").get_by_label("Filter messages").select_option("failed")
    shown = page.get_by_role("tabpanel", name="Answer").get_by_role("article")
    expect(shown).to_have_count(2)
    expect(shown.last).to_contain_text("failed")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Answer").press("ArrowRight")
    expect(page.get_by_role("tab", name="Investigation")).to_be_focused()
    assert violations(page, ".evidence") == []


def show(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("tablist", name="Evidence").wait_for()
    page.wait_for_function("window.did_handshake")


def texts(pieces: Locator) -> str:
    expect(pieces.first).to_be_visible()
    return "".join(pieces.all_text_contents())
