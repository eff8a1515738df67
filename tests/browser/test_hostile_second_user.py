"""A hostile user of the network, with and without token: no key, no foreign file, no redirect, no session."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import wait_for
from tests.browser.test_access_from_the_network import ROUTES
from tests.ports import free_port

pytestmark = pytest.mark.browser

KEY = "sk-ant-never-to-be-seen-by-anyone"
OWN_TOKEN = "chosen-by-a-person-2026"
PATHS = [quote(path, safe=safe) for path in ("../keys.json", "../" * 9 + "etc/passwd") for safe in ("", "/")]


class Served:
    def __init__(self, process: subprocess.Popen[bytes], port: int, token: str) -> None:
        self.process, self.port, self.token = process, port, token

    def ask(self, path: str = "/", **headers: str) -> tuple[int, dict[str, str], str]:
        """Status, headers, and body of a reply."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest("GET", path, skip_host=True)
        for name, value in {"host": f"127.0.0.1:{self.port}", **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        reply = connection.getresponse()
        body = reply.read().decode("utf-8", "replace")
        connection.close()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, body

    def memory_mb(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def serving(folder: Path, *options: str, **environment: str) -> Iterator[Served]:
    port = free_port()
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    (data / "keys.json").write_text(json.dumps({"ANTHROPIC_API_KEY": KEY}))
    command = [sys.executable, "-m", "karenina_gui", "--data", str(data), "--port", str(port), "--no-browser", *options]
    given = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "NICEGUI"))}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, env={**given, **environment}, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for(port, server)
            link = re.search(r"[?]token=(\S+)", (folder / "server.log").read_text())
            yield Served(server, port, link[1] if link else OWN_TOKEN)
        finally:
            server.terminate()
            server.wait(20)
    log_text = (folder / "server.log").read_text()
    assert "Traceback" not in log_text and KEY not in log_text


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("hostile"), "--host", "0.0.0.0") as served:
        yield served


def test_a_refused_request_leaves_no_session(network: Served) -> None:
    refused = [network.ask(), network.ask(host="evil.example"), network.ask(host="[::1"), network.ask("/?token=wrong")]
    assert [status for status, _, _ in refused] == [401, 403, 403, 401]
    assert not any("set-cookie" in headers for _, headers, _ in refused)
    for _ in range(200):
        network.ask()
    before = network.memory_mb()
    for _ in range(3000):
        network.ask()
    assert network.memory_mb() - before < 2


@pytest.mark.thorough
def test_no_path_redirects_to_another_site(network: Served, chromium: Browser) -> None:
    for path in ("//evil.example/x", "/\\evil.example/x", "//evil.example/x/", "/%2Fevil.example/x"):
        for headers in ({}, {"authorization": f"Bearer {network.token}"}):
            status, reply, _ = network.ask(path, **headers)
            assert not re.match(r"(?:https?:)?[/\\]{2}evil", reply.get("location", "")), (path, status)
    with chromium.new_context() as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"http://127.0.0.1:{network.port}//evil.example/x?token={network.token}")
        expect(page.get_by_role("link", name="Benchmarks")).to_be_visible()
        assert {url.split("/")[2] for url in asked if url.startswith("http")} == {f"127.0.0.1:{network.port}"}


def test_no_route_gives_a_key_or_a_file_outside_the_workspaces(network: Served, tmp_path: Path) -> None:
    routes = subprocess.run(
        [sys.executable, "-c", ROUTES, str(tmp_path / "data")], capture_output=True, text=True, check=True
    )
    paths = {path for path, methods in json.loads(routes.stdout.splitlines()[-1]) if "GET" in methods}
    asked = {re.sub(r"{[^}]*}", "1", path) for path in paths}
    for path in PATHS:
        # Each parameter alone: the others are of things that exist.
        for route in paths:
            for parameter in re.findall(r"{[^}]*}", route):
                asked.add(re.sub(r"{[^}]*}", "1", route.replace(parameter, path)))
        asked |= {f"/static/{path}", f"/_nicegui/{path}", f"/api/benchmarks/1/workspaces/file?path={path}"}
    for path in sorted(asked):
        status, _, body = network.ask(path or "/", authorization=f"Bearer {network.token}")
        assert status != 500, path
        assert KEY not in body and "root:x:0:0" not in body, path


def attempts(served: Served, **headers: str) -> list[int]:
    return [served.ask(authorization=f"Bearer guess-{number}", **headers)[0] for number in range(12)]


def test_the_limit_holds_without_a_proxy_whatever_a_client_says(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", KARENINA_GUI_TOKEN=OWN_TOKEN) as served:
        statuses = [
            served.ask(authorization=f"Bearer guess-{number}", x_forwarded_for=f"203.0.113.{number}")[0]
            for number in range(12)
        ]
        assert statuses == [401] * 10 + [429] * 2
        assert served.ask(authorization=f"Bearer {OWN_TOKEN}")[0] == 429


@pytest.mark.thorough
def test_the_limit_holds_behind_a_proxy_and_locks_out_nobody_else(tmp_path: Path) -> None:
    with serving(tmp_path, "--token", "--allowed-host", "bench.example", KARENINA_GUI_TOKEN=OWN_TOKEN) as served:
        seen = {"host": "bench.example", "authorization": f"Bearer {OWN_TOKEN}"}
        # A proxy appends the address that it sees.
        assert attempts(served, x_forwarded_for="198.51.100.9, 203.0.113.1") == [401] * 10 + [429] * 2
        assert served.ask(x_forwarded_for="203.0.113.1", **seen)[0] == 429
        assert served.ask(x_forwarded_for="203.0.113.2", **seen)[0] == 200
        # Whoever is on this computer can invent addresses, but not without end.
        for number in range(10, 30):
            attempts(served, x_forwarded_for=f"203.0.113.{number}")
        assert served.ask(authorization="Bearer guess", x_forwarded_for="203.0.113.99")[0] == 429


@pytest.mark.thorough
@pytest.mark.parametrize("sent", [b"", b"\r\ncontent-type: application/x-www-form-urlencoded\r\n\r\ntoken=half"])
def test_half_sent_requests_are_closed_and_do_not_keep_the_application_from_ending(tmp_path: Path, sent: bytes) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as served:
        head = f"POST / HTTP/1.1\r\nhost: 127.0.0.1:{served.port}\r\norigin: http://127.0.0.1:{served.port}\r\n"
        sockets = [socket.create_connection(("127.0.0.1", served.port), 15) for _ in range(300)]
        for each in sockets:
            each.sendall(head.encode() + b"content-length: 9000" + sent)
        begin = time.monotonic()
        assert served.ask()[0] == 401
        assert time.monotonic() - begin < 1
        if sent:
            assert sockets[0].recv(1 << 16).startswith(b"HTTP/1.1 408")
        else:
            assert sockets[0].recv(1 << 16) == b""
        assert time.monotonic() - begin < 12
        for each in sockets:
            each.close()
        with socket.create_connection(("127.0.0.1", served.port), 15) as half:
            half.sendall(head.encode() + b"content-length: 9000" + sent)
            time.sleep(0.2)
            begin = time.monotonic()
            served.process.send_signal(signal.SIGTERM)
            served.process.wait(10)
            assert time.monotonic() - begin < 10
