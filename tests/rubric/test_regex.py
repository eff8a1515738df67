"""Regex traits."""

from __future__ import annotations

import pytest

from karenina_gui.schemas.rubric import RegexRubricTrait
from tests.rubric.conftest import Rate


@pytest.mark.parametrize(
    ("changes", "found"),
    [({}, False), ({"case_sensitive": False}, True), ({"invert_result": True}, True),
     ({"case_sensitive": False, "invert_result": True}, False)],
)  # fmt: skip
def test_a_pattern_is_searched_with_its_settings(rate: Rate, changes: dict[str, bool], found: bool) -> None:
    trait = RegexRubricTrait.model_validate({"name": "gene", "pattern": "bcl2", **changes})
    assert rate(trait).rubric.regex_trait_scores == {"gene": found}


def test_a_pattern_that_never_ends_costs_no_other_its_score(rate: Rate) -> None:
    evil, fine = RegexRubricTrait(name="evil", pattern=r"(a+)+$"), RegexRubricTrait(name="fine", pattern="a")
    rated = rate(evil, fine, text="a" * 40 + "!")
    assert rated.rubric.regex_trait_scores == {"fine": True}
    assert "'evil' has no score" in rated.problems
