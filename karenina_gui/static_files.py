"""Location of style sheet, icons and scripts, and their URL in the browser."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


def static_folder() -> Path:
    """The folder `static`: in the installed package, or next to the package in a checkout."""
    installed = Path(__file__).parent / "static"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "static"


@cache
def static_address() -> str:
    """URL prefix with a hash of all files."""
    # Browsers may then cache the files forever: a new version has another URL.
    edition = hashlib.sha256()
    # Sorted, because their order differs between file systems.
    for file in sorted(path for path in static_folder().rglob("*") if path.is_file()):
        edition.update(file.read_bytes())
    return f"/static/{edition.hexdigest()[:12]}"


def module(name: str) -> str:
    """JavaScript expression that imports a script."""
    # A complete URL: after a restart on another port, an open window still runs code from the old one.
    return f"import(location.origin + (window.path_prefix || '') + '{static_address()}/{name}.js')"
