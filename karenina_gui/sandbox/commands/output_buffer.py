"""Output of a command: beginning and end are kept, the middle of a long output is only counted."""

from __future__ import annotations

from karenina_gui.text.truncation import mark


class KeptOutput:
    """Buffer that one thread fills, read after that thread has ended."""

    def __init__(self, at_most: int) -> None:
        """`at_most`: bytes to keep."""
        self._half = max(1, at_most // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0
        """Bytes written so far."""

    def feed(self, piece: bytes) -> None:
        self.total += len(piece)
        missing = self._half - len(self._head)
        if missing > 0:
            self._head += piece[:missing]
            piece = piece[missing:]
        if piece:
            self._tail += piece
            # At twice its size only: cutting after each piece would copy the whole tail every time.
            if len(self._tail) > 2 * self._half:
                del self._tail[: -self._half]

    def text(self) -> str:
        """Output as text. Invalid UTF-8 and zero bytes are replaced."""
        tail = bytes(self._tail[-self._half :])
        kept = len(self._head) + len(tail)
        if kept >= self.total:
            return _readable(bytes(self._head) + tail)
        return f"{_readable(bytes(self._head))}\n{mark(self.total, kept)}\n{_readable(tail)}"


def _readable(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\0", "�")
