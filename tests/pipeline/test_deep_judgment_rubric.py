"""Stage 12: traits without a valid quote fail an answer that the template found right."""

from __future__ import annotations

from typing import Any

from karenina_gui import LLMRubricTrait, Rubric, VerificationResult
from tests.pipeline.conftest import Judged
from tests.template_texts import TARGET
from tests.twin import Asked, Reply

ANSWER = "Venetoclax binds BCL2."
RUBRIC = Rubric(llm_traits=[LLMRubricTrait(name="clear", kind="boolean")])
STAGE = "DeepJudgmentRubricAutoFail"


def run(judged: Judged, quote: str, target: str = "BCL2", refuses: bool = False, **settings: Any) -> VerificationResult:
    def judge(asked: Asked) -> Reply:
        if asked.schema is None:
            return Reply(text="It is plain.")
        names = asked.schema["properties"]
        if "abstention_detected" in names:
            return Reply(data={"reasoning": "It says.", "abstention_detected": refuses})
        if names.get("clear", {}).get("type") == "array":
            return Reply(data={"clear": [{"text": quote, "confidence": "low", "explanation": "So."}]})
        return Reply(data={"clear": True, "target": target} if "clear" not in names else {"clear": True})

    return judged(lambda _: Reply(text=ANSWER), judge, template=TARGET, rubric=RUBRIC,
                  **{"deep_judgment_rubric_mode": "enable_all"} | settings)  # fmt: skip


def stage(result: VerificationResult) -> tuple[str, str | None]:
    return next((record.status, record.reason) for record in result.stages if record.name == STAGE)


def test_a_right_answer_fails_where_a_trait_has_no_valid_excerpt(judged: Judged) -> None:
    result = run(judged, "It was invented by a dentist")
    assert result.passed is False
    assert result.template is not None
    assert result.template.field_results == {"target": True}
    failure = result.metadata.failure
    assert failure is not None
    assert (failure.category, failure.reason) == ("deep_judgment_rubric", "Traits without a valid quote: clear")
    assert result.completed_without_errors


def test_a_right_answer_passes_where_every_trait_has_one(judged: Judged) -> None:
    result = run(judged, "binds BCL2")
    assert result.passed is True
    assert stage(result) == ("skipped", "every trait has a quote")


def test_missing_excerpts_of_traits_go_before_wrong_fields(judged: Judged) -> None:
    failure = run(judged, "It was invented by a dentist", target="MCL1").metadata.failure
    assert failure is not None
    assert failure.category == "deep_judgment_rubric"


def test_a_refusal_goes_before_missing_excerpts_of_traits(judged: Judged) -> None:
    result = run(judged, "It was invented by a dentist", refuses=True, abstention_enabled=True)
    assert result.metadata.failure is not None
    assert result.metadata.failure.category == "abstention"
    assert stage(result) == ("skipped", "the model refused to answer")
    assert result.deep_judgment_rubric is not None
    assert result.deep_judgment_rubric.traits_without_valid_excerpts == ["clear"]


def test_the_stage_says_so_where_no_trait_is_judged_deeply(judged: Judged) -> None:
    result = run(judged, "binds BCL2", deep_judgment_rubric_mode="disabled")
    assert stage(result) == ("skipped", "no trait uses deep judgment")
    assert result.deep_judgment_rubric is None


def test_template_and_traits_are_judged_deeply_side_by_side(judged: Judged) -> None:
    def judge(asked: Asked) -> Reply:
        if asked.schema is None:
            return Reply(text="It is plain.")
        (name, shape), *_ = asked.schema["properties"].items()
        if shape.get("type") == "array":
            return Reply(data={name: [{"text": "binds BCL2", "confidence": "low", "explanation": "So."}]})
        return Reply(data={"clear": True} if name == "clear" else {"target": "BCL2"})

    result = judged(lambda _: Reply(text=ANSWER), judge, template=TARGET, rubric=RUBRIC, deep_judgment_mode="full",
                    deep_judgment_rubric_mode="enable_all")  # fmt: skip
    assert result.passed is True
    assert result.deep_judgment is not None
    assert result.deep_judgment_rubric is not None
    assert list(result.deep_judgment.extracted_excerpts or ()) == ["target"]
    assert list(result.deep_judgment_rubric.extracted_rubric_excerpts or ()) == ["clear"]
    usage = result.template.usage_metadata if result.template else None
    assert usage is not None
    assert usage["deep_judgment_excerpts"]["total_tokens"] == 18 * 2
