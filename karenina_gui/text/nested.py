"""Texts in nested values: lists, tuples, dicts (keys too), and pydantic models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text.

    A loop, not a recursion: a model's reply may be nested as deeply as its JSON can be parsed.
    """
    rest = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            rest += [*part, *part.values()]
        elif isinstance(part, list | tuple):
            rest += part
        elif isinstance(part, BaseModel):
            rest.append(part.model_dump())


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a copy with every text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)(change_texts(item, change) for item in value)
    if isinstance(value, dict):
        return {change_texts(key, change): change_texts(item, change) for key, item in value.items()}
    if isinstance(value, BaseModel):
        return type(value).model_validate(change_texts(value.model_dump(), change))
    return value
