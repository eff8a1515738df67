"""The relay that keeps a key from a program: what it passes on, to whom, and what it never lets through."""

from __future__ import annotations

import gzip
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
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
def relaying(
    address: str, certificates: ssl.SSLContext | None = None, key: str = KEY, seconds: float = 10
) -> Iterator[KeyRelay]:
    made = KeyRelay("m", Endpoint(address, key, "TWIN_KEY"), certificates or ssl.create_default_context(), seconds)
    with closing(made), anyio.from_thread.start_blocking_portal() as portal:
        served = portal.start_task_soon(made.serve)
        yield made
        served.cancel()


@contextmanager
def provider_that(sends: bytes, then: Callable[[socket.socket], Any] = lambda connection: None) -> Iterator[str]:
    """A server that sends these very bytes to whoever asks, once; its address."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.settimeout(10)
            connection.recv(1 << 16)
            connection.sendall(sends)
            then(connection)

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def http(status: int, body: bytes, *headers: str, missing: int = 0) -> bytes:
    told = [f"HTTP/1.1 {status} Told", f"content-length: {len(body) + missing}", "connection: close", *headers]
    return "\r\n".join([*told, "", ""]).encode() + body


def until_its_client_leaves(connection: socket.socket) -> None:
    while connection.recv(1 << 16):
        pass


def chunked(*pieces: bytes) -> bytes:
    told = b"HTTP/1.1 200 Told\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    return told + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


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


REPEATED = f'event: error\ndata: {{"message": "bad key {KEY}"}}\n\n'.encode()
SHOWN = REPEATED.replace(KEY.encode(), b"[key]")


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (http(401, REPEATED), SHOWN),
        (http(200, REPEATED), SHOWN),
        (http(200, gzip.compress(REPEATED), "content-encoding: gzip"), SHOWN),
        (http(401, gzip.compress(REPEATED), "content-encoding: gzip"), SHOWN),
        (chunked(REPEATED[:50], REPEATED[50:60], REPEATED[60:]), SHOWN),
        (chunked(b"sk-", b"sk-ver", b"ond"), b"sk-sk-verond"),
        (http(200, b"{}", f"x-asked-with: {KEY}"), b"{}"),
    ],
)
def test_a_key_that_the_provider_repeats_is_taken_out_of_whatever_it_sends(sent, shown):
    with provider_that(sent) as address, relaying(address) as relay:
        reply = ask(relay)
    assert reply.content == shown
    assert KEY not in str(reply.headers)


def test_a_key_that_could_be_a_word_of_an_answer_stays_one():
    with provider_that(http(200, b"ollama")) as address, relaying(address, key="ollama") as relay:
        assert ask(relay).text == "ollama"


def test_an_answer_that_is_cut_off_is_so_for_the_program(caplog):
    with provider_that(http(200, b"data: ", missing=10)) as address, relaying(address) as relay:
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(relay)
        assert relay.fault is not None
        assert relay.fault.category == "connection"
    assert caplog.text == ""


@pytest.mark.parametrize(
    "sent",
    [http(401, b"{", missing=10), http(401, b"{refused}", "content-encoding: gzip")],
    ids=["cut off", "unreadable"],
)
def test_a_refusal_remains_one_where_its_words_cannot_be_read(caplog, sent):
    with (
        provider_that(sent) as address,
        relaying(address) as relay,
        httpx2.stream(
            "POST", f"{relay.address}/v1/messages", json=ASKED, headers={"x-api-key": relay.password}
        ) as reply,
    ):
        assert (reply.status_code, relay.fault) == (401, None)
        with pytest.raises(httpx2.RemoteProtocolError):
            reply.read()
    assert caplog.text == ""


@pytest.mark.parametrize("body", [{"json": {**ASKED, "model": "dearer"}}, {"json": [1]}, {"content": b"\xff"}])
def test_no_other_model_is_asked(body):
    with ClaudeCodeTwin(lambda asked: Turn("Hello.")) as twin, relaying(twin.address) as relay:
        reply = ask(relay, **({"json": None} | body))
    assert (reply.status_code, twin.requests) == (400, [])
    assert reply.json()["error"]["message"] == "Only m can be called here."


def test_nobody_is_led_to_another_server():
    moved = http(307, b"", f"location: http://127.0.0.1:9/?key={KEY}")
    with provider_that(moved) as address, relaying(address) as relay:
        reply = ask(relay)
        assert relay.fault is not None
        assert (relay.fault.category, relay.fault.status) == ("rejected", 307)
    assert reply.status_code == 400
    assert "location" not in reply.headers


def test_the_host_that_a_program_names_says_nothing_about_what_is_asked():
    with ClaudeCodeTwin(lambda asked: Turn("Hello.")) as twin, relaying(f"{twin.address}/path") as relay:
        for host in ("a/v1/files?", "a@b#", "\xe9"):
            assert ask(relay, headers=[(b"x-api-key", relay.password.encode()), (b"host", host.encode())]).is_success
    assert len(twin.requests) == 3


def test_more_than_can_be_held_is_not_asked():
    def endless() -> Iterator[bytes]:
        for _ in range(70):
            yield b"x" * (1 << 20)

    with ClaudeCodeTwin(lambda asked: Turn("Hello.")) as twin, relaying(twin.address) as relay:
        assert ask(relay, json=None, content=endless()).status_code == 413
        assert ask(relay).is_success
    assert len(twin.requests) == 1


def test_whoever_is_connected_when_the_work_is_over_is_hung_up_on():
    with ClaudeCodeTwin(lambda asked: Turn("Hello.")) as twin, relaying(twin.address) as relay:
        program = socket.create_connection(("127.0.0.1", relay.port), timeout=5)
        left = httpx2.Client(base_url=relay.address, timeout=5)
        assert left.post("/v1/messages", json=ASKED, headers={"x-api-key": relay.password}).is_success
    with closing(left), program:
        with pytest.raises(httpx2.TransportError, match="refused"):
            left.post("/v1/messages")
        assert program.recv(1) == b""


def test_requests_over_one_connection_follow_each_other_at_once():
    with relaying("http://127.0.0.1:9") as relay, httpx2.Client(base_url=relay.address) as program:
        begun = time.monotonic()
        assert {program.post("/v1/messages").status_code for _ in range(100)} == {401}
    assert time.monotonic() - begun < 2.5


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


@pytest.mark.parametrize("begun", [b"", http(200, b"data: ", missing=10), http(500, b"{", missing=10)])
def test_a_request_ends_with_the_program_that_made_it(caplog, begun):
    left = threading.Event()

    def then(connection: socket.socket) -> None:
        until_its_client_leaves(connection)
        left.set()

    with provider_that(begun, then) as address, relaying(address) as relay:
        with pytest.raises(httpx2.ReadTimeout):
            ask(relay, timeout=0.3)
        assert left.wait(5)
    assert caplog.text == ""


@pytest.mark.parametrize("begun", [b"", http(200, b"data: ", missing=10)])
def test_a_provider_that_says_nothing_further_is_not_waited_for(begun):
    with provider_that(begun, until_its_client_leaves) as address, relaying(address, seconds=0.3) as relay:
        if begun:
            with pytest.raises(httpx2.RemoteProtocolError):
                ask(relay)
        else:
            assert ask(relay).status_code == 502
        assert relay.fault is not None
        assert relay.fault.category == "timeout"


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
            assert "the certificate of localhost" in str(relay.fault)
