"""How a model was made to reply in the form that a template, a trait or a check asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

ExtractionMethod = Literal["schema", "tool", "json", "text"]
"""Enforced schema, forced tool, JSON mode (some JSON object, its schema in the prompt), or words in the prompt alone;
from the surest to the least sure."""

METHODS: tuple[ExtractionMethod, ...] = get_args(ExtractionMethod)
IN_WORDS: dict[ExtractionMethod, str] = {
    "schema": "enforced schema",
    "tool": "forced tool",
    "json": "JSON mode",
    "text": "plain text",
}


def in_order(methods: Iterable[str]) -> list[str]:
    """Each once, the surest first."""
    return sorted(set(methods), key=lambda method: METHODS.index(method) if method in METHODS else len(METHODS))


def method_in_words(method: str) -> str:
    """A method as people read it; one that this version does not know stays as it is."""
    return {str(known): words for known, words in IN_WORDS.items()}.get(method, method)
