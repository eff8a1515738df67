"""What is said of something deleted, and of what never was, as an accessibility check finds it in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Page, expect

from karenina_gui.app import build
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.settings import Settings
from tests.browser.accessibility import violations
from tests.browser.conftest import check
from tests.examples import cases
from tests.saved_models import save_model
from tests.twin import Asked, Reply, Twin

pytestmark = pytest.mark.browser

NewPage = Callable[..., Page]
GONE = re.compile("^The benchmark “Long conversations” was deleted.")


@pytest.fixture(scope="module")
def slow() -> Iterator[Twin]:
    """Answers nobody before all is over."""
    over = Event()

    def answer(asked: Asked) -> Reply:
        over.wait(60)
        return Reply(text="CYP3A4")

    with Twin(answer) as twin:
        yield twin
        over.set()


@pytest.fixture(scope="module")
def data(data: Path, slow: Twin) -> Path:
    application = build(Settings(data=data))
    model = ModelConfig(model_name="slow", interface="openai_endpoint", endpoint_base_url=f"{slow.address}/v1")
    save_model(application, "slow", model)
    application.close()
    return data


@pytest.mark.thorough
@pytest.mark.parametrize(
    "place", cases(["/benchmarks/1/questions/99", "/runs/99"], ["/benchmarks/99/questions", "/runs/1/results/99"])
)
def test_an_address_where_nothing_ever_was_is_accessible(page: Page, address: str, place: str) -> None:
    page.goto(address + place)
    expect(page.get_by_role("heading", name=re.compile("Page not found|Question not found"))).to_be_visible()
    assert violations(page) == []


def test_a_benchmark_deleted_under_its_run_is_told_of_accessibly(new_page: NewPage, address: str) -> None:
    author, about, plan, watcher = (new_page() for _ in range(4))
    author.goto(f"{address}/benchmarks/3/questions/1?tab=question")
    about.goto(f"{address}/benchmarks/3/details")
    plan.goto(f"{address}/benchmarks/3/run")
    begin_run(watcher, f"{address}/benchmarks/3/run")
    person = new_page()
    catalog(person, address)
    person.get_by_role("button", name="Delete Long conversations").click()
    expect(person.get_by_role("dialog", name="Delete benchmark")).to_contain_text("is running: 0 of 3 jobs")
    assert violations(person, ".q-dialog") == []
    person.get_by_role("button", name="Stop and delete").click()
    for page in (author, about, plan, watcher):
        expect(page.get_by_text(GONE)).to_be_visible()
        assert violations(page) == []

    watcher.goto(f"{address}/runs/1/results/1")
    expect(watcher.get_by_text(GONE)).to_be_visible()
    assert violations(watcher) == []
    about.goto(f"{address}/benchmarks/3/details")
    expect(about.get_by_role("heading", name="Benchmark deleted")).to_be_visible()
    assert violations(about) == []
    person.get_by_role("button", name="Restore deleted…").click()
    expect(person.get_by_text("1 question, 2 runs · deleted")).to_be_visible()
    assert violations(person, ".q-dialog") == []
    person.get_by_role("button", name="Restore Long conversations").click()
    expect(person.get_by_text("No deleted benchmarks.")).to_be_visible()
    assert violations(person) == []


@pytest.mark.thorough
def test_questions_deleted_elsewhere_and_their_list_are_accessible(new_page: NewPage, address: str) -> None:
    author, person = new_page(), new_page()
    author.goto(f"{address}/benchmarks/1/questions/1?tab=question")
    expect(author.get_by_role("textbox", name="Notes")).to_be_visible()
    person.goto(f"{address}/benchmarks/1/questions/2?tab=question")
    person.wait_for_function("window.did_handshake")
    open_list(person)
    expect(person.get_by_text("No deleted questions.")).to_be_visible()
    assert violations(person, ".q-dialog") == []
    person.get_by_role("button", name="Close").click()
    person.locator(".ag-row[row-index='0'] .ag-checkbox-input").check()
    person.locator(".ag-row[row-index='1'] .ag-checkbox-input").check()
    chosen = person.get_by_role("toolbar", name="Selected questions")
    chosen.get_by_role("button", name="Delete").click()
    expect(author.get_by_text("This question was deleted.")).to_be_visible()
    assert violations(author) == []
    open_list(person)
    expect(person.get_by_role("button", name="Restore all 2")).to_be_visible()
    assert violations(person) == []


@pytest.mark.thorough
def test_a_deleted_run_is_told_of_and_comes_back(new_page: NewPage, address: str) -> None:
    reader, person = new_page(), new_page()
    reader.goto(f"{address}/runs/1")
    expect(reader.get_by_role("button", name="Delete run")).to_be_visible()
    person.goto(f"{address}/runs/1")
    person.get_by_role("button", name="Delete run").click()
    expect(reader.get_by_text("Run “Long one” was deleted.")).to_be_visible()
    assert violations(reader) == []
    person.get_by_role("button", name="Undo").click()
    expect(person.get_by_role("link", name="Long one")).to_be_visible()

    person.goto(f"{address}/runs/1")
    person.get_by_role("button", name="Delete run").click()
    person.get_by_role("button", name="Restore deleted…").click()
    expect(person.get_by_role("dialog", name="Deleted runs")).to_be_visible()
    assert violations(person, ".q-dialog") == []
    person.get_by_role("button", name="Restore Long one").click()
    expect(person.get_by_text("Restored run “Long one”")).to_be_visible()
    person.keyboard.press("Escape")
    person.get_by_role("link", name="Long one").click()
    person.get_by_role("button", name="Delete run").click()
    person.get_by_role("button", name="Restore deleted…").click()
    person.get_by_role("button", name="Erase Long one", exact=True).click()
    expect(person.get_by_role("button", name="Erase permanently: Long one")).to_be_focused()
    person.keyboard.press("Enter")
    expect(person.get_by_text("Erased run “Long one”.")).to_be_visible()
    expect(person.get_by_role("button", name="Restore Long one")).to_have_count(0)


def begin_run(page: Page, address: str) -> None:
    page.goto(address)
    check(page.get_by_role("checkbox", name="slow").first)
    expect(page.get_by_text(re.compile(r"\d jobs"))).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    expect(page.get_by_text("0 of 3")).not_to_have_count(0)


def catalog(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks")
    page.wait_for_function("window.did_handshake")


def open_list(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.get_by_label("Command", exact=True).fill("restore deleted quest")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Deleted questions")).to_be_visible()
