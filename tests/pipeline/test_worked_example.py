"""`verification-pipeline.md`, section 9: a question through the pipeline, over the providers' own protocols."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from karenina_gui import (
    Benchmark,
    LLMRubricTrait,
    ModelConfig,
    RegexRubricTrait,
    VerificationConfig,
    VerificationResult,
)
from karenina_gui.sandbox import Sandbox
from tests.pipeline.conftest import RETRIES
from tests.pipeline.obliging_judge import Judge, says
from tests.twin import Twin

QUESTION = "What is the putative target of venetoclax?"
ANSWER = "Venetoclax targets BCL2 (B-cell lymphoma 2), a key anti-apoptotic protein."
TEMPLATE = """
class Answer(BaseAnswer):
    target: str = VerifiedField(description="The putative target", ground_truth="BCL2", verify_with=ExactMatch())
"""
STAGES = [
    ("ValidateTemplate", "ran", None),
    ("GenerateAnswer", "ran", None),
    ("RecursionLimitAutoFail", "skipped", "the turn limit was not reached"),
    ("TraceValidationAutoFail", "ran", None),  # and finds nothing to validate: no MCP server is configured
    ("AbstentionCheck", "ran", None),
    ("ParseTemplate", "ran", None),
    ("VerifyTemplate", "ran", None),
    ("EmbeddingCheck", "skipped", "the comparison did not fail"),
    ("RubricEvaluation", "ran", None),
    ("DeepJudgmentRubricAutoFail", "skipped", "no trait uses deep judgment"),
    ("FinalizeResult", "ran", None),
]
Example = Callable[[], tuple[VerificationResult, Twin]]


@pytest.fixture(params=["openai_endpoint", "claude_tool"])
def example(request: pytest.FixtureRequest, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[Example]:
    """(result, provider twin with all requests)."""
    monkeypatch.setenv("TWIN_KEY", "sk-of-the-twin")
    address = {"openai_endpoint": "endpoint_base_url", "claude_tool": "anthropic_base_url"}[request.param]
    judge = Judge(target="BCL2", abstention_detected=False, conciseness=True)
    with Twin(lambda asked: says(ANSWER)(asked) if asked.model == "answerer" else judge(asked)) as twin:

        def play() -> tuple[VerificationResult, Twin]:
            answerer, reader = (
                ModelConfig.model_validate(
                    {"model_name": name, "interface": request.param, "api_key_env": "TWIN_KEY", address: twin.address}
                )
                for name in ("answerer", "judge")
            )
            config = VerificationConfig(
                answering_models=[answerer],
                parsing_models=[reader],
                evaluation_mode="template_and_rubric",
                abstention_enabled=True,
                retry_policy=RETRIES,
            )
            benchmark = Benchmark.create("worked example")
            benchmark.add_question(QUESTION, "the reference answer", TEMPLATE)
            benchmark.add_global_rubric_trait(
                LLMRubricTrait(name="conciseness", description="Is the response concise?", kind="boolean")
            )
            benchmark.add_global_rubric_trait(
                RegexRubricTrait(name="has_citations", description="Has bracket citations", pattern=r"\[\d+\]")
            )
            (result,) = benchmark.run_verification(config, sandbox=sandbox)
            return result, twin

        yield play


def test_it_ends_with_the_result_that_is_documented(example: Example) -> None:
    result, _ = example()
    assert result.completed_without_errors
    assert result.metadata.failure is None
    assert result.metadata.evaluation_mode == "template_and_rubric"
    template, rubric = result.template, result.rubric
    assert template is not None
    assert rubric is not None
    assert template.raw_llm_response == ANSWER
    assert (template.abstention_check_performed, template.abstention_detected) == (True, False)
    assert template.parsed_llm_response == {"target": "BCL2"}
    assert template.verify_result is True
    assert template.embedding_check_performed is False
    assert rubric.llm_trait_scores == {"conciseness": True}
    assert rubric.regex_trait_scores == {"has_citations": False}


def test_its_eleven_stages_ran_or_were_skipped_as_documented(example: Example) -> None:
    result, _ = example()
    assert [(stage.name, stage.status, stage.reason) for stage in result.stages] == STAGES


def test_each_stage_that_needs_a_model_asks_it_once_and_counts_its_tokens(example: Example) -> None:
    result, twin = example()
    asked = [(each.model, *(each.schema or {}).get("properties", ())) for each in twin.requests]
    assert asked == [
        ("answerer",),
        ("judge", "reasoning", "abstention_detected"),
        ("judge", "target"),
        ("judge", "conciseness"),
    ]
    assert result.template is not None
    usage = result.template.usage_metadata
    assert usage is not None
    assert list(usage) == ["answer_generation", "abstention_check", "parsing", "rubric_evaluation", "total"]
    assert usage["total"]["total_tokens"] == 4 * 18
    assert "the reference answer" not in json.dumps([each.body for each in twin.requests])
