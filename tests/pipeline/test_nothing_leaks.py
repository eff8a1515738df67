"""No request contains the reference answer or the ground truth, unless a trait asks for the reference."""

from __future__ import annotations

import json
from typing import Any

import pytest

from karenina_gui import (
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from tests.pipeline.conftest import Judged
from tests.twin import Asked, Reply

REFERENCE = "the reference"
"""Reference answer of the fixture's question."""
TRUTH, NUMBER = "SECRET-TRUTH", 918273
TEMPLATE = f"""
class Answer(BaseAnswer):
    target: str = VerifiedField(description="Protein", ground_truth="{TRUTH}", verify_with=ExactMatch(),
                                extraction_hint="a gene symbol")
    dose: int = VerifiedField(description="Dose in mg", ground_truth={NUMBER}, verify_with=NumericExact())
"""
EVERYTHING: dict[str, Any] = {
    "abstention_enabled": True,
    "sufficiency_enabled": True,
    "deep_judgment_mode": "full",
    "deep_judgment_search_enabled": True,
    "evaluation_mode": "template_and_rubric",
    "use_full_trace_for_template": True,
    "few_shot_config": {"global_examples": [{"question": "What does imatinib bind?", "answer": "BCR-ABL"}]},
    "prompt_config": dict.fromkeys(
        ("generation", "parsing", "abstention_detection", "sufficiency_detection", "rubric_evaluation",
         "deep_judgment"), "Be fair."
    ),
}  # fmt: skip


def rubric(**of_the_first: Any) -> Rubric:
    return Rubric(
        llm_traits=[
            LLMRubricTrait(name="right", description="Is it right?", kind="boolean", **of_the_first),
            LLMRubricTrait(name="depth", description="How deep?", kind="score"),
            LLMRubricTrait(name="tone", kind="literal", classes={"dry": "Plain words", "warm": "Kind words"}),
            LLMRubricTrait(
                name="form", higher_is_better=None,
                kind={"type": "template", "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
            ),
        ],
        metric_traits=[MetricRubricTrait(name="points", metrics=["recall"], tp_instructions=["names a protein"])],
        regex_traits=[RegexRubricTrait(name="cites", pattern="[0-9]")],
        callable_traits=[CallableRubricTrait(name="short", kind="boolean", source="def f(text):\n    return True\n")],
    )  # fmt: skip


def fitting(schema: dict[str, Any]) -> Any:
    """A value that fits the schema."""
    if options := schema.get("anyOf"):
        return fitting(next(option for option in options if option.get("type") != "null"))
    if "enum" in schema:
        return next(each for each in schema["enum"] if each is not None)
    kind = schema.get("type")
    kind = next(each for each in kind if each != "null") if isinstance(kind, list) else kind
    if kind == "object":
        return {name: fitting(each) for name, each in schema.get("properties", {}).items()}
    # Passages that are not in the answer: they are asked for again.
    return {"array": [], "boolean": False, "integer": 3, "number": 0.5}.get(str(kind), "No passage at all")


@pytest.mark.parametrize("strategy", ["batch", "sequential"])
def test_no_request_of_a_full_run_holds_what_is_right(judged: Judged, strategy: str) -> None:
    asked = play(judged, rubric(), rubric_evaluation_strategy=strategy)
    assert len(asked) >= 8
    sent = json.dumps([each.body for each in asked])
    assert "a gene symbol" in sent
    for secret in (TRUTH, str(NUMBER), REFERENCE):
        assert secret not in sent


@pytest.mark.parametrize("strategy", ["batch", "sequential"])
def test_every_request_of_a_full_run_has_the_question(judged: Judged, strategy: str) -> None:
    """Including the requests for every kind of trait, and the checks around them."""
    first, *others = play(judged, rubric(), rubric_evaluation_strategy=strategy)
    assert len(others) >= 7
    assert "What does venetoclax bind?" in first.text
    assert [each.text for each in others if "What does venetoclax bind?" not in each.text] == []
    assert [each.text for each in others if not each.system] == []
    for asked_for in ("Is it right?", "How deep?", "Plain words", '"n"', "names a protein"):
        assert any(asked_for in json.dumps(each.body).replace("\\", "") for each in others), asked_for


def test_the_reference_is_in_the_requests_of_the_trait_that_asks_for_it_and_in_no_other(judged: Judged) -> None:
    asked = play(judged, rubric(include_ground_truth=True))
    holding = [each for each in asked if REFERENCE in json.dumps(each.body)]
    assert len(holding) == 1
    assert "Is it right?" in json.dumps(holding[0].body)
    assert "How deep?" not in json.dumps(holding[0].body)
    assert TRUTH not in json.dumps([each.body for each in asked])


def play(judged: Judged, traits: Rubric, **settings: Any) -> list[Asked]:
    """All requests of one question's verification with every option switched on."""
    asked: list[Asked] = []

    def answer(request: Asked) -> Reply:
        asked.append(request)
        return Reply(text="It binds some protein.")

    def judge(request: Asked) -> Reply:
        asked.append(request)
        data = fitting(request.schema or {})
        return Reply(data=data | ({"sufficient": True} if "sufficient" in data else {}))

    result = judged(
        answer, judge, template=TEMPLATE, rubric=traits, search=lambda queries: ["nothing"] * len(queries),
        **EVERYTHING | settings,
    )  # fmt: skip
    assert result.rubric is not None
    assert result.deep_judgment is not None
    return asked
