"""Rules of composition in words."""

from __future__ import annotations

import pytest

from karenina_gui.gui.pages.results.sections import pass_rule
from karenina_gui.schemas.composition import AllOf, AnyOf, AtLeastN, FieldCheck, StrategyNode

DOSE = FieldCheck(field="dose")


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        (AtLeastN(conditions=[DOSE, DOSE, DOSE], n=2), "Passes if 2 or more fields or groups of fields pass"),
        (AtLeastN(conditions=[DOSE], n=1), "Passes if 1 or more fields or groups of fields pass"),
        (DOSE, "Passes if the field dose passes"),
        (AnyOf(conditions=[DOSE]), "Passes if one or more fields or groups of fields pass"),
        (AllOf(conditions=[DOSE]), "Rule: all_of"),  # needs no words: every field must pass
    ],
)
def test_a_rule_is_told_in_words(strategy: StrategyNode, words: str) -> None:
    assert pass_rule(strategy.label) == words
