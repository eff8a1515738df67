"""Quoting of text for `props()`."""

from __future__ import annotations

import json


def prop(name: str, text: str) -> str:
    """Format `name="text"` with quotes and backslashes escaped."""
    return f"{name}={json.dumps(text, ensure_ascii=False)}"


def aria_label(text: str) -> str:
    """Attribute with the accessible name of an element."""
    return prop("aria-label", text)
