"""The relay that keeps a key from a program: what it passes on, to whom, and what it never lets through."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import anyio.from_thread
import httpx2
import pytest

from karenina_gui.adapters.connections import Endpoint
from karenina_gui.adapters.key_relay import KeyRelay
from tests.adapters.conftest import KEY
from tests.claude_code_twin import ClaudeCodeTwin, Turn

ASKED = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}


@contextmanager
def relaying(address: str, certificates: ssl.SSLContext | None = None) -> Iterator[KeyRelay]:
    made = KeyRelay("m", Endpoint(address, KEY, "TWIN_KEY"), certificates or ssl.create_default_context())
    with closing(made), anyio.from_thread.start_blocking_portal() as portal:
        served = portal.start_task_soon(made.serve)
        yield made
        served.cancel()


def ask(relay: KeyRelay, path: str = "/v1/messages", **settings: Any) -> httpx2.Response:
    with httpx2.Client(base_url=relay.address, timeout=10) as client:
        return client.post(path, **{"json": ASKED, "headers": {"x-api-key": relay.password}, **settings})


def test_the_provider_is_given_the_key_and_everything_else_as_it_was_sent():
    with ClaudeCodeTwin(lambda asked: Turn("Hello.")) as twin, relaying(twin.address) as relay:
        reply = ask(relay, headers={"x-api-key": relay.password, "anthropic-version": "2023-06-01"})
    (asked,) = twin.requests
    assert (asked.key, asked.headers["anthropic-version"], asked.body) == (KEY, "2023-06-01", ASKED)
    assert relay.password not in str(asked.headers)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream")
    assert "Hello." in reply.text
    assert KEY not in reply.text + str(reply.headers)


@pytest.mark.parametrize(
    "given", [{}, {"x-api-key": "guessed"}, {"x-api-key": KEY}, {"authorization": f"Bearer {KEY}"}]
)
def test_whoever_has_not_the_password_is_refused(given):
    with ClaudeCodeTwin(lambda asked: Turn("Hello.")) as twin, relaying(twin.address) as relay:
        assert ask(relay, headers=given).status_code == 401
    assert twin.requests == []


@pytest.mark.parametrize(
    "path", ["/", "/v1/files", "/v1/messages/batches", "/v1/models", "/v1/messages/../organizations"]
)
def test_nothing_but_messages_is_asked_of_the_provider(path):
    with ClaudeCodeTwin(lambda asked: Turn("Hello.")) as twin, relaying(twin.address) as relay:
        assert ask(relay, path).status_code == 404
    assert twin.requests == []


def test_a_key_in_the_words_of_a_refusal_is_taken_out():
    with (
        ClaudeCodeTwin(lambda asked: Turn(status=401, message=f"bad key {KEY}")) as twin,
        relaying(twin.address) as relay,
    ):
        reply = ask(relay)
    assert (reply.status_code, reply.json()["error"]["message"]) == (401, "bad key [key]")


def test_a_provider_that_is_not_there_is_told_apart_from_one_that_fails():
    with relaying("http://127.0.0.1:9") as relay:
        assert ask(relay).status_code == 502
        assert relay.fault is not None
        assert (relay.fault.category, relay.fault.reached) == ("connection", False)
    with ClaudeCodeTwin(lambda asked: Turn(status=529)) as twin, relaying(twin.address) as relay:
        assert (ask(relay).status_code, relay.fault) == (529, None)


def test_nothing_is_asked_once_it_is_shut():
    with ClaudeCodeTwin(lambda asked: Turn("Hello.")) as twin, relaying(twin.address) as relay:
        relay.shut()
        assert ask(relay).status_code == 503
    assert twin.requests == []


def test_a_request_ends_with_the_program_that_made_it(caplog):
    with socket.create_server(("127.0.0.1", 0)) as provider, ThreadPoolExecutor(1) as threads:
        left = threads.submit(_until_its_client_leaves, provider)
        with relaying(f"http://127.0.0.1:{provider.getsockname()[1]}") as relay:
            with pytest.raises(httpx2.ReadTimeout):
                ask(relay, timeout=0.3)
            assert left.result(10)
    assert caplog.text == ""


def _until_its_client_leaves(provider: socket.socket) -> bool:
    provider.settimeout(10)
    connection, _ = provider.accept()
    with connection:
        connection.settimeout(10)
        while connection.recv(1 << 16):
            pass
    return True


def test_a_provider_with_tls_is_asked_with_the_certificates_of_this_computer(tmp_path: Path):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*made.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    provider = ClaudeCodeTwin(lambda asked: Turn("Hello."))
    provider.encrypt(context)
    with provider:
        address = f"https://localhost:{provider.address.rpartition(':')[2]}"
        with relaying(address, ssl.create_default_context(cafile=str(certificate))) as relay:
            assert "Hello." in ask(relay).text
        with relaying(address) as relay:
            assert ask(relay).status_code == 502
            assert "The certificate of localhost" in str(relay.fault)
