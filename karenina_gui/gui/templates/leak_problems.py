"""Leaks of a template as warnings, each with the line of its field."""

from __future__ import annotations

import re

from karenina_gui.authoring.leaks import Leak, leaks
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem

_SENTENCES = {
    "description": "The judge can read the expected value “{value}” in the description of {field}. Describe what to "
    "extract without naming it.",
    "name": "The judge can read the expected value “{value}” in the name of {field}. Choose a neutral name.",
    "hint": "The judge can read the expected value “{value}” in the hint of {field}. Leave it out.",
    "choices": "{field} offers the judge only one choice, “{value}”. Add wrong ones.",
}
"""A sentence by the place of a leak."""


def leak_problems(source: str, outline: TemplateOutline) -> list[TemplateProblem]:
    """Warnings about what gives the answer away; empty for a template with errors."""
    return [_warning(source, leak) for leak in leaks(outline)] if outline.valid else []


def _warning(source: str, leak: Leak) -> TemplateProblem:
    message = _SENTENCES[leak.place].format(field=leak.field, value=leak.value)
    found = re.search(rf"^[ \t]+{re.escape(leak.field)}[ \t]*:", source, re.MULTILINE)
    line = source.count("\n", 0, found.start()) + 1 if found else None
    return TemplateProblem(message=message, severity="warning", line=line)
