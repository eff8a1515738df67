"""Patterns in answers of any length: the verdict looks at every match, and only some of them are listed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from karenina_gui.schemas.trace_patterns import check_patterns, problem_of


def found(text: str, **spec: Any) -> dict[str, Any]:
    detail: dict[str, Any] = check_patterns({"k": spec}, text)["details"]["k"]
    return detail


def test_every_match_counts_and_the_first_are_listed() -> None:
    detail = found("7 " * 10_000 + "42", pattern=r"\d+", expected="42", match_type="contains")
    assert "success_reason" in detail
    assert (detail["match_count"], detail["matches_found"]) == (10_001, ["7"] * 50)


def test_a_reason_names_the_first_matches_and_how_many_more_there_are() -> None:
    detail = found("7 " * 12, pattern=r"\d", expected="42", match_type="contains")
    assert detail["failure_reason"].endswith("'7', '7', … and 2 more]")


def test_a_long_match_is_compared_whole_and_listed_in_part() -> None:
    whole = "x" * 1_000_000
    detail = found(whole, pattern="x+", expected=whole, match_type="exact")
    assert "success_reason" in detail
    assert detail["matches_found"] == ["x" * 200 + "…"]
    assert "failure_reason" in found(whole, pattern="x+", expected=whole[:-1], match_type="exact")


def test_what_is_told_of_a_huge_answer_is_small() -> None:
    patterns = {
        kind: {"pattern": r"(?s)(\w+) (\w+)", "expected": expected, "match_type": kind}
        for kind, expected in {"exact": "b", "contains": "b", "count": 3, "all": ["b"]}.items()
    }
    assert len(json.dumps(check_patterns(patterns, ("y" * 999 + " ") * 1000))) < 200_000


@pytest.mark.parametrize(("text", "passes"), [("5 ml or 3 mg", True), ("5 ml", False)])
def test_what_is_wanted_may_stand_anywhere_in_a_long_answer(text: str, passes: bool) -> None:
    detail = found("1 kg " * 9_000 + text, pattern=r"\d+ (\w+)", expected=["mg", "ml"], match_type="all")
    assert ("success_reason" in detail) is passes


def test_several_groups_are_compared_together_and_an_empty_one_as_empty_text() -> None:
    assert "success_reason" in found("ac", pattern="(a)(b)?c", expected=("a", ""), match_type="exact")
    assert "success_reason" in found("ac", pattern="a(b)?c", expected="", match_type="exact")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"pattern": "([", "expected": "x"}, "cannot be used: unterminated character set"),
        ({"pattern": "x"}, "needs both 'pattern' and 'expected'"),
        ({"pattern": "x", "expected": "x", "match_type": "nope"}, "unknown match_type 'nope': it must be one of exact"),
        ({"pattern": "x", "expected": "x", "match_type": "all"}, "expects a list, got str"),
        ({"pattern": "x", "expected": "2", "match_type": "count"}, "expects a number, got str"),
        ({"pattern": 3, "expected": "x"}, "cannot be used"),
        ("x", "must be a dict"),
    ],
)
def test_a_pattern_that_can_never_hold_is_known_beforehand(spec: Any, problem: str) -> None:
    assert problem in str(problem_of(spec))


def test_a_pattern_that_can_hold_has_no_problem() -> None:
    assert problem_of({"pattern": r"\d+", "expected": 2, "match_type": "count"}) is None
    assert problem_of({"pattern": r"\d+", "expected": "2"}) is None


@pytest.mark.parametrize("text", ["été", "e\u0301te\u0301"])
def test_patterns_see_either_form_of_an_accent(text: str) -> None:
    specs = {
        "exact": {"pattern": "^é(.)e\u0301$", "expected": "t"},
        "all": {"pattern": "[éx]", "expected": ["e\u0301"], "match_type": "all"},
        "contains": {"pattern": "ét.", "expected": "e\u0301te\u0301", "match_type": "contains"},
    }
    assert check_patterns(specs, text)["success"]
