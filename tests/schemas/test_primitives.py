"""How answers are compared with the truth."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from karenina_gui.schemas.primitives import (
    PRIMITIVES,
    BooleanMatch,
    ComparisonPrimitive,
    ContainsAll,
    ContainsAny,
    DateMatch,
    DateRange,
    DateTolerance,
    ExactMatch,
    LiteralMatch,
    NumericExact,
    NumericGraded,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    NumericTolerance,
    OrderedMatch,
    RegexMatch,
    SemanticMatch,
    SetContainment,
    SynonymMap,
    TraceContains,
    TraceLength,
    TracePrimitive,
    TraceRegex,
    primitive_from_json,
)


def outcome(call: Callable[[], Any]) -> Any:
    """What the call returned, or the error as the oracle records it."""
    try:
        return call()
    except Exception as error:
        return {"raises": type(error).__name__, "msg": str(error)[:160]}


def outcomes(case: dict[str, Any]) -> dict[str, Any]:
    primitive = outcome(lambda: primitive_from_json(case["primitive"]))
    if isinstance(primitive, dict):
        return {"construct_error": primitive}
    if isinstance(primitive, TracePrimitive):
        return {"check_trace": outcome(lambda: primitive.check_trace(case["trace"]))}
    values = case["extracted"], case["expected"]
    return {"check": outcome(lambda: primitive.check(*values)), "score": outcome(lambda: primitive.score(*values))}


def as_named_here(expected: Any) -> Any:
    """The error of a pattern has another name from Python 3.13 on."""
    if isinstance(expected, dict):
        return {key: as_named_here(value) for key, value in expected.items()}
    return re.error.__name__ if expected == "error" else expected


def test_every_recorded_comparison_comes_out_the_same(shared: Path) -> None:
    cases = json.loads((shared / "vectors/primitives.json").read_text())["cases"]
    differences = []
    for case in cases:
        found = outcomes(case)
        expected = {key: case[key] for key in ("check", "score", "check_trace", "construct_error") if key in case}
        if "construct_error" in expected:
            length = len(expected["construct_error"]["msg"])
            found["construct_error"]["msg"] = found["construct_error"]["msg"][:length]
        if found != as_named_here(expected):
            differences.append((case, found))
    assert len(cases) > 60
    assert differences == []


def test_every_recorded_graded_number_comes_out_the_same(shared: Path) -> None:
    cases = json.loads((shared / "vectors/graded.json").read_text())["cases"]
    differences = []
    for case in cases:
        found = outcomes(case)
        expected = {key: case[key] for key in ("check", "score", "construct_error") if key in case}
        if "construct_error" in expected:
            length = len(expected["construct_error"]["msg"])
            found["construct_error"]["msg"] = found["construct_error"]["msg"][:length]
        else:
            assert found["score"] == pytest.approx(expected["score"])
            found["score"] = expected["score"]
        if found != expected:
            differences.append((case, found))
    assert len(cases) > 30
    assert differences == []


def test_the_table_holds_exactly_the_known_primitives(shared: Path) -> None:
    assert sorted(PRIMITIVES) == json.loads((shared / "vectors/primitives.json").read_text())["registry"]


SETTINGS: dict[str, dict[str, Any]] = {
    "ContainsAll": {"substrings": ["a"]},
    "ContainsAny": {"substrings": ["a"], "normalize": ["strip", {"mapping": {"x": "y"}}]},
    "DateTolerance": {"tolerance": 2, "unit": "hours"},
    "NumericGraded": {"cutoff": 0.2},
    "NumericRange": {"min": 0, "exclusive_min": True},
    "NumericRangeGraded": {"min": 0, "max": 1, "margin": 1},
    "NumericThresholdGraded": {"direction": "max", "margin": 0.5},
    "NumericTolerance": {"tolerance": 0.05},
    "RegexMatch": {"pattern": "x", "flags": ["IGNORECASE"]},
    "TraceContains": {"substring": "x"},
    "TraceRegex": {"pattern": "x"},
}


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_a_primitive_survives_its_json_form(name: str) -> None:
    primitive = primitive_from_json({"type": name, **SETTINGS.get(name, {})})
    form = json.loads(json.dumps(primitive.model_dump(mode="json")))
    assert form["type"] == name
    assert primitive_from_json(form) == primitive


def test_an_unknown_primitive_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown primitive 'NumericGuess'.*BooleanMatch"):
        primitive_from_json({"type": "NumericGuess"})


def test_a_misspelled_setting_is_refused() -> None:
    with pytest.raises(ValidationError, match="tolerence"):
        primitive_from_json({"type": "NumericTolerance", "tolerance": 1, "tolerence": 2})


@pytest.mark.parametrize(
    ("primitive", "extracted", "expected", "passes"),
    [
        (ExactMatch(), None, "none", False),
        (ExactMatch(), None, None, True),
        (ExactMatch(normalize=["remove_punctuation"]), "BCL\u20112", "BCL-2", True),
        (ExactMatch(normalize=["lowercase", SynonymMap(mapping={"aspirin": "asa"})]), "Aspirin", "ASA", True),
        (ExactMatch(normalize=["collapse_whitespace"]), "a \n b", "a b", True),
        (ContainsAny(substrings=["none"]), None, None, False),
        (RegexMatch(pattern="b$", flags=["I"]), "aB", None, True),
        (RegexMatch(pattern="one"), None, None, False),
        (NumericTolerance(tolerance=5, mode="absolute"), -95, -100, True),
        (NumericTolerance(tolerance=0.05), -104, -100, True),
        (NumericRange(max=3), -1e9, None, True),
        (NumericRangeGraded(min=0, max=10, margin=2), 11, None, False),
        (SetContainment(mode="overlap", min_overlap=2), ["a", "a"], ["a", "b"], False),
        (RegexMatch(pattern="b$", flags=["LOUD", "I"]), "aB", None, True),
        (BooleanMatch(), None, False, False),
        (NumericGraded(cutoff=0.1), 110, 100, True),
        (NumericGraded(cutoff=0.2, full_credit=0.1), 110, 100, True),
        (NumericGraded(cutoff=0.2, full_credit=0.1), 111, 100, False),
        (NumericGraded(cutoff=0.2, full_credit=0.0), 100, 100, True),
        (NumericGraded(cutoff=0.2, full_credit=0.0), 101, 100, False),
        (NumericGraded(cutoff=4, mode="absolute"), float("nan"), 10, False),
        (DateMatch(), date(2020, 1, 2), "2020-01-02", True),
        (DateMatch(format="%d/%m/%Y"), "2020-01-02", "02/01/2020", False),
        (DateTolerance(tolerance=1, unit="hours"), "2020-01-02T01:00:00+00:00", "2020-01-02T00:30", True),
        (DateTolerance(tolerance=1), "2020-01-04", "2020-01-02", False),
        (DateRange(max="2020-12-31"), "2020-12-31T18:00", None, True),
        (DateRange(min="2020-12-31"), "2020-12-30", None, False),
    ],
)
def test_a_comparison(primitive: ComparisonPrimitive, extracted: Any, expected: Any, passes: bool) -> None:
    assert primitive.check(extracted, expected) is passes


@pytest.mark.parametrize(
    ("primitive", "extracted", "expected", "score"),
    [
        (NumericGraded(cutoff=0.5), 0, 0, 1.0),
        (NumericGraded(cutoff=4, full_credit=2, mode="absolute"), 13, 10, 0.5),
        (NumericGraded(cutoff=4, mode="absolute", decay="quadratic"), 12, 10, 0.75),
        (NumericGraded(cutoff=4, mode="absolute"), float("nan"), 10, 0.0),
        (NumericRangeGraded(min=0, max=10, margin=2), -1, None, 0.5),
        (NumericRangeGraded(min=10, max=20, margin=0.5, mode="relative"), 22.5, None, 0.5),
        (NumericThresholdGraded(direction="max", margin=0.5), 6.25, 5, 0.5),
        (NumericThresholdGraded(direction="min", margin=2, mode="absolute"), 4, 5, 0.5),
        (NumericThresholdGraded(direction="min", margin=0.5), -1, 0, 0.0),
    ],
)
def test_partial_credit(primitive: ComparisonPrimitive, extracted: Any, expected: Any, score: float) -> None:
    assert primitive.score(extracted, expected) == pytest.approx(score)


@pytest.mark.parametrize(
    ("primitive", "at", "beyond", "expected"),
    [
        (NumericTolerance(tolerance=0.1, mode="absolute"), 1.1, 1.1000001, 1),
        (NumericTolerance(tolerance=0.1, mode="absolute"), 0.9, 0.8999999, 1),
        (NumericTolerance(tolerance=0.2, mode="absolute"), 37.2, 37.20000001, 37),
        (NumericTolerance(tolerance=0.1), 0.33, 0.33000001, 0.3),
        (NumericTolerance(tolerance=0.05), "-1.05", "-1.0500001", "-1.0"),
        (NumericGraded(cutoff=0.1, mode="absolute"), 2.3, 2.3000001, 2.2),
        (NumericGraded(cutoff=0.5, full_credit=0.05), 7.77, 7.77001, 7.4),
        (NumericRangeGraded(min=2.2, max=2.6, margin=0.1), 2.6, 2.6000001, None),
        (NumericExact(), 2**53, 2**53 + 1, 2**53),
        (NumericExact(), "18446744073709551615", "18446744073709551616", 2**64 - 1),
        (NumericTolerance(tolerance=1, mode="absolute"), 10**22 + 1, 10**22 + 2, 10**22),
        (NumericMinimum(), 2**60, 2**60 - 1, 2**60),
        (NumericMaximum(), 2**60 - 1, 2**60, 2**60 - 1),
        (NumericRange(max=2**53 + 1), 2**53 + 1, 2**53 + 2, None),
        (NumericThresholdGraded(direction="max", margin=0.1), 2**70, 2**70 + 1, 2**70),
    ],
)
def test_a_limit_is_included_to_the_last_digit(
    primitive: ComparisonPrimitive, at: Any, beyond: Any, expected: Any
) -> None:
    assert primitive.check(at, expected)
    assert not primitive.check(beyond, expected)
    assert primitive_from_json(json.loads(primitive.model_dump_json())) == primitive


def test_credit_ends_exactly_at_its_limits() -> None:
    graded = NumericGraded(cutoff=0.2, full_credit=0.1, mode="absolute")
    assert [graded.score(value, 1.0) for value in (0.9, 1.1, 1.2, 0.8)] == [1, 1, 0, 0]
    assert 0 < graded.score(1.15, 1.0) < 1
    ranged = NumericRangeGraded(min=2.2, max=2.6, margin=0.1)
    assert [ranged.score(value, None) for value in (2.2, 2.6, 2.1, 2.7)] == [1, 1, 0, 0]
    threshold = NumericThresholdGraded(direction="min", margin=0.1)
    assert [threshold.score(value, 0.3) for value in (0.3, 0.27, math.inf, -math.inf)] == [1, 0, 1, 0]


COMPOSED, DECOMPOSED = "Ménière", "Me\u0301nie\u0300re"


@pytest.mark.parametrize(
    ("primitive", "extracted", "expected"),
    [
        (ExactMatch(), "{} ", "{}"),
        (ExactMatch(normalize=[]), "{}", "{}"),
        (ExactMatch(normalize=["remove_punctuation"]), "{}.", "{}"),
        (ExactMatch(normalize=[SynonymMap(mapping={f"Morbus {COMPOSED}": "MM"})]), "Morbus {}", "MM"),
        (ExactMatch(normalize=[SynonymMap(mapping={f"Morbus {DECOMPOSED}": "MM"})]), "Morbus {}", "MM"),
        (LiteralMatch(), "{}", "{}"),
        (LiteralMatch(), {"{}": ["{}"]}, {"{}": ["{}"]}),
        (SetContainment(), ["b", "{}"], ["{}", "b"]),
        (SetContainment(mode="overlap"), ["{}"], ["{}", "b"]),
        (OrderedMatch(), ["{}", "b"], ["{}", "b"]),
        (ContainsAny(substrings=[COMPOSED]), "of {}", None),
        (ContainsAll(substrings=[DECOMPOSED, "of"]), "of {}", None),
        (RegexMatch(pattern=f"^{COMPOSED}$"), "{}", None),
        (RegexMatch(pattern=f"^{DECOMPOSED}$"), "{}", None),
    ],
)
def test_composed_and_decomposed_accents_are_the_same(
    primitive: ComparisonPrimitive, extracted: Any, expected: Any
) -> None:
    def spelled(value: Any, name: str) -> Any:
        return json.loads(json.dumps(value).replace("{}", name))

    for one, other in product((COMPOSED, DECOMPOSED), repeat=2):
        assert primitive.check(spelled(extracted, one), spelled(expected, other))
    assert not primitive.check(spelled(extracted, "Meniere"), spelled(expected, COMPOSED))


def test_a_synonym_stands_for_either_form_and_a_dot_matches_it() -> None:
    assert ExactMatch(normalize=[SynonymMap(mapping={"MM": DECOMPOSED})]).check("MM", COMPOSED)
    assert RegexMatch(pattern="^M.ni.re$").check(DECOMPOSED, None)


@pytest.mark.parametrize("trace", [COMPOSED, DECOMPOSED])
@pytest.mark.parametrize("name", [COMPOSED, DECOMPOSED])
def test_a_search_in_the_trace_finds_either_form_of_an_accent(trace: str, name: str) -> None:
    assert TraceContains(substring=name).check_trace(trace)
    assert TraceRegex(pattern=f"^{name}$").check_trace(trace)
    assert TraceLength(min=7, max=7).check_trace(trace)


@pytest.mark.parametrize(
    "form",
    [
        {"type": "NumericGraded", "cutoff": 1, "full_credit": 1},
        {"type": "NumericRangeGraded", "min": 1, "max": 1, "margin": 1},
        {"type": "NumericRangeGraded", "min": 0, "max": 1, "margin": 0},
        {"type": "NumericThresholdGraded", "direction": "max", "margin": 0},
        {"type": "NumericTolerance", "tolerance": -1},
    ],
)
def test_settings_that_make_no_sense_are_refused(form: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        primitive_from_json(form)


def test_an_expected_date_that_is_none_raises_and_names_it() -> None:
    with pytest.raises(ValueError, match="expected date 'soon'"):
        DateMatch().check("2020-01-02", "soon")


def test_semantic_match_says_what_to_use_instead() -> None:
    with pytest.raises(NotImplementedError, match="ContainsAny"):
        SemanticMatch().score("a", "b")


def test_a_trace_pattern_is_counted_up_to_its_minimum() -> None:
    assert TraceRegex(pattern=r"\[\d\]", count_min=2).check_trace("a [1] b [2]")
    assert TraceRegex(pattern="x", count_min=0).check_trace("")
    assert not TraceContains(substring="bcl2").check_trace("BCL2")


def test_a_broken_trace_pattern_raises() -> None:
    with pytest.raises(re.error):
        TraceRegex(pattern="([").check_trace("x")
