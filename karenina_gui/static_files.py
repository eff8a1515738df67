"""Where the style sheet, icons and small scripts lie, and under which address the browser gets them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


def static_folder() -> Path:
    """The folder `static`: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parent / "static"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "static"


@cache
def static_address() -> str:
    """Another one for every edition of the files, so that a browser never asks again for those that it has."""
    edition = hashlib.sha256()
    for file in sorted(each for each in static_folder().iterdir() if each.is_file()):
        edition.update(file.read_bytes())
    return f"/static/{edition.hexdigest()[:12]}"


def module(name: str) -> str:
    """What imports this script in the browser.

    By its whole address: a window that came from another port, as after a restart, may have kept the code that asks.
    """
    return f"import(location.origin + (window.path_prefix || '') + '{static_address()}/{name}.js')"
