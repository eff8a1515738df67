"""The sockets of shared clients: shut from another thread, they end whatever call is under way on them."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from karenina_gui.errors import RunCancelled

if TYPE_CHECKING:
    import httpx2

_OPENED = ("connect_tcp.complete", "start_tls.complete")
_BEGINS = ("connect_tcp.started", "send_request_headers.started")


class OpenSockets:
    """Thread-safe."""

    def __init__(self) -> None:
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._shut = False
        self._lock = Lock()

    def watch(self, request: httpx2.Request) -> None:
        """A client's hook for requests. Errors: `RunCancelled` once they are shut."""
        self._refuse()
        request.extensions["trace"] = self._follow

    def shut(self) -> None:
        """End what is under way; nothing further is sent."""
        with self._lock:
            self._shut = True
            for each in self._sockets:
                _end(each)

    def _follow(self, event: str, told: dict[str, Any]) -> None:
        """Hear of a request's connections, through the `trace` extension of httpx2."""
        if event.endswith(_OPENED):
            opened: socket.socket = told["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets.add(opened)
                if self._shut:
                    _end(opened)
        if event.endswith((*_OPENED, *_BEGINS)):
            self._refuse()

    def _refuse(self) -> None:
        if self._shut:
            raise RunCancelled("The run was cancelled; no further model call is made.")


def _end(opened: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        # Not `opened.shutdown()`: that of a TLS socket forgets the encryption before it shuts, and what another thread
        # sends in between would go out in plain text.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)
