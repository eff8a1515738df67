"""Rule of a template that decides which of its fields must pass, in words."""

from __future__ import annotations

import re


def pass_rule(strategy: str) -> str:
    """Clause about a strategy, from its label in results: `any_of`, `at_least_n(2)`, `field_check(dose)`."""
    if match := re.fullmatch(r"at_least_n\((\d+)\)", strategy):
        return f"Passes if {match[1]} or more fields or groups of fields pass"
    if match := re.fullmatch(r"field_check\((\w+)\)", strategy):
        return f"Passes if the field {match[1]} passes"
    return "Passes if one or more fields or groups of fields pass" if strategy == "any_of" else f"Rule: {strategy}"
