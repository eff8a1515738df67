"""The code samples of `verification-pipeline.md`, sections 3, 6 and 9, run and print what the document says."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest

from karenina_gui import AgenticRubricTrait, LLMRubricTrait, RegexRubricTrait, Rubric, StageOrchestrator
from karenina_gui.schemas.verification_config import EvaluationMode

TEMPLATE_ONLY = [
    "ValidateTemplate",
    "GenerateAnswer",
    "RecursionLimitAutoFail",
    "TraceValidationAutoFail",
    "ParseTemplate",
    "VerifyTemplate",
    "EmbeddingCheck",
    "FinalizeResult",
]

ARTIFACT_FLOW = """\
Dependency validation: PASSED

Artifact flow:
  ValidateTemplate
    produces: ['RawAnswer', 'Answer', 'template_validation_error']
  GenerateAnswer
    produces: ['raw_llm_response', 'recursion_limit_reached', 'answering_model_str', 'answering_mcp_servers']
  RecursionLimitAutoFail
    reads: ['recursion_limit_reached']
  TraceValidationAutoFail
    reads: ['raw_llm_response']
    produces: ['trace_validation_failed', 'trace_validation_error', 'mcp_enabled']
  ParseTemplate
    reads: ['RawAnswer', 'Answer', 'raw_llm_response']
    produces: ['parsed_answer', 'parsing_model_str', 'template_evaluator', 'deep_judgment_performed', \
'extracted_excerpts', 'attribute_reasoning', 'deep_judgment_stages_completed', 'deep_judgment_model_calls', \
'deep_judgment_excerpt_retry_count', 'attributes_without_excerpts', 'hallucination_risk_assessment']
  VerifyTemplate
    reads: ['parsed_answer', 'raw_llm_response']
    produces: ['field_verification_result', 'regex_verification_results', 'regex_extraction_results', \
'verify_result', 'verify_granular_result']
  EmbeddingCheck
    reads: ['parsed_answer', 'field_verification_result', 'regex_verification_results']
    produces: ['embedding_check_performed', 'embedding_similarity_score', 'embedding_model_used', \
'embedding_override_applied']
  FinalizeResult
    produces: ['final_result']
