"""Texts that go on from others, as far as the texts themselves show it."""

from __future__ import annotations

from typing import Any


def continues_stored(base: Any, now: Any, value: Any) -> bool:
    """Check if a text goes on from the library's one: then only the confirmation was lost with the connection."""
    texts = [text or "" for text in (base, now, value)]
    if not all(isinstance(text, str) for text in texts) or not texts[2].startswith(texts[1]):
        return False
    before, stored, typed = texts
    # A text that goes on from its own base as well was typed over that, and somebody else has shortened it since.
    return stored.startswith(before) or (bool(stored) and not typed.startswith(before))


def grew_from(before: Any, value: Any) -> bool:
    """Check if typing alone makes a text of the other: all characters of `before` are in `value`, in their order."""
    if not isinstance(before, str) or not isinstance(value, str):
        return False
    rest = iter(value)
    return all(character in rest for character in before)
