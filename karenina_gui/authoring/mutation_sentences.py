"""Sentences about wrong values that a template accepts, for the author and for a model that drafts again."""

from __future__ import annotations

import re

from karenina_gui.authoring.mutations import AcceptsEverything, AcceptsWrongValues, MutationCase
from karenina_gui.authoring.wrong_values import WrongKind
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

_MISFIT = re.compile(r"(\w+): Input should be (.*) \(given: (.*)\)\.$")
"""Pydantic's error about a value of the wrong type: field, valid input, and value."""
_MISFITS = {
    "a valid integer": "is not a whole number",
    "a valid number": "is not a number",
    "a valid bool": "is not yes or no",
    "a valid list": "is not a list",
    "'": "is not among its choices",
}
"""Reasons in plain words, by the start of pydantic's description of a valid input."""


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
    misfit = _MISFIT.match(error)
    if misfit is None:
        return f"Fails on its own expected values: {error}"
    why = next((words for start, words in _MISFITS.items() if misfit[2].startswith(start)), "does not fit its type")
    return f"The expected value {misfit[3]} of {misfit[1]} {why}."
