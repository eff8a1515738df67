"""How the outcomes of several fields become one verdict and one partial score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from karenina_gui import (
    AllOf,
    AnyOf,
    AtLeastN,
    BaseAnswer,
    BooleanMatch,
    FieldCheck,
    NumericGraded,
    VerifiedField,
)
from karenina_gui.schemas.composition import StrategyNode, strategy_of

A, B, N = FieldCheck(field="a"), FieldCheck(field="b"), FieldCheck(field="n")

STRATEGIES: dict[str, StrategyNode | None] = {
    "default": None,
    "any": AnyOf(conditions=[A, B, N]),
    "atleast2": AtLeastN(n=2, conditions=[A, B, N]),
    "nested": AllOf(conditions=[A, AnyOf(conditions=[B, N])]),
    "any_empty": AnyOf(conditions=[]),
    "all_empty": AllOf(conditions=[]),
    "bad_field": AllOf(conditions=[FieldCheck(field="zzz")]),
}


class ThreeFields(BaseAnswer):
    a: bool | None = VerifiedField("a", ground_truth=True, verify_with=BooleanMatch(), weight=3)
    b: bool | None = VerifiedField("b", ground_truth=True, verify_with=BooleanMatch())
    n: float | None = VerifiedField("n", ground_truth=100, verify_with=NumericGraded(cutoff=0.1))


def template_with(strategy: StrategyNode | None) -> type[ThreeFields]:
    if strategy is None:
        return ThreeFields

    class Composed(ThreeFields):
        class VerificationStrategy:
            verify_strategy = strategy

    return Composed


def verdict(answer: BaseAnswer) -> Any:
    try:
        return answer.verify()
    except Exception as error:
        return {"raises": type(error).__name__, "msg": str(error)}


def test_every_recorded_composition_comes_out_the_same(shared: Path) -> None:
    cases = json.loads((shared / "vectors/composition.json").read_text())
    differences = []
    for case in cases:
        answer = template_with(STRATEGIES[case["strategy"]])(**case["values"])
        found = {
            "strategy": case["strategy"],
            "values": case["values"],
            "verify": verdict(answer),
            "granular": answer.verify_granular(),
            "field_results": {name: answer.verify_field(name) for name in case["values"]},
            "field_scores": {name: answer.score_field(name) for name in case["values"]},
        }
        if found != case:
            differences.append((case, found))
    assert differences == []


@pytest.mark.parametrize(
    ("strategy", "label"),
    [
        (None, "all_of"),
        (AllOf(conditions=[A]), "all_of"),
        (AnyOf(conditions=[A]), "any_of"),
        (AtLeastN(n=2, conditions=[A, B]), "at_least_n(2)"),
    ],
)
def test_a_strategy_is_recorded_under_its_name(strategy: StrategyNode | None, label: str) -> None:
    assert strategy_of(template_with(strategy)).label == label


def test_a_field_left_open_fails_but_is_not_counted_as_wrong() -> None:
    answer = ThreeFields(a=None, b=True, n=105)
    assert answer.verify() is False
    assert answer.verify_field("a") is None
    assert answer.verify_granular() == pytest.approx(1.5 / 5)


def test_one_of_several_conditions_saves_an_answer() -> None:
    either = AnyOf(conditions=[A, AtLeastN(n=2, conditions=[B, N])])
    assert template_with(either)(a=False, b=True, n=100).verify() is True
    assert template_with(either)(a=False, b=True, n=150).verify() is False
    assert list(either.field_names()) == ["a", "b", "n"]


def test_a_template_whose_fields_weigh_nothing_has_no_partial_credit() -> None:
    class Weightless(BaseAnswer):
        a: bool = VerifiedField("a", ground_truth=True, verify_with=BooleanMatch(), weight=0)

    assert Weightless(a=True).verify_granular() == 0.0


def test_something_else_in_place_of_a_strategy_is_refused_by_name() -> None:
    class Wrong(BaseModel):
        class VerificationStrategy:
            verify_strategy = "all"

    with pytest.raises(TypeError, match=r"FieldCheck, AllOf, AnyOf or AtLeastN, not str"):
        strategy_of(Wrong)
