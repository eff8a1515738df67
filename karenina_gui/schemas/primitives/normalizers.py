"""Normalizers, applied to two texts before a comparison in the order in which they are listed.

Composed and decomposed accents are the same text before and after each of them.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Callable, Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from karenina_gui.text.canonical import canonical


class SynonymMap(BaseModel):
    """Replaces a text that equals a key by its value. Keys meet the text as earlier normalizers left it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mapping: dict[str, str]


Normalizer = Literal["lowercase", "strip", "remove_punctuation", "collapse_whitespace"] | SynonymMap


def usual_normalizers() -> list[Normalizer]:
    """Normalizers of a comparison whose author names none, as a new list."""
    # A function, because pydantic copies a default that is a list in full each time.
    return ["lowercase", "strip"]


def apply_normalizers(text: str, normalizers: Iterable[Normalizer]) -> str:
    text = canonical(text)
    for normalizer in normalizers:
        if isinstance(normalizer, str):
            text = canonical(_NORMALIZE[normalizer](text))
        else:
            text = canonical(normalizer.mapping).get(text, text)
    return text


def without_punctuation(text: str) -> str:
    """Remove ASCII punctuation and symbols, and punctuation of any script (dashes, quotation marks)."""
    return "".join(c for c in text if c not in string.punctuation and not unicodedata.category(c).startswith("P"))


_NORMALIZE: dict[str, Callable[[str], str]] = {
    "lowercase": str.lower,
    "strip": str.strip,
    "remove_punctuation": without_punctuation,
    "collapse_whitespace": lambda text: " ".join(text.split()),
}
