"""Keys and settings, as a person enters them: a key comes back nowhere, a setting is there after the next start."""

from __future__ import annotations

import os
import re
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, Response, WebSocket, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import open_advanced
from tests.browser.test_models import new_model
from tests.ports import free_port
from tests.twin import Asked, Reply, Twin

pytestmark = pytest.mark.browser

SECRET = "sk-browser-secret-0123456789"


class Heard:
    """Everything that reaches the browser."""

    def __init__(self, page: Page) -> None:
        self.texts: list[str] = []
        page.on("websocket", self._listen)
        page.on("response", self._read)

    def _listen(self, websocket: WebSocket) -> None:
        websocket.on("framereceived", lambda frame: self.texts.append(str(frame)))

    def _read(self, response: Response) -> None:
        """At once: a body is gone with its page."""
        if response.request.resource_type in ("document", "fetch", "xhr") and response.status == 200:
            with suppress(Error):
                self.texts.append(response.text())

    def everything(self, page: Page) -> str:
        values = page.evaluate("[...document.querySelectorAll('input, textarea')].map(field => field.value)")
        return "\n".join([*self.texts, page.content(), *values])


def enter_key(page: Page, secret: str, *, remember: bool = False) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Key", exact=True).fill(secret)
    if remember:
        dialog.get_by_label("Save on this computer").click()
        expect(dialog.get_by_text("which only you can read")).to_be_visible()
    dialog.get_by_role("button", name="Set key").click()


def files_with(folder: Path, secret: str) -> list[str]:
    return sorted(each.name for each in folder.rglob("*") if each.is_file() and secret.encode() in each.read_bytes())


def good(asked: Asked) -> Reply:
    return Reply(data={"count": 3, "color": "red"}) if asked.schema is not None else Reply(text="OK")


def test_a_key_is_entered_used_and_never_shown_again(page: Page, address: str, data: Path) -> None:
    heard = Heard(page)
    with Twin(good) as twin:
        new_model(page, address, "with a key")
        page.get_by_label("Base URL", exact=True).fill(twin.address)
        page.get_by_label("API key variable").fill("BROWSER_KEY")
        expect(page.get_by_text("BROWSER_KEY is not set.")).to_be_visible()
        page.get_by_role("button", name="Enter key…").click()
        enter_key(page, SECRET)
        expect(page.get_by_text("BROWSER_KEY is used until you quit.")).to_be_visible()
        page.get_by_role("button", name="Test connection").click()
        result = page.get_by_role("list", name="Test result")
        expect(result).to_contain_text("The reply fits the schema.", timeout=20_000)
        assert {asked.key for asked in twin.requests} == {SECRET}
    page.goto(f"{address}/keys")
    row = page.get_by_role("listitem").filter(has_text="BROWSER_KEY")
    expect(row).to_contain_text("used until you quit")
    page.reload()
    expect(row).to_be_visible()
    assert SECRET not in heard.everything(page)
    assert files_with(data, SECRET) == []


@pytest.mark.thorough
def test_a_remembered_key_stands_in_one_file_until_it_is_forgotten(page: Page, address: str, data: Path) -> None:
    heard = Heard(page)
    page.goto(f"{address}/keys?enter=OPENROUTER_API_KEY")
    dialog = page.get_by_role("dialog")
    enter_key(page, "sk-or-**********")
    expect(dialog.get_by_role("alert")).to_contain_text("Paste the full key")
    expect(dialog.get_by_label("Key", exact=True)).to_have_value("")
    enter_key(page, SECRET, remember=True)
    row = page.get_by_role("listitem").filter(has_text="OPENROUTER_API_KEY")
    expect(row).to_contain_text("saved on this computer")
    assert files_with(data, SECRET) == ["keys.json"]
    assert stat.S_IMODE((data / "keys.json").stat().st_mode) == 0o600
    row.get_by_role("button", name="Remove key OPENROUTER_API_KEY").click()
    expect(row).to_contain_text("not set")
    assert files_with(data, SECRET) == []
    assert SECRET not in heard.everything(page)


