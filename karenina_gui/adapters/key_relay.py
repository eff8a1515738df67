"""A relay between a program and its provider: it puts the key into requests, so that the program never has it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterable
from functools import cached_property
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from karenina_gui.adapters.connections import NO_KEY, Endpoint
from karenina_gui.adapters.faults import fault_of
from karenina_gui.errors import ProviderError

if TYPE_CHECKING:
    import ssl

    import anyio
    import httpx2
    from starlette.requests import Request
    from starlette.responses import Response

_PATHS = ("/v1/messages", "/v1/messages/count_tokens")
"""All that a program may ask of its provider."""
_OF_ONE_CONNECTION = {
    "connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
}  # fmt: skip
_GLANCE = 0.01
_LAST_S = 1.0
"""Seconds for requests to end once the program is gone."""
_KEYS = {"authorization", "proxy-authorization", "x-api-key"}


class KeyRelay:
    """An HTTP server on loopback for one program. It listens from the start and answers while `serve` runs.

    The program gives `password` where its provider would want the key.
    """

    def __init__(self, model: str, endpoint: Endpoint, certificates: ssl.SSLContext) -> None:
        self.password = token_urlsafe(24)
        self.fault: ProviderError | None = None
        """Why the provider could not be asked the last time; None: it answered."""
        self._model = model
        self._endpoint = endpoint
        self._certificates = certificates
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._shut = False

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    @cached_property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def shut(self) -> None:
        """Ask the provider nothing further."""
        self._shut = True

    def close(self) -> None:
        self._socket.close()

    async def serve(self) -> None:
        """Until it is cancelled. The program has to be gone by then: what it still asks for would be waited for."""
        import anyio
        import uvicorn
        from starlette.applications import Starlette
        from starlette.routing import Route

        application = Starlette(routes=[Route(path, self._answer, methods=["POST"]) for path in _PATHS])
        config = uvicorn.Config(
            application, log_config=None, access_log=False, lifespan="off", ws="none", proxy_headers=False
        )
        server = uvicorn.Server(config)
        try:
            await server.serve([self._socket])
        finally:
            with anyio.move_on_after(_LAST_S, shield=True):
                for listener in server.servers:
                    listener.close()
                while server.server_state.tasks:
                    await anyio.sleep(_GLANCE)
                await self._client.aclose()

    @cached_property
    def _client(self) -> httpx2.AsyncClient:
        import httpx2

        # The program has time limits of its own. A redirect could carry the key to another host.
        return httpx2.AsyncClient(verify=self._certificates, timeout=None, follow_redirects=False)

    async def _answer(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        given = request.headers.get("x-api-key", "")
        if not compare_digest(given.encode(), self.password.encode()):
            return JSONResponse(_error("authentication_error", "This is not the relay's password."), 401)
        if self._shut:
            return JSONResponse(_error("api_error", "The work is over."), 503)
        reply = await self._asked(request)
        if reply is None:
            return JSONResponse(_error("api_error", str(self.fault or "The program hung up.")), 502)
        return await self._given_back(reply)

    async def _asked(self, request: Request) -> httpx2.Response | None:
        """The provider's reply; None: it could not be asked, or the program hung up meanwhile."""
        import anyio
        import httpx2

        headers = [*_passed_on(request.headers.items()), ("x-api-key", self._endpoint.key)]
        query = f"?{request.url.query}" if request.url.query else ""
        asked = self._client.build_request(
            "POST", f"{self._endpoint.base_url}{request.url.path}{query}", headers=headers, content=await request.body()
        )
        reply = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_when_gone, request, tasks.cancel_scope)
            try:
                reply = await self._client.send(asked, stream=True)
                self.fault = None
            except httpx2.HTTPError as error:
                self.fault = fault_of(error, self._model, self._endpoint)
            tasks.cancel_scope.cancel()
        return reply

    async def _given_back(self, reply: httpx2.Response) -> Response:
        from starlette.responses import Response, StreamingResponse

        headers = dict(_passed_on(reply.headers.items()))
        if reply.status_code < 400:
            return StreamingResponse(self._streamed(reply), reply.status_code, headers)
        said = await reply.aread()
        await reply.aclose()
        if self._endpoint.key != NO_KEY:  # which some providers repeat when they refuse it
            said = said.replace(self._endpoint.key.encode(), b"[key]")
        headers.pop("content-encoding", None)
        return Response(said, reply.status_code, headers)

    async def _streamed(self, reply: httpx2.Response) -> AsyncIterator[bytes]:
        import httpx2

        try:
            async for piece in reply.aiter_raw():
                yield piece
        except httpx2.HTTPError as error:  # the program sees a stream that lacks its end
            self.fault = fault_of(error, self._model, self._endpoint)
        finally:
            await reply.aclose()


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _passed_on(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((name, value) for name, value in headers if name.lower() not in _OF_ONE_CONNECTION | _KEYS)


def _error(kind: str, message: str) -> dict[str, object]:
    """An error as Anthropic's API words it."""
    return {"type": "error", "error": {"type": kind, "message": message}}
