"""Texts that a window puts into the clipboard; it says so only once they are there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui


def copy_text(text: str, said: str) -> None:
    """Put a text into the clipboard; `said` tells the person so afterwards."""
    ui.run_javascript(f"copyText({json.dumps(text)}, {json.dumps(said)})")


def on_copied(tell: Callable[[str | None], Any]) -> None:
    """`tell` is called with what is to be said, None: the browser has not let the text into the clipboard."""
    ui.on("copied", lambda event: tell(None if event.args is None else str(event.args)))
