"""Encoding of file names for the browser. Linux file names may hold any bytes; JSON and URLs may not."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote_to_bytes


def quote_path(path: str) -> str:
    """Return the path percent-encoded."""
    return quote(os.fsencode(path), safe="/ ")


def unquote_path(text: str) -> str:
    return os.fsdecode(unquote_to_bytes(text))


def file_address(benchmark_id: int, number: int, path: str) -> str:
    """URL of the whole file."""
    return f"/api/benchmarks/{benchmark_id}/questions/{number}/workspace/file?path={quote(quote_path(path), safe='')}"
