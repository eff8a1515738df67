"""Kinds of template fields in the form: their types, comparisons, and values as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from karenina_gui.authoring.template_form import Call, CodeField, CodeValue, write_value
from karenina_gui.gui.kit.number_text import number_in
from karenina_gui.schemas.template_placeholders import CHOICE, CLAIM, COUNT, ITEMS, NAME, NUMBER, OPEN


@dataclass(frozen=True)
class FieldKind:
    """A kind of field, with what a new field of it has."""

    key: str
    title: str
    annotation: str
    """Empty: the kind has no type of its own."""
    name: str
    description: str
    expected: Any
    comparison: Call
    comparisons: Sequence[str]
    """Comparisons that the form offers for the kind."""


def choice_annotation(choices: Sequence[str]) -> str:
    return f"Literal[{', '.join(map(write_value, choices or [OPEN]))}]"


_CHOICES = ("first", "second", "neither")
"""Choices of a new field, for the author to replace."""
_RELATIVE = {"tolerance": 0.05, "mode": "relative"}
_TEXTS = ("ExactMatch", "ContainsAny", "ContainsAll", "RegexMatch", "LiteralMatch")
_NUMBERS = (
    "NumericTolerance",
    "NumericExact",
    "NumericRange",
    "NumericMinimum",
    "NumericMaximum",
    "NumericGraded",
    "NumericRangeGraded",
    "NumericThresholdGraded",
)
_DATES = ("DateMatch", "DateTolerance", "DateRange")
_TRACES = ("TraceContains", "TraceRegex", "TraceLength")
_DATE = "The date that the answer gives, as YYYY-MM-DD."
_TRACE = "Checked in the whole answer, or the full trace of an agent, without a judge."

KINDS: tuple[FieldKind, ...] = (
    FieldKind(
        "text", "Text", "str", "name", NAME, OPEN, Call("ExactMatch", {"normalize": ["lowercase", "strip"]}), _TEXTS
    ),
    FieldKind("number", "Number", "float", "value", NUMBER, OPEN, Call("NumericTolerance", _RELATIVE), _NUMBERS),
    FieldKind("whole_number", "Whole number", "int", "count", COUNT, OPEN, Call("NumericExact"), _NUMBERS),
    FieldKind("yes_no", "Yes or no", "bool", "claim", CLAIM, OPEN, Call("BooleanMatch"), ("BooleanMatch",)),
    FieldKind(
        "choice",
        "Choice",
        choice_annotation(_CHOICES),
        "choice",
        CHOICE,
        OPEN,
        Call("LiteralMatch"),
        ("LiteralMatch", "ExactMatch"),
    ),
    FieldKind(
        "list",
        "List",
        "list[str]",
        "items",
        ITEMS,
        [OPEN],
        Call("SetContainment", {"mode": "exact"}),
        ("SetContainment", "OrderedMatch"),
    ),
    FieldKind("date", "Date", "str", "date", _DATE, OPEN, Call("DateMatch"), _DATES),
    FieldKind(
        "trace",
        "Words in the answer",
        "bool",
        "named",
        _TRACE,
        True,
        Call("TraceContains", {"substring": OPEN}),
        _TRACES,
    ),
)
"""Kinds that the form offers, in this order."""

_BY_KEY = {kind.key: kind for kind in KINDS}
_BY_ANNOTATION = {kind.annotation: kind.key for kind in reversed(KINDS) if kind.key not in ("date", "trace")}


def kind_of(field: CodeField) -> FieldKind | None:
    """Kind of a field; None: its type is not one of the form."""
    comparison = field.comparison.name if isinstance(field.comparison, Call) else ""
    return _BY_KEY["choice"] if field.choices is not None else kind_of_type(field.type, comparison)


def kind_of_type(type_name: str, comparison: str) -> FieldKind | None:
    """Kind of a field by its type as code and the name of its comparison; None: not one of the form."""
    optional = _OPTIONAL.fullmatch(type_name)
    # The judge may leave such a field open; otherwise it is like any other.
    annotation = (optional[1] or optional[2]).strip() if optional else type_name
    if annotation == "str" and comparison in _DATES:
        return _BY_KEY["date"]
    if annotation == "bool" and comparison in _TRACES:
        return _BY_KEY["trace"]
    key = "choice" if annotation.startswith("Literal[") else _BY_ANNOTATION.get(annotation)
    return None if key is None else _BY_KEY[key]


_OPTIONAL = re.compile(r"Optional\[(\w+(?:\[\w+\])?)\]|(\w+(?:\[\w+\])?)\s*\|\s*None")


def kind_named(key: str) -> FieldKind:
    return _BY_KEY[key]


def expected_text(kind: FieldKind | None, value: Any) -> str:
    """Expected value as its control shows it; a placeholder is shown as nothing."""
    if value is None or value in (OPEN, [OPEN]):
        return ""
    if kind is not None and kind.key in ("yes_no", "trace") and isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return value if isinstance(value, str) else write_value(value)


def expected_value(kind: FieldKind, text: str) -> Any:
    """Value of a control's text.

    Text that is not a number is kept as it is, and empty text becomes a placeholder: the check of the template reports
    both.
    """
    if kind.key == "list":
        return lines_of(text) or [OPEN]
    if not text.strip():
        return OPEN
    if kind.key in ("yes_no", "trace"):
        return {"yes": True, "no": False}.get(text, text)
    if kind.key in ("number", "whole_number"):
        return number_or_text(text)
    return text.strip()


def convert_expected(field: CodeField, kind: FieldKind) -> Any:
    """The field's expected value for another kind; text that does not fit stays, so that nothing is lost."""
    value, before = field.expected, kind_of(field)
    if is_locked(value) or value in (None, OPEN, [OPEN]) or kind.key == "trace" or (before and before.key == "trace"):
        return kind.expected
    text = ", ".join(value) if isinstance(value, list) and kind.key != "list" else expected_text(before, value)
    return expected_value(kind, text)


def annotation_with(kind: FieldKind, expected: Any) -> str:
    """The kind's type. A choice offers the expected value: any other could not be shown, nor pass."""
    if kind.key != "choice" or not isinstance(expected, str) or expected == OPEN:
        return kind.annotation
    return choice_annotation([expected, *(choice for choice in _CHOICES[1:] if choice != expected)])


def number_or_text(text: str) -> int | float | str:
    """The number in a text; the text itself if it has none."""
    try:
        number = number_in(text)
    except ValueError:
        number = None
    return text.strip() if number is None else number


def lines_of(text: str) -> list[str]:
    """Lines without outer spaces; empty ones are left out."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def field_name(text: str) -> str:
    """Field name of a title such as `Gene name`: one word, as Python needs it."""
    parts = text.split()
    return "_".join(parts).lower() if len(parts) > 1 else text.strip()


def is_locked(value: Any) -> bool:
    """True if the form can show a value, but not edit it."""
    return isinstance(value, CodeValue | Call | dict | tuple | set) or (
        isinstance(value, list) and not all(isinstance(item, str) for item in value)
    )
