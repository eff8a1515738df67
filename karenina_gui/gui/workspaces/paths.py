"""Names of files on their way to the browser and back: they may hold any bytes, JSON and addresses may not."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote_to_bytes

from karenina_gui.text import quantity


def sent(path: str) -> str:
    """The path in plain letters."""
    return quote(os.fsencode(path), safe="/ ")


def received(text: str) -> str:
    return os.fsdecode(unquote_to_bytes(text))


def file_address(benchmark_id: int, number: int, path: str) -> str:
    """Where the browser gets the whole file."""
    return f"/api/benchmarks/{benchmark_id}/questions/{number}/workspace/file?path={quote(sent(path), safe='')}"


def size_in_words(size: int) -> str:
    """`340 bytes`, `12 kB`, `3.4 MB`."""
    if size < 1000:
        return quantity(size, "byte")
    for unit, one in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if size < one * 1000 or unit == "GB":
            figure = size / one
            return f"{figure:,.1f} {unit}" if figure < 9.95 else f"{figure:,.0f} {unit}"
    raise AssertionError
