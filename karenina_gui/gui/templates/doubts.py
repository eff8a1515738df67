"""Leaks of a template, and wrong values that it accepts, as warnings, each with the line of its field."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karenina_gui.authoring.leaks import Leak, leak_sentence, leaks
from karenina_gui.authoring.mutation_sentences import mutation_sentence
from karenina_gui.authoring.mutations import AcceptsWrongValues, MutationCase, RefusesExpected, is_remark
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem


def leak_problems(source: str, outline: TemplateOutline) -> list[TemplateProblem]:
    """Warnings about what gives the answer away; empty for a template with errors."""
    return [_warning(source, leak) for leak in leaks(outline)] if outline.valid else []


def _warning(source: str, leak: Leak) -> TemplateProblem:
    return TemplateProblem(message=leak_sentence(leak), severity="warning", line=_line_of(leak.field, source))


def mutation_problems(source: str, cases: Sequence[MutationCase]) -> list[TemplateProblem]:
    """Warnings about cases that are not intended; remarks are left out."""
    return [
        TemplateProblem(message=mutation_sentence(case), severity="warning", line=_line_of(_field_of(case), source))
        for case in cases
        if not is_remark(case)
    ]


def _field_of(case: MutationCase) -> str | None:
    if isinstance(case, AcceptsWrongValues):
        return case.field
    return case.fields[0] if isinstance(case, RefusesExpected) and len(case.fields) == 1 else None


def _line_of(field: str | None, source: str) -> int | None:
    found = field and re.search(rf"^[ \t]+{re.escape(field)}[ \t]*:", source, re.MULTILINE)
    return source.count("\n", 0, found.start()) + 1 if found else None
