"""Validation errors in one sentence."""

from __future__ import annotations

from pydantic import ValidationError


def first_problem(fault: ValidationError) -> str:
    """The first message of a validation error, with the field that it is about."""
    problem = fault.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    message = problem["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
