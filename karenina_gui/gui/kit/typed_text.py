"""Removal of characters from input that no page can show; they come with pasted text."""

from __future__ import annotations

import re
from typing import Any

_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
"""Control characters except white space, noncharacters, and surrogates; not all of them can be stored."""


def strip_control_chars(value: Any, base: Any) -> Any:
    """Remove these characters, also in lists and records; those in `base` stay, because the user has not typed them."""
    return _clean(value, _control_chars(base))


def _clean(value: Any, allowed: set[str]) -> Any:
    if isinstance(value, str):
        return _UNSEEN.sub(lambda match: match.group() if match.group() in allowed else "", value)
    if isinstance(value, list):
        return [_clean(part, allowed) for part in value]
    if isinstance(value, dict):
        return {_clean(key, allowed): _clean(part, allowed) for key, part in value.items()}
    return value


def _control_chars(value: Any) -> set[str]:
    if isinstance(value, str):
        return set(_UNSEEN.findall(value))
    if isinstance(value, list | dict):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        return set().union(*(_control_chars(part) for part in parts))
    return set()
