"""Faults of expected values, in the words of their author."""

from __future__ import annotations

import re

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


def expected_misfit(error: str) -> str | None:
    """Sentence of `check` about an expected value, for the author; None: it is about something else."""
    misfit = _MISFIT.match(error)
    if misfit is None:
        return None
    why = next((reason for start, reason in _MISFITS.items() if misfit[2].startswith(start)), "does not fit its type")
    return f"The expected value {misfit[3]} of {misfit[1]} {why}."
