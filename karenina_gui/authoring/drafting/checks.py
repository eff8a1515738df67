"""Checks of a drafted template before it is offered, in the order in which they say most."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from karenina_gui.authoring.leaks import leak_sentence, leaks
from karenina_gui.authoring.mutation_sentences import mutation_sentence
from karenina_gui.authoring.mutations import AcceptsEverything, AcceptsWrongValues, MutationCase, mutation_cases
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.schemas.model_draft import DraftFault, DraftFaultKind
from karenina_gui.schemas.template import TemplateField, TemplateOutline

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
    return None, [*remarks, *_missing_remarks(outline, reference)]


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


def _missing_remarks(outline: TemplateOutline, reference: str) -> Iterator[str]:
    """Remarks on expected values that the reference answer does not contain: a model may have made them up."""
    for field in outline.fields:
        expected = field.ground_truth if field.primitive else (outline.ground_truth or {}).get(field.name)
        parts = [] if _has_other_wording(field) else _parts(expected)
        missing = next((each for each in parts if not _mentions(reference, each)), None)
        if missing is not None:
            yield f"The reference answer doesn’t contain the expected value “{missing}” of {field.name}."


def _has_other_wording(field: TemplateField) -> bool:
    """True if an answer need not contain the expected value: choices, dates, and what no judge extracts."""
    return field.is_trace or field.type.startswith("Literal") or (field.primitive or "").startswith("Date")


def _parts(expected: Any) -> list[str]:
    """Texts and numbers of an expected value."""
    if isinstance(expected, list):
        return [part for each in expected for part in _parts(each)]
    if isinstance(expected, bool) or expected is None:
        return []
    return [f"{expected:.15g}" if isinstance(expected, float) else str(expected)]


def _mentions(reference: str, value: str) -> bool:
    text = re.sub(r"(?<=\d)[,\s](?=\d{3}\b)", "", reference)
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)(?!\.\d)", text, re.IGNORECASE) is not None
