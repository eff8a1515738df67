"""Who may talk to the application."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from karenina_gui.gui.kit.uploads import LARGEST_BODY
from karenina_gui.gui.shell.origin_check import OriginCheckMiddleware

HERE = "127.0.0.1:8080"


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the whole body and answers."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    while (message := await receive())["type"] == "http.request" and message.get("more_body"):
        pass
    gone = message["type"] == "http.disconnect"
    await send({"type": "http.response.start", "status": 499 if gone else 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


async def ask(
    headers: dict[str, str], *, kind: str = "http", method: str = "GET", host: str = "127.0.0.1", chunks: int = 0
) -> list[Message]:
    """What comes back for a request; `chunks` are the megabytes of its body."""
    sent: list[Message] = []
    left = chunks

    async def receive() -> Message:
        nonlocal left
        left -= 1
        return {"type": "http.request", "body": b"x" * 1024 * 1024 if chunks else b"", "more_body": left > 0}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": kind,
        "method": method,
        "path": "/",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    await OriginCheckMiddleware(application, host)(scope, receive, send)
    return sent


async def status(headers: dict[str, str], **more: Any) -> Any:
    return (await ask(headers, **more))[0]["status"]


@pytest.mark.parametrize("host", [HERE, "localhost:8080", "[::1]:8080", "127.0.0.1"])
async def test_this_computer_by_any_of_its_names_is_let_in(host: str) -> None:
    assert await status({"host": host}) == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example:8080", "", "192.168.0.7:8080", "[::1", "user@localhost", "localhost:1; x"],
)
async def test_a_name_that_was_bound_to_this_address_is_refused(host: str) -> None:
    assert await status({"host": host}) == 403


async def test_a_foreign_page_cannot_post_or_open_a_websocket() -> None:
    foreign = {"host": HERE, "origin": "http://evil.example"}
    assert await status(foreign, method="POST") == 403
    assert (await ask(foreign, kind="websocket"))[0] == {"type": "websocket.close", "code": 1008}


@pytest.mark.parametrize("origin", ["null", "http://[::1", f"ftp://{HERE}", f"http://x@{HERE}"])
async def test_an_origin_that_is_not_a_page_of_the_application_is_refused(origin: str) -> None:
    assert await status({"host": HERE, "origin": origin}, method="POST") == 403


async def test_another_port_of_this_computer_is_a_foreign_page() -> None:
    assert await status({"host": HERE, "origin": "http://127.0.0.1:9999"}, method="POST") == 403


async def test_the_own_page_may_do_both() -> None:
    own = {"host": HERE, "origin": f"http://{HERE}"}
    assert await status(own, method="POST") == 200
    assert (await ask(own, kind="websocket"))[0]["type"] == "websocket.accept"


async def test_what_changes_something_must_say_where_it_comes_from() -> None:
    assert await status({"host": HERE}, method="POST") == 403
    assert (await ask({"host": HERE}, kind="websocket"))[0]["type"] == "websocket.close"


async def test_listening_on_all_addresses_lets_in_figures_but_no_names() -> None:
    assert await status({"host": "192.168.0.7:8080"}, host="0.0.0.0") == 200
    assert await status({"host": "evil.example:8080"}, host="0.0.0.0") == 403


async def test_a_body_that_is_too_large_is_refused_by_its_length_and_while_it_arrives() -> None:
    own = {"host": HERE, "origin": f"http://{HERE}"}
    assert await status(own | {"content-length": str(LARGEST_BODY + 1)}, method="POST") == 413
    assert await status(own, method="POST", chunks=LARGEST_BODY // 1024 // 1024 + 1) == 499


async def test_responses_tell_the_browser_to_be_strict() -> None:
    headers = dict((await ask({"host": HERE}))[0]["headers"])
    policy = headers[b"content-security-policy"].decode()
    assert "default-src 'self'" in policy
    assert f"ws://{HERE}" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers[b"x-content-type-options"] == b"nosniff"
