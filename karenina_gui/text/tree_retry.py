"""Syntax trees that several threads of Python 3.11 build at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_TRIES = 20
T = TypeVar("T")


def retry_build(build: Callable[[], T]) -> T:
    """Call a function that builds a syntax tree, again as long as Python refuses, up to 20 times.

    Python 3.11 keeps one recursion counter for all threads and raises SystemError ("AST constructor recursion depth
    mismatch") when two trees are built at once.
    """
    for _ in range(_TRIES):
        try:
            return build()
        except SystemError:
            continue
    return build()
