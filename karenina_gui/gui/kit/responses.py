"""Responses of the HTTP routes: JSON, and names of files to download."""

from __future__ import annotations

import re

import orjson
from starlette.responses import Response


def json_response(data: object) -> Response:
    return Response(orjson.dumps(data), media_type="application/json", headers={"cache-control": "no-store"})


LONGEST_NAME = 120
"""Bytes of a file's name without its ending; most systems allow 255 for the whole."""


def file_name(title: str) -> str:
    """Convert a title to a portable file name."""
    plain = re.sub(r"[^\w.-]+", "-", title).strip("-.")
    return plain.encode()[:LONGEST_NAME].decode(errors="ignore").strip("-.") or "benchmark"
