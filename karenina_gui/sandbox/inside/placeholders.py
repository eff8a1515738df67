"""Placeholders that the author has not replaced yet: the `…` of a starter template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.primitives import (
    ContainsAll,
    ContainsAny,
    DateRange,
    RegexMatch,
    TraceContains,
    TraceRegex,
    VerificationPrimitive,
)
from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.schemas.template_placeholders import OPEN, OPTIONS, is_unfilled

_FLAGS = re.compile(r"\(\?[a-zA-Z]+\)")


def find_placeholders(
    loaded: LoadedTemplate, answer: type[BaseAnswer], truth: dict[str, Any] | None
) -> list[TemplateProblem]:
    """List open placeholders.

    Those in expected values, settings, options and unfinished sentences are errors: they would be graded.
    `truth`: the template's ground truth as JSON; None if it has none.
    """
    return [
        *_values(loaded, answer, truth or {}),
        *_settings(loaded, answer),
        *_options(loaded, answer),
        *_descriptions(loaded, answer),
    ]


def _values(loaded: LoadedTemplate, answer: type[BaseAnswer], truth: dict[str, Any]) -> Iterator[TemplateProblem]:
    for name, value in truth.items():
        if _is_open(value):
            message = f"The expected value of {name} is not entered yet: write it in the place of “{OPEN}”."
            line = loaded.places.field_line(answer, name) if name in loaded.verified else loaded.places.key_line(name)
            yield _open_place(message, line)


def _settings(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    """Open settings of comparisons; those of numbers are refused by their type."""
    for name, verification in loaded.verified.items():
        if subject := _open_setting(verification.verify_with):
            message = f"The {subject} of {name} is not entered yet: write it in the place of “{OPEN}”."
            yield _open_place(message, loaded.places.field_line(answer, name))


def _open_setting(comparison: VerificationPrimitive) -> str | None:
    """Name of the comparison's setting that is a placeholder; None: none is."""
    match comparison:
        case DateRange() if OPEN in (comparison.min, comparison.max):
            return "period"
        case ContainsAny() | ContainsAll() if OPEN in comparison.substrings:
            return "text to find"
        case TraceContains() if comparison.substring == OPEN:
            return "text to find"
        case RegexMatch() | TraceRegex() if _FLAGS.sub("", comparison.pattern).strip() == OPEN:
            return "pattern"
    return None


def _options(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name in loaded.fields:
        if any(option in (*OPTIONS, OPEN) for option in get_args(answer.model_fields[name].annotation)):
            message = f"The choices of {name} are not entered yet: write yours in place of those with “{OPEN}”."
            yield _open_place(message, loaded.places.field_line(answer, name))


def _descriptions(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name in loaded.fields:
        description, line = answer.model_fields[name].description or "", loaded.places.field_line(answer, name)
        # As in the form, where no judge reads the description of a trace field.
        title, looked_for = (
            ("Description", "a note for readers")
            if name in loaded.traced
            else ("What to extract", "what the judge should look for")
        )
        if is_unfilled(description):
            message = f"“{title}” of {name} is not finished: write {looked_for} instead of each “…”."
            yield _open_place(message, line)
        elif OPEN in description:
            message = f"“{title}” of {name} contains “{OPEN}”: write {looked_for} there."
            yield TemplateProblem(message=message, severity="warning", line=line)


def _open_place(message: str, line: int | None) -> TemplateProblem:
    return TemplateProblem(message=message, line=line, unfinished=True)


def _is_open(value: Any) -> bool:
    return value in (OPEN, "Ellipsis") or (isinstance(value, list) and OPEN in value)
