"""Downloads that the server prepares, with their progress in the status bar."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui


def download_file(address: str) -> None:
    """Download a file from an address below `/api`."""
    ui.run_javascript(f"exportFile({json.dumps(address)})")


def export_line(failed: Callable[[str], Any]) -> None:
    """Progress of downloads in the status bar; `failed` is called with the reason of a failure."""
    ui.html('<span id="status-export" role="status"></span>').classes("status-item")
    ui.on("export_failed", lambda event: failed(str(event.args)))
