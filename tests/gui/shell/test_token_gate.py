"""Without the access token nobody is told anything; with it, a browser gets a cookie."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.datastructures import Headers

from karenina_gui.gui.shell import token_gate
from karenina_gui.gui.shell.origin_check import OriginCheckMiddleware
from karenina_gui.gui.shell.token_gate import MOST_ATTEMPTS, MOST_OF_ALL, WITHIN, Door
from tests.gui.shell.test_origin_check import application

TOKEN = "correct-horse-battery-staple"
HERE = "127.0.0.1:8080"


class Visitor:
    """Asks through the guard; keeps its cookie, as a browser does."""

    def __init__(self) -> None:
        self.now = 0.0
        self.use(Door(TOKEN, "secret of the folder", 8080, lambda: self.now))
        self.cookie = ""
        self.headers: dict[str, str] = {}

    def use(self, door: Door) -> None:
        self.door = door
        self.guard = OriginCheckMiddleware(application, "127.0.0.1", door=door)

    async def ask(
        self, query: str = "", *, method: str = "GET", kind: str = "http", body: bytes = b"", client: str = "a",
        scheme: str = "http", **headers: str,
    ) -> tuple[int, str]:  # fmt: skip
        """Status (a websocket's: 101 or 403) and body."""
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        given = {"host": HERE, **({"cookie": self.cookie} if self.cookie else {}), **headers}
        scope: dict[str, Any] = {
            "type": kind, "method": method, "path": "/runs/1", "query_string": query.encode(), "scheme": scheme,
            "client": (client, 1), "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items()],
        }  # fmt: skip
        await self.guard(scope, receive, send)
        if kind == "websocket":
            return (101 if sent[0]["type"] == "websocket.accept" else 403), ""
        self.headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        if "set-cookie" in self.headers:
            self.cookie = self.headers["set-cookie"].partition(";")[0]
        return sent[0]["status"], sent[1]["body"].decode()


@pytest.fixture
def visitor() -> Visitor:
    return Visitor()


async def test_who_shows_nothing_is_told_nothing(visitor: Visitor) -> None:
    origin = f"http://{HERE}"
    assert (await visitor.ask())[0] == 401
    assert (await visitor.ask(method="POST", origin=origin))[0] == 401
    assert (await visitor.ask(kind="websocket", origin=origin))[0] == 403
    assert (await visitor.ask(cookie="karenina-8080=guess"))[0] == 401
    assert (await visitor.ask(cookie=f"karenina-8080={TOKEN}"))[0] == 401
    assert "hello" not in (await visitor.ask())[1]


async def test_a_link_is_exchanged_for_a_cookie_that_no_script_and_no_foreign_page_gets(visitor: Visitor) -> None:
    status, page = await visitor.ask(f"trait=depth&token={TOKEN}")
    assert status == 200 and TOKEN not in page and '"?trait=depth"' in page
    assert "HttpOnly" in visitor.headers["set-cookie"] and "SameSite=Strict" in visitor.headers["set-cookie"]
    assert "Secure" not in visitor.headers["set-cookie"] and TOKEN not in visitor.headers["set-cookie"]
    assert visitor.headers["cache-control"] == "no-store"
    assert await visitor.ask() == (200, "hello")
    again = await visitor.ask(f"token={TOKEN}")
    assert again[0] == 200 and "location.replace" in again[1] and TOKEN not in again[1]
    assert (await visitor.ask(kind="websocket", origin=f"http://{HERE}"))[0] == 101
    await Visitor.ask(visitor, f"token={TOKEN}", scheme="https", cookie="")
    assert "Secure" in visitor.headers["set-cookie"]


async def test_the_form_takes_the_token_too(visitor: Visitor) -> None:
    form = {"method": "POST", "origin": f"http://{HERE}", "content_type": "application/x-www-form-urlencoded"}
    assert (await visitor.ask(body=urlencode({"token": "wrong"}).encode(), **form))[0] == 401
    assert (await visitor.ask(body=b"token=" + b"x" * 9999, **form))[0] == 401
    assert (await visitor.ask(body=urlencode({"token": TOKEN}).encode(), **form))[0] == 200
    assert await visitor.ask() == (200, "hello")


async def test_a_program_shows_it_with_each_request(visitor: Visitor) -> None:
    assert await visitor.ask(authorization=f"Bearer {TOKEN}") == (200, "hello")
    assert (await visitor.ask(authorization="Bearer wrong"))[0] == 401
    assert (await visitor.ask())[0] == 401


async def test_attempts_are_limited_for_each_sender(visitor: Visitor) -> None:
    for number in range(MOST_ATTEMPTS):
        visitor.now += 1
        assert (await visitor.ask(f"token=guess-{number}"))[0] == 401
    assert (await visitor.ask(f"token={TOKEN}"))[0] == 429
    assert visitor.headers["retry-after"] == "60"
    assert (await visitor.ask(f"token={TOKEN}", client="another"))[0] == 200
    visitor.cookie = ""
    visitor.now += WITHIN
    assert (await visitor.ask(f"token={TOKEN}"))[0] == 200


async def test_attempts_are_limited_in_all_and_for_each_ipv6_network(visitor: Visitor) -> None:
    for number in range(MOST_ATTEMPTS):
        assert (await visitor.ask(f"token=guess-{number}", client=f"2001:db8::{number:x}"))[0] == 401
    assert (await visitor.ask("token=guess", client="2001:db8::ffff"))[0] == 429
    assert (await visitor.ask("token=guess", client="2001:db8:0:1::1"))[0] == 401
    for number in range(MOST_OF_ALL - MOST_ATTEMPTS - 1):
        assert (await visitor.ask("token=guess", client=f"::ffff:10.0.0.{number}"))[0] == 401
    assert (await visitor.ask("token=guess", client="192.0.2.1"))[0] == 429


async def test_a_random_token_opens_whatever_others_have_tried(visitor: Visitor) -> None:
    visitor.use(Door(TOKEN, "secret of the folder", 8080, random=True))
    for number in range(MOST_ATTEMPTS):
        assert (await visitor.ask(f"token=guess-{number}"))[0] == 401
    assert (await visitor.ask("token=guess"))[0] == 429
    assert (await visitor.ask(f"token={TOKEN}"))[0] == 200


async def test_a_form_that_does_not_arrive_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_gate, "PATIENCE", 0.01)
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    headers = Headers({"content-type": "application/x-www-form-urlencoded"})
    door = Door(TOKEN, "secret of the folder", 8080)
    assert not await door.admits({"type": "http", "method": "POST"}, receive, send, headers)
    assert sent[0]["status"] == 408 and (b"connection", b"close") in sent[0]["headers"]


