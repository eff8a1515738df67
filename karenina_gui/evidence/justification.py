"""Support for the value of a field or trait: passages of reports, occurrences of the value, and files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal

Kind = Literal["report", "answer", "said", "result"]
"""Final message of an investigation, of the answering model, another message, or a tool result."""

Ground = Literal["name", "whole", "value"]
"""The passage names the subject, is a whole report about it alone, or contains its value."""

MOST_PLACES = 12
MOST_OF_A_PIECE = 3
"""Maximum occurrences of a value taken from one piece."""
MOST_FILES = 12
LONGEST = 1500
"""Maximum characters of a passage."""
SHORTEST_TEXT = 3
FEWEST_DIGITS = 3
"""Minimum length of a value that is searched for: `mg` or `12` occur anywhere."""


@dataclass(frozen=True)
class Piece:
    """Part of a trace, with the text that the user sees."""

    trace: str
    """Name of the trace."""
    message: int
    """Number of the message, from 1."""
    key: str
    """Part of the message."""
    kind: Kind
    text: str

    @cached_property
    def numbers(self) -> list[tuple[float, int, int]]:
        """(number, begin, end) of all numbers. `1,204` counts as one number and as two."""
        matches = chain(_NUMBER.finditer(self.text), _IN_THOUSANDS.finditer(self.text))
        return [(float(m[0].replace(",", "")), *m.span()) for m in matches]


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """Passage of a piece."""

    piece: Piece
    begin: int
    end: int
    ground: Ground

    @property
    def text(self) -> str:
        return self.piece.text[self.begin : self.end]


@dataclass(frozen=True, slots=True)
class FileMention:
    """File named by a passage."""

    path: str
    """Path; relative to the workspace if it is a known file."""
    first: int | None
    last: int | None
    """Line numbers from 1; None: no lines are named."""
    exists: bool
    """True if it is one of the known files."""


@dataclass(frozen=True, slots=True)
class Justification:
    """Support for a value, most important first. `note`: what was not found, as a sentence; None: nothing."""

    places: tuple[PassagePlace, ...]
    files: tuple[FileMention, ...]
    note: str | None


@dataclass(frozen=True)
class Subject:
    """Field or trait whose value is to be supported."""

    name: str
    kind: str = "field"
    """Noun for it in messages."""
    others: Collection[str] = ()
    """Names of the other subjects of the same report. A passage ends where it names one of them."""
    alone: bool = False
    """True: the report is about nothing else."""


def justify(subject: Subject, value: Any, pieces: Sequence[Piece], *, files: Collection[str] = ()) -> Justification:
    """Support for this value in the pieces, which are in order of importance. `files`: paths of known files."""
    reports = [piece for piece in pieces if piece.kind == "report"]
    named = _by_report(subject, reports)
    others = [piece for piece in pieces if piece.kind != "report"]
    valued = _outside(named, [passage for piece in [*reports, *others] for passage in _by_value(value, piece)])
    mentions = chain.from_iterable(file_mentions(passage.text, files) for passage in named)
    return Justification(
        (*named, *valued)[:MOST_PLACES],
        tuple(_distinct(mentions))[:MOST_FILES],
        _note(subject.kind, value, reports=bool(reports), named=bool(named), valued=bool(valued)),
    )


def _by_report(subject: Subject, reports: Sequence[Piece]) -> list[PassagePlace]:
    """Passages that name the subject, or whole reports that are about it alone."""
    named = [passage for piece in reports for passage in _by_name(subject.name, piece, subject.others)]
    if named or not subject.alone:
        return named
    return [PassagePlace(piece, 0, len(piece.text), "whole") for piece in reports]


def _outside(named: Sequence[PassagePlace], places: Sequence[PassagePlace]) -> list[PassagePlace]:
    """Places that are not part of a passage by name, which shows them already."""
    passages = [passage for passage in named if passage.ground == "name"]
    return [passage for passage in places if not any(_within(passage, by_name) for by_name in passages)]


def file_mentions(text: str, files: Collection[str] = ()) -> Iterator[FileMention]:
    """Files named by a text, in its order, with line numbers: `notes.csv:12`, `line 12 of notes.csv`.

    An unknown file counts only if one of its lines is named or if it is below `/workspace`.
    """
    taken: list[tuple[int, int]] = []
    mentions: list[tuple[int, FileMention]] = []
    for match in _candidates(text, files):
        begin, end = match.span()
        if any(begin < last and first < end for first, last in taken):
            continue
        path, exists = _resolve(match["path"], files)
        lines = _lines(text, match)
        if exists or lines or match[0].startswith("/workspace/"):
            taken.append((begin, end))
            first, last = lines or (None, None)
            mentions.append((begin, FileMention(path, first, last, exists)))
    return (mention for _, mention in sorted(mentions, key=lambda mention: mention[0]))


# Most repetitions below are bounded, so that no report can make a pattern backtrack for long.
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


def _by_name(name: str, piece: Piece, others: Collection[str]) -> list[PassagePlace]:
    """Passages under headings with the name; if there are none, lines that contain the name."""
    text, heads = piece.text, list(_heads(name, piece.text))
    if not heads:
        return [
            PassagePlace(piece, *_trim(text, m.start(), _line_end(text, m.end())), "name")
            for m in _lines_with(name, text)
        ]
    stops = sorted(m.start() for other in {*others, name} for m in _heads(other, text))
    spans: list[tuple[int, int]] = []
    for head in heads:
        if not spans or head.start() >= spans[-1][1]:
            spans.append(_trim(text, head.start(), _section_end(text, head, stops)))
    return [PassagePlace(piece, begin, end, "name") for begin, end in spans]


def _heads(name: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(_PREFIX + _name_pattern(name) + _SUFFIX, text, re.MULTILINE | re.IGNORECASE)


def _lines_with(name: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"^[^\n]*?(?<!\w){_name_pattern(name)}(?!\w)", text, re.MULTILINE | re.IGNORECASE)


def _name_pattern(name: str) -> str:
    """Pattern for the name, with any separators between its words: “dose_mg” matches “dose mg”."""
    return r"[ \t_-]".join(map(re.escape, filter(None, re.split(r"[\s_-]+", name)))) or re.escape(name)


def _section_end(text: str, head: re.Match[str], stops: Sequence[int]) -> int:
    """End of the passage that begins with a name: a table row, a section, or a paragraph."""
    begin, line_end = head.start(), _line_end(text, head.end())
    first = text[begin:line_end].lstrip()
    if first.startswith("|"):
        return line_end
    later = [stop for stop in stops if stop >= line_end]
    if first.startswith("#"):
        level = len(first) - len(first.lstrip("#"))
        ends = [m.start() for m in _HEADING.finditer(text, line_end) if len(m[0].strip()) <= level][:1]
    else:
        ends = _paragraph_ends(text, head, line_end, before_other=bool(later))
    return min(len(text), begin + LONGEST, *later, *ends)


def _paragraph_ends(text: str, head: re.Match[str], line_end: int, *, before_other: bool) -> list[int]:
    """Possible ends of a paragraph or list item. `before_other`: another name follows."""
    alone = not text[head.end() : line_end].strip(" \t*_`")
    after = _BLANK.search(text, line_end)
    if alone and after and after.start() == line_end:
        after = _BLANK.search(text, after.end() + 1)
    # Names on lines of their own act as headings: all text up to the next name belongs to the first.
    ends = [after.start()] if after and not (alone and before_other) else []
    ends += [m.start() for m in _HEADING.finditer(text, line_end)][:1]
    return ends + _next_items(text, head.start(), line_end)


def _next_items(text: str, begin: int, line_end: int) -> list[int]:
    """Start of the next list item on the same level or above; empty if the text at `begin` is no list item."""
    bullet = _BULLET.match(text, begin)
    if bullet is None:
        return []
    depth = len(bullet[1])
    return [m.start() for m in _BULLET.finditer(text, line_end) if len(m[1]) <= depth][:1]


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _trim(text: str, begin: int, end: int) -> tuple[int, int]:
    """Bounds without surrounding whitespace, at most `LONGEST` characters apart."""
    piece = text[begin : min(end, begin + LONGEST)]
    return begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())


def _by_value(value: Any, piece: Piece) -> list[PassagePlace]:
    spans = sorted({span for leaf in _leaves(value) for span in _occurrences(leaf, piece)})
    return [PassagePlace(piece, begin, end, "value") for begin, end in spans[:MOST_OF_A_PIECE]]


def _leaves(value: Any) -> list[Any]:
    """Scalar values in a value that are long enough to be searched for."""
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)]
    if isinstance(value, list | tuple | set):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [value] if _is_long_enough(value) else []


def _is_long_enough(value: Any) -> bool:
    if isinstance(value, str):
        return len(value.strip()) >= SHORTEST_TEXT
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    digits = re.sub(r"e.*|\D", "", f"{value:.15g}" if isinstance(value, float) else str(value))
    return bool(digits.strip("0")) and len(digits.lstrip("0")) >= FEWEST_DIGITS


def _occurrences(value: Any, piece: Piece) -> Iterator[tuple[int, int]]:
    if isinstance(value, str):
        pattern = r"\s+".join(map(re.escape, value.split()))
        return (m.span() for m in re.finditer(rf"(?<!\w){pattern}(?!\w)", piece.text, re.IGNORECASE))
    return ((begin, end) for number, begin, end in piece.numbers if number == value)


def _within(inner: PassagePlace, outer: PassagePlace) -> bool:
    return inner.piece is outer.piece and outer.begin <= inner.begin and inner.end <= outer.end


_NO_MENTION = "The report doesn’t mention this {} by name."
_NO_REPORT = "There is no report that could mention this {}."


def _note(kind: str, value: Any, *, reports: bool, named: bool, valued: bool) -> str | None:
    if named:
        return None
    first = (_NO_MENTION if reports else _NO_REPORT).format(kind)
    if valued:
        return f"{first} The passages below contain its value."
    if value is None:
        return f"{first} It has no value either."
    if isinstance(value, bool):
        return f"{first} A yes or no can’t be searched for."
    if not _leaves(value):
        return f"{first} Its value is too short to search for."
    return f"{first} The traces don’t contain its value."


def _candidates(text: str, files: Collection[str]) -> Iterator[re.Match[str]]:
    """Matches of file names, known files first."""
    # Longest first, so that names with spaces or without a suffix match completely.
    for path in sorted(files, key=len, reverse=True):
        if path in text:
            yield from re.finditer(rf"(?<![\w./-])(?:/workspace/|\./)?(?P<path>{re.escape(path)})(?![\w/-])", text)
    yield from _FILE.finditer(text)


def _resolve(path: str, files: Collection[str]) -> tuple[str, bool]:
    """The known file with this path, or the only one whose path ends with it."""
    if path in files:
        return path, True
    ending = [file for file in files if file.endswith(f"/{path}")]
    return (ending[0], True) if len(ending) == 1 else (path, False)


def _lines(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Line numbers next to a file name; None: none are given."""
    numbers = (
        _COLON.match(text, match.end())
        or _AFTER.match(text, match.end())
        or _BEFORE.search(text[max(0, match.start() - 60) : match.start()])
    )
    if numbers is None:
        return None
    first, last = int(numbers[1]), int(numbers[2] or numbers[1])
    # Some reports name a range backwards.
    return first, max(first, last)


def _distinct(mentions: Iterator[FileMention]) -> list[FileMention]:
    """Mentions without repetitions, and without mentions lacking lines if the same file has one with lines."""
    unique = list(dict.fromkeys(mentions))
    with_lines = {mention.path for mention in unique if mention.first is not None}
    return [mention for mention in unique if mention.first is not None or mention.path not in with_lines]
