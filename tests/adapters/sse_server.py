"""The small MCP server over SSE, the older way over HTTP: replies come in the stream of the first request."""

from __future__ import annotations

import json
import queue
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.adapters.small_server import reply_to
from tests.twin import OnLoopback


class SseServer(OnLoopback):
    """Runs inside `with`. `headers` has what each request said."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        self.said: queue.Queue[str | None] = queue.Queue()
        super().__init__(_handler(self))

    @property
    def url(self) -> str:
        return f"{self.address}/sse"

    def __exit__(self, *error: object) -> None:
        self.said.put(None)
        super().__exit__(*error)


def _handler(server: SseServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._note()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self._send("endpoint", "/messages")
            while (said := server.said.get()) is not None:
                self._send("message", said)

        def do_POST(self) -> None:
            self._note()
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(202)
            self.send_header("content-length", "0")
            self.end_headers()
            if (said := reply_to(asked)) is not None:
                server.said.put(said)

        def _send(self, event: str, data: str) -> None:
            self.wfile.write(f"event: {event}\ndata: {data}\n\n".encode())
            self.wfile.flush()

        def _note(self) -> None:
            server.headers.append({name.lower(): value for name, value in self.headers.items()})

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
