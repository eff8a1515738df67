"""Syntax trees that are built while another one is, as Python 3.11 refuses."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def build_others(allocations: int) -> Iterator[None]:
    """Build a tree in each garbage collection. `allocations`: objects between two collections."""

    def build(phase: str, info: dict[str, int]) -> None:
        with suppress(SystemError):
            inspect.signature(dict.get)

    thresholds = gc.get_threshold()
    gc.set_threshold(allocations)
    gc.callbacks.append(build)
    try:
        yield
    finally:
        gc.callbacks.remove(build)
        gc.set_threshold(*thresholds)
