"""Relay between a program and its provider that adds the key to requests, so that the program never has it."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Iterable, Mapping
from functools import cached_property, partial
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.connections import Endpoint
from karenina_gui.adapters.error_mapping import fault_of_status, to_provider_error
from karenina_gui.errors import ProviderError
from karenina_gui.text.secrets import without_secrets

if TYPE_CHECKING:
    import ssl

    import anyio
    import httpx2
    from starlette.requests import Request
    from starlette.responses import Response

_PATHS = ("/v1/messages", "/v1/messages/count_tokens")
"""Paths that a program may request from its provider."""
# Hop-by-hop headers, and those that each side negotiates for itself.
_OF_ONE_CONNECTION = {
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
_GLANCE = 0.01
_LAST_S = 1.0
"""Seconds for connections and requests to end."""
_KEYS = {"authorization", "proxy-authorization", "x-api-key"}
_MOST_HELD = 64 * 1024 * 1024
"""Bytes of all requests held at the same time; Anthropic's API accepts half of it in one request."""
_LONGEST_LINE = 1 << 20
"""Bytes of a line to hold back until it is complete."""


class KeyRelay:
    """HTTP server on the loopback interface for one program. It listens from the start and answers while `serve` runs.

    The program sends `password` in place of the key. `seconds` limits each wait for the provider: for the connection,
    for the reply, and between two chunks of it.
    """

    def __init__(self, model: str, endpoint: Endpoint, certificates: ssl.SSLContext, seconds: float) -> None:
        self.password = f"not-a-key-{token_urlsafe(24)}"
        self.fault: ProviderError | None = None
        """Error of the last attempt to reach the provider; None: it answered."""
        self._model = model
        self._endpoint = endpoint
        self._certificates = certificates
        self._seconds = seconds
        self._socket = socket.create_server(("127.0.0.1", 0))
        # Nagle's algorithm would delay the small chunks of a streamed reply. Connections inherit the option.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connections: set[Any] = set()
        """Open connections to the program."""
        self._held = 0
        self._shut = False

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    @cached_property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def shut(self) -> None:
        """Send nothing more to the provider."""
        self._shut = True

    def close(self) -> None:
        self._socket.close()

    async def serve(self) -> None:
        """Serve until cancelled; then open connections are aborted."""
        import anyio
        import uvicorn
        from starlette.applications import Starlette
        from starlette.routing import Route

        routes = [Route(path, partial(self._answer, path), methods=["POST"]) for path in _PATHS]
        config = uvicorn.Config(
            Starlette(routes=routes), log_config=None, access_log=False, lifespan="off", ws="none", proxy_headers=False
        )
        server = uvicorn.Server(config)
        self._connections = server.server_state.connections
        try:
            await server.serve([self._socket])
        finally:
            with anyio.move_on_after(_LAST_S, shield=True):
                for listener in server.servers:
                    listener.close()
                for connection in list(self._connections):
                    connection.transport.abort()
                while self._connections or server.server_state.tasks:
                    await anyio.sleep(_GLANCE)
                if "_client" in vars(self):
                    await self._client.aclose()

    @cached_property
    def _client(self) -> httpx2.AsyncClient:
        import httpx2

        # A redirect could carry the key to another host.
        return httpx2.AsyncClient(verify=self._certificates, timeout=self._seconds, follow_redirects=False)

    async def _answer(self, path: str, request: Request) -> Response:
        from starlette.requests import ClientDisconnect
        from starlette.responses import JSONResponse

        password = request.headers.get("x-api-key", "")
        # Compared in constant time: every program on this computer can connect to the loopback interface.
        if not compare_digest(password.encode(), self.password.encode()):
            return JSONResponse(_error("authentication_error", "Wrong relay password."), 401)
        if self._shut:
            return JSONResponse(_error("api_error", "The work is over."), 503)
        body = bytearray()
        try:
            async for piece in request.stream():
                self._held += len(piece)
                body += piece
                if self._held > _MOST_HELD:
                    return JSONResponse(_error("request_too_large", "The request is too large for the relay."), 413)
            # A program with the password could otherwise spend the key on any model.
            if _model_of(bytes(body)) != self._model:
                return JSONResponse(_error("invalid_request_error", f"Only {self._model} can be called here."), 400)
            reply = await self._ask(path, request, bytes(body))
        except ClientDisconnect:
            reply = None
        finally:
            self._held -= len(body)
        if reply is None:
            return JSONResponse(_error("api_error", str(self.fault or "The program closed the connection.")), 502)
        # A redirect would lead the program to another host, with its question.
        if reply.has_redirect_location:
            await reply.aclose()
            self.fault = fault_of_status(reply.status_code, "", {}, self._where, self._endpoint)
            return JSONResponse(_error("invalid_request_error", str(self.fault)), 400)
        return self._forward(request, reply)

    @property
    def _where(self) -> str:
        return f"{self._model} at {self._endpoint.host}"

    async def _ask(self, path: str, request: Request, body: bytes) -> httpx2.Response | None:
        """The provider's reply; None: the provider could not be reached, or the program hung up."""
        import anyio

        headers = [*_forwarded_headers(request.headers.raw), (b"x-api-key", self._endpoint.key.encode())]
        query = request.scope["query_string"].decode("latin-1")
        reply = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_when_gone, request, tasks.cancel_scope)
            try:
                forwarded = self._client.build_request(
                    "POST", f"{self._endpoint.base_url}{path}{query and '?'}{query}", headers=headers, content=body
                )
                reply = await self._client.send(forwarded, stream=True)
                self.fault = None
            except Exception as error:  # an address or a proxy of no use, too
                self.fault = to_provider_error(error, self._model, self._endpoint)
            tasks.cancel_scope.cancel()
        return reply

    def _forward(self, request: Request, reply: httpx2.Response) -> Response:
        """Forward the reply without the key, which some providers repeat."""
        from starlette.responses import StreamingResponse

        response = StreamingResponse(self._stream(request, reply), reply.status_code)
        hide = partial(_hide, self._endpoint.secrets)
        response.raw_headers = [(name, hide(value)) for name, value in _forwarded_headers(reply.headers.raw)]
        return response

    async def _stream(self, request: Request, reply: httpx2.Response) -> AsyncIterator[bytes]:
        import anyio
        import httpx2

        failed = reply.status_code >= 400
        secrets = self._endpoint.secrets if failed else self._endpoint.reply_secrets
        try:
            async for piece in _without(secrets, reply.aiter_bytes()):
                yield piece
        except httpx2.HTTPError as error:
            if not failed:
                self.fault = to_provider_error(error, self._model, self._endpoint)
            self._hang_up(request)
            # The reply must not end normally; hanging up cancels this sleep.
            await anyio.sleep(_LAST_S)
        finally:
            await reply.aclose()

    def _hang_up(self, request: Request) -> None:
        """Close the program's connection, so that it sees the same fault that the relay saw."""
        for connection in self._connections:
            if connection.client == request.scope["client"]:
                connection.transport.close()


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _forwarded_headers(headers: Iterable[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, bytes]]:
    return (
        (name, value) for name, value in headers if name.decode("latin-1").lower() not in _OF_ONE_CONNECTION | _KEYS
    )


async def _without(secrets: Mapping[str, str], pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Hide secrets in a stream, line by line, since a chunk may end within one."""
    held = b""
    async for piece in pieces:
        lines, _, held = (held + piece).rpartition(b"\n")
        if lines:
            yield _hide(secrets, lines + b"\n")
        if len(held) > _LONGEST_LINE:
            yield _hide(secrets, held)
            held = b""
    if held:
        yield _hide(secrets, held)


def _hide(secrets: Mapping[str, str], data: bytes) -> bytes:
    # Latin-1 has a character for each byte.
    return without_secrets(data.decode("latin-1"), secrets).encode("latin-1")


def _model_of(body: bytes) -> Any:
    try:
        data = json.loads(body)
    except ValueError:
        return None
    return data.get("model") if isinstance(data, dict) else None


def _error(kind: str, message: str) -> dict[str, object]:
    """An error in the format of Anthropic's API."""
    return {"type": "error", "error": {"type": kind, "message": message}}