FAULTS = (
    (Reply(status=401, message="no"), "API key", "Check the key in"),
    (Reply(text="No."), "Structured output", "not judge reliably"),
)


@pytest.mark.thorough
def test_a_fault_is_told_where_it_lies(page: Page, address: str) -> None:
    with Twin(good) as twin:
        new_model(page, address, "tested")
        page.get_by_label("Model", exact=True).fill("gpt-5-mini")
        page.get_by_label("Base URL", exact=True).fill(twin.address)
        expect(page.get_by_text("Local server: no API key needed.")).to_be_visible()
        for reply, part, words in FAULTS:
            twin.script = lambda asked, reply=reply: reply
            page.get_by_role("button", name="Test connection").click()
            line = page.locator(".connection-failed")
            expect(line).to_contain_text(words, timeout=60_000)  # the first call loads the library
            expect(line.locator(".connection-name")).to_have_text(part)
    page.get_by_role("button", name="Test connection").click()
    expect(page.locator(".connection-failed")).to_contain_text("No server responds at")
    page.get_by_label("Base URL", exact=True).fill("http://127.0.0.1:1")
    expect(page.locator(".connection-box")).to_have_count(0)


@pytest.mark.thorough
def test_two_windows_never_overwrite_each_others_settings(
    new_page: Callable[..., Page], address: str, data: Path
) -> None:
    one, other = new_page(), new_page()
    new_model(one, address, "shared")
    other.goto(f"{address}/models?name=shared")
    for window in (one, other):
        open_advanced(window)
    one.get_by_role("textbox", name="System prompt").fill("Be brief.")
    expect(other.get_by_role("textbox", name="System prompt")).to_have_value("Be brief.")
    other.get_by_role("textbox", name="System prompt").focus()
    one.get_by_role("textbox", name="System prompt").fill("Be very brief.")
    while not files_with(data, "Be very brief."):
        one.wait_for_timeout(50)
    other.get_by_role("textbox", name="System prompt").press_sequentially(" Please.")
    expect(other.get_by_role("group", name="Conflict")).to_be_visible()
    expect(one.get_by_role("textbox", name="System prompt")).to_have_value("Be very brief.")
    one.get_by_role("heading", name="shared").click()
    other.get_by_role("button", name="Keep mine").click()
    expect(one.get_by_role("textbox", name="System prompt")).to_have_value("Be brief. Please.")
    one.get_by_role("button", name="Delete model").click()
    expect(other.get_by_text("This model was deleted in another window.")).to_be_visible()
    other.get_by_role("button", name="Restore model").click()
    expect(one.locator(".model-list-entry", has_text="shared")).to_be_visible()


@pytest.mark.thorough
def test_parameters_and_retries_are_checked_at_their_fields(page: Page, address: str) -> None:
    new_model(page, address, "particular")
    open_advanced(page)
    page.get_by_role("button", name='Expand "Additional parameters"').click()
    page.get_by_role("button", name="Add parameter").click()
    page.get_by_label("Name, line 1").fill("reasoning_effort")
    page.get_by_label("Value (JSON), line 1").fill("high")
    expect(page.get_by_text('quoted text ("high")')).to_be_visible()
    page.get_by_label("Value (JSON), line 1").fill('"high"')
    expect(page.get_by_text("quoted text")).to_be_hidden()
    page.get_by_role("button", name='Expand "Retries"').click()
    page.get_by_label("Custom retries").click()
    page.get_by_label("Rate limit: Retries").fill("1")
    page.get_by_label("Rate limit: Maximum delay (s)").fill("2")
    expect(page.get_by_text("The maximum delay must be at least the initial delay.")).to_be_visible()
    page.get_by_label("Rate limit: Maximum delay (s)").fill("9")
    expect(page.get_by_text("The maximum delay must be at least the initial delay.")).to_be_hidden()
    page.get_by_role("button", name="Duplicate model").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("particular copy")
    expect(page.get_by_label("Value (JSON), line 1")).to_have_value('"high"')
    expect(page.get_by_label("Rate limit: Retries")).to_have_value("1")
    assert violations(page) == []


