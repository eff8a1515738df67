"""Files that the server makes for a window: fetched by the browser, with a line in the status bar meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui


def export_file(address: str) -> None:
    """Let this window have the file of one of our addresses below `/api`."""
    ui.run_javascript(f"exportFile({json.dumps(address)})")


def export_line(failed: Callable[[str], Any]) -> None:
    """Says that files are being made; `failed` is called with why one cannot be had."""
    ui.html('<span id="sb-export" role="status"></span>').classes("sb-item")
    ui.on("export_failed", lambda event: failed(str(event.args)))