"""


CATEGORIES = {
    "Setup": ["ValidateTemplate"],
    "Generation": ["GenerateAnswer"],
    "Guards": ["RecursionLimitAutoFail", "TraceValidationAutoFail"],
    "Pre-parse checks": ["AbstentionCheck", "SufficiencyCheck"],
    "Template path": ["ParseTemplate", "VerifyTemplate"],
    "Enhancements": ["EmbeddingCheck", "DeepJudgmentAutoFail"],
    "Rubric path": ["RubricEvaluation", "DeepJudgmentRubricAutoFail", "AgenticRubricEvaluation"],
    "Finalization": ["FinalizeResult"],
}
"""The 14 stages of section 2. In the rubric path 12 precedes 11b, as in section 7 of the agentic rubric."""
ALL_STAGES = [name for names in CATEGORIES.values() for name in names]
EVERY_OPTION: dict[str, Any] = {
    "abstention_enabled": True, "sufficiency_enabled": True, "deep_judgment_enabled": True,
}  # fmt: skip


def rubric() -> Rubric:
    return Rubric(
        llm_traits=[LLMRubricTrait(name="conciseness", description="Is the response concise?", kind="boolean")],
        regex_traits=[RegexRubricTrait(name="has_citations", description="Has bracket citations", pattern=r"\[\d+\]")],
    )


def names(orchestrator: StageOrchestrator) -> list[str]:
    return [stage.name for stage in orchestrator.stages]


def agentic() -> Rubric:
    with_agents = rubric()
    with_agents.agentic_traits.append(AgenticRubricTrait(name="clean", kind="boolean", higher_is_better=True))
    return with_agents


def test_section_2_all_fourteen_stages_in_one_list() -> None:
    orchestrator = StageOrchestrator.from_config("template_and_rubric", agentic(), **EVERY_OPTION)
    assert names(orchestrator) == ALL_STAGES
    assert len(ALL_STAGES) == 14
    assert orchestrator.validate_dependencies() == []
    investigated = StageOrchestrator.from_config("template_and_rubric", agentic(), agentic_parsing=True, **EVERY_OPTION)
    assert names(investigated) == [name.replace("ParseTemplate", "AgenticParseTemplate") for name in ALL_STAGES]


@pytest.mark.parametrize("mode", get_args(EvaluationMode))
def test_section_2_whatever_is_chosen_there_are_no_more_than_fourteen_in_that_order(mode: EvaluationMode) -> None:
    flags = [*EVERY_OPTION, "agentic_parsing"]
    for values in product([False, True], repeat=len(flags)):
        for traits in (None, Rubric(), rubric(), agentic()):
            stages = names(StageOrchestrator.from_config(mode, traits, **dict(zip(flags, values, strict=True))))
            numbered = [name.replace("AgenticParseTemplate", "ParseTemplate") for name in stages]
            assert numbered == [name for name in ALL_STAGES if name in numbered]


def test_section_2_every_category_has_modules_of_its_own() -> None:
    module = {stage.name: type(stage).__module__ for stage in StageOrchestrator.from_config(
        "template_and_rubric", agentic(), **EVERY_OPTION).stages}  # fmt: skip
    modules = [{module[name] for name in stages} for stages in CATEGORIES.values()]
    assert sum(map(len, modules)) == len(set().union(*modules))


def test_section_3_1_template_only_has_eight_stages() -> None:
    assert names(StageOrchestrator.from_config(evaluation_mode="template_only")) == TEMPLATE_ONLY


def test_section_3_1_all_options_add_three_stages() -> None:
    orchestrator = StageOrchestrator.from_config(
        evaluation_mode="template_only",
        abstention_enabled=True,
        sufficiency_enabled=True,
        deep_judgment_enabled=True,
    )
    assert names(orchestrator) == [
        *TEMPLATE_ONLY[:4],
        "AbstentionCheck",
        "SufficiencyCheck",
        *TEMPLATE_ONLY[4:7],
        "DeepJudgmentAutoFail",
        "FinalizeResult",
    ]
    assert orchestrator.validate_dependencies() == []


def test_section_9_agentic_parsing_replaces_the_stage_that_reads() -> None:
    orchestrator = StageOrchestrator.from_config(evaluation_mode="template_only", agentic_parsing=True)
    assert names(orchestrator) == [name.replace("ParseTemplate", "AgenticParseTemplate") for name in TEMPLATE_ONLY]
    assert orchestrator.validate_dependencies() == []


def test_section_3_2_prints_the_artifact_flow_to_the_letter() -> None:
    orch = StageOrchestrator.from_config(evaluation_mode="template_only")
    errors = orch.validate_dependencies()
    printed = [f"Dependency validation: {errors or 'PASSED'}\n", "Artifact flow:"]
    for s in orch.stages:
        printed.append(f"  {s.name}")
        if s.requires:
            printed.append(f"    reads: {s.requires}")
        if s.produces:
            printed.append(f"    produces: {s.produces}")
    assert "\n".join(printed) + "\n" == ARTIFACT_FLOW


def test_section_6_the_mode_decides_the_stages() -> None:
    lists = {
        mode: names(StageOrchestrator.from_config(evaluation_mode=mode, rubric=rubric()))
        for mode in ("template_only", "template_and_rubric", "rubric_only")
    }
    rubric_stages = ["RubricEvaluation", "DeepJudgmentRubricAutoFail", "FinalizeResult"]
    assert lists == {
        "template_only": TEMPLATE_ONLY,
        "template_and_rubric": [*TEMPLATE_ONLY[:-1], *rubric_stages],
        "rubric_only": [*TEMPLATE_ONLY[1:4], *rubric_stages],
    }
    assert [len(stages) for stages in lists.values()] == [8, 10, 6]


def test_section_6_an_empty_rubric_adds_no_rubric_stage() -> None:
    assert names(StageOrchestrator.from_config(evaluation_mode="template_and_rubric", rubric=Rubric())) == TEMPLATE_ONLY


def test_section_6_agentic_traits_add_a_stage_after_those_of_the_rubric() -> None:
    lists = {
        mode: names(StageOrchestrator.from_config(evaluation_mode=mode, rubric=agentic()))
        for mode in ("template_only", "template_and_rubric", "rubric_only")
    }
    rubric_stages = ["RubricEvaluation", "DeepJudgmentRubricAutoFail", "AgenticRubricEvaluation", "FinalizeResult"]
    assert lists == {
        "template_only": TEMPLATE_ONLY,
        "template_and_rubric": [*TEMPLATE_ONLY[:-1], *rubric_stages],
        "rubric_only": [*TEMPLATE_ONLY[1:4], *rubric_stages],
    }


def test_section_9_the_worked_example_has_eleven_stages() -> None:
    orch = StageOrchestrator.from_config(
        evaluation_mode="template_and_rubric", rubric=rubric(), abstention_enabled=True
    )
    printed = [f"{len(orch.stages)} stages in the pipeline:\n"]
    printed += [f"  {i:2d}. {s.name}" for i, s in enumerate(orch.stages, 1)]
    assert printed[0] == "11 stages in the pipeline:\n"
    assert printed[1:] == [
        "   1. ValidateTemplate",
        "   2. GenerateAnswer",
        "   3. RecursionLimitAutoFail",
        "   4. TraceValidationAutoFail",
        "   5. AbstentionCheck",
        "   6. ParseTemplate",
        "   7. VerifyTemplate",
        "   8. EmbeddingCheck",
        "   9. RubricEvaluation",
        "  10. DeepJudgmentRubricAutoFail",
        "  11. FinalizeResult",
    ]
