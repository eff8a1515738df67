"""Source of a template from a description of its fields, as a model replies with it.

Our own code writes it, so such a draft always has valid syntax and comparisons that fit the fields.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from karenina_gui.authoring.template_form.values import Call, write_value
from karenina_gui.errors import InputError
from karenina_gui.schemas.model_draft import INCOMPLETE_FIELDS
from karenina_gui.schemas.problems import first_problem

FieldKind = Literal["yes_no", "number", "whole_number", "text", "choice", "list", "date"]
_TAKEN = {"id", "correct", "regex", "verify", "ground_truth"}
"""Names that a template has itself."""


class DescribedField(BaseModel):
    """One field as a model describes it. Properties that its kind does not use are ignored."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    name: str
    description: str
    kind: FieldKind
    expected: str = ""
    tolerance: float = 0.0
    choices: list[str] = []
    items: list[str] = []
    other_spellings: list[str] = []


class DescribedTemplate(BaseModel):
    """A whole template as a model describes it."""

    fields: list[DescribedField]
    combine: Literal["all", "any"] = "all"


def read_description(data: object) -> DescribedTemplate:
    """Read the JSON of a reply. Raises `InputError`."""
    try:
        return DescribedTemplate.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{INCOMPLETE_FIELDS} {first_problem(error)}") from None


def write_template(described: DescribedTemplate) -> str:
    """Source of the template. Raises `InputError` that names the field with an unusable value."""
    names = _names(described.fields)
    parts = [_write_field(name, field) for name, field in zip(names, described.fields, strict=True)]
    if described.combine == "any" and len(names) > 1:
        parts.append(_write_any(names))
    return "class Answer(BaseAnswer):\n" + "\n".join(parts)


def _names(fields: list[DescribedField]) -> list[str]:
    names: list[str] = []
    for field in fields:
        name = re.sub(r"\W+", "_", field.name.strip().lower()).strip("_") or "value"
        if not name.isidentifier() or keyword.iskeyword(name) or name in _TAKEN:
            name = f"answer_{name}"
        names.append(name if name not in names else f"{name}_{len(names) + 1}")
    return names


def _write_field(name: str, field: DescribedField) -> str:
    annotation, expected, comparison = _WRITERS[field.kind](field)
    return (
        f"    {name}: {annotation} = VerifiedField(\n"
        f"        description={write_value(field.description.strip())},\n"
        f"        ground_truth={write_value(expected)},\n"
        f"        verify_with={write_value(comparison)},\n"
        "    )\n"
    )


def _write_any(names: list[str]) -> str:
    checks = ", ".join(f"FieldCheck(field={write_value(name)})" for name in names)
    return f"    class VerificationStrategy:\n        verify_strategy = AnyOf(conditions=[{checks}])\n"


Written = tuple[str, object, Call]
"""Type annotation, expected value, and comparison."""


def _yes_no(field: DescribedField) -> Written:
    expected = field.expected.strip().lower()
    if expected not in ("yes", "true", "no", "false"):
        raise InputError(f"The expected value “{field.expected}” of {field.name} is neither yes nor no.")
    return "bool", expected in ("yes", "true"), Call("BooleanMatch")


def _number(field: DescribedField) -> Written:
    value = _parse_number(field)
    if field.tolerance <= 0:
        return "float", value, Call("NumericExact")
    return "float", value, Call("NumericTolerance", {"tolerance": field.tolerance, "mode": "relative"})


def _whole_number(field: DescribedField) -> Written:
    value = _parse_number(field)
    if value != int(value):
        return _number(field)
    # A judge that reads 17.5 must be able to say so, or it would have to round to the expected number.
    annotation, _, comparison = _number(field)
    return annotation, int(value), comparison


def _parse_number(field: DescribedField) -> float:
    digits = re.sub(r"[,\s$€£%]", "", field.expected.replace("\N{MINUS SIGN}", "-"))
    try:
        value = float(digits)
    except ValueError:
        value = float("nan")
    if abs(value) < float("inf"):
        return value
    raise InputError(f"The expected value “{field.expected}” of {field.name} is not a number.")


def _text(field: DescribedField) -> Written:
    expected = field.expected.strip()
    if not expected:
        raise InputError(f"The expected value of {field.name} is empty.")
    normalize: list[object] = ["lowercase", "strip"]
    others = [other.strip().lower() for other in field.other_spellings if other.strip()]
    if synonyms := {other: expected.lower() for other in others if other != expected.lower()}:
        normalize.append(Call("SynonymMap", {"mapping": synonyms}))
    return "str", expected, Call("ExactMatch", {"normalize": normalize})


def _choice(field: DescribedField) -> Written:
    choices = list(dict.fromkeys(choice.strip() for choice in field.choices if choice.strip()))
    expected = field.expected.strip()
    if expected not in choices:
        raise InputError(f"The expected value “{expected}” of {field.name} is not one of its choices.")
    return f"Literal[{', '.join(map(write_value, choices))}]", expected, Call("LiteralMatch")


def _list(field: DescribedField) -> Written:
    items = [item.strip().lower() for item in field.items if item.strip()]
    if not items:
        raise InputError(f"The expected list of {field.name} is empty.")
    return "list[str]", items, Call("SetContainment", {"mode": "exact"})


def _date(field: DescribedField) -> Written:
    try:
        expected = date.fromisoformat(field.expected.strip()).isoformat()
    except ValueError:
        raise InputError(f"The expected value “{field.expected}” of {field.name} is not a date.") from None
    return "str", expected, Call("DateMatch")


_WRITERS: dict[FieldKind, Callable[[DescribedField], Written]] = {
    "yes_no": _yes_no,
    "number": _number,
    "whole_number": _whole_number,
    "text": _text,
    "choice": _choice,
    "list": _list,
    "date": _date,
}
