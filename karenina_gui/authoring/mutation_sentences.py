"""Sentences about wrong values that a template accepts, for the author and for a model that drafts again."""

from __future__ import annotations

from karenina_gui.authoring.mutations import AcceptsEverything, AcceptsWrongValues, MutationCase
from karenina_gui.authoring.wrong_values import WrongKind
from karenina_gui.sandbox.inside.expected_misfit import expected_misfit
from karenina_gui.text import join_list, quote_list

KINDS: dict[WrongKind, str] = {
    "null": "no value",
    "text": "another text",
    "empty text": "an empty text",
    "high": "a far higher number",
    "low": "a far lower number",
    "flipped": "the opposite",
    "choice": "another choice",
    "empty list": "an empty list",
    "items": "other items",
    "date": "another date",
}
"""Wrong values as the object of a sentence."""


def mutation_sentence(case: MutationCase) -> str:
    """Sentences about one case: the fault, and what helps."""
    if isinstance(case, AcceptsEverything):
        return "Accepts everything: answers with every field wrong pass. Compare at least one field with its value."
    if isinstance(case, AcceptsWrongValues):
        wrong = quote_list(KINDS[kind] for kind in case.kinds)
        passes = "passes" if len(case.kinds) == 1 else "pass"
        text = f"Accepts wrong values of {case.field}: {wrong} {passes}."
        return f"{text} That may be intended." if case.remark else text
    if case.error:
        return _error_sentence(case.error)
    if case.fields:
        return f"Rejects its own expected values in {join_list(list(case.fields))}."
    return "Rejects its own expected values."


def _error_sentence(error: str) -> str:
    misfit = expected_misfit(error)
    return f"Fails on its own expected values: {error}" if misfit is None else misfit
