"""Validation errors as one plain sentence."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError


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


def first_problem(fault: ValidationError, model: type[BaseModel] | None = None) -> str:
    """First message of a validation error, with its field. `model`: see `all_problems`."""
    location, message = all_problems(fault, model)[0]
    return f"{location}: {message}" if location else message


def all_problems(fault: ValidationError, model: type[BaseModel] | None = None) -> list[tuple[str, str]]:
    """Field (empty: the whole) and message of every error, without the values, since a value may be a key.

    `model`: the one that was validated, so that an unknown field is answered with the likely one; None: it is not.
    """
    return [
        (".".join(map(str, problem["loc"])), _likely_field(model, problem) or plain_message(problem))
        for problem in fault.errors(include_url=False)
    ]


def _likely_field(model: type[BaseModel] | None, problem: Any) -> str | None:
    if model is None or problem["type"] != "extra_forbidden":
        return None
    near = closest_field(model, problem["loc"])
    return f"unknown field; did you mean {near}?" if near else None


def closest_field(model: type[BaseModel], path: Sequence[Any]) -> str | None:
    """Name of a field that is spelled like the last part of the place, in the model that is there; None: none is."""
    kinds: list[Any] = [model]
    for part in path[:-1]:
        # A part that leads nowhere is the tag of a union.
        kinds = [*_kinds_at(kinds, str(part))] or kinds
    names = [name for kind in kinds if _is_model(kind) for name in kind.model_fields]
    return next(iter(difflib.get_close_matches(str(path[-1]), names, n=1)), None)


def _kinds_at(kinds: list[Any], part: str) -> Iterator[Any]:
    for kind in kinds:
        if _is_model(kind):
            yield from _alternatives(kind.model_fields[part].annotation) if part in kind.model_fields else ()
        elif get_args(kind):  # items of a list, values of a dict
            yield from _alternatives(get_args(kind)[-1])


def _alternatives(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from _alternatives(part)
    else:
        yield annotation


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


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
    say = _SENTENCES.get(problem["type"])
    return say(context) if say else str(problem["msg"]).removeprefix("Value error, ")


def _note(error: Exception | None) -> str | None:
    """Note of `prescribed_error`; None: the error has none."""
    notes: list[str] = getattr(error, "__notes__", [])
    return notes[0] if notes else None


def _at_least(context: dict[str, Any]) -> str:
    least = context.get("min_length", 1)
    return "must not be empty" if least == 1 else f"needs at least {least} items"


_SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
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
