"""What justifies a field or a trait: passages of a report that name it, places where its value stands, files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal

Kind = Literal["report", "answer", "said", "result"]
"""The last word of an investigation, that of the answering model, whatever else a model said, a tool's result."""

Ground = Literal["name", "whole", "value"]
"""It names the subject, it is the whole report (which is about nothing else), or the value stands there."""

MOST_PLACES = 12
MOST_OF_A_PIECE = 3
"""Places with the value that one piece gives at most."""
MOST_FILES = 12
LONGEST = 1500
"""Characters of a passage."""
SHORTEST_TEXT = 3
FEWEST_DIGITS = 3
"""Signs of a value that can be looked for by itself: `mg` or `12` stand anywhere."""


@dataclass(frozen=True)
class Piece:
    """A stretch of a trace, as its reader sees it."""

    trace: str
    """Name of the trace."""
    message: int
    """Number of the message, from 1."""
    key: str
    """Which part of the message."""
    kind: Kind
    text: str

    @cached_property
    def numbers(self) -> list[tuple[float, int, int]]:
        """(number, begin, end) of all that stand in it; `1,204` is one number or two."""
        found = chain(_NUMBER.finditer(self.text), _IN_THOUSANDS.finditer(self.text))
        return [(float(m[0].replace(",", "")), *m.span()) for m in found]


@dataclass(frozen=True, slots=True)
class Place:
    """A passage of a piece."""

    piece: Piece
    begin: int
    end: int
    ground: Ground

    @property
    def text(self) -> str:
        return self.piece.text[self.begin : self.end]


@dataclass(frozen=True, slots=True)
class FileMention:
    """A file that a passage names."""

    path: str
    """As the workspace has it, where it is one of the known files."""
    first: int | None
    last: int | None
    """Lines, from 1; None: none are named."""
    known: bool
    """Whether it is one of the known files."""


@dataclass(frozen=True, slots=True)
class Justification:
    """Places and files in order of weight; `note` says in a sentence what was not found, None: nothing is missing."""

    places: tuple[Place, ...]
    files: tuple[FileMention, ...]
    note: str | None


def justify(
    name: str,
    value: Any,
    pieces: Sequence[Piece],
    *,
    kind: str = "field",
    others: Collection[str] = (),
    files: Collection[str] = (),
    alone: bool = False,
) -> Justification:
    """What in the pieces, which stand in order of weight, justifies this value.

    `kind`: how a reader calls the subject. `others`: names of further subjects of the same report; where one of them
    is spoken of, a passage ends. `files`: paths of the known files. `alone`: the report is about nothing else.
    """
    reports = [piece for piece in pieces if piece.kind == "report"]
    named = [place for piece in reports for place in _by_name(name, piece, others)]
    whole = [Place(piece, 0, len(piece.text), "whole") for piece in reports] if alone and not named else []
    ordered = [*reports, *(piece for piece in pieces if piece.kind != "report")]
    valued = [
        place
        for piece in ordered
        for place in _by_value(value, piece)
        if not any(_within(place, each) for each in named)
    ]
    found = [*named, *whole, *valued]
    mentions = chain.from_iterable(file_mentions(place.text, files) for place in [*named, *whole])
    return Justification(
        tuple(found[:MOST_PLACES]),
        tuple(_distinct(mentions))[:MOST_FILES],
        _note(kind, value, reports=bool(reports), named=bool(named or whole), valued=bool(valued)),
    )


def file_mentions(text: str, files: Collection[str] = ()) -> Iterator[FileMention]:
    """Files that a text names, in its order, with the lines it gives: `notes.csv:12`, `line 12 of notes.csv`.

    A file that is not among the known ones counts where a line of it is given, or where it stands below `/workspace`.
    """
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, FileMention]] = []
    for match in _candidates(text, files):
        begin, end = match.span()
        if any(begin < last and first < end for first, last in taken):
            continue
        path, known = _resolved(match["path"], files)
        lines = _lines(text, match)
        if known or lines or match[0].startswith("/workspace/"):
            taken.append((begin, end))
            first, last = lines or (None, None)
            found.append((begin, FileMention(path, first, last, known)))
    return (mention for _, mention in sorted(found, key=lambda each: each[0]))


