"""Checks of a drafted template before it is offered, in the order in which they say most."""

from __future__ import annotations

from karenina_gui.authoring.expected_parts import expected_parts, missing_remarks
from karenina_gui.authoring.leaks import leak_sentence, leaks
from karenina_gui.authoring.mutation_sentences import mutation_sentence
from karenina_gui.authoring.mutations import AcceptsEverything, AcceptsWrongValues, MutationCase, mutation_cases
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.schemas.model_draft import DraftFault, DraftFaultKind
from karenina_gui.schemas.template import TemplateOutline

SHORTEST_LEAK = 2
"""Characters of the shortest value that counts as a leak: rewording a draft costs its author nothing."""


def check_draft(source: str, playground: TemplatePlayground, reference: str) -> tuple[DraftFault | None, list[str]]:
    """The fault of a template, or None, and remarks on what deserves a look."""
    outline = playground.check(source)
    if not outline.valid:
        return DraftFault(kind="invalid", message=_first_error(outline)), []
    cases = mutation_cases(source, outline, playground, reference)
    # Before leaks, because a template that accepts everything is useless whatever its words give away.
    doubted = [case for case in cases if not _is_remark(case)]
    if doubted:
        return DraftFault(kind=_kind(doubted[0]), message=" ".join(map(mutation_sentence, doubted))), []
    if found := leaks(outline, SHORTEST_LEAK):
        return DraftFault(kind="leak", message=" ".join(map(leak_sentence, found))), []
    remarks = [mutation_sentence(case) for case in cases]
    remarks += [problem.message for problem in outline.problems]
    return None, [*remarks, *missing_remarks(expected_parts(outline), reference)]


def _first_error(outline: TemplateOutline) -> str:
    problem = outline.first_error
    if problem is None:
        return "The template is invalid."
    # Syntax errors name their line themselves.
    named = problem.line is None or f"line {problem.line}" in problem.message
    return problem.message if named else f"{problem.message.rstrip('.')} (line {problem.line})."


def _is_remark(case: MutationCase) -> bool:
    return isinstance(case, AcceptsWrongValues) and case.remark


def _kind(case: MutationCase) -> DraftFaultKind:
    if isinstance(case, AcceptsEverything):
        return "accepts_everything"
    return "accepts_wrong" if isinstance(case, AcceptsWrongValues) else "refuses_expected"
