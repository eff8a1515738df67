"""Served to the network: no route and no websocket answers without the access token, and the terminal's link opens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import wait_for
from tests.browser.stripping_proxy import proxied
from tests.ports import free_port

pytestmark = pytest.mark.browser

ROUTES = """
import json, sys
from pathlib import Path
from nicegui import app
from karenina_gui.app import build
from karenina_gui.gui.shell import serving
from karenina_gui.gui.shell.pages import PAGES
from karenina_gui.settings import Settings
application = build(Settings(data=Path(sys.argv[1])))
serving.prepare(application.services())
found = [(route.path, sorted(getattr(route, "methods", None) or ["GET"])) for route in app.routes]
print(json.dumps([*found, *((page.path, ["GET"]) for page in PAGES)]))
application.close()
"""


@contextmanager
def serving(folder: Path, port: int, *options: str) -> Iterator[str]:
    """The application with a token; gives it, as the link in the terminal has it."""
    command = [sys.executable, "-m", "karenina_gui", "--data", str(folder / "data"), "--port", str(port), *options]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "NICEGUI"))}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen([*command, "--no-browser"], env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for(port, server)
            said = re.search(r"[?]token=(\S+)", (folder / "server.log").read_text())
            assert said is not None
            yield said[1]
        finally:
            server.terminate()
            server.wait(20)
    assert "Traceback" not in (folder / "server.log").read_text()


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Where it is, and the link that opens it."""
    port = free_port()
    with serving(tmp_path_factory.mktemp("network"), port, "--host", "0.0.0.0") as token:
        yield f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port}/?token={token}"


def status(address: str, method: str = "GET", **headers: str) -> int:
    request = urllib.request.Request(
        address, method=method, headers={"origin": address[: address.index("/", 8)], **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_no_route_answers_without_the_token(network: tuple[str, str], tmp_path: Path) -> None:
    address, link = network
    told = subprocess.run(
        [sys.executable, "-c", ROUTES, str(tmp_path / "data")], capture_output=True, text=True, check=True
    )
    routes = [(re.sub(r"{[^}]*}", "1", path), methods) for path, methods in json.loads(told.stdout.splitlines()[-1])]
    assert len(routes) > 40
    answers = {
        (path, method): status(f"{address}{path or '/'}", method)
        for path, methods in [
            *routes,
            ("/nowhere", ["GET"]),
            ("/_nicegui_ws/socket.io/?EIO=4&transport=polling", ["GET"]),
        ]
        for method in methods
    }
    assert set(answers.values()) == {401}
    assert status(f"{address}/benchmarks", authorization=f"Bearer {link.partition('token=')[2]}") == 200


def test_a_websocket_is_refused_and_the_link_of_the_terminal_opens_in_a_fresh_browser(
    network: tuple[str, str], chromium: Browser
) -> None:
    address, link = network
    with chromium.new_context() as stranger:
        page = stranger.new_page()
        page.goto(f"{address}/benchmarks")
        expect(page.get_by_text("enter the access token")).to_be_visible()
        opened = page.evaluate(
            """address => new Promise(done => {
                 const socket = new WebSocket(address);
                 socket.onopen = () => done(true); socket.onerror = () => done(false);
               })""",
            f"{address.replace('http', 'ws')}/_nicegui_ws/socket.io/?EIO=4&transport=websocket",
        )
        assert opened is False
        page.get_by_label("Access token").fill(link.partition("token=")[2])
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("heading", name="Benchmarks", level=1)).to_be_visible()
    with chromium.new_context() as fresh:
        page = fresh.new_page()
        page.goto(link)
        expect(page.get_by_role("link", name="Benchmarks")).to_be_visible()
        assert "token" not in page.url
        page.get_by_role("link", name="Benchmarks").click()
        expect(page.get_by_role("button", name="Medicines example")).to_be_visible()
        assert page.evaluate("document.cookie") == ""


@pytest.mark.thorough
def test_a_run_is_started_and_read_through_a_proxy_that_serves_a_path(tmp_path: Path, chromium: Browser) -> None:
    port = free_port()
    with (
        serving(tmp_path, port, "--root-path", "/bench", "--token") as token,
        proxied(port, "/bench") as address,
        chromium.new_context() as context,
    ):
        page = context.new_page()
        failed: list[str] = []
        page.on("response", lambda reply: failed.append(reply.url) if reply.status >= 400 else None)
        page.goto(f"{address}/benchmarks?token={token}")
        page.get_by_role("button", name="Medicines example").click()
        page.locator('a[href$="/run"]').first.click()
        page.get_by_label("Replicates", exact=True).fill("1")
        expect(page.get_by_text("96 jobs")).to_be_visible()
        page.get_by_role("button", name="Start run").click()
        expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
        page.get_by_role("link", name="Results", exact=True).click()
        page.locator(".results-grid").get_by_role("link").first.click()
        expect(page.get_by_role("article").first).to_be_visible()
        page.reload()
        expect(page.get_by_role("article").first).to_be_visible()
        back = page.locator(".result-bar a").first
        back.hover()
        assert back.get_attribute("href") == "/bench/runs/1/results"
        back.click()
        expect(page).to_have_url(re.compile("/bench/runs/1/results$"))
        expect(page.locator("#results-count")).to_have_text("96 results")
        assert failed == []
