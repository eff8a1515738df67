"""Where an address leads."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit


@lru_cache
def is_local(address: str) -> bool:
    """Whether the address is this machine; one that is none is not."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
