"""Accidents: the application is killed in the middle of a run or of a sentence, a tab is closed. Nothing is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from karenina_gui.app import build
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.settings import Settings
from tests.browser.accidents import Server
from tests.browser.conftest import SIZE, check, eventually
from tests.examples import examples
from tests.saved_models import save_model
from tests.twin import Reply, Twin

pytestmark = pytest.mark.browser

QUESTIONS, REPLICATES = 100, examples(2, 5)
JOBS = QUESTIONS * REPLICATES
PATIENCE = 60_000
"""Milliseconds; a machine with nothing else to do needs a tenth of it."""
TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"number": {"pattern": "[0-9]+", "expected": "42", "match_type": "exact"}}
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def forgiving_page(chromium: Browser) -> Iterator[Page]:
    """A window whose connection breaks, which the browser complains of."""
    page = chromium.new_page(viewport=SIZE, reduced_motion="reduce")
    page.set_default_timeout(15_000)
    yield page
    page.close()


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin(lambda asked: Reply(text="It is 42.", delay=0.03)) as twin:
        yield twin


def plan(server: Server, twin: Twin) -> None:
    """A benchmark of 100 questions, and a model that asks the twin."""
    document = BenchmarkDocument(name="Arithmetic")
    for n in range(QUESTIONS):
        document.add(Question(question=f"What is {n} + {42 - n}?", raw_answer="42", answer_template=TEMPLATE))
    application = build(Settings(data=server.data))
    try:
        application.library.benchmarks.create(document)
        address = f"{twin.address}/v1"
        model = ModelConfig(id="slow", model_name="slow", interface="openai_endpoint", endpoint_base_url=address)
        save_model(application, "slow", model)
    finally:
        application.close()


def begin(page: Page, server: Server, replicates: int = REPLICATES) -> str:
    """Start a run of every question; returns its address."""
    page.goto(f"{server.address}/benchmarks/3/run")
    check(page.get_by_role("checkbox", name="slow").first)
    page.get_by_label("Replicates", exact=True).fill(str(replicates))
    expect(page.get_by_text(f"{QUESTIONS * replicates} jobs")).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    return page.url


def test_a_run_survives_the_death_of_the_application(server: Server, twin: Twin, forgiving_page: Page) -> None:
    page = forgiving_page
    plan(server, twin)
    server.start()
    address = begin(page, server)
    eventually(page, lambda: len(twin.requests) >= JOBS // 3)
    server.kill()
    page.goto("about:blank")
    page.wait_for_timeout(200)
    asked = len(twin.requests)
    ((kept,),) = server.rows("SELECT count(*) FROM answer")
    ((done,),) = server.rows("SELECT count(*) FROM result")
    ((workers,),) = server.rows("SELECT json_extract(config, '$.async_max_workers') FROM run")
    assert isinstance(kept, int)
    assert isinstance(done, int)
    assert isinstance(workers, int)
    assert 0 <= asked - kept <= workers  # what was under way, and nothing else

    server.start()
    page.goto(server.address)
    page.get_by_role("link", name="1 run interrupted").click()
    expect(page).to_have_url(address)
    left = page.get_by_role("region", name="Remaining jobs")
    expect(left).to_contain_text(f"{JOBS - done} of {JOBS} jobs left.")
    expect(status(page)).to_contain_text("Interrupted")
    expect(page.get_by_role("link", name="1 run interrupted")).to_have_count(0)
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.locator("#results-count")).to_have_text(f"{done} results")
    resume = page.get_by_role("button", name="Resume")
    resume.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("elapsed")).to_be_visible(timeout=PATIENCE)
    expect(status(page)).to_contain_text("Completed", timeout=PATIENCE)
    expect(page.locator("#results-count")).to_have_text(f"{JOBS} results")
    expect(left).to_be_hidden()
    assert len(twin.requests) == asked + JOBS - kept
    assert set(Counter(asked.text for asked in twin.requests).values()) <= set(
        range(REPLICATES, REPLICATES + workers + 1)
    )
    assert server.rows("SELECT count(*), count(DISTINCT job_key), min(passed) FROM result") == [(JOBS, JOBS, 1)]


@pytest.mark.thorough
def test_an_application_that_is_told_to_end_ends_its_run(server: Server, twin: Twin, forgiving_page: Page) -> None:
    plan(server, twin)
    server.start()
    twin.script = lambda asked: Reply(hangs=True) if asked.number > 10 else Reply(text="It is 42.")
    begin(forgiving_page, server)
    hanging = workers_of(server)
    eventually(forgiving_page, lambda: len(twin.requests) == 10 + hanging)
    assert server.end() == 0
    asked = len(twin.requests)
    assert server.rows("SELECT status, (SELECT count(*) FROM result) FROM run") == [("interrupted", 10)]
    forgiving_page.wait_for_timeout(300)
    assert len(twin.requests) == asked


def status(page: Page) -> Locator:
    """What the head of a run's page says of it."""
    return page.locator(".progress-title .run-status")


