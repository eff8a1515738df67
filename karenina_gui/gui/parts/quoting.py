"""Texts in the string that `props()` takes: quoted, lest a quote or a backslash in them be read as part of it."""

from __future__ import annotations

import json


def prop(name: str, text: str) -> str:
    r"""`name="text"`, with each quote and backslash escaped. Raw, `" :title="…` would run as JavaScript."""
    return f"{name}={json.dumps(text, ensure_ascii=False)}"


def aria_label(text: str) -> str:
    """The name of an element for screen readers."""
    return prop("aria-label", text)
