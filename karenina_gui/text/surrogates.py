r"""Lone surrogates, as in `"\\ud83d"` of a truncated JSON text.

They have no UTF-8 form, so that no file, database or socket accepts a text with one.
"""

from __future__ import annotations

import re
from typing import TypeVar

from karenina_gui.text.nested import change_texts, texts_in

T = TypeVar("T")

# Python's `str` allows them, unlike its encoder.
_HALF = re.compile("[\ud800-\udfff]")


def without_surrogates(value: T) -> T:
    """Copy with U+FFFD for lone surrogates, in keys, lists, tuples and models too; `value` itself without any."""
    if all(map(has_utf8_form, texts_in(value))):
        return value
    whole: T = change_texts(value, lambda text: _HALF.sub("\ufffd", text))
    return whole


def has_utf8_form(text: str) -> bool:
    """True if the text can be encoded, that is, contains no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