_PREFIX = r"^[ \t#>*+\-|\d.()\[\]`'\"_]{0,24}(?:(?:field|trait|criterion)[ \t:`*_'\"]{1,6})?"
_SUFFIX = r"(?!\w)[`*_'\"\])]{0,6}[ \t]*(?:\([^()\n]{0,60}\))?[`*_ \t]{0,6}(?::|=|\||[–—]|-[ \t]|$)"
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t]*(?=\n)")
_BULLET = re.compile(r"^([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?(?!\w|\.\d)")
_IN_THOUSANDS = re.compile(r"(?<![\w.,])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w|[.,]\d)")
_FILE = re.compile(
    r"(?<![\w./-])(?:/workspace/|\./)?(?P<path>(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7})(?![\w/-])"
)
_COLON = re.compile(r"(?::|#L)(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?(?!\d)")
_AFTER = re.compile(
    r"[`'\")\]*_]{0,4},?\s{0,2}[(\[]?(?:at |on |in )?(?:lines?|L)\s{0,2}"
    r"(\d{1,7})(?:\s{0,2}(?:-|–|to|and)\s{0,2}(\d{1,7}))?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\blines?\s{1,2}(\d{1,7})(?:\s{0,2}(?:-|–|to|and)\s{0,2}(\d{1,7}))?\s{1,2}(?:of|in|from)\s{1,2}"
    r"(?:the\s{1,2})?(?:file\s{1,2})?[`'\"*_]{0,3}$",
    re.IGNORECASE,
)


def _by_name(name: str, piece: Piece, others: Collection[str]) -> list[Place]:
    """Passages under the name; where there are none, the lines in which it stands."""
    text, heads = piece.text, list(_heads(name, piece.text))
    if not heads:
        return [
            Place(piece, *_trimmed(text, m.start(), _line_end(text, m.end())), "name") for m in _lines_with(name, text)
        ]
    stops = sorted(m.start() for other in {*others, name} for m in _heads(other, text))
    spans: list[tuple[int, int]] = []
    for head in heads:
        if not spans or head.start() >= spans[-1][1]:
            spans.append(_trimmed(text, head.start(), _section_end(text, head, stops)))
    return [Place(piece, begin, end, "name") for begin, end in spans]


def _heads(name: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(_PREFIX + _words(name) + _SUFFIX, text, re.MULTILINE | re.IGNORECASE)


def _lines_with(name: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"^[^\n]*?(?<!\w){_words(name)}(?!\w)", text, re.MULTILINE | re.IGNORECASE)


def _words(name: str) -> str:
    """A pattern for the name, also with other signs between its words: `dose_mg` as `dose mg`."""
    return r"[ \t_-]".join(map(re.escape, filter(None, re.split(r"[\s_-]+", name)))) or re.escape(name)


def _section_end(text: str, head: re.Match[str], stops: Sequence[int]) -> int:
    begin, line_end = head.start(), _line_end(text, head.end())
    first = text[begin:line_end].lstrip()
    ends = [begin + LONGEST, *(stop for stop in stops if stop >= line_end)]
    if first.startswith("|"):
        return line_end
    if first.startswith("#"):
        level = len(first) - len(first.lstrip("#"))
        ends += [m.start() for m in _HEADING.finditer(text, line_end) if len(m[0].strip()) <= level][:1]
    else:
        alone = not text[head.end() : line_end].strip(" \t*_`")
        after = _BLANK.search(text, line_end)
        if alone and after and after.start() == line_end:
            after = _BLANK.search(text, after.end() + 1)
        between = alone and len(ends) > 1  # what stands between two names as headings belongs to the first
        ends += [after.start()] if after and not between else []
        ends += [m.start() for m in _HEADING.finditer(text, line_end)][:1]
        if bullet := _BULLET.match(text, begin):
            depth = len(bullet[1])
            ends += [m.start() for m in _BULLET.finditer(text, line_end) if len(m[1]) <= depth][:1]
    return min(len(text), *ends)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    """Without the spaces at both ends, and no longer than a passage may be."""
    piece = text[begin : min(end, begin + LONGEST)]
    return begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())


