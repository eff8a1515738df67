"""Access token check: a browser sends the token once, by a link or a form, and receives a cookie."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from html import escape
from urllib.parse import parse_qs, parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Receive, Scope, Send

FIELD = "token"
"""Name of the query parameter and of the form field."""
MOST_ATTEMPTS, WITHIN = 10, 60.0
"""Wrong tokens allowed per client address within this many seconds."""
MOST_OF_ALL = 100
"""Wrong tokens allowed from all addresses together: a client on this computer can invent those that a proxy reports."""
LARGEST_FORM = 4096
"""Bytes."""
PATIENCE = 4.0
"""Seconds in which the form must have arrived; less than what a shutdown waits for open requests."""
REFUSED = "Open the link shown in the terminal, or enter the access token."


class Door:
    """Access token check.

    The cookie is derived from `secret`, the random key of the data folder, so that guessing cookies does not help to
    guess the token.
    """

    def __init__(
        self, token: str, secret: str, port: int, clock: Callable[[], float] = time.monotonic, *, random: bool = False
    ) -> None:
        """`random`: the token cannot be guessed, so that it is accepted whatever others have tried before."""
        self._token = token.encode()
        self._random = random
        self._cookie = f"karenina-{port}"  # browsers give the cookies of one port to all others of a computer
        self._pass = hmac.new(secret.encode(), b"access:" + self._token, hashlib.sha256).hexdigest()
        self._ticket: str | None = None
        self._attempts = _Attempts(clock)

    def ticket(self) -> str:
        """Create a one-time token for the browser started here."""
        # Other users of the computer can see the arguments of a process, and so the address that the browser opens.
        self._ticket = secrets.token_urlsafe(32)
        return self._ticket

    def _knows(self, headers: Headers) -> bool:
        # `compare_digest` takes the same time for any input, so response times reveal nothing about the secret.
        cookies = cookie_parser(headers.get("cookie", ""))
        return hmac.compare_digest(cookies.get(self._cookie, "").encode(), self._pass.encode())

    async def admits(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> bool:
        """Return True to let the request continue; on False, the response is sent already."""
        if self._knows(headers):
            return await self._admit_known(scope, send)
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return False
        return await self._admit_by_token(scope, receive, send, headers)

    async def _admit_known(self, scope: Scope, send: Send) -> bool:
        if scope["type"] == "websocket" or scope["method"] != "GET" or not _field(scope.get("query_string", b"")):
            return True
        await self._let_in(scope, send)  # so that the token does not stay in the address
        return False

    async def _admit_by_token(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> bool:
        sender = _network((scope.get("client") or ("",))[0])
        bearer = headers.get("authorization", "").partition("Bearer ")[2].strip()
        try:
            token = bearer or await asyncio.wait_for(_read_token(scope, receive, headers), PATIENCE)
        except TimeoutError:
            await _page(send, 408, f"The form did not arrive completely. {REFUSED}")
            return False
        if not token:
            await _page(send, 401, REFUSED)
        elif self._redeems(token) or (self._random and self._fits(token)):
            return await self._open(scope, send, bearer)
        elif self._attempts.too_many(sender):
            await _page(send, 429, "Too many wrong tokens. Wait a minute, then try again.", form=False)
        elif not self._fits(token):
            self._attempts.record_failure(sender)
            await _page(send, 401, f"Wrong access token. {REFUSED}")
        else:
            return await self._open(scope, send, bearer)
        return False

    async def _open(self, scope: Scope, send: Send, bearer: str) -> bool:
        """Continue the request of a program; give a browser its cookie instead."""
        if not bearer:
            await self._let_in(scope, send)
        return bool(bearer)

    def _redeems(self, token: str) -> bool:
        if self._ticket is None or not hmac.compare_digest(token.encode(), self._ticket.encode()):
            return False
        self._ticket = None
        return True

    def _fits(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._token)

    async def _let_in(self, scope: Scope, send: Send) -> None:
        """Set the cookie and load the same address without the token.

        By script instead of a redirect: browsers do not send a `SameSite=Strict` cookie along a redirect that began on
        another site.
        """
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        rest = urlencode([(name, value) for name, value in query if name != FIELD])
        # In a script element, `</script>` in the address would end the script.
        to = json.dumps(f"?{rest}" if rest else "").replace("<", "\\u003c")
        secure = "; Secure" if scope.get("scheme") == "https" else ""
        cookie = f"{self._cookie}={self._pass}; HttpOnly; SameSite=Strict; Path=/{secure}"
        # With the origin: the path `//example.org/` alone would be an address of another site.
        body = f"<script>location.replace(location.origin + location.pathname + {to} + location.hash)</script>"
        await _answer(send, 200, body, [(b"set-cookie", cookie.encode())])


class _Attempts:
    """Moments of wrong tokens, in all and for each sender."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        # Bounded, because an attacker can send from many addresses.
        self._failed: deque[tuple[float, str]] = deque(maxlen=MOST_OF_ALL)

    def too_many(self, sender: str) -> bool:
        recent = [address for moment, address in self._failed if self._clock() - moment < WITHIN]
        return len(recent) == MOST_OF_ALL or recent.count(sender) >= MOST_ATTEMPTS

    def record_failure(self, sender: str) -> None:
        self._failed.append((self._clock(), sender))


def _network(address: str) -> str:
    """The address, or for IPv6 the network, whose owner can use any of its addresses."""
    try:
        parsed = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or ipaddress.IPv6Network((parsed, 64), strict=False))


async def _read_token(scope: Scope, receive: Receive, headers: Headers) -> str:
    """Return the token from the address or from the form, or an empty string."""
    if scope["method"] == "GET":
        return _field(scope.get("query_string", b""))
    if scope["method"] != "POST" or not headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return ""
    body, more = b"", True
    while more and len(body) <= LARGEST_FORM:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return "" if more else _field(body)


def _field(text: bytes) -> str:
    return parse_qs(text.decode("latin-1")).get(FIELD, [""])[0]


async def _page(send: Send, status: int, message: str, *, form: bool = True) -> None:
    entry = (
        '<form method="post"><label>Access token <input type="password" name="token" autofocus required '
        'autocomplete="current-password"></label> <button>Open</button></form>'
    )
    body = f"<h1>Karenina</h1><p>{escape(message)}</p>{entry if form else ''}"
    more = [(b"www-authenticate", b"Bearer")] if status == 401 else [(b"retry-after", b"60")]
    await _answer(send, status, body, more)


async def _answer(send: Send, status: int, body: str, headers: list[tuple[bytes, bytes]]) -> None:
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Karenina</title><meta name="viewport" '
        'content="width=device-width"><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;'
        "max-width:32em;margin:15vh auto;padding:0 1em}input,button{font:inherit;padding:.3em .6em}</style></head>"
        f"<body>{body}</body></html>"
    )
    more = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),  # the rest of a request is not waited for
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": more})
    await send({"type": "http.response.body", "body": page.encode()})
