"""Rules of composition in words."""

from __future__ import annotations

import pytest

from karenina_gui.gui.results.pass_rule import pass_rule
from karenina_gui.schemas.composition import AllOf, AnyOf, AtLeastN, FieldCheck, StrategyNode

DOSE = FieldCheck(field="dose")


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        (AtLeastN(conditions=[DOSE, DOSE, DOSE], n=2), "Passes if at least 2 fields pass"),
        (AtLeastN(conditions=[DOSE], n=1), "Passes if at least 1 field passes"),
        (DOSE, "Passes if the field dose passes"),
        (AnyOf(conditions=[DOSE]), "Passes if at least one field passes"),
        (AllOf(conditions=[DOSE]), "Rule: all_of"),  # needs no words: every field must pass
    ],
)
def test_a_rule_is_told_in_words(strategy: StrategyNode, words: str) -> None:
    assert pass_rule(strategy.label) == words
