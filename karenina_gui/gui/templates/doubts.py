"""Leaks of a template, and wrong values that it accepts, as warnings, each with the line of its field."""

from __future__ import annotations

from collections.abc import Sequence

from karenina_gui.authoring.leaks import Leak, leak_sentence, leaks, line_of_field
from karenina_gui.authoring.mutation_sentences import mutation_sentence
from karenina_gui.authoring.mutations import AcceptsWrongValues, MutationCase, RefusesExpected, is_remark
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem


def leak_problems(source: str, outline: TemplateOutline) -> list[TemplateProblem]:
    """Warnings about what gives the answer away; empty for a template with errors."""
    return [_warning(source, leak) for leak in leaks(outline)] if outline.valid else []


def _warning(source: str, leak: Leak) -> TemplateProblem:
    return TemplateProblem(message=leak_sentence(leak), severity="warning", line=line_of_field(leak.field, source))


def mutation_problems(
    source: str, cases: Sequence[MutationCase], problems: Sequence[TemplateProblem] = ()
) -> list[TemplateProblem]:
    """Warnings about cases that are not intended; remarks are left out.

    `problems`: those of the template, which say why a field rejects its own expected value. Such a case is left out.
    """
    return [
        TemplateProblem(message=mutation_sentence(case), severity="warning", line=_line_of(_field_of(case), source))
        for case in cases
        if not is_remark(case) and not (isinstance(case, RefusesExpected) and _is_known(case, source, problems))
    ]


def _is_known(case: RefusesExpected, source: str, problems: Sequence[TemplateProblem]) -> bool:
    """True if a problem names the fields that reject their expected values, or has the words of the error."""
    name, _, reason = case.error.partition(": ")
    lines = {_line_of(field, source) for field in case.fields or [name]} - {None}
    # Another problem of the line, such as a missing description, explains nothing.
    explained = {problem.line for problem in problems if "expected value" in problem.message}
    return bool(lines & explained) or any(reason and reason in problem.message for problem in problems)


def _field_of(case: MutationCase) -> str | None:
    if isinstance(case, AcceptsWrongValues):
        return case.field
    return case.fields[0] if isinstance(case, RefusesExpected) and len(case.fields) == 1 else None


def _line_of(field: str | None, source: str) -> int | None:
    return line_of_field(field, source) if field else None
