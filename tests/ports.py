"""Free ports for servers that are started with a port number."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

FIRST, OF_ONE_WORKER = 20_000, 1_500
"""Below the ports that systems give to outgoing connections: one of those could take the port before its server."""
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_ports = iter(range(FIRST + _worker * OF_ONE_WORKER, FIRST + (_worker + 1) * OF_ONE_WORKER))


def free_port() -> int:
    """Return a port of 127.0.0.1 that nothing uses, and no other test of this round gets."""
    for port in _ports:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError(f"All {OF_ONE_WORKER} ports of this worker were used.")
