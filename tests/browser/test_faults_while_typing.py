"""Faults while two windows are typed in: every character is in the library afterwards, and *Saved* is never a lie."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from karenina_gui.app import build
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.settings import Settings
from tests.browser.accidents import Cable, Server
from tests.browser.conftest import SIZE, check, eventually, open_advanced
from tests.browser.template_views import description_of, expected_value_of, open_code
from tests.browser.test_recovery import TEMPLATE
from tests.examples import cases
from tests.saved_models import save_model
from tests.twin import Reply, Twin

pytestmark = pytest.mark.browser

LASTING = float(os.environ.get("KARENINA_FAULT_SECONDS", "2"))
"""Seconds that a fault lasts; the figures of the changelog were taken with 60."""
PATIENCE = 60_000
"""Milliseconds until what waited is stored."""
LONG = "A sentence that needs room on the disk. " * 200
NUMBER = 3
"""The benchmark, after the two examples."""


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a benchmark of two questions; only to be copied."""
    folder = tmp_path_factory.mktemp("cells") / "data"
    application = build(Settings(data=folder))
    document = BenchmarkDocument(name="Cells")
    for text in ("What is a cell?", "What is a nucleus?"):
        document.add(Question(question=text, raw_answer="See the book."))
    application.library.benchmarks.create(document)
    application.close()
    return folder


