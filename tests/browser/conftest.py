"""The application as a person meets it: one server on a fresh data folder, and Chromium."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    FileChooser,
    Locator,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from karenina_gui import example
from karenina_gui.app import Application, build
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.settings import Settings
from karenina_gui.store.library import Library
from karenina_gui.store.writes import ON_EVENT_LOOP
from tests.browser.nursery import Child, start
from tests.example.plain_run import plain_run
from tests.ports import free_port
from tests.saved_models import start_run

SWITCHED_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,LensOverlay,MediaRouter,"
    "OptimizationHints,PaintHolding,ThirdPartyStoragePartitioning,WebUIOmniboxAimPopup,WebUIOmniboxPopup"
)
"""As Playwright has it, and the address bar's two pages besides, which cost as much as a page of ours."""
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic"),
    f"--disable-features={SWITCHED_OFF}",
    "--js-flags=--no-maglev --no-opt",  # a page lives a second or two: what compilers of hot code gain comes too late
]
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first that is there; the first of all, which has no windows of its own, takes a tenth less."""
PATIENCE = 20_000
"""Milliseconds in which what is waited for must come."""
LONG = (
    *("installed", "access", "faults_while_typing", "main_job_by_keyboard", "main_job", "keyboard", "two_windows"),
    *("workspaces", "deletion", "authoring", "access_from_the_network", "imports", "rubric", "recovery", "settings"),
    *(
        "long_texts",
        "traces",
        "run_options",
        "runs",
        "agent_task",
        "monkey",
        "results_files",
        "charts",
        "pictures",
    ),
)
"""The files that take longest, the longest first."""
SIZE: ViewportSize = {"width": 1280, "height": 800}
START = 30.0
"""Seconds in which the server must answer, also on a busy machine."""
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, so that no worker is left with it while the others have nothing more to do."""
    places = {f"test_{name}.py": place for place, name in enumerate(LONG)}
    items.sort(key=lambda each: places.get(each.path.name, len(LONG)))


@pytest.fixture(scope="session")
def first_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as after the first start, with one run of a long conversation besides; only to be copied."""
    folder = tmp_path_factory.mktemp("first") / "data"
    application = build(Settings(data=folder))
    try:
        run_long_conversation(application)
    finally:
        application.close()
    return folder


@pytest.fixture(scope="module")
def data(first_data: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A copy of the first data folder for each file.

    Each test of the file that asks for a copy of the example finds one there; those that ask for the plain run find its
    preset.
    """
    folder = tmp_path_factory.mktemp("data") / "data"
    shutil.copytree(first_data, folder)
    wanted = [getattr(each, "fixturenames", ()) for each in request.session.items if each.path == request.path]
    application = build(Settings(data=folder))
    try:
        for _ in [names for names in wanted if "example_copy" in names]:
            application.editor.files.import_benchmark(example.BENCHMARK)
        if any("plain_run_page" in names for names in wanted):
            application.library.presets.save(Preset(id="plain", name="Without conditions", config=plain_run()))
    finally:
        application.close()
    return folder


@pytest.fixture(scope="session")
def port() -> int:
    """The same for all files: the browser keeps the scripts of an address, and reading them takes it half a second."""
    return free_port()


@pytest.fixture(scope="module")
def address(data: Path, port: int) -> Iterator[str]:
    """Where the application is served."""
    with served(data, port) as address:
        yield address


@pytest.fixture(scope="module")
def copies() -> Iterator[int]:
    """Numbers of the copies; benchmarks 1 to 3 are the examples and the long conversation."""
    return count(4)


@pytest.fixture
def example_copy(address: str, copies: Iterator[int]) -> str:
    """Address of a copy of the example that no other test uses."""
    return f"{address}/benchmarks/{next(copies)}"


@pytest.fixture(scope="module")
def plain_run_page(address: str) -> str:
    """Address of the Run page of the example with one judge and no conditions: 72 jobs, a quarter of them all."""
    return f"{address}/benchmarks/1/run?preset=plain"


