"""Sockets of shared clients. Shutting them down from another thread ends every call in progress."""

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
    """Open sockets of all clients of one run. Thread-safe."""

    def __init__(self) -> None:
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._shut = False
        self._lock = Lock()

    def watch(self, request: httpx2.Request) -> None:
        """Request hook of a client. Raises `RunCancelled` once the sockets are shut."""
        self._refuse()
        request.extensions["trace"] = self._follow

    def shut(self) -> None:
        """End calls in progress; nothing more is sent."""
        with self._lock:
            self._shut = True
            for each in self._sockets:
                _end(each)

    def _follow(self, event: str, told: dict[str, Any]) -> None:
        """Callback of httpx2's `trace` extension, which reports a request's connections."""
        if event.endswith(_OPENED):
            opened: socket.socket = told["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets.add(opened)
                # The connection was opened while the others were shut: nobody else knows of it yet.
                if self._shut:
                    _end(opened)
                    opened.close()
        if event.endswith((*_OPENED, *_BEGINS)):
            self._refuse()

    def _refuse(self) -> None:
        if self._shut:
            raise RunCancelled("The run was stopped. No more models are called.")


def _end(opened: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        # Not `opened.shutdown()`: on a TLS socket it drops the encryption before it shuts down, and what another thread
        # sends in between would go out in plain text.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)
