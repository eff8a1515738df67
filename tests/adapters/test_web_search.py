"""The search tool against a server on loopback that speaks its protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.errors import AuthenticationError, ConfigurationError, ProviderError
from tests.adapters.conftest import CALLS

KEY = "tvly-very-secret-0123456789"


class Tavily:
    """Replies with `statuses` in turn, then with hits."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any]]] = []
        self.statuses: list[int] = []
        self.hits: Any = [
            {"title": f"Page {n}", "url": f"https://example.org/{n}", "content": "x" * 5000} for n in (1, 2)
        ]


@pytest.fixture
def tavily() -> Iterator[tuple[Tavily, AdapterFactory]]:
    script = Tavily()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            script.asked.append((self.path, self.headers["authorization"], body))
            status = script.statuses.pop(0) if script.statuses else 200
            reply = {"results": script.hits} if status == 200 else {"detail": {"error": "busy"}}
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(reply).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    environment = {"TAVILY_BASE_URL": f"http://127.0.0.1:{server.server_port}", "TAVILY_API_KEY": KEY}
    with AdapterFactory(environment=environment) as adapters:
        yield script, adapters
    server.shutdown()
    server.server_close()


def test_what_is_found_comes_as_text_for_each_query(tavily: tuple[Tavily, AdapterFactory]) -> None:
    script, adapters = tavily
    first, second = adapters.search("tavily", CALLS)(["BCL2 binds", "approved in 2016"])
    assert first.startswith("Page 1 (https://example.org/1)\nxxx")
    assert len(first) < 2500
    assert second == first
    assert [(path, body["query"]) for path, _, body in script.asked] == [
        ("/search", "BCL2 binds"), ("/search", "approved in 2016"),
    ]  # fmt: skip


def test_a_passing_fault_is_tried_again(tavily: tuple[Tavily, AdapterFactory]) -> None:
    script, adapters = tavily
    script.statuses = [429, 500]
    assert adapters.search("tavily", CALLS)(["x"])[0]
    assert len(script.asked) == 3


@pytest.mark.parametrize(("status", "kind"), [(401, AuthenticationError), (400, ProviderError)])
def test_a_lasting_fault_says_why_without_the_key(
    tavily: tuple[Tavily, AdapterFactory], status: int, kind: type[Exception]
) -> None:
    script, adapters = tavily
    script.statuses = [status]
    with pytest.raises(kind, match="The search at 127") as caught:
        adapters.search("tavily", CALLS)(["x"])
    assert KEY not in str(caught.value)


def test_a_reply_without_results_cannot_be_read(tavily: tuple[Tavily, AdapterFactory]) -> None:
    script, adapters = tavily
    script.hits = "none"
    with pytest.raises(ProviderError, match="unreadable reply"):
        adapters.search("tavily", CALLS)(["x"])


def test_without_a_key_the_message_names_its_variable() -> None:
    with AdapterFactory(environment={}) as adapters, pytest.raises(AuthenticationError, match="TAVILY_API_KEY"):
        adapters.search("tavily", CALLS)(["x"])


def test_an_unknown_tool_names_those_there_are() -> None:
    with AdapterFactory(environment={}) as adapters, pytest.raises(ConfigurationError, match="Choose one of: tavily"):
        adapters.search("serp", CALLS)
