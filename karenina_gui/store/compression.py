"""Compression of the JSON documents of results, which are most of a library."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy.types import UserDefinedType

from karenina_gui.errors import InputError

_SHAPE = (Path(__file__).parent / "result_shape.json").read_bytes()
"""A typical result without its texts. Part of the file format: a library cannot be read with another one."""
_LEVEL = 6
"""Of zlib. A result takes 0.1 ms; lower levels are not faster."""


def compress(text: str) -> bytes:
    """Compress with zlib; `result_shape.json` is the preset dictionary (RFC 1950), which halves a typical result."""
    compressor = zlib.compressobj(_LEVEL, zdict=_SHAPE)
    return compressor.compress(text.encode()) + compressor.flush()


def expand(stored: bytes | str) -> str:
    """Return the text. Documents that were saved before there was compression are text already.

    Raises `InputError` if the checksum or anything else in the stored bytes is wrong.
    """
    try:
        return stored if isinstance(stored, str) else _decompress(stored).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise InputError(
            "A result can’t be read, because the library is damaged. Close the application and restore a backup with  "
            "karenina-gui restore"
        ) from error


def _decompress(stored: bytes) -> bytes:
    decompressor = zlib.decompressobj(zdict=_SHAPE)
    text = decompressor.decompress(stored)
    if not decompressor.eof:
        raise zlib.error("The end is missing.")
    return text


class CompressedText(UserDefinedType[str]):
    """Column of compressed texts. In SQL, `expand(column)` is the text."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "JSON"  # as in libraries from before

    def bind_processor(self, dialect: Any) -> Callable[[str | None], Any]:
        return lambda text: None if text is None else compress(text)

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[bytes | str], str]:
        return expand


def add_expand(connection: Any) -> None:
    """Add the SQL function `expand` to a connection of `sqlite3`."""
    connection.create_function("expand", 1, expand, deterministic=True)
