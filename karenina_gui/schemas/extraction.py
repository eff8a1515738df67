"""Methods by which a model is made to reply in the form that a template, a trait or a check requires."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

ExtractionMethod = Literal["schema", "tool", "json", "text"]
"""Enforced schema, forced tool, JSON mode (any JSON object, its schema in the prompt), or the prompt alone.

Ordered from the most to the least reliable.
"""

METHODS: tuple[ExtractionMethod, ...] = get_args(ExtractionMethod)
IN_WORDS: dict[ExtractionMethod, str] = {
    "schema": "enforced schema",
    "tool": "forced tool",
    "json": "JSON mode",
    "text": "plain text",
}


def in_order(methods: Iterable[str]) -> list[str]:
    """Sort the methods without repetition, the most reliable first."""
    return sorted(set(methods), key=lambda method: METHODS.index(method) if method in METHODS else len(METHODS))


def method_in_words(method: str) -> str:
    """Display name of a method; one that this version does not know stays unchanged."""
    return {str(key): name for key, name in IN_WORDS.items()}.get(method, method)
