"""Terminal output at start: URL of the application, and a warning of who can open it."""

from __future__ import annotations

import socket

from karenina_gui.access_token import AccessToken, serves_this_computer_only
from karenina_gui.settings import Settings


def greeting(settings: Settings, token: AccessToken | None) -> str:
    """Lines to print. A generated token is part of the link; a token that the user set is never shown."""
    every_address = settings.host in ("0.0.0.0", "::")
    address = address_of(_own_address(settings.host) if every_address else settings.host, settings.port)
    link = f"/?token={token.value}" if token and not token.source else ""
    lines = [f"The application is at {address}{settings.root_path}{link}  (data in {settings.data}; Ctrl+C to quit)"]
    if token and not serves_this_computer_only(settings.host):
        secret = "the link" if link else "the token"
        lines += [
            f"Anyone who can reach this computer and has {secret} acts as you, with your benchmarks and API keys.",
            "They can also start programs, as MCP servers, and read every file that you can read.",
            "The connection is not encrypted. On an untrusted network, put a web server with HTTPS in front of it.",
        ]
    if token:
        lines.append(f"The access token is in {token.source}." if token.source else "The link has the access token.")
    return "\n".join(lines)


def address_of(host: str, port: int | None) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _own_address(host: str) -> str:
    """Address at which other computers probably reach this one."""
    family, elsewhere = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # Connecting a UDP socket sends nothing; it only selects the network interface for the route.
            probe.connect((elsewhere, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return "::1" if ":" in host else "127.0.0.1"
