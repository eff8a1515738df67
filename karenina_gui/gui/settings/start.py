"""Checks of settings that apply from the next start: data folder, host, and port."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from karenina_gui.gui.components.number_text import NumberLimits

LIBRARY = "library.sqlite"
"""File that identifies a data folder."""


def folder_problem(text: str) -> str | None:
    """Return the reason why a folder cannot hold the data, or None."""
    if not text.strip():
        return None
    folder = Path(text.strip()).expanduser()
    if not folder.is_absolute():
        return "Enter the full path of the folder."
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not nearest.is_dir():
        return f"{nearest} is a file, not a folder. Choose another path."
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"You can’t write to {nearest}. Choose another folder, or change its permissions."
    if (folder / LIBRARY).exists() and not os.access(folder / LIBRARY, os.W_OK):
        return f"The library in {folder} is read-only. Make it writable, or choose another folder."
    return None


def folder_doubt(text: str, now: Path) -> str | None:
    """Describe the content of the folder at the next start, or return None if it is the current folder."""
    folder = Path(text.strip()).expanduser() if text.strip() else now
    if folder == now:
        return None
    if (folder / LIBRARY).exists():
        return f"{folder} has a library, which opens after a restart. The data in {now} stays there."
    return (
        f"After a restart, {folder} starts with an empty library. To move your data, quit the application and copy the "
        f"contents of {now}."
    )


def host_problem(text: str) -> str | None:
    """Return the reason why the server cannot listen on a host, or None."""
    host = text.strip()
    if not host:
        return None
    try:
        # Port 0 is any free port: only the address is tested.
        with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return None
    except (OSError, TypeError, ValueError):  # the latter two: a text that cannot be a name at all
        return f"{host} is not an address of this computer. Leave the host empty to use 127.0.0.1."


def host_doubt(text: str) -> str | None:
    """Warn about access from other computers, or return None."""
    host = text.strip()
    if host in ("", "127.0.0.1", "localhost", "::1"):
        return None
    return (
        "Anyone who can reach this address and has the access token acts as you on this computer: they can read, "
        "change, and run everything, use your API keys, start programs (as MCP servers), and read the files that you "
        "can read. The terminal shows a link with the token."
    )


def port_problem(number: float | None) -> str | None:
    """Return the reason why a port cannot be used, or None."""
    if number is None or NumberLimits(1, most=65535, whole=True).allows(number):
        return None
    return "Enter a port from 1 to 65535. Leave it empty for the first free port from 8080."


def size_of(folder: Path) -> int:
    """Return the size of a folder in bytes; files deleted meanwhile are skipped."""
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            try:
                # A link counts with its own size, because its target may be outside the folder.
                total += (Path(parent) / name).lstat().st_size
            except OSError:
                continue
    return total


def readable_size(size: float) -> str:
    """Format bytes as `1.4 MB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