@pytest.mark.thorough
def test_a_run_is_found_again_after_its_tab_was_closed(server: Server, twin: Twin, chromium: Browser) -> None:
    plan(server, twin)
    server.start()
    first = chromium.new_page(viewport=SIZE, reduced_motion="reduce")
    address = begin(first, server, replicates=5)
    first.close()
    second = chromium.new_page(viewport=SIZE, reduced_motion="reduce")
    second.goto(server.address)
    going = second.get_by_role("link", name=re.compile(r"Run 1: \d+ of 500"))
    expect(going).to_be_visible()
    going.press("Enter")  # at once: the figures in it are drawn anew all the time
    expect(second).to_have_url(address)
    expect(second.get_by_text(re.compile(r"\d+ of 500"))).not_to_have_count(0)
    expect(second.locator(".status-run")).to_have_count(0)  # the page itself says how far it is
    second.get_by_role("button", name="Stop run").click()
    expect(second.get_by_role("region", name="Remaining jobs")).to_contain_text("Stopped by you.")
    ((done,),) = server.rows("SELECT count(*) FROM result")
    asked = len(twin.requests)
    assert asked <= done + workers_of(server)  # calls under way are broken off
    second.wait_for_timeout(600)
    assert len(twin.requests) == asked
    second.close()


def workers_of(server: Server) -> int:
    """Calls of the run that can be under way at the same time."""
    ((workers,),) = server.rows("SELECT json_extract(config, '$.async_max_workers') FROM run")
    assert isinstance(workers, int)
    return workers


@pytest.mark.thorough
def test_a_benchmark_deleted_under_its_run_comes_back_and_the_run_is_resumed_to_its_end(
    server: Server, chromium: Browser
) -> None:
    pace = [0.5]
    with Twin(lambda asked: Reply(text="It is 42.", delay=pace[0])) as twin:
        plan(server, twin)
        server.start()
        page, watcher = (chromium.new_page(viewport=SIZE, reduced_motion="reduce") for _ in range(2))
        address = begin(page, server, replicates=1)
        watcher.goto(address)
        page.goto(f"{server.address}/benchmarks")
        page.wait_for_function("window.did_handshake")
        page.get_by_role("button", name="Delete Arithmetic").click()
        asked = page.get_by_role("dialog", name="Delete benchmark")
        expect(asked).to_contain_text(re.compile(r"is running: \d+ of 100 jobs done"))
        asked.get_by_role("button", name="Keep benchmark").click()
        expect(page.get_by_role("link", name="Arithmetic").first).to_be_visible()
        expect(status(watcher)).to_contain_text("Running")
        page.get_by_role("button", name="Delete Arithmetic").click()
        asked.get_by_role("button", name="Stop and delete").click()

        gone = watcher.get_by_text("The benchmark “Arithmetic” was deleted.")
        expect(gone).to_be_visible()
        expect(status(watcher)).to_contain_text("Stopped")
        expect(watcher).to_have_url(address)
        expect(watcher.get_by_role("button", name="Resume")).to_have_count(0)
        expect(watcher.get_by_role("link", name=re.compile("Run 1:"))).to_have_count(0)
        ((done,),) = server.rows("SELECT count(*) FROM result")
        asked_by_then = len(twin.requests)
        assert asked_by_then <= done + workers_of(server)  # calls under way are broken off
        page.wait_for_timeout(600)
        assert len(twin.requests) == asked_by_then

        page.reload()
        page.wait_for_function("window.did_handshake")
        page.keyboard.press("Control+k")
        page.get_by_label("Command", exact=True).fill("restore deleted bench")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Restore Arithmetic").click()
        expect(gone).to_be_hidden()
        pace[0] = 0.0
        watcher.get_by_role("button", name="Resume").click()
        expect(status(watcher)).to_contain_text("Completed", timeout=PATIENCE)
        expect(watcher.locator(".overview-counts")).to_contain_text(f"{QUESTIONS}")
        assert len(twin.requests) == QUESTIONS + asked_by_then - done  # those broken off are asked again
        page.close()
        watcher.close()
    assert "Traceback" not in (server.data / "server.log").read_text()