@pytest.fixture
def server(cells: Path, tmp_path: Path) -> Iterator[Server]:
    server = Server(shutil.copytree(cells, tmp_path / "data"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def person(chromium: Browser) -> Iterator[BrowserContext]:
    """One person with several windows; what the browser says of a broken connection is no fault."""
    context = chromium.new_context(viewport=SIZE, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    yield context
    context.close()


Windows = tuple[Page, Page]


@pytest.fixture
def windows(server: Server, person: BrowserContext) -> Windows:
    return open_windows(person, server, server.address)


def open_windows(person: BrowserContext, server: Server, address: str) -> Windows:
    first, second = person.new_page(), person.new_page()
    numbers = server.rows(f"SELECT id FROM question WHERE benchmark_id = {NUMBER} ORDER BY position")
    for page, (number,) in zip((first, second), numbers, strict=True):
        page.goto(f"{address}/benchmarks/{NUMBER}/questions/{number}")
        expect(notes(page)).to_be_visible()
    return first, second


def notes(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Notes")


def status(page: Page) -> Locator:
    return page.locator(".status-saved:visible, .status-unsaved:visible")


def at_the_field(page: Page) -> Locator:
    """The line below the notes about a save that waits."""
    return page.locator(".field", has=notes(page)).get_by_role("status").filter(has_text="Not saved")


def type_into(page: Page, text: str) -> None:
    notes(page).focus()
    page.keyboard.press("Control+End")
    if len(text) > 500:
        page.keyboard.insert_text(text)
    else:
        page.keyboard.type(text, delay=15)


def type_on(windows: Windows, seconds: float = LASTING) -> list[str]:
    """Type in both windows in turns for a while; returns what was typed into each."""
    typed = ["", ""]
    for turn in range(max(2, int(seconds))):
        for index, page in enumerate(windows):
            piece = f"Turn {turn} of window {index}. "
            type_into(page, piece)
            typed[index] += piece
        windows[0].wait_for_timeout(500)
        for page in windows:
            expect(status(page)).not_to_have_text(re.compile("^(Saved|All changes saved)"))
    return typed


def stored(server: Server) -> list[str]:
    found = server.rows("SELECT answer_notes FROM question WHERE benchmark_id = 3 ORDER BY position")
    return [str(text or "") for (text,) in found]


def hurried(page: Page, holds: Callable[[], bool]) -> bool:
    """Ask this of a page whose clock has gone on by a second."""
    page.clock.fast_forward(1000)
    return holds()


def all_is_stored(server: Server, windows: Windows, typed: list[str]) -> None:
    eventually(windows[0], lambda: all(mine.strip() in text for mine, text in zip(typed, stored(server), strict=True)))
    for page in windows:
        expect(status(page)).to_have_text(re.compile("^(Saved|All changes saved)"), timeout=PATIENCE)
        assert page.evaluate("outbox.unsavedCount()") == 0
    assert "Traceback" not in server.log()


def test_a_full_disk(server: Server, windows: Windows) -> None:
    with server.full():
        for page in windows:
            type_into(page, LONG)
        typed = type_on(windows)
        for page in windows:
            expect(status(page)).to_contain_text("Not saved: the disk is full. Retrying…")
            expect(at_the_field(page)).to_have_text("Not saved: the disk is full. Retrying…")
    all_is_stored(server, windows, [LONG + text for text in typed])
    for page in windows:
        expect(at_the_field(page)).to_be_hidden()


def test_a_locked_library(server: Server, windows: Windows) -> None:
    with server.locked():
        typed = type_on(windows)
        for page in windows:
            expect(status(page)).to_contain_text("Not saved: another program is using the library. Retrying…")
    all_is_stored(server, windows, typed)


@pytest.mark.thorough
def test_a_frozen_application(server: Server, windows: Windows) -> None:
    with server.frozen():
        typed = type_on(windows)
    all_is_stored(server, windows, typed)


def test_the_death_of_the_application(server: Server, windows: Windows) -> None:
    asked: list[str] = []
    for page in windows:
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    server.kill()
    typed = type_on(windows)
    for page in windows:
        expect(page.get_by_text("Connection lost. Reconnecting… 1 edit stored in this browser")).to_be_visible()
    server.start()
    all_is_stored(server, windows, typed)
    for page, text in zip(windows, typed, strict=True):
        expect(notes(page)).to_have_value(text)
    assert asked == []


@pytest.mark.thorough
def test_a_connection_that_is_cut(server: Server, person: BrowserContext) -> None:
    person.clock.install()
    cable = Cable(server.port)
    windows = open_windows(person, server, cable.address)
    for page in windows:
        type_into(page, "Before. ")
    with cable.cut():
        typed = type_on(windows)
    for page in windows:
        eventually(page, lambda page=page: hurried(page, page.get_by_text("Connection lost. Reconnecting").is_hidden))
    all_is_stored(server, windows, ["Before. " + text for text in typed])
    cable.close()


@pytest.mark.thorough
def test_a_window_that_was_closed_while_the_application_was_dead(server: Server, person: BrowserContext) -> None:
    person.clock.install()
    first, second = open_windows(person, server, server.address)
    server.kill()
    type_into(first, "Typed into a window that is gone. ")
    first.wait_for_timeout(500)
    address = first.url
    first.close(run_before_unload=False)
    server.start()
    told = second.get_by_text("1 conflict to resolve")
    eventually(second, lambda: hurried(second, told.is_visible))
    second.goto(address)
    expect(notes(second)).to_have_value("Typed into a window that is gone. ")
    second.get_by_role("button", name="Keep mine").click()
    eventually(second, lambda: "Typed into a window that is gone." in stored(server)[0])


@pytest.mark.thorough
def test_text_that_was_changed_elsewhere_meanwhile_is_offered_and_not_overwritten(
    server: Server, windows: Windows, chromium: Browser
) -> None:
    mine, _ = windows
    type_into(mine, "Before. ")
    eventually(mine, lambda: "Before." in stored(server)[0])
    server.kill()
    type_into(mine, "Mine. ")
    application = build(Settings(data=server.data))
    question = application.library.questions.summaries(NUMBER)[0]
    application.library.questions.update(NUMBER, question.number, {"answer_notes": "Before. Theirs. "})
    application.close()
    server.start()
    expect(mine.get_by_role("group", name="Conflict")).to_be_visible(timeout=PATIENCE)
    expect(notes(mine)).to_have_value("Before. Mine. ")
    assert stored(server)[0] == "Before. Theirs. "
    mine.get_by_role("button", name="Merge both").click()
    eventually(mine, lambda: "Mine." in stored(server)[0] and "Theirs." in stored(server)[0])


@pytest.mark.thorough
def test_leaving_with_unsaved_text_asks_first(server: Server, windows: Windows) -> None:
    page, _ = windows
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    with server.locked():
        type_into(page, "Not stored yet. ")
        page.wait_for_timeout(500)
        page.evaluate("setTimeout(() => location.assign('/models'))")
        eventually(page, lambda: asked == ["beforeunload"])
    eventually(page, lambda: "Not stored yet." in stored(server)[0])


def test_a_template_survives_the_death_of_the_application(server: Server, windows: Windows) -> None:
    page, _ = windows
    page.get_by_role("tab", name="Template").click()
    open_code(page).click()
    page.keyboard.insert_text("# first line\n")
    page.wait_for_timeout(1500)
    server.kill()
    page.keyboard.type("# typed while it was dead")
    server.start()
    eventually(page, lambda: "typed while it was dead" in str(server.rows("SELECT answer_template FROM question")))
    expect(page.locator(".cm-content")).to_contain_text("typed while it was dead")


@pytest.mark.thorough
def test_texts_of_a_template_form_survive_the_death_of_the_application(server: Server, windows: Windows) -> None:
    page, _ = windows
    page.get_by_role("tab", name="Template").click()
    page.get_by_role("button", name=re.compile("^Text ")).click()
    description_of(page, "name").fill("The number asked for,")
    eventually(page, lambda: "The number asked for," in str(server.rows("SELECT answer_template FROM question")))
    server.kill()
    description_of(page, "name").press("Control+End")
    page.keyboard.type(" in words.")
    expected_value_of(page, "name").fill("forty-two")
    server.start()
    eventually(page, lambda: "asked for, in words." in str(server.rows("SELECT answer_template FROM question")))
    eventually(page, lambda: '"forty-two"' in str(server.rows("SELECT answer_template FROM question")))
    expect(description_of(page, "name")).to_have_value("The number asked for, in words.")
    expect(page.get_by_text(re.compile(r"^Saved \d"))).to_be_visible()
    page.reload()
    expect(expected_value_of(page, "name")).to_have_value("forty-two")


@pytest.mark.thorough
def test_a_trait_survives_the_death_of_the_application(server: Server, windows: Windows) -> None:
    page, _ = windows
    page.get_by_role("tab", name="Rubric").click()
    page.get_by_role("button", name="Searches the answer for a regular expression.").click()
    name, meaning = (page.get_by_role("textbox", name=label) for label in ("Name", "Trait description"))
    for text in ("Names a unit", "Gives a unit"):
        name.fill(text)
        page.get_by_role("textbox", name="Pattern", exact=True).fill("mg|kg")
        eventually(page, lambda text=text: text in rubric(server))
    expect(status(page)).to_have_text(re.compile("^Saved"))
    server.kill()
    meaning.focus()
    page.keyboard.type("Typed while it was dead.", delay=15)
    expect(page.get_by_text("Connection lost. Reconnecting… 1 edit stored in this browser")).to_be_visible()
    server.start()
    expect(meaning).to_have_value("Typed while it was dead.", timeout=PATIENCE)
    eventually(page, lambda: "Typed while it was dead." in rubric(server))
    expect(status(page)).to_have_text(re.compile("^(Saved|All changes saved)"))
    assert rubric(server).count("Gives a unit") == 1
    assert page.evaluate("outbox.unsavedCount()") == 0
    assert "Traceback" not in server.log()


@pytest.mark.thorough
def test_a_model_and_a_condition_survive_the_death_of_the_application(server: Server, person: BrowserContext) -> None:
    models, run = person.new_page(), person.new_page()
    models.goto(f"{server.address}/models")
    models.get_by_role("button", name="New model").first.click()
    expect(models.get_by_label("Name", exact=True)).to_have_value("new model")
    open_advanced(models)
    prompt = models.get_by_role("textbox", name="System prompt")
    prompt.fill("Be brief.")
    run.goto(f"{server.address}/benchmarks/{NUMBER}/run")
    run.get_by_role("button", name="Compare prompt on/off").click()
    run.get_by_role("button", name="Settings of condition 2").click()  # of the only model, which has a prompt
    condition = run.get_by_role("textbox", name="System prompt, condition 2")
    condition.fill("Name a source.")
    for page, query in ((models, "SELECT config FROM model"), (run, "SELECT choice FROM run_choice")):
        eventually(page, lambda query=query: re.search("Be brief|Name a source", str(server.rows(query))) is not None)
        expect(status(page)).to_have_text(re.compile("^(Saved|All changes saved)"))
    server.kill()
    for page, box in ((models, prompt), (run, condition)):
        box.focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(" Typed while it was dead.", delay=15)
        expect(page.get_by_text("Connection lost. Reconnecting… 1 edit stored in this browser")).to_be_visible()
    server.start()
    expect(prompt).to_have_value("Be brief. Typed while it was dead.", timeout=PATIENCE)
    expect(condition).to_have_value("Name a source. Typed while it was dead.", timeout=PATIENCE)
    eventually(models, lambda: "Be brief. Typed while it was dead." in str(server.rows("SELECT config FROM model")))
    choices = "SELECT choice FROM run_choice"
    eventually(run, lambda: "Name a source. Typed while it was dead." in str(server.rows(choices)))
    for page in (models, run):
        expect(status(page)).to_have_text(re.compile("^(Saved|All changes saved)"))
        assert page.evaluate("outbox.unsavedCount()") == 0
    assert "Traceback" not in server.log()


def rubric(server: Server) -> str:
    """The rubric of the first question, as JSON."""
    ((stored,),) = server.rows(f"SELECT question_rubric FROM question WHERE benchmark_id = {NUMBER} LIMIT 1")
    return str(stored or "")


QUESTIONS, REPLICATES = 10, 4


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin(lambda asked: Reply(text="It is 42. " + "Because. " * 200, delay=0.1)) as twin:
        yield twin


def begin_run(server: Server, twin: Twin, page: Page) -> None:
    """A run of every question, by a model that asks the twin."""
    server.kill()
    application = build(Settings(data=server.data))
    document = BenchmarkDocument(name="Arithmetic")
    for n in range(QUESTIONS):
        document.add(Question(question=f"What is {n} + {42 - n}?", raw_answer="42", answer_template=TEMPLATE))
    number = application.library.benchmarks.create(document)
    address = f"{twin.address}/v1"
    model = ModelConfig(id="slow", model_name="slow", interface="openai_endpoint", endpoint_base_url=address)
    save_model(application, "slow", model)
    application.close()
    server.start()
    page.goto(f"{server.address}/benchmarks/{number}/run")
    check(page.get_by_role("checkbox", name="slow").first)
    page.get_by_label("Replicates", exact=True).fill(str(REPLICATES))
    expect(page.get_by_text(f"{QUESTIONS * REPLICATES} jobs")).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))


def results(server: Server) -> list[tuple[object, ...]]:
    return server.rows("SELECT job_key, outcome FROM result")


@pytest.mark.thorough
@pytest.mark.parametrize("fault", cases(["full"], ["locked"]))
def test_a_run_pauses_and_goes_on(server: Server, twin: Twin, person: BrowserContext, fault: str) -> None:
    page = person.new_page()
    begin_run(server, twin, page)
    eventually(page, lambda: len(results(server)) >= 3)
    with getattr(server, fault)():
        expect(page.get_by_text(re.compile("Paused: .* The run continues automatically."))).to_be_visible()
        page.wait_for_timeout(1000)
        before = len(twin.requests)
        page.wait_for_timeout(int(LASTING * 1000))
        assert len(twin.requests) == before
    expect(page.get_by_text("Completed")).to_be_visible(timeout=PATIENCE)
    found = results(server)
    assert len({key for key, _ in found}) == len(found) == QUESTIONS * REPLICATES
    assert {outcome for _, outcome in found} == {"passed"}
    assert len(twin.requests) == QUESTIONS * REPLICATES
    assert "Traceback" not in server.log()
