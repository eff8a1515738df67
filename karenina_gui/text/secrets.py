"""Removal of secrets from the texts of others, who may repeat them as they are, encoded, or shortened."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import TypeVar

from karenina_gui.text.nested import change_texts, texts_in

T = TypeVar("T")

_LONG = 12
"""Characters of a secret that is found in pieces. A shorter one could be part of ordinary words."""
_PIECE, _LONGEST_RUN = 8, 16
_ESCAPED = re.compile(r"(?:%|\\x|\\u00)([0-9a-f]{2})")
_LOWER = str.maketrans({chr(code): chr(code + 32) for code in range(65, 91)})


def without_secrets(value: T, secrets: Mapping[str, str]) -> T:
    """Copy of a nested value in which signs replace secrets; `value` itself if it has none.

    `secrets`: {secret: sign}.
    """
    for secret, sign in secrets.items():
        if any(_spans(text, secret) for text in texts_in(value)):
            value = change_texts(value, partial(hide, secret=secret, sign=sign))
    return value


def hide(text: str, secret: str, sign: str) -> str:
    """Replace the secret in every form: any case, URL-encoded, in base 64 or hexadecimal, and in long pieces.

    Only the letter itself is replaced of a secret of less than 12 characters. An empty one is not replaced.
    """
    for start, end in reversed(_spans(text, secret)):
        text = f"{text[:start]}{sign}{text[end:]}"
    return text


def may_be_word(secret: str) -> bool:
    """True for a secret so short and plain that replacing it would garble texts, such as the key of a local server."""
    return len(secret) < _LONG and not (len(secret) >= _PIECE and re.search(r"\d", secret))


def _spans(text: str, secret: str) -> list[tuple[int, int]]:
    """(start, end) of every part to replace, in order, without overlaps."""
    if not secret:
        return []
    if len(secret) < _LONG:
        return [match.span() for match in re.finditer(re.escape(secret), text)]
    lower = text.lower()
    if len(lower) != len(text):  # some characters become two
        lower = text.translate(_LOWER)
    spans = [span for form in _forms(secret) for span in form.spans(lower)]
    if _ESCAPED.search(lower):
        decoded, positions = _decode(lower)
        spans += [(positions[a], positions[b]) for form in _forms(secret) for a, b in form.spans(decoded)]
    return _merge(spans)


class _Form:
    """One way to write a secret, without regard to case."""

    def __init__(self, written: str) -> None:
        self.written = written.translate(_LOWER)
        size = len(written)
        self.least = max(_PIECE, min(_LONGEST_RUN, size * 3 // 5))
        """Characters in sequence that give the secret away."""
        # Any part of `least` characters contains one of these pieces.
        starts = {*range(0, size - _PIECE + 1, self.least - _PIECE + 1), size - _PIECE}
        self.pieces = [(start, self.written[start : start + _PIECE]) for start in sorted(starts)]

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """(start, end) of every part that gives the secret away in a text in lower case."""
        for start, piece in self.pieces:
            at = text.find(piece)
            while at >= 0:
                before, after = self._extent(text, at, start)
                if before + after >= self.least:
                    yield at - before, at + after
                at = text.find(piece, at + 1)

    def _extent(self, text: str, at: int, start: int) -> tuple[int, int]:
        """Number of equal characters before and after the position `at` of the text and `start` of the form."""
        before = after = 0
        while before < min(at, start) and text[at - before - 1] == self.written[start - before - 1]:
            before += 1
        while (
            after < min(len(text) - at, len(self.written) - start) and text[at + after] == self.written[start + after]
        ):
            after += 1
        return before, after


@lru_cache(maxsize=64)
def _forms(secret: str) -> tuple[_Form, ...]:
    raw = secret.encode(errors="surrogatepass")
    written = [secret, raw.hex()]
    for shift in range(3):
        # Within a longer text in base 64 a secret begins at one of three positions. Of the characters that its
        # neighbors determine, too, none is part of the form.
        coded = b64encode(bytes(shift) + raw).decode().rstrip("=")
        coded = coded[(0, 2, 3)[shift] : len(coded) - bool((shift + len(raw)) % 3)]
        written += [coded, coded.replace("+", "-").replace("/", "_")]
    return tuple(_Form(text) for text in dict.fromkeys(written))


def _decode(text: str) -> tuple[str, list[int]]:
    """The text with escaped characters decoded, and the original position of each character and of the end."""
    characters: list[str] = []
    positions: list[int] = []
    end = 0
    for match in _ESCAPED.finditer(text):
        characters += [*text[end : match.start()], chr(int(match[1], 16)).lower()]
        positions += range(end, match.start() + 1)
        end = match.end()
    return "".join([*characters, text[end:]]), [*positions, *range(end, len(text) + 1)]


def _merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
