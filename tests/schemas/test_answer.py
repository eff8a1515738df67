"""Answer templates as classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from karenina_gui import (
    BaseAnswer,
    BooleanMatch,
    ConditionalGroundTruth,
    ExactMatch,
    GroundTruthCase,
    LiteralMatch,
    NumericExact,
    SetContainment,
    TraceContains,
    TraceRegex,
    VerifiedField,
)
from karenina_gui.schemas.verified_field import verified_fields


class Target(BaseAnswer):
    target: str = Field(description="The protein target.")

    def ground_truth(self) -> None:
        self.correct = {"target": "BCL2"}

    def verify(self) -> bool:
        return self.target.strip().upper() == self.correct["target"]


class Dose(BaseAnswer):
    dose: int = VerifiedField("Dose in mg", ground_truth=54321, verify_with=NumericExact(), extraction_hint="98765")
    kind: Literal["x", "y"] = VerifiedField("Kind", ground_truth="x", verify_with=LiteralMatch())
    cites: bool = VerifiedField("Cites", ground_truth=True, verify_with=TraceRegex(pattern=r"\[\d\]"))


def test_a_handwritten_comparison_sees_its_ground_truth() -> None:
    assert Target(target=" bcl2 ").verify() is True
    assert Target(target="TP53").verify() is False


def test_ground_truth_also_comes_from_the_older_hook() -> None:
    class Old(BaseAnswer):
        year: int

        def model_post_init(self, context: Any, /) -> None:
            self.correct = {"year": 1969}

        def verify(self) -> bool:
            return self.year == self.correct["year"]

    assert Old(year=1969).verify() is True


def test_a_verified_template_knows_its_ground_truth() -> None:
    assert Dose(dose=1, kind="x", cites=False).correct == {"dose": 54321, "kind": "x", "cites": True}


def test_no_schema_holds_ground_truth_or_hints() -> None:
    class Sheet(BaseModel):
        doses: list[Dose]

    class Mixed(BaseAnswer):
        sheet: Sheet
        other: Dose | None = None

    schemas = [
        Dose.model_json_schema(),
        Dose.model_json_schema(mode="serialization"),
        TypeAdapter(list[Dose]).json_schema(),
        Sheet.model_json_schema(),
        Mixed.model_json_schema(),
    ]
    for schema in schemas:
        assert "Dose in mg" in json.dumps(schema)
        assert not any(secret in json.dumps(schema) for secret in ("__verification__", "54321", "98765"))


def test_trace_fields_take_their_value_from_the_raw_answer() -> None:
    answer = Dose(dose=54321, kind="x", cites=False)
    assert answer.verify() is False
    answer.read_trace("It is 54321 [1].")
    assert answer.cites is True
    assert answer.verify() is True
    assert answer.score_field("cites") == 1.0


def test_a_trace_field_may_expect_that_something_is_absent() -> None:
    class Silent(BaseAnswer):
        insulin: bool = VerifiedField("Says so", ground_truth=False, verify_with=TraceContains(substring="insulin"))

    answer = Silent.model_construct()
    answer.read_trace("only water")
    assert answer.verify() is True


def test_a_truth_of_nothing_is_met_by_nothing() -> None:
    class Absent(BaseAnswer):
        mutation: str | None = VerifiedField("Mutation, if any", ground_truth=None, verify_with=ExactMatch())

    assert Absent(mutation=None).verify() is True
    assert Absent(mutation="V600E").verify() is False


def test_a_field_named_correct_is_refused_at_its_definition() -> None:
    with pytest.raises(ValueError, match=r"Field name\(s\) \{'correct'\} reserved by BaseAnswer for internal use"):
        type("Answer", (BaseAnswer,), {"__annotations__": {"correct": int}})


def test_correct_must_be_a_dict() -> None:
    class Wrong(BaseAnswer):
        def ground_truth(self) -> None:
            self.correct = "BCL2"

    with pytest.raises(TypeError, match=r"self.correct must be a dict .* not str: 'BCL2'"):
        Wrong()


def test_a_template_without_a_comparison_says_so() -> None:
    class Nothing(BaseAnswer):
        x: int

    with pytest.raises(NotImplementedError, match="Nothing does not have a 'verify' method"):
        Nothing(x=1).verify()
    with pytest.raises(NotImplementedError, match="verify_granular"):
        Nothing(x=1).verify_granular()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"description": "  ", "verify_with": BooleanMatch()}, "description is required for VerifiedField"),
        ({"description": "x", "verify_with": BooleanMatch}, r"write BooleanMatch\(\.\.\.\), with parentheses"),
        ({"description": "x", "verify_with": "BooleanMatch"}, "must be a primitive"),
        ({"description": "x", "verify_with": BooleanMatch(), "weight": -1}, "0 or more"),
    ],
)
def test_a_verified_field_declared_wrongly_is_explained(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        VerifiedField(ground_truth=True, **arguments)


def test_a_conditional_truth_without_a_scenario_is_its_default() -> None:
    truth = ConditionalGroundTruth(
        source="mood",
        cases={"happy": "yes", "sad": GroundTruthCase(value=["no"], verify_with=SetContainment())},
        default={"value": "maybe", "verify_with": {"type": "ExactMatch", "normalize": []}},
    )

    class Conditional(BaseAnswer):
        reply: str = VerifiedField("Reply", ground_truth=truth, verify_with=ExactMatch())

    assert verified_fields(Conditional)["reply"].verify_with == ExactMatch(normalize=[])
    assert Conditional(reply="maybe").verify() is True
    assert Conditional(reply="Maybe").verify() is False
    assert truth.cases["happy"].value == "yes"
    assert ConditionalGroundTruth.model_validate_json(truth.model_dump_json()) == truth


def test_every_recorded_pattern_search_comes_out_the_same(shared: Path) -> None:
    class Searching(BaseAnswer):
        pass

    cases = json.loads((shared / "vectors/verify_regex.json").read_text())
    differences = []
    for case in cases:
        answer = Searching()
        answer.regex = {"k": case["spec"]}
        found = json.loads(json.dumps(answer.verify_regex(case["text"])))
        if found != case["out"]:
            differences.append((case, found))
    assert cases
    assert differences == []


def test_patterns_that_are_all_there_in_any_order_are_enough() -> None:
    answer = BaseAnswer()
    answer.regex = {"units": {"pattern": r"\d+ (\w+)", "expected": ["mg", "ml"], "match_type": "all"}}
    assert answer.verify_regex("5 ml or 3 mg or 1 kg")["success"] is True
    assert answer.verify_regex("5 ml")["details"]["units"]["failure_reason"] == "Missing expected items: ['mg']"


def test_a_template_without_patterns_passes_their_search() -> None:
    assert BaseAnswer().verify_regex("x") == {"success": True, "results": {}, "details": {}}


def test_a_pattern_without_an_expectation_fails_and_says_what_is_missing() -> None:
    answer = BaseAnswer()
    answer.regex = {"x": {"pattern": "x"}}
    found = answer.verify_regex("x")
    assert found["success"] is False
    assert "'expected'" in found["details"]["x"]["error"]
