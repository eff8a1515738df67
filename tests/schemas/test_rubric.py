"""Rubrics refuse what upstream refuses, in its words, and keep every trait through a dump."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.problems import problem_of
from karenina_gui.schemas.rubric import (
    TRAIT_TYPES,
    AgenticRubricTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
    merge_rubrics,
)


def yes_no(name: str) -> LLMRubricTrait:
    return LLMRubricTrait(name=name, kind="boolean")


def literal(classes: dict[str, str]) -> LLMRubricTrait:
    return LLMRubricTrait(name="x", kind="literal", classes=classes)


class Findings(BaseModel):
    count: int
    note: str | None = None
    tags: list[str] = []


REFUSED = {
    "same_type": lambda: merge_rubrics(Rubric(llm_traits=[yes_no("a")]), Rubric(llm_traits=[yes_no("a")])),
    "cross_type": lambda: merge_rubrics(
        Rubric(llm_traits=[yes_no("a")]), Rubric(regex_traits=[RegexRubricTrait(name="a", pattern="x")])
    ),
    "dot": lambda: Rubric(llm_traits=[yes_no("a.b")]),
    "literal_no_classes": lambda: LLMRubricTrait(name="x", kind="literal"),
    "literal_one": lambda: literal({"a": "x"}),
    "literal_21": lambda: literal({f"c{i}": "x" for i in range(21)}),
    "literal_dup_case": lambda: literal({"A": "x", "a": "y"}),
    "literal_empty_desc": lambda: literal({"a": "x", "b": " "}),
    "empty_name": lambda: yes_no(""),
    "metric_bad": lambda: MetricRubricTrait(name="x", metrics=["auc"], tp_instructions=["a"]),
    "metric_spec_tp_only": lambda: MetricRubricTrait(name="x", metrics=["specificity"], tp_instructions=["a"]),
    "metric_no_tp": lambda: MetricRubricTrait(name="x", metrics=["f1"]),
    "metric_full_no_tn": lambda: MetricRubricTrait(
        name="x", metrics=["f1"], evaluation_mode="full_matrix", tp_instructions=["a"]
    ),
    "agentic_materialize_ws": lambda: AgenticRubricTrait(
        name="x", kind="boolean", higher_is_better=True, materialize_trace=True, context_mode="workspace_only"
    ),
    "template_hib": lambda: LLMRubricTrait(name="x", kind=Findings, higher_is_better=True),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("rule", REFUSED)
def test_each_rule_refuses_in_upstreams_words(rule: str, shared: Path) -> None:
    expected = json.loads((shared / "vectors/rubric_rules.json").read_text())[rule]
    with pytest.raises(ValueError) as refusal:
        REFUSED[rule]()
    assert type(refusal.value).__name__ == expected["raises"]
    assert str(refusal.value).startswith(_without_cut_tail(expected["msg"]))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("same_type", "The benchmark and this question both have a trait named “a”. Rename one of them."),
        ("cross_type", "Two traits are named “a”. Rename one of them."),
        ("dot", "The trait name “a.b” contains a period. Use another character, such as _."),
        ("literal_no_classes", "A class trait needs its classes."),
        ("literal_one", "classes: A class trait needs at least 2 classes."),
        ("literal_21", "classes: A class trait can have at most 20 classes; this one has 21."),
        ("literal_dup_case", "classes: Two classes are named “a” (capitals don’t count). Rename one of them."),
        ("literal_empty_desc", "classes: The class “b” needs a description."),
        (
            "metric_bad",
            "metrics: These metrics are unknown: auc. Possible are precision, recall, specificity, accuracy, and f1.",
        ),
        (
            "metric_spec_tp_only",
            "Without unwanted statements, specificity can’t be computed. Possible are precision, recall, and f1.",
        ),
        ("metric_no_tp", "The trait needs at least one expected statement (tp_instructions)."),
        ("metric_full_no_tn", "The trait needs at least one unwanted statement (tn_instructions)."),
        (
            "agentic_materialize_ws",
            (
                "The agent sees only the workspace files, so it can’t read the trace from a file. Turn off "
                "materialize_trace, or change the agent context (context_mode)."
            ),
        ),
        (
            "template_hib",
            "higher_is_better: A structured score has no direction, so higher_is_better must be null.",
        ),
    ],
)
def test_each_rule_is_told_to_authors_in_plain_words(rule: str, words: str) -> None:
    with pytest.raises(ValueError) as refusal:
        REFUSED[rule]()
    assert problem_of(refusal.value) == words


def test_traits_that_two_rubrics_share_are_all_named() -> None:
    both = Rubric(llm_traits=[yes_no("a"), yes_no("b")])
    with pytest.raises(ValueError) as refusal:
        merge_rubrics(both, both)
    assert problem_of(refusal.value) == (
        "The benchmark and this question both have traits named “a” and “b”. Rename one of each."
    )


def test_a_score_keeps_its_range_even_upside_down(shared: Path) -> None:
    expected = json.loads((shared / "vectors/rubric_rules.json").read_text())["score_min_gt_max"]
    trait = LLMRubricTrait(name="x", kind="score", min_score=9, max_score=2)
    assert trait.model_dump() == expected
    assert list(trait.model_dump()) == list(expected)


def test_every_upstream_trait_survives_a_dump_key_by_key(shared: Path) -> None:
    for stored in json.loads((shared / "checkpoints/04_traits_as_constructed.json").read_text()):
        type_name = stored.pop("type")
        trait_type = next(t for t in TRAIT_TYPES.values() if t.__name__ == type_name)
        dumped = trait_type.model_validate(stored).model_dump(mode="json")
        assert dumped == stored
        assert list(dumped) == list(stored)


def test_merging_says_where_each_trait_comes_from() -> None:
    merged, provenance = merge_rubrics(
        Rubric(llm_traits=[yes_no("a")]), Rubric(regex_traits=[RegexRubricTrait(name="b", pattern="x")])
    )
    assert merged is not None
    assert merged.names == ["a", "b"]
    assert provenance == {"a": "global", "b": "question_specific"}


def test_merging_nothing_gives_nothing() -> None:
    assert merge_rubrics(None, None) == (None, None)


def test_merging_keeps_dynamic_traits_apart_from_static_ones() -> None:
    merged, provenance = merge_rubrics(
        Rubric(dynamic=DynamicRubric(llm_traits=[yes_no("a")])), Rubric(dynamic=DynamicRubric(llm_traits=[yes_no("b")]))
    )
    assert merged is not None
    assert merged.is_empty
    assert provenance == {}
    assert merged.dynamic is not None
    assert merged.dynamic.names == ["a", "b"]


def test_a_name_may_stand_only_once_within_one_type_too() -> None:
    with pytest.raises(ValidationError, match="Duplicate LLM trait name 'a'"):
        Rubric(llm_traits=[yes_no("a"), yes_no("a")])


@pytest.mark.parametrize("pattern", ["(", "[a", "(?P<x>a)(?P<x>b)", "a{1,99999999999999999999}"])
def test_a_pattern_that_does_not_compile_is_refused(pattern: str) -> None:
    with pytest.raises(ValidationError, match="Invalid regex pattern"):
        RegexRubricTrait(name="x", pattern=pattern)


def test_a_pydantic_class_becomes_its_schema() -> None:
    trait = LLMRubricTrait(name="x", kind=Findings)  # type: ignore[arg-type]
    assert isinstance(trait.kind, dict)
    assert list(trait.kind["schema"]["properties"]) == ["count", "note", "tags"]
    assert trait.higher_is_better is None
    assert LLMRubricTrait.model_validate_json(trait.model_dump_json()) == trait


@pytest.mark.parametrize(
    "field",
    [
        {"type": "object"},
        {"$ref": "#/$defs/Other"},
        {"type": "array", "items": {"type": "object"}},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}], "default": 1},
    ],
)
def test_template_fields_must_be_flat(field: dict[str, Any]) -> None:
    kind = {"type": "template", "schema": {"type": "object", "properties": {"f": field}}}
    with pytest.raises(ValidationError, match="field “f” of a structured score"):
        LLMRubricTrait(name="x", kind=kind)


def test_a_template_trait_cannot_have_deep_judgment() -> None:
    with pytest.raises(ValidationError, match="deep_judgment_enabled must be False"):
        LLMRubricTrait(name="x", kind=Findings, deep_judgment_enabled=True)  # type: ignore[arg-type]


def test_pickled_code_stays_opaque() -> None:
    code = base64.b64encode(b"\x80\x05whatever this would do").decode()
    trait = CallableRubricTrait(name="x", kind="boolean", callable_code=code)
    assert trait.callable_code == code
    assert trait.source is None


def test_source_code_is_readable_from_either_form() -> None:
    source = "def check(text):\n    return 'é' in text\n"
    written = CallableRubricTrait(name="x", kind="boolean", source=source)
    read = CallableRubricTrait(name="x", kind="boolean", callable_code=written.callable_code)
    assert read.source == source
    assert read == written


def test_a_callable_without_code_is_refused() -> None:
    with pytest.raises(ValidationError, match="needs its code"):
        CallableRubricTrait(name="x", kind="boolean")


def test_an_agentic_trait_must_state_its_direction() -> None:
    with pytest.raises(ValidationError, match="higher_is_better"):
        AgenticRubricTrait(name="x", kind="boolean")  # type: ignore[call-arg]


def test_a_model_override_never_carries_a_key() -> None:
    model = {"model_name": "m", "interface": "openai_endpoint", "endpoint_api_key": "sk-secret-1"}
    for override in (model, ModelConfig.model_validate(model)):
        trait = AgenticRubricTrait(
            name="x",
            kind="boolean",
            higher_is_better=True,
            model_override=override,  # type: ignore[arg-type]
        )
        assert "sk-secret-1" not in trait.model_dump_json()
        assert trait.model_override is not None
        assert trait.model_override["model_name"] == "m"


def test_misspelt_settings_are_refused() -> None:
    with pytest.raises(ValidationError, match="patern"):
        RegexRubricTrait.model_validate({"name": "x", "pattern": "a", "patern": "b"})


def test_a_rubric_survives_a_plain_dictionary() -> None:
    rubric = Rubric(
        llm_traits=[literal({"b": "1", "a": "2"})],
        regex_traits=[RegexRubricTrait(name="r", pattern="x")],
        dynamic=DynamicRubric(llm_traits=[yes_no("d")]),
    )
    stored = rubric.model_dump(mode="json")
    assert Rubric.model_validate(stored) == rubric
    assert "dynamic" not in Rubric().model_dump()


def _without_cut_tail(message: str) -> str:
    """The vector's message up to its last whole word: pydantic's own tail and upstream's cut are not part of a rule."""
    return message.split(" [type=")[0].rsplit(" ", 1)[0] if " [type=" not in message else message.split(" [type=")[0]
