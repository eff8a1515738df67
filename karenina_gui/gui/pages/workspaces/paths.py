"""Encoding of file names for the browser. Linux file names may hold any bytes; JSON and URLs may not."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote_to_bytes

from karenina_gui.text import quantity


def quote_path(path: str) -> str:
    """Return the path percent-encoded."""
    return quote(os.fsencode(path), safe="/ ")


def unquote_path(text: str) -> str:
    return os.fsdecode(unquote_to_bytes(text))


def file_address(benchmark_id: int, number: int, path: str) -> str:
    """URL of the whole file."""
    return f"/api/benchmarks/{benchmark_id}/questions/{number}/workspace/file?path={quote(quote_path(path), safe='')}"


def size_in_words(size: int) -> str:
    """Return a size such as `340 bytes`, `12 kB` or `3.4 MB`."""
    if size < 1000:
        return quantity(size, "byte")
    for unit, one in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if size < one * 1000 or unit == "GB":
            figure = size / one
            return f"{figure:,.1f} {unit}" if figure < 9.95 else f"{figure:,.0f} {unit}"
    raise AssertionError
