"""Each rule of a rubric that is broken is told at its field."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.pages.rubric.form_values import to_form_values
from karenina_gui.gui.pages.rubric.kinds import FUNCTION
from karenina_gui.gui.pages.rubric.rules import doubts, field_names, problems

LLM = {"name": "tone", "description": "Its tone", "kind": "boolean"}
METRIC = {"name": "effects", "metrics": ["recall"], "tp_instructions": [{"text": "nausea"}]}
AGENT = {"name": "runs", "description": "It runs", "kind": "boolean", "higher_is_better": True}
CODE = {"name": "short", "kind": "boolean", "source": "def f(text):\n    return True\n"}


def template(**properties: Any) -> dict[str, Any]:
    return {"type": "template", "schema": {"type": "object", "properties": properties}}


def classes(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "description": text} for name, text in pairs]


@pytest.mark.parametrize(
    ("type_name", "trait"),
    [
        ("llm", LLM),
        ("llm", {**LLM, "kind": "score", "min_score": 0, "max_score": 1}),
        ("llm", {**LLM, "kind": "literal", "classes": {"casual": "chatty", "formal": "stiff"}}),
        ("llm", {**LLM, "kind": template(count={"type": "integer"}), "higher_is_better": None}),
        ("regex", {"name": "unit", "pattern": r"\bmg\b"}),
        ("callable", CODE),
        ("callable", {"name": "old", "kind": "boolean", "callable_code": "gASVAAA="}),
        ("metric", {**METRIC, "tp_instructions": ["nausea"]}),
        ("agentic", AGENT),
    ],
)
def test_a_complete_trait_has_no_problem(type_name: str, trait: dict[str, Any]) -> None:
    assert problems(type_name, to_form_values(trait), {}) == {}


@pytest.mark.parametrize(
    ("type_name", "values", "field", "words"),
    [
        ("llm", {**LLM, "name": " "}, "name", "Enter a name"),
        ("llm", {**LLM, "name": "a.b"}, "name", "contain a period"),
        ("llm", {**LLM, "name": "here"}, "name", "Another trait in this rubric"),
        ("regex", {"name": "there", "pattern": "x"}, "name", "also a trait of the benchmark"),
        ("llm", {**LLM, "kind": "score", "min_score": 5, "max_score": 5}, "max_score", "greater than the minimum"),
        ("llm", {**LLM, "kind": "score", "min_score": "one"}, "min_score", "not a whole number"),
        ("llm", {**LLM, "kind": "literal", "classes": classes(("a", "x"))}, "classes", "at least two"),
        (
            "llm",
            {**LLM, "kind": "literal", "classes": classes(*((f"c{n}", "x") for n in range(21)))},
            "classes",
            "at most 20 classes. There are 21",
        ),
        ("llm", {**LLM, "kind": "literal", "classes": classes(("a", "x"), ("A", "y"))}, "classes.1", "already a class"),
        ("llm", {**LLM, "kind": "literal", "classes": classes(("a", "x"), ("b", " "))}, "classes.1", "Describe when"),
        ("llm", {**LLM, "kind": "literal", "classes": classes(("", "x"), ("b", "y"))}, "classes.0", "name"),
        ("llm", {**LLM, "kind": "template", "fields": [{}]}, "fields", "at least one field"),
        (
            "llm",
            {**LLM, "kind": "template", "fields": [{"name": "n", "type": "integer", "default": "7"}]},
            "fields.0",
            "Select “Optional”, or clear the default.",
        ),
        (
            "llm",
            {
                **LLM,
                "kind": "template",
                "fields": [
                    {
                        "name": "n", "type": "integer", "optional": False, "default": "7",
                        "as_kept": {"type": "integer", "optional": True, "default": "7"},
                    }
                ],
            },
            "fields.0",
            "Select “Optional”, or clear the default.",
        ),
        (
            "llm",
            {**LLM, "kind": "template", "fields": [{"name": "how many", "type": "integer"}]},
            "fields.0",
            "not a valid field name",
        ),
        (
            "agentic",
            {**AGENT, "kind": "template",
             "fields": [{"name": "n", "type": "integer", "optional": True, "default": "many"}]},
            "fields.0",
            "not a whole number",
        ),
        ("llm", {**LLM, "deep_judgment_fuzzy_match_threshold": 8}, "deep_judgment_fuzzy_match_threshold", "0 to 1"),
        ("regex", {"name": "r", "pattern": ""}, "pattern", "Enter a pattern"),
        ("regex", {"name": "r", "pattern": "mg("}, "pattern", "parenthesis opened at character 3 is never closed"),
        ("regex", {"name": "r", "pattern": "mg)"}, "pattern", "parenthesis closed at character 3 was never opened"),
        ("regex", {"name": "r", "pattern": "*"}, "pattern", "at character 1 has nothing before it to repeat"),
        ("regex", {"name": "r", "pattern": "[z-a]"}, "pattern", "range at character 2 begins with the later character"),
        ("regex", {"name": "r", "pattern": "a{3,1}"}, "pattern", "in { … } at character 3 is greater than the second"),
        ("regex", {"name": "r", "pattern": r"\1a"}, "pattern", "at character 2 refers to parentheses that"),
        ("regex", {"name": "r", "pattern": "(?z)a"}, "pattern", "at character 2 have no meaning there"),
        ("regex", {"name": "r", "pattern": "(?P<x>a)(?P<x>b)"}, "pattern", "character 13 belongs to other parentheses"),
        ("regex", {"name": "r", "pattern": r"\y"}, "pattern", "at character 1 is followed by a letter"),
        ("regex", {"name": "r", "pattern": "(?<=a+)b"}, "pattern", "can only contain texts of one length"),
        ("regex", {"name": "r", "pattern": "x" * 300_000}, "pattern", "300,000 characters; maximum 20,000"),
        ("callable", {**CODE, "source": " "}, "source", "Enter a function"),
        ("callable", {**CODE, "source": FUNCTION}, "source", "is not finished"),
        ("callable", {**CODE, "source": "def f(text:"}, "source", "has a syntax error"),
        ("metric", {**METRIC, "metrics": []}, "metrics", "Select at least one"),
        ("metric", {**METRIC, "metrics": ["accuracy"]}, "metrics", "accuracy need a list"),
        ("metric", {**METRIC, "tp_instructions": [{"text": " "}]}, "tp_instructions", "one expected statement"),
        (
            "metric",
            {**METRIC, "tp_instructions": [{"text": "a"}], "evaluation_mode": "full_matrix"},
            "tn_instructions",
            "at least one unwanted statement",
        ),
        (
            "agentic",
            {**AGENT, "context_mode": "workspace_only", "materialize_trace": True},
            "materialize_trace",
            "not the trace",
        ),
        ("agentic", {**AGENT, "max_turns": "many"}, "max_turns", "whole number"),
    ],
)  # fmt: skip
def test_a_broken_rule_is_told_at_its_field(type_name: str, values: dict[str, Any], field: str, words: str) -> None:
    found = problems(type_name, values, {"here": "", "there": "the benchmark"})
    assert words in found[field]


def test_a_rule_that_only_the_schema_knows_is_told_too() -> None:
    assert problems("regex", {"name": "r", "pattern": "x", "colour": "red"}, {}).keys() == {"colour"}


def test_a_judge_that_is_told_nothing_is_a_doubt_and_no_problem() -> None:
    assert "description" in doubts("llm", {"name": "tone", "kind": "boolean"})
    assert doubts("regex", {"name": "unit", "pattern": "x"}) == {}


def test_fields_that_are_wrong_are_named_once_in_a_sentence() -> None:
    assert field_names({"name": "", "classes.0": "", "classes.1": "", "pattern": ""}) == "name, classes, and pattern"
    assert field_names({"deep_judgment_max_excerpts": "", "source": ""}) == "quotes per trait and function"
