"""Fuzzy matching of quotes with a text."""

from __future__ import annotations

import re

from karenina_gui.text.canonical import canonical

_WHITESPACE = re.compile(r"\s+")


def similarity(quote: str, text: str) -> float:
    """Match of `quote` with its most similar passage in `text`, from 0 to 1; 1: verbatim.

    Whitespace counts as one space. The value is the normalized indel similarity of the quote and the best passage of
    equal length, `1 - (insertions + deletions) / (2 * length)`, as `rapidfuzz.fuzz.partial_ratio` computes it. One
    wrong character in twenty costs a twentieth, regardless of its position and the length of the text. A quote longer
    than the text is compared with the whole text, so that additions to the text reduce the value.
    """
    quote, text = _collapse_whitespace(canonical(quote)), _collapse_whitespace(canonical(text))
    if not quote:
        return 0.0
    if quote in text:
        return 1.0
    from rapidfuzz import fuzz  # imported late: most windows never compare a quote

    compare = fuzz.ratio if len(quote) > len(text) else fuzz.partial_ratio
    return float(compare(quote, text)) / 100


def passage(quote: str, text: str) -> tuple[int, int] | None:
    """(begin, end) of the quote in `text`, or of the most similar passage. None: not found."""
    tokens = quote.split()
    if not tokens:
        return None
    if exact := re.search(r"\s+".join(map(re.escape, tokens)), text):
        return exact.span()
    from rapidfuzz import fuzz

    alignment = fuzz.partial_ratio_alignment(quote, text, score_cutoff=LIKE)
    return None if alignment is None or len(quote) > len(text) else (alignment.dest_start, alignment.dest_end)


LIKE = 60.0
"""Minimum similarity, in percent, of a passage that is shown for an inexact quote."""


def _collapse_whitespace(text: str) -> str:
    return _WHITESPACE.sub(" ", text).strip()
