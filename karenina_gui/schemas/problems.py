"""Validation errors as one plain sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError


def first_problem(fault: ValidationError) -> str:
    """First message of a validation error, with its field."""
    problem = fault.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    message = plain_message(problem)
    return f"{place}: {message}" if place else message


def all_problems(fault: ValidationError) -> list[tuple[str, str]]:
    """Field (empty: the whole) and message of every error, without the values, since a value may be a key."""
    found = fault.errors(include_url=False)
    return [(".".join(str(part) for part in each["loc"]), plain_message(each)) for each in found]


def problem_at_its_field(fault: ValidationError) -> str:
    """First message as a sentence without its field, for display next to that field."""
    message = plain_message(fault.errors(include_url=False)[0])
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "!", "?")) else ".")


def plain_message(problem: Any) -> str:
    """Message of one entry of `ValidationError.errors()`, without its field."""
    say = _WORDS.get(problem["type"])
    return say(problem.get("ctx") or {}) if say else str(problem["msg"]).removeprefix("Value error, ")


def _at_least(context: dict[str, Any]) -> str:
    least = context.get("min_length", 1)
    return "must not be empty" if least == 1 else f"needs at least {least} items"


_WORDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "missing": lambda _: "missing",
    "extra_forbidden": lambda _: "unknown field; check the spelling",
    "string_too_short": _at_least,
    "too_short": _at_least,
    "string_too_long": lambda context: f"too long (maximum {context['max_length']:,} characters)",
    "string_type": lambda _: "must be text",
    "string_unicode": lambda _: "contains unsupported characters",
    "int_type": lambda _: "must be a whole number",
    "int_parsing": lambda _: "must be a whole number",
    "int_from_float": lambda _: "must be a whole number",
    "float_type": lambda _: "must be a number",
    "float_parsing": lambda _: "must be a number",
    "finite_number": lambda _: "number is too large",
    "bool_type": lambda _: "must be true or false",
    "bool_parsing": lambda _: "must be true or false",
    "list_type": lambda _: "must be a list",
    "dict_type": lambda _: "must be an object (name: value pairs)",
    "model_type": lambda _: "must be an object (name: value pairs)",
    "greater_than": lambda context: f"must be greater than {context['gt']}",
    "greater_than_equal": lambda context: f"must be at least {context['ge']}",
    "less_than": lambda context: f"must be less than {context['lt']}",
    "less_than_equal": lambda context: f"must be at most {context['le']}",
    "literal_error": lambda context: f"must be one of {context['expected']}",
}
"""Replacements for error messages that are meant for programmers."""