async def test_a_path_with_two_slashes_leads_to_no_other_site(visitor: Visitor) -> None:
    _, page = await visitor.ask(f"token={TOKEN}")
    assert "location.replace(location.origin + location.pathname" in page


async def test_the_ticket_of_the_first_window_opens_once(visitor: Visitor) -> None:
    ticket = visitor.door.ticket()
    assert (await visitor.ask(f"token={ticket}"))[0] == 200
    visitor.cookie = ""
    assert (await visitor.ask(f"token={ticket}"))[0] == 401


async def test_a_cookie_outlasts_a_restart_with_the_same_token_only(visitor: Visitor) -> None:
    await visitor.ask(f"token={TOKEN}")
    visitor.guard.door = Door(TOKEN, "secret of the folder", 8080)
    assert (await visitor.ask())[0] == 200
    for token, secret, port in (("another-token-entirely", "secret of the folder", 8080), (TOKEN, "else", 8080),
                                (TOKEN, "secret of the folder", 8081)):  # fmt: skip
        visitor.guard.door = Door(token, secret, port)
        assert (await visitor.ask())[0] == 401


async def test_a_query_cannot_write_into_the_page(visitor: Visitor) -> None:
    _, page = await visitor.ask(f"x=%3C/script%3E%3Cscript%3Ealert(1)&token={TOKEN}")
    assert "<script>alert" not in page and page.count("</script>") == 1
    _, page = await visitor.ask("token=%3Cimg+src=x%3E")
    assert "<img" not in page


async def test_names_of_a_proxy_are_let_in() -> None:
    guard = OriginCheckMiddleware(application, "127.0.0.1", allowed=["bench.example.org"])
    assert guard._knows("bench.example.org") and guard._knows("BENCH.example.org:443")
    assert not guard._knows("evil.example.org")
