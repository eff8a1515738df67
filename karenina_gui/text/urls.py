"""URLs as the HTTP client reads them."""

from __future__ import annotations

import ipaddress
import re
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


def origin_of(address: str) -> str:
    """Scheme, host, and port of a URL, such as `https://example.org:8443`, without a scheme's default port.

    Parsed by the HTTP client: what another parser reads may not be what is called. Raises `ValueError` for any other
    text than the URL of a server.
    """
    import httpx2

    try:
        url = httpx2.URL(address)
    except (httpx2.InvalidURL, TypeError) as error:
        raise ValueError(f"“{address}” is not a URL.") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(f"“{address}” is not the URL of a server.")
    host = url.raw_host.decode()  # in ASCII: letters of other scripts can look like those of a familiar host
    host = f"[{host}]" if ":" in host else host
    port = None if url.port == {"http": 80, "https": 443}[url.scheme] else url.port
    return f"{url.scheme}://{host}" if port is None else f"{url.scheme}://{host}:{port}"


def authority_of(address: str) -> str:
    """Part of a URL between its scheme and its path, as written."""
    return re.split(r"[/?#\\]", address.partition("://")[2], maxsplit=1)[0]
