"""A reverse proxy that serves an application below a path and strips it, as nginx may."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def proxied(port: int, path: str) -> Iterator[str]:
    """The address below which the application at this port is found. Every request has a connection of its own."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, _, rest = head.partition(b"\r\n")
        method, target, version = first.split(b" ")
        if not target.startswith(f"{path}/".encode()):
            writer.write(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        if b"upgrade: websocket" not in rest.lower():
            kept = [line for line in rest.split(b"\r\n") if line and not line.lower().startswith(b"connection:")]
            rest = b"\r\n".join([*kept, b"Connection: close", b"", b""])
        inner_writer.write(b" ".join((method, target[len(path) :], version)) + b"\r\n" + rest)
        await asyncio.gather(_pump(reader, inner_writer), _pump(inner_reader, writer))

    started = threading.Event()
    known: dict[str, Any] = {}

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        known.update(loop=asyncio.get_running_loop(), stop=asyncio.Event(), port=server.sockets[0].getsockname()[1])
        started.set()
        await known["stop"].wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield f"http://127.0.0.1:{known['port']}{path}"
    finally:
        known["loop"].call_soon_threadsafe(known["stop"].set)
        thread.join(10)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
    except OSError:
        pass  # one side has gone
    finally:
        writer.close()
