"""Copying of text to the clipboard, with a message after success."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui


def copy_text(text: str, message: str) -> None:
    """Copy a text to the clipboard; `message` is the message after success."""
    ui.run_javascript(f"copyText({json.dumps(text)}, {json.dumps(message)})")


def on_copied(tell: Callable[[str | None], Any]) -> None:
    """Call `tell` with the message, or with None if the browser denied access to the clipboard."""
    ui.on("copied", lambda event: tell(None if event.args is None else str(event.args)))
