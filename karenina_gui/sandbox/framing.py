"""Frames on a pipe: a length of four bytes, big-endian, then that many bytes of JSON in UTF-8.

Text travels as it is, not as escapes, which would make an answer up to three times as long. Strict UTF-8 has no room
for half a surrogate pair, so both sides let those pass.
"""

from __future__ import annotations

import json
import math
import os
import struct
from typing import IO, Any

HEADER = struct.Struct(">I")


def in_utf8(text: str) -> bytes:
    """Encode a body. Lone surrogates are allowed."""
    return text.encode("utf-8", "surrogatepass")


def body_of(reply: dict[str, Any]) -> bytes:
    """A reply as JSON. Numbers that JSON lacks and objects of the author's own become text."""
    try:
        return _encode(reply)
    except (TypeError, ValueError):
        return _encode(_as_json(reply))


def with_length(body: bytes) -> bytes:
    """Prefix the body with its length."""
    return HEADER.pack(len(body)) + body


def read_frame(pipe: int | IO[bytes], longest: int | None = None) -> bytes:
    """Read the next frame, waiting for it.

    Raises `EOFError` if the other side has closed, and `ValueError` for one of more than `longest` bytes (None: no
    limit), before reading it.
    """
    fd = pipe if isinstance(pipe, int) else pipe.fileno()
    (length,) = HEADER.unpack(_read_exactly(fd, HEADER.size))
    if longest is not None and length > longest:
        raise ValueError("frame too long")
    return _read_exactly(fd, length)


def write_frame(fd: int, body: bytes) -> None:
    """Write a whole frame, waiting while the pipe is full."""
    rest = memoryview(with_length(body))
    while rest:
        rest = rest[os.write(fd, rest) :]


def _read_exactly(fd: int, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        part = os.read(fd, min(1 << 20, length - len(parts)))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def _encode(reply: Any) -> bytes:
    return in_utf8(json.dumps(reply, ensure_ascii=False, allow_nan=False))


def _as_json(value: Any) -> Any:
    """Copy in which every value that JSON lacks is text."""
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_as_json(item) for item in value]
    if isinstance(value, int) and value.bit_length() > 10_000:
        return f"{value:#x}"[:1000]  # too long for decimal digits
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)[:1000]
