"""Starter templates for each kind of answer, with the reference answer filled in if it fits."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent

from karenina_gui.gui.kit.number_text import number_in
from karenina_gui.schemas.primitives.written_dates import written_date
from karenina_gui.schemas.template_placeholders import CHOICE, CLAIM, COUNT, FOUND, ITEMS, NAME, NUMBER, OPEN, OPTIONS


@dataclass(frozen=True)
class Starter:
    title: str
    about: str
    icon: str
    write: Callable[[str], str]
    """Returns the source of a template for a reference answer."""
    in_code: bool = False
    """True if it is written as code, which the form only shows."""


def _one_field(name: str, kind: str, description: str, comparison: str) -> Callable[[str], str]:
    def write(expected: str) -> str:
        return _source(f"""
            class Answer(BaseAnswer):
                {name}: {kind} = VerifiedField(
                    description={description!r},
                    ground_truth={expected},
                    verify_with={comparison},
                )
        """)

    return write


_YES_NO = _one_field("claim", "bool", CLAIM, "BooleanMatch()")
_NUMBER = _one_field("value", "float", NUMBER, 'NumericTolerance(tolerance=0.05, mode="relative")')
_WHOLE_NUMBER = _one_field("value", "float", COUNT, "NumericExact()")
_TEXT = _one_field("name", "str", NAME, 'ExactMatch(normalize=["lowercase", "strip"])')
_LIST = _one_field("items", "list[str]", ITEMS, 'SetContainment(mode="exact")')
_DATE = _one_field("date", "str", "The date that the answer gives, as YYYY-MM-DD.", "DateMatch()")


def _claim(answer: str) -> str:
    return _YES_NO(_yes_or_no(answer))


def _amount(answer: str) -> str:
    """A count or a year is right or wrong; with a unit or decimals, a number is a measurement."""
    counts = _IS_COUNT.fullmatch(answer.strip().rstrip("."))
    return (_WHOLE_NUMBER if counts else _NUMBER)(_number(answer))


_IS_COUNT = re.compile(r"[-\N{MINUS SIGN}+]?(?:\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:[\s'’]\d{3})+)")


def _choice(_answer: str) -> str:
    options = ", ".join(f'"{option}"' for option in (*OPTIONS, "neither"))
    return _one_field("choice", f"Literal[{options}]", CHOICE, "LiteralMatch()")(repr(OPEN))


def _pattern(answer: str) -> str:
    name = _name(answer)
    pattern = "(?i)" + re.escape(name).replace("\\ ", " ")
    if name != OPEN:
        pattern = rf"(?i)(?<!\w){pattern[4:]}(?!\w)"  # whole words: "E" is in nearly every answer
    return _source(f"""
        class Answer(BaseAnswer):
            named: bool = VerifiedField(
                description="The answer names what is right.",
                ground_truth=True,
                verify_with=TraceRegex(pattern={pattern!r}),
            )
    """)


def _hand_written(answer: str) -> str:
    return _source(f"""
        class Answer(BaseAnswer):
            found: str = Field(description={FOUND!r})

            def ground_truth(self):
                self.correct = {{"found": {_name(answer)!r}}}

            def verify(self) -> bool:
                return self.found.strip().lower() == self.correct["found"].lower()
    """)


STARTERS: tuple[Starter, ...] = (
    Starter("Yes or no", "A claim the answer makes or doesn’t make", "toggle_on", _claim),
    Starter("Number", "A measured value or a count", "pin", _amount),
    Starter("Text", "A name or term; case is ignored", "text_fields", lambda a: _TEXT(repr(_name(a)))),
    Starter("List", "Several items, in any order", "format_list_bulleted", lambda a: _LIST(repr(_items(a)))),
    Starter("Date", "A date, in any format", "event", lambda a: _DATE(repr(_date(a)))),
    Starter("Choice", "One of several options", "radio_button_checked", _choice),
    Starter("Pattern only", "Words the answer must contain; no judge", "manage_search", _pattern),
    Starter("Custom code", "Your own Python rule", "code", _hand_written, in_code=True),
)


def starter_for(answer: str) -> Starter | None:
    """Return the starter that fits a reference answer, or None if it is a sentence."""
    text = answer.strip().rstrip(".")
    if (_IS_YES.match(text) or _IS_NO.match(text)) and not _is_both(text):
        return BY_TITLE["Yes or no"]
    if written_date(text) or _IS_DATE.fullmatch(text):
        return BY_TITLE["Date"]
    if _IS_NUMBER.match(text) and (_number(text) != repr(OPEN) or _is_ambiguous(text)):
        return BY_TITLE["Number"]
    items = _items(text)
    if len(items) > 1:
        return BY_TITLE["List"]
    return BY_TITLE["Text"] if _name(text) == text else None


def _one_of(alternatives: str) -> re.Pattern[str]:
    """Pattern of an answer that is one of these words (`a|b`), alone or before a punctuation mark."""
    return re.compile(rf"\s*(?:{alternatives})\b(?:\s*[,;:.!].*)?$", re.IGNORECASE | re.DOTALL)


_YES = "yes|true|ja|wahr|oui|vrai|sí|sì|sim"
_NO = "no|false|nein|falsch|non|faux|nee|não"
_IS_YES, _IS_NO = _one_of(_YES), _one_of(_NO)
_IS_YES_AND_NO = re.compile(rf"\W*(?=.*\b(?:{_YES})\b)(?=.*\b(?:{_NO})\b)(?:\b(?:{_YES}|{_NO})\b\W*)+", re.I | re.S)


def _is_both(text: str) -> bool:
    """True if it says yes and no and nothing else, as `Ja,\\nnein`."""
    return _IS_YES_AND_NO.fullmatch(text) is not None


DIGITS = r"(?:\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d+)?(?!\d)|\d(?:[\d.,]*\d)?)"
_IS_NUMBER = re.compile(
    rf"[-\N{{MINUS SIGN}}+~≈]?\s*{DIGITS}[.,]?(?:[eE][-+]?\d+)?\s*(?:%|[^\W\d_][\w/%.°µ-]{{0,9}}|°\w?)?$"
)
"""A number, at most with its unit."""
_IS_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}([-/.])\d{1,2}\1\d{4}")
"""A date, even if its day may be its month."""

BY_TITLE = {starter.title: starter for starter in STARTERS}


def _source(text: str) -> str:
    return dedent(text).strip() + "\n"


def _yes_or_no(answer: str) -> str:
    """Return the expected value as source. A negation after the first word leaves it open."""
    if _is_both(answer):
        return repr(OPEN)
    if _IS_NO.match(answer) or re.match(r"\s*(?:no|not|never|false)\b", answer, re.IGNORECASE):
        return "False"
    begins_with_yes = re.match(r"\s*(?:yes|true)\b", answer, re.IGNORECASE)
    return "True" if begins_with_yes or not _NEGATION.search(answer) else repr(OPEN)


_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|cannot|without|\w+n[’']t)\b", re.IGNORECASE)


def _number(answer: str) -> str:
    """Return the first number as source, if it has only one interpretation."""
    try:
        value = _first_number(answer)
    except ValueError:
        value = None
    return repr(OPEN) if value is None else str(value)


def _is_ambiguous(answer: str) -> bool:
    """True if the first number may be either of two, as 1,234: the author has to say which."""
    try:
        _first_number(answer)
    except ValueError:
        return True
    return False


def _first_number(answer: str) -> int | float | None:
    """The first number, or None. Raises ValueError if it is ambiguous or too large."""
    digits = _NUMBER_IN_TEXT.search(answer)
    return None if digits is None or _CONTINUATION.match(answer, digits.end()) else number_in(digits[0])


_NUMBER_IN_TEXT = re.compile(rf"[-\N{{MINUS SIGN}}+]?{DIGITS}(?:[eE][-+]?\d+)?")


_CONTINUATION = re.compile(r"\s*(?:\^|/|[-\N{EN DASH}\N{EM DASH}]\s*\d|[x×*·]\s*10|(?:to|or|and)\s+\d)")
"""Continuation of a power, a fraction, a range or a date: the number before it is not the whole value."""


def _name(answer: str) -> str:
    """Return the first clause if it is a name: hardly any answer contains a whole sentence to the letter.

    A period ends it only after a word of three or more letters, as shorter ones are often abbreviations (E. coli).
    """
    clause = _CLAUSE_END.split(answer.strip(), maxsplit=1)[0].strip().removesuffix(".")
    return clause if clause and _is_short(clause.split()) else OPEN


_CLAUSE_END = re.compile(r"\n|;\s|\s\(|(?<=[^\W\d_]{3})\.\s+(?=[A-Z])|(?<=\w)[.]\s*$")


def _items(answer: str) -> list[str]:
    """Return the items of a list. A sentence is not a list, even if it has commas."""
    text = answer.strip().rstrip(".")
    # Items separated by semicolons or lines may contain commas themselves.
    apart = re.split(r";|\n", text) if re.search(r"[;\n]", text) else re.split(r",\s+(?:and\s+)?|\s+and\s+", text)
    items = [item.lower() for part in apart if (item := re.sub(r"^\s*[-*•]\s+", "", part).strip())]
    return items if items and all(_is_name(item) for item in items) else [OPEN]


def _is_name(item: str) -> bool:
    """Return True if the words are a name rather than a clause."""
    return _is_short(item.split()) and not re.search(r"[.:!?]\s", item)


def _is_short(tokens: list[str]) -> bool:
    clause = len(tokens) > 1 and _CLAUSE.fullmatch(tokens[0])  # alone it is a name: vitamin A, blood group A
    return len(tokens) <= LONGEST_NAME and not clause


LONGEST_NAME = 4
"""Maximum number of words of a name."""
_CLAUSE = re.compile(
    "(?:an?|the|it|they|this|that|those|these|which|who|while|when|because|but|so|as|by|in|is|are|was|were|then)"
)
"""Words that begin a clause."""


def _date(answer: str) -> str:
    if day := written_date(answer.strip().rstrip(".")):
        return day.date().isoformat()
    match = re.search(r"\d{4}-\d{2}-\d{2}", answer)
    return match[0] if match else OPEN