@pytest.mark.thorough
def test_keys_are_accessible(page: Page, address: str) -> None:
    page.goto(f"{address}/keys")
    expect(page.get_by_text("Default key for Anthropic").first).to_be_visible()
    assert violations(page) == []
    page.goto(f"{address}/keys?enter=ANTHROPIC_API_KEY")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_label("Key", exact=True)).to_be_focused()
    assert violations(page) == []


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """An application that is set by its file alone: its address, and the file."""
    home = tmp_path_factory.mktemp("home")
    file = home / "config" / "karenina-gui" / "settings.toml"
    file.parent.mkdir(parents=True)
    port = free_port()
    file.write_text(f"# our group's settings\nport = {port}  # as agreed\nbrowser = false\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "NICEGUI", "KARENINA"))}
    environment |= {"XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "share")}
    with ExitStack() as stack:
        log = stack.enter_context((home / "server.log").open("w"))
        command = [sys.executable, "-m", "karenina_gui"]
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        stack.callback(server.wait, 20)
        stack.callback(server.terminate)
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", file


@pytest.mark.thorough
def test_settings_hold_where_they_are_used_and_in_the_file(page: Page, own: tuple[str, Path], tmp_path: Path) -> None:
    address, file = own
    page.goto(f"{address}/guide")
    expect(page.get_by_text("12 of 13 ready")).to_be_visible()
    expect(page.get_by_text("Template sandbox: on", exact=True)).to_be_visible()
    page.keyboard.press("Control+,")
    folder = page.get_by_label("Data folder", exact=True)
    folder.fill("study")
    expect(page.get_by_text("Enter the full path of the folder")).to_be_visible()
    folder.fill(str(tmp_path / "study"))
    expect(page.get_by_text("starts with an empty library")).to_be_visible()
    page.get_by_label("Port", exact=True).fill("9123")
    page.get_by_label("Open browser on startup").click()
    page.get_by_label("Author: Name").fill("Ada")
    page.get_by_label("Concurrent jobs, for new runs").fill("7")
    page.get_by_role("radio", name="Dark theme").click()
    expect(page.locator("body.body--dark")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Current: .+ \(.+ [kM]B\)"))).to_be_visible()
    for _ in range(60):
        if "9123" in file.read_text() and "browser" not in file.read_text():
            break
        page.wait_for_timeout(50)
    text = file.read_text()
    assert "# our group's settings" in text
    assert "port = 9123  # as agreed" in text
    assert f'data = "{tmp_path / "study"}"' in text
    assert not (tmp_path / "study").exists()
    page.reload()
    expect(page.locator("body.body--dark")).to_be_visible()
    expect(page.get_by_label("Author: Name")).to_have_value("Ada")
    expect(page.get_by_label("Concurrent jobs, for new runs")).to_have_value("7")
    page.goto(f"{address}/benchmarks?new=1")
    page.wait_for_function("window.did_handshake")
    page.get_by_label("Name", exact=True).first.fill("Fresh")
    page.keyboard.press("Enter")
    page.wait_for_url("**/benchmarks/3/**")
    page.goto(f"{address}/benchmarks/3/questions")
    page.get_by_role("button", name="New question (Ctrl+Alt+N)").click()
    expect(page.get_by_label("Author: Name")).to_have_value("Ada")
    page.goto(f"{address}/benchmarks/3/run")
    open_advanced(page)
    page.locator(".run-form-group").get_by_role("button", name="Concurrency and recording").click()
    expect(page.get_by_label("Concurrent jobs", exact=True)).to_have_value("7")
