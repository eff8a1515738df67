"""Validation errors as one plain sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError


def prescribed_error(message: str, plain: str) -> ValueError:
    """An error whose message karenina prescribes, with a note that puts it in words for authors."""
    error = ValueError(message)
    error.add_note(plain)
    return error


def problem_of(fault: Exception) -> str:
    """Message of an error, in words for authors: the first one of a validation error."""
    if isinstance(fault, ValidationError):
        return first_problem(fault)
    return _note(fault) or str(fault)


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
    return as_sentence(message[:1].upper() + message[1:])


def as_sentence(message: str) -> str:
    """The message with a period at its end, unless it has an end of its own."""
    return message if message.endswith((".", "!", "?")) else f"{message}."


def plain_message(problem: Any) -> str:
    """Message of one entry of `ValidationError.errors()`, without its field."""
    context = problem.get("ctx") or {}
    if note := _note(context.get("error")):
        return note
    say = _WORDS.get(problem["type"])
    return say(context) if say else str(problem["msg"]).removeprefix("Value error, ")


def _note(error: Exception | None) -> str | None:
    """Note of `prescribed_error`; None: the error has none."""
    notes: list[str] = getattr(error, "__notes__", [])
    return notes[0] if notes else None


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
