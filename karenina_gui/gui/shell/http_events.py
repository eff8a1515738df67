"""HTTP route for events that are too large for one websocket message."""

from __future__ import annotations

import orjson
from nicegui import app
from starlette.requests import Request
from starlette.responses import Response

from karenina_gui.gui.session.nicegui_internals import handle_event

LARGEST = 20_000_000
"""Limit in bytes of one event, such as the text of a field."""


def register() -> None:
    """Register the route. The client id is known only to its window, as with the websocket."""

    @app.post("/api/windows/{client_id}/events")
    async def take(client_id: str, request: Request) -> Response:
        """Handle an event: 400 if it is malformed, 413 if it is too large, 404 if the window is not connected."""
        body = bytearray()
        async for piece in request.stream():
            # The length header may be missing or wrong: count what arrives.
            body += piece
            if len(body) > LARGEST:
                return Response(status_code=413)
        try:
            is_handled = handle_event(client_id, lambda: orjson.loads(body))
        except ValueError:
            return Response(status_code=400)
        return Response(status_code=204 if is_handled else 404)
