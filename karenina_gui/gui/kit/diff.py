"""Side-by-side comparison of two versions of a text, and a three-way merge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

AROUND = 2
"""Number of equal lines before and after a difference."""
LARGE = 4_000
"""Number of words or lines above which only the common ends are compared: a full comparison takes seconds."""

Piece = tuple[str, bool]
"""Substring, and True if only this version contains it."""


@dataclass(frozen=True)
class DiffRow:
    """Aligned lines of both versions; None if a version has no such line."""

    local: tuple[Piece, ...] | None
    remote: tuple[Piece, ...] | None
    left_out: int = 0
    """Number of equal lines that are omitted here."""


def readable(value: Any) -> str:
    """Format a value as text: one line per item of a list, the values of a record."""
    if isinstance(value, dict):
        return " · ".join(readable(entry) for entry in value.values() if entry not in (None, ""))
    if isinstance(value, list):
        return "\n".join(readable(item) for item in value)
    return "" if value is None else str(value)


def side_by_side(mine: str, theirs: str) -> list[DiffRow]:
    """Align the lines of both versions; long runs of equal lines are omitted and counted."""
    rows: list[DiffRow] = []
    a, b = mine.split("\n"), theirs.split("\n")
    blocks = _opcodes(a, b)
    for index, (tag, i, j, k, m) in enumerate(blocks):
        if tag == "equal":
            rows += _equal(a[i:j], first=index == 0, last=index == len(blocks) - 1)
        else:
            rows += _different(a[i:j], b[k:m])
    return rows


def merge_texts(base: str, mine: str, theirs: str) -> str:
    """Merge both edits of `base`; where both changed the same part, keep both, one after the other.

    Multi-line texts are merged by lines, others by words.
    """
    by_lines = any("\n" in text for text in (base, mine, theirs))
    split = _lines if by_lines else _split_words
    o, a, b = split(base), split(mine), split(theirs)
    return "".join(_merge_pieces(o, a, b, "" if by_lines else " "))


def _merge_pieces(o: list[str], a: list[str], b: list[str], between: str) -> Iterator[str]:
    """Merge along the common blocks of all three texts, as the program diff3 does."""
    at_o = at_a = at_b = 0
    for i, k, m, size in [*_common(o, a, b), (len(o), len(a), len(b), 0)]:
        old, ours, others = o[at_o:i], a[at_a:k], b[at_b:m]
        if ours == others or others == old:
            yield from ours
        elif ours == old:
            yield from others
        else:
            yield from _both(ours, others, between)
        yield from o[i : i + size]
        at_o, at_a, at_b = i + size, k + size, m + size


def _both(ours: list[str], others: list[str], between: str) -> Iterator[str]:
    yield from ours
    if ours and others:
        joint = "" if ours[-1].endswith(("\n", " ")) else between or "\n"
        yield joint
    yield from others


def _common(o: list[str], a: list[str], b: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the common blocks of all three texts: their start in each, and their length."""
    of_a, of_b = _matches(o, a), _matches(o, b)
    ia = ib = 0
    while ia < len(of_a) and ib < len(of_b):
        (i, k, size_a), (j, m, size_b) = of_a[ia], of_b[ib]
        begin, end = max(i, j), min(i + size_a, j + size_b)
        if begin < end:
            yield begin, k + begin - i, m + begin - j, end - begin
        if i + size_a < j + size_b:
            ia += 1
        else:
            ib += 1


def _equal(lines: list[str], *, first: bool, last: bool) -> list[DiffRow]:
    before = 0 if first else AROUND
    after = 0 if last else AROUND
    hidden = len(lines) - before - after
    if hidden < 2:
        return [_same(line) for line in lines]
    end = len(lines) - after
    return [*map(_same, lines[:before]), DiffRow(None, None, hidden), *map(_same, lines[end:])]


def _same(line: str) -> DiffRow:
    return DiffRow(((line, False),), ((line, False),))


def _different(mine: list[str], theirs: list[str]) -> list[DiffRow]:
    rows = []
    for index in range(max(len(mine), len(theirs))):
        if index >= len(theirs):
            rows.append(DiffRow(((mine[index], True),), None))
        elif index >= len(mine):
            rows.append(DiffRow(None, ((theirs[index], True),)))
        else:
            rows.append(_pair(mine[index], theirs[index]))
    return rows


def _pair(mine: str, theirs: str) -> DiffRow:
    a, b = _tokens(mine), _tokens(theirs)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i, j, k, m in _opcodes(a, b):
        if i < j:
            left.append(("".join(a[i:j]), tag != "equal"))
        if k < m:
            right.append(("".join(b[k:m]), tag != "equal"))
    return DiffRow(tuple(left), tuple(right))


def _opcodes(a: Sequence[str], b: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    if len(a) + len(b) > LARGE:
        # `SequenceMatcher` is quadratic in the worst case; `autojunk` would ignore frequent words and mark too much.
        return _ends(a, b)
    return list(SequenceMatcher(None, a, b, autojunk=False).get_opcodes())


def _ends(a: Sequence[str], b: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """Compare the common start and end only; the rest counts as different."""
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    i, k = len(a) - tail, len(b) - tail
    opcodes = [("equal", 0, head, 0, head), ("replace", head, i, head, k), ("equal", i, len(a), k, len(b))]
    return [opcode for opcode in opcodes if opcode[1] < opcode[2] or opcode[3] < opcode[4]]


def _matches(a: list[str], b: list[str]) -> list[tuple[int, int, int]]:
    return [(i, k, j - i) for tag, i, j, k, _ in _opcodes(a, b) if tag == "equal"]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _split_words(text: str) -> list[str]:
    """Split into words, with their punctuation, and white space."""
    return re.findall(r"\S+|\s+", text)


def _tokens(text: str) -> list[str]:
    """Split into words, white space, and single other characters."""
    # Punctuation apart, so that a changed bracket does not mark a whole expression.
    return re.findall(r"\w+|\s+|[^\w\s]", text)