@pytest.fixture
def empty_library(tmp_path: Path) -> Iterator[str]:
    """Address of an application without benchmarks, models and runs; its folder is `data`."""
    with served_empty(tmp_path / "data") as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("needs Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def idle(chromium: Browser) -> list[Page]:
    """Windows that a test has done with, as if they were new: to open one takes as long as a page."""
    return []


@pytest.fixture
def new_page(chromium: Browser, idle: list[Page]) -> Iterator[Callable[..., Page]]:
    """Opens windows, each of a person of its own; a test fails when one met an error of its own.

    `address`: where paths begin. `once`: for a test that does to the window what cannot be undone. Nothing moves in
    them, which spares a tenth of the time; where a test is about what moves, it asks for it.
    """
    opened: list[Page] = []
    lasting: list[Page] = []
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if is_error(message):
            errors.append(message.text)

    def note_error(error: Error) -> None:
        errors.append(str(error))

    def make(address: str | None = None, *, once: bool = False) -> Page:
        known = idle.pop() if idle and not once and address is None else None
        page = known or chromium.new_page(viewport=SIZE, base_url=address, reduced_motion="reduce")
        page.set_default_timeout(2 * PATIENCE)
        page.on("pageerror", note_error)
        page.on("console", note)
        page.on("filechooser", keep_listening)
        opened.append(page)
        if address is None and not once:
            lasting.append(page)
        return page

    yield make
    for page in opened:
        page.remove_listener("pageerror", note_error)
        page.remove_listener("console", note)
        page.remove_listener("filechooser", keep_listening)
        if page in lasting and made_new(page):
            idle.append(page)
        else:
            page.close()
    assert errors == []


def check(box: Locator) -> None:
    """Check a box of ours, which may be checked already; Playwright's own `check` does not wait for the server."""
    if box.get_attribute("aria-checked") == "false":
        box.click()
    expect(box).to_be_checked()


def eventually(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until this holds, while the page goes on."""
    for _ in range(3 * PATIENCE // 100):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"It did not happen. The page: {page.locator('body').inner_text()}")


def open_advanced(page: Page) -> None:
    """Unfold the advanced settings of a page."""
    head = page.get_by_role("button", name=re.compile("^Advanced")).first
    head.wait_for()
    if head.get_attribute("aria-expanded") != "true":  # it stays open for who opened it
        head.click()
    expect(head).to_have_attribute("aria-expanded", "true")


def keep_listening(_: FileChooser) -> None:
    """Listen at all times: a browser that is asked to only as a key is pressed may open the dialog of the system."""


def is_error(message: ConsoleMessage) -> bool:
    """Whether the browser's console complains of the application."""
    here = message.page is not None and message.location["url"] == message.page.url
    gone = here and "404" in message.text  # an address where nothing is
    # Quasar says so of the tooltip of a button that went with its page before the tooltip had looked for it.
    late = message.text.startswith("Anchor: target ")
    return message.type == "error" and not gone and not late


def made_new(page: Page) -> bool:
    """Empty the window and forget its person; False where it cannot be, or was closed."""
    if page.is_closed() or len(page.context.pages) > 1:
        return False
    try:
        page.goto("about:blank", timeout=PATIENCE / 4)  # stays where the person would be asked whether to leave
    except Error:
        return False
    page.unroute_all()
    page.context.clear_cookies()
    page.set_viewport_size(SIZE)
    page.emulate_media(media="null", color_scheme="light", reduced_motion="reduce")
    return True


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


def run_long_conversation(application: Application) -> int:
    """Keep a benchmark of one question, whose recorded answer is a conversation of 42 messages, and run it."""
    benchmark = application.editor.create_benchmark("Long conversations")
    question = application.editor.add_question(benchmark, "Which enzyme is inhibited?", "CYP3A4")
    changes = {"answer_template": NAMES_THE_ENZYME, "finished": True}
    application.editor.edit(benchmark, question.summary.number, changes)
    traces = {question.entry.id: long_conversation()}
    recorded = ModelConfig(id="recorded", interface="manual", manual_traces=traces)
    run = start_run(application, RunOrder(benchmark, VerificationConfig(answering_models=[recorded]), name="Long one"))
    assert application.runs.wait(run, 60)
    return run


NAMES_THE_ENZYME = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"enzyme": {"pattern": "CYP[0-9][A-Z][0-9]", "expected": "CYP3A4", "match_type": "contains"}}
"""


def long_conversation() -> list[dict[str, Any]]:
    """Twenty look-ups and an answer, in the OpenAI chat format."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Which enzyme is inhibited?"}]
    for number in range(1, 21):
        call = {"name": "look_up", "arguments": f'{{"page": {number}}}'}
        messages += [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": call}],
            },
            {
                "role": "tool",
                "tool_call_id": f"c{number}",
                "content": f"Page {number}. " + "A long page of a book. " * 60,
            },
        ]
    messages[30]["content"] += "The needle is here."
    return [*messages, {"role": "assistant", "content": "Grapefruit inhibits CYP3A4."}]


@contextmanager
def served_empty(data: Path) -> Iterator[str]:
    """The application on a new library in this folder, without the example; gives its address."""
    Library.open(data).close()
    with served(data) as address:
        yield address


@contextmanager
def served(data: Path, port: int | None = None) -> Iterator[str]:
    """The application on this data folder; gives its address. `port` None: any that is free."""
    port = port or free_port()
    log = data / "server.log"
    server = start("karenina_gui", ["--data", str(data), "--port", str(port), "--no-browser"], log)
    with answering(server, port) as address:
        yield address
    assert ON_EVENT_LOOP not in log.read_text()


@contextmanager
def answering(server: Child | subprocess.Popen[bytes], port: int) -> Iterator[str]:
    """The address of a server that was started on this port, once it answers; the server ends with it."""
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def wait_for(port: int, server: Child | subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until:
        assert server.poll() is None, "the server ended at once"
        with socket.socket() as probe:
            # A probe of a port that nobody listens on yet may be given that port, and reach itself.
            if probe.connect_ex(("127.0.0.1", port)) == 0 and probe.getsockname() != probe.getpeername():
                return
        time.sleep(0.01)
    raise TimeoutError("the server does not answer")
