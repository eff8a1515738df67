"""Request filter against other sites: only pages of this application may send requests.

Pages of other sites can send requests to local addresses. The filter checks the Host header, which stops DNS
rebinding, and the Origin header, which browsers add to requests that change something and to websockets.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from karenina_gui.gui.kit.uploads import LARGEST_BODY
from karenina_gui.gui.shell.token_gate import Door

LOCAL = ("127.0.0.1", "localhost", "::1")
_READING = ("GET", "HEAD", "OPTIONS")
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([0-9a-z._-]+))(?::[0-9]+)?", re.IGNORECASE | re.ASCII)
"""Header `Host`: an IPv6 address in brackets or a name, and a port."""


class OriginCheckMiddleware:
    """ASGI middleware that filters requests."""

    def __init__(self, app: ASGIApp, host: str, allowed: Iterable[str] = (), door: Door | None = None) -> None:
        """`allowed`: further host names, such as that of a proxy. `door` None: no access token is required."""
        self.app = app
        self.hosts = {*LOCAL, host, *(name.lower() for name in allowed)}
        self.door = door
        self.any_address = host in ("0.0.0.0", "::")
        """True if the server listens on all addresses: then any IP address is accepted, but no other name."""

    # Pure ASGI, because the base class of Starlette's middleware does not pass websockets.
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not self._knows(headers.get("host", "")) or not _comes_from_here(scope, headers):
            await _refuse(scope, send, 403, "Requests from other sites are not allowed.")
        elif int(headers.get("content-length") or 0) > LARGEST_BODY:
            await _refuse(scope, send, 413, _TOO_LARGE)
        else:
            receive, send = _limit_body(receive), _add_security_headers(send, headers["host"])
            if self.door is None or await self.door.admits(scope, receive, send, headers):
                await self.app(scope, receive, send)

    def _knows(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        name = (parts[1] or parts[2]).lower() if parts else ""
        return name in self.hosts or (self.any_address and _is_address(name))


_TOO_LARGE = f"Files larger than {LARGEST_BODY // 1024 // 1024} MB are not accepted."


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _comes_from_here(scope: Scope, headers: Headers) -> bool:
    # Browsers send Origin with every websocket handshake and every request that changes something.
    origin = headers.get("origin")
    if origin is None:
        return scope["type"] == "http" and scope["method"] in _READING
    return origin in (f"http://{headers['host']}", f"https://{headers['host']}")


async def _refuse(scope: Scope, send: Send, status: int, message: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": message.encode()})


def _limit_body(receive: Receive) -> Receive:
    """Wrap `receive`: report a disconnect as soon as the body exceeds the limit."""
    # Chunked requests have no content length, so the bytes are counted as they arrive.
    seen = 0

    async def receive_some() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > LARGEST_BODY:
                return {"type": "http.disconnect"}
        return message

    return receive_some


def _add_security_headers(send: Send, host: str) -> Send:
    """Wrap `send`: add the security headers to every response."""

    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _security_headers(host):
                headers[name] = value
        await send(message)

    return send_more


def _security_headers(host: str) -> Iterable[tuple[str, str]]:
    policy = (
        "default-src 'self'",
        # Vue compiles NiceGUI's templates in the browser, which needs inline scripts and `eval`.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        # `'self'` does not cover websockets in every browser.
        f"connect-src 'self' ws://{host} wss://{host}",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
    yield "content-security-policy", "; ".join(policy)
    yield "x-content-type-options", "nosniff"
    yield "referrer-policy", "same-origin"
