"""Classification of URLs."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit


@lru_cache
def is_local(address: str) -> bool:
    """True if the URL's host is this machine; False also for invalid URLs."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    # The whole 127.0.0.0/8 network and ::1 are loopback addresses.
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