def _by_value(value: Any, piece: Piece) -> list[Place]:
    spans = sorted({span for each in _leaves(value) for span in _standing(each, piece)})
    return [Place(piece, begin, end, "value") for begin, end in spans[:MOST_OF_A_PIECE]]


def _leaves(value: Any) -> list[Any]:
    """The single values of which it is made, those that can be looked for by themselves."""
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, list | tuple | set):
        return [leaf for each in value for leaf in _leaves(each)]
    if isinstance(value, str):
        return [value] if len(value.strip()) >= SHORTEST_TEXT else []
    if isinstance(value, int | float) and not isinstance(value, bool):
        digits = re.sub(r"e.*|\D", "", f"{value:.15g}" if isinstance(value, float) else str(value))
        return [value] if len(digits.strip("0")) and len(digits.lstrip("0")) >= FEWEST_DIGITS else []
    return []


def _standing(value: Any, piece: Piece) -> Iterator[tuple[int, int]]:
    if isinstance(value, str):
        wanted = r"\s+".join(map(re.escape, value.split()))
        return (m.span() for m in re.finditer(rf"(?<!\w){wanted}(?!\w)", piece.text, re.IGNORECASE))
    return ((begin, end) for number, begin, end in piece.numbers if number == value)


def _within(place: Place, other: Place) -> bool:
    return place.piece is other.piece and other.begin <= place.begin and place.end <= other.end


def _note(kind: str, value: Any, *, reports: bool, named: bool, valued: bool) -> str | None:
    if named:
        return None
    first = (
        f"The report says nothing of this {kind} by name." if reports
        else f"No report is there that could speak of this {kind}."
    )  # fmt: skip
    if valued:
        return f"{first} What follows is where its value stands."
    if value is None:
        return f"{first} It has no value either."
    if isinstance(value, bool):
        return f"{first} A yes or no cannot be looked for by itself."
    if not _leaves(value):
        return f"{first} Its value is too short to be looked for by itself."
    return f"{first} Its value stands nowhere in the traces."


def _candidates(text: str, files: Collection[str]) -> Iterator[re.Match[str]]:
    """Known files first, so that names with spaces or without an ending are found whole."""
    for path in sorted(files, key=len, reverse=True):
        if path in text:
            yield from re.finditer(rf"(?<![\w./-])(?:/workspace/|\./)?(?P<path>{re.escape(path)})(?![\w/-])", text)
    yield from _FILE.finditer(text)


def _resolved(path: str, files: Collection[str]) -> tuple[str, bool]:
    """The known file that is meant: the path itself, or the only one that ends so."""
    if path in files:
        return path, True
    ending = [each for each in files if each.endswith(f"/{path}")]
    return (ending[0], True) if len(ending) == 1 else (path, False)


def _lines(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """The lines that the words around a file name give."""
    found = (
        _COLON.match(text, match.end())
        or _AFTER.match(text, match.end())
        or _BEFORE.search(text[max(0, match.start() - 60) : match.start()])
    )
    if found is None:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return first, max(first, last)


def _distinct(mentions: Iterator[FileMention]) -> list[FileMention]:
    """Each once; a file without lines only where it is never named with lines."""
    each = list(dict.fromkeys(mentions))
    with_lines = {mention.path for mention in each if mention.first is not None}
    return [mention for mention in each if mention.first is not None or mention.path not in with_lines]
