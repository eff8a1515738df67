"""What a window has to tell that is too large for one message of its websocket: it comes by HTTP instead."""

from __future__ import annotations

import orjson
from nicegui import Client, app
from starlette.requests import Request
from starlette.responses import Response

LARGEST = 20_000_000
"""Bytes of one piece of news, such as the text of a field."""


def register() -> None:
    """Add the route. The number of a window is known to that window only, as it is for its websocket."""

    @app.post("/api/windows/{client_id}/events")
    async def take(client_id: str, request: Request) -> Response:
        """413: it is too large. 404: this window is not connected just now."""
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > LARGEST:
                return Response(status_code=413)
        client = Client.instances.get(client_id)
        if client is None or not client.has_socket_connection:
            return Response(status_code=404)
        client.handle_event(orjson.loads(body))
        return Response(status_code=204)
