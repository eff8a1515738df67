"""What may be said of the settings that hold from the next start: the data folder, the address, the port."""

from __future__ import annotations

import os
import socket
from pathlib import Path

LIBRARY = "library.sqlite"
"""By this file a data folder is known."""


def folder_problem(text: str) -> str | None:
    """Why a folder cannot hold the data; None: it can, or it can be made."""
    if not text.strip():
        return None
    folder = Path(text.strip()).expanduser()
    if not folder.is_absolute():
        return "Enter the full path of the folder."
    nearest = next(each for each in (folder, *folder.parents) if each.exists())
    if not nearest.is_dir():
        return f"{nearest} is a file, not a folder. Choose another path."
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"You can’t write to {nearest}. Choose another folder, or change its permissions."
    if (folder / LIBRARY).exists() and not os.access(folder / LIBRARY, os.W_OK):
        return f"The library in {folder} is read-only. Make it writable, or choose another folder."
    return None


def folder_doubt(text: str, now: Path) -> str | None:
    """What will be found in the folder at the next start; None: what is there now."""
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
    """Why this computer cannot be reached at an address; None: it can."""
    host = text.strip()
    if not host:
        return None
    try:
        with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return None
    except (OSError, TypeError, ValueError):  # the latter two: a text that cannot be a name at all
        return f"{host} is not an address of this computer. Leave the host empty to use 127.0.0.1."


def host_doubt(text: str) -> str | None:
    """What an address means for others; None: nothing."""
    host = text.strip()
    if host in ("", "127.0.0.1", "localhost", "::1"):
        return None
    return (
        "Anyone who can reach this address and has the access token can read, change, and run everything, using your "
        "API keys. The terminal shows a link with the token."
    )


def port_problem(number: float | None) -> str | None:
    """Why nobody can be served at a port; None: it can be tried."""
    if number is None:
        return None
    if number != int(number) or not 1 <= number <= 65535:
        return "Enter a port from 1 to 65535. Leave it empty for the first free port from 8080."
    return None


def size_of(folder: Path) -> int:
    """Bytes that everything in the folder takes; what goes away meanwhile is left out."""
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += (Path(place) / name).lstat().st_size
            except OSError:
                continue
    return total


def readable_size(size: float) -> str:
    """`1.4 MB`"""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
