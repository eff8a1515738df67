"""Where the style sheet, icons and small scripts lie."""

from __future__ import annotations

from pathlib import Path


def static_folder() -> Path:
    """The folder `static`: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parent / "static"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "static"
