"""Places that an author has still to fill in: the `…` of a ready beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from karenina_gui.sandbox.inside.template_source import LoadedTemplate
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.template import TemplateProblem

OPEN = "…"
_FLAGS = re.compile(r"\(\?[a-zA-Z]+\)")


def unfilled(loaded: LoadedTemplate, answer: type[BaseAnswer], truth: dict[str, Any] | None) -> list[TemplateProblem]:
    """An expected value that is open is an error, since nothing could pass rightly; an open description a warning.

    `truth` is the template's ground truth as JSON; None: it has none.
    """
    return [*_values(loaded, answer, truth or {}), *_patterns(loaded, answer), *_descriptions(loaded, answer)]


def _values(loaded: LoadedTemplate, answer: type[BaseAnswer], truth: dict[str, Any]) -> Iterator[TemplateProblem]:
    for name, value in truth.items():
        if _is_open(value):
            message = f"The expected value of {name} is not entered yet: write it in the place of “{OPEN}”."
            line = loaded.places.field_line(answer, name) if name in loaded.verified else loaded.places.key_line(name)
            yield TemplateProblem(message=message, line=line)


def _patterns(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name, verification in loaded.verified.items():
        pattern = getattr(verification.verify_with, "pattern", None)
        if isinstance(pattern, str) and _FLAGS.sub("", pattern).strip() == OPEN:
            message = f"The pattern of {name} is not entered yet: write it in the place of “{OPEN}”."
            yield TemplateProblem(message=message, line=loaded.places.field_line(answer, name))


def _descriptions(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name in loaded.fields:
        if OPEN in (answer.model_fields[name].description or ""):
            message = f"The description of {name} has a “{OPEN}” in it: write there what the judge is to look for."
            line = loaded.places.field_line(answer, name)
            yield TemplateProblem(message=message, severity="warning", line=line)


def _is_open(value: Any) -> bool:
    return value in (OPEN, "Ellipsis") or (isinstance(value, list) and OPEN in value)
