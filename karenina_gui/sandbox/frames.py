"""Frames on a pipe: a length of four bytes, big-endian, then that many bytes of JSON in UTF-8.

Text travels as it is, not as escapes, which would make an answer up to three times as long. Strict UTF-8 has no room
for half a surrogate pair, so both sides let those pass.
"""

from __future__ import annotations

import os
import struct

HEADER = struct.Struct(">I")


def in_utf8(text: str) -> bytes:
    """The bytes of a body."""
    return text.encode("utf-8", "surrogatepass")


def framed(body: bytes) -> bytes:
    """The body with its length before it."""
    return HEADER.pack(len(body)) + body


def read_frame(fd: int) -> bytes:
    """The next frame, waiting for it; EOFError when the other side is gone."""
    (length,) = HEADER.unpack(_read_exactly(fd, HEADER.size))
    return _read_exactly(fd, length)


def write_frame(fd: int, body: bytes) -> None:
    """Write a whole frame, waiting while the pipe is full."""
    rest = memoryview(framed(body))
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
