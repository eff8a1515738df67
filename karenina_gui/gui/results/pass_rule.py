"""Rule of a template that decides which of its fields must pass, in words."""

from __future__ import annotations

import re

from karenina_gui.text import quantity, verb


def pass_rule(strategy: str) -> str:
    """Clause about a strategy, from its label in results: `any_of`, `at_least_n(2)`, `field_check(dose)`."""
    if found := re.fullmatch(r"at_least_n\((\d+)\)", strategy):
        least = int(found[1])
        return f"Passes if at least {quantity(least, 'field')} {verb(least, 'passes', 'pass')}"
    if found := re.fullmatch(r"field_check\((\w+)\)", strategy):
        return f"Passes if the field {found[1]} passes"
    return "Passes if at least one field passes" if strategy == "any_of" else f"Rule: {strategy}"
