"""Whether a passage really stands in a text, as far as wording goes."""

from __future__ import annotations

import re

_WHITESPACE = re.compile(r"\s+")


def similarity(quote: str, text: str) -> float:
    """How well `quote` matches the passage of `text` that is most like it: 0 to 1, 1 for a verbatim one.

    Whitespace counts as one space. Otherwise the normalised indel similarity of the quote and the best passage of its
    length, `1 - insertions and deletions / (2 * length)`, as `rapidfuzz.fuzz.partial_ratio` computes it: one wrong sign
    in twenty costs a twentieth, wherever it stands and however long the text is. A quote longer than the text is
    compared with the whole of it, so that what was added to the text costs.
    """
    quote, text = _collapsed(quote), _collapsed(text)
    if not quote:
        return 0.0
    if quote in text:
        return 1.0
    from rapidfuzz import fuzz  # most windows are opened before any quote is compared

    compare = fuzz.ratio if len(quote) > len(text) else fuzz.partial_ratio
    return float(compare(quote, text)) / 100


def passage(quote: str, text: str) -> tuple[int, int] | None:
    """Where in `text` the quote stands, begin and end; of an inexact one the passage most like it. None: nowhere."""
    words = quote.split()
    if not words:
        return None
    if exact := re.search(r"\s+".join(map(re.escape, words)), text):
        return exact.span()
    from rapidfuzz import fuzz

    found = fuzz.partial_ratio_alignment(quote, text, score_cutoff=LIKE)
    return None if found is None or len(quote) > len(text) else (found.dest_start, found.dest_end)


LIKE = 60.0
"""Least similarity, in percent, of a passage that is shown as what an inexact quote means."""


def _collapsed(text: str) -> str:
    return _WHITESPACE.sub(" ", text).strip()
