"""`verification-pipeline.md`: every cell of the matrix in section 6, every row of the `should_run` table in 8."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from karenina_gui import AgenticRubricTrait, LLMRubricTrait, ModelConfig, Rubric, StageOrchestrator, VerificationConfig
from karenina_gui.pipeline.agentic_parsing import AgenticParseTemplate
from karenina_gui.pipeline.agentic_rubric import AgenticRubricEvaluation
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.enhancements import DeepJudgmentAutoFail, EmbeddingCheck
from karenina_gui.pipeline.finalization import FinalizeResult
from karenina_gui.pipeline.generation import GenerateAnswer
from karenina_gui.pipeline.guards import RecursionLimitAutoFail, TraceValidationAutoFail
from karenina_gui.pipeline.orchestrator import PROGRAM
from karenina_gui.pipeline.preparse import AbstentionCheck, SufficiencyCheck
from karenina_gui.pipeline.rubric_path import DeepJudgmentRubricAutoFail, RubricEvaluation
from karenina_gui.pipeline.setup import ValidateTemplate
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.template_evaluator import ParsedAnswer, PreparedTemplate
from karenina_gui.pipeline.template_path import ParseTemplate, VerifyTemplate
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.verification_config import EvaluationMode

MODES: tuple[EvaluationMode, ...] = get_args(EvaluationMode)
YES, NO = "Yes", "No"
MATRIX = {
    "ValidateTemplate": (YES, YES, NO),
    "GenerateAnswer": (YES, YES, YES),
    "RecursionLimitAutoFail": (YES, YES, YES),
    "TraceValidationAutoFail": (YES, YES, YES),
    "AbstentionCheck": ("abstention_enabled",) * 3,
    "SufficiencyCheck": ("sufficiency_enabled", "sufficiency_enabled", NO),
    "ParseTemplate": (YES, YES, NO),
    "AgenticParseTemplate": ("agentic_parsing", "agentic_parsing", NO),
    "VerifyTemplate": (YES, YES, NO),
    "EmbeddingCheck": (YES, YES, NO),
    "DeepJudgmentAutoFail": ("deep_judgment_enabled", "deep_judgment_enabled", NO),
    "RubricEvaluation": (NO, "rubric", "rubric"),
    "DeepJudgmentRubricAutoFail": (NO, "rubric", "rubric"),
    "AgenticRubricEvaluation": (NO, "rubric", "rubric"),
    "FinalizeResult": (YES, YES, YES),
}
"""Rows of section 6; a name is the flag that includes the stage."""
RUBRIC = Rubric(
    llm_traits=[LLMRubricTrait(name="clear", description="Is it clear?", kind="boolean")],
    agentic_traits=[AgenticRubricTrait(name="clean", kind="boolean", higher_is_better=True)],
)
AGENTS = Rubric(agentic_traits=RUBRIC.agentic_traits)
CLASSIC = Rubric(llm_traits=RUBRIC.llm_traits)
CELLS = [(stage, mode, cell) for stage, cells in MATRIX.items() for mode, cell in zip(MODES, cells, strict=True)]


@pytest.mark.parametrize(("stage", "mode", "cell"), CELLS, ids=[f"{s} in {m}: {c}" for s, m, c in CELLS])
def test_section_6_each_cell(stage: str, mode: EvaluationMode, cell: str) -> None:
    def there(**flags: Any) -> bool:
        return stage in [each.name for each in StageOrchestrator.from_config(mode, **flags).stages]

    everything = {
        "abstention_enabled": True, "sufficiency_enabled": True, "deep_judgment_enabled": True, "rubric": RUBRIC,
    }  # fmt: skip
    if stage == "AgenticParseTemplate":  # in place of the other stage 7
        everything["agentic_parsing"] = True
    if cell in (YES, NO):
        assert (there(), there(**everything)) == (cell == YES,) * 2
    else:
        without = {name: value for name, value in everything.items() if name != cell}
        assert (there(**without), there(**{cell: everything[cell]})) == (False, True)


TEMPLATE = """
class Answer(BaseAnswer):
    target: str = VerifiedField(description="Protein", ground_truth="BCL2", verify_with=ExactMatch())
"""


@pytest.fixture(scope="module")
def prepared(sandbox: Sandbox) -> PreparedTemplate:
    return PreparedTemplate(TEMPLATE, sandbox.outline(TEMPLATE), sandbox)


SOUND: dict[Any, Any] = {
    A.RAW_LLM_RESPONSE: "BCL2",
    A.RECURSION_LIMIT_REACHED: False,
    A.TRACE_VALIDATION_FAILED: False,
    A.TRACE_VALIDATION_ERROR: None,
    A.MCP_ENABLED: False,
    A.ABSTENTION_DETECTED: False,
    A.SUFFICIENCY_DETECTED: True,
    A.PARSED_ANSWER: ParsedAnswer({"target": "BCL2"}),
    A.FIELD_VERIFICATION_RESULT: True,
    A.REGEX_VERIFICATION_RESULTS: {},
    A.DEEP_JUDGMENT_PERFORMED: False,
    A.ATTRIBUTES_WITHOUT_EXCERPTS: None,
    A.DEEP_JUDGMENT_RUBRIC_PERFORMED: False,
    A.TRAITS_WITHOUT_VALID_EXCERPTS: None,
}
ABSENT = object()
FLAGS = {"abstention_enabled": True, "sufficiency_enabled": True}

RULES: list[tuple[type[Stage], dict[Any, Any], dict[str, Any], bool]] = [
    (ValidateTemplate, {}, {}, True),
    (GenerateAnswer, {}, {}, True),
    (RecursionLimitAutoFail, {}, {}, False),
    (RecursionLimitAutoFail, {A.RECURSION_LIMIT_REACHED: True}, {}, True),
    (TraceValidationAutoFail, {}, {}, True),
    (TraceValidationAutoFail, {A.RAW_LLM_RESPONSE: ABSENT}, {}, False),
    (AbstentionCheck, {}, FLAGS, True),
    (AbstentionCheck, {}, {}, False),
    (AbstentionCheck, {A.RECURSION_LIMIT_REACHED: True}, FLAGS, False),
    (SufficiencyCheck, {}, FLAGS, True),
    (SufficiencyCheck, {}, {}, False),
    (SufficiencyCheck, {A.RECURSION_LIMIT_REACHED: True}, FLAGS, False),
    (SufficiencyCheck, {A.TRACE_VALIDATION_FAILED: True}, FLAGS, False),
    (SufficiencyCheck, {A.ABSTENTION_DETECTED: True}, FLAGS, False),
    (ParseTemplate, {}, {}, True),
    (ParseTemplate, {A.RECURSION_LIMIT_REACHED: True}, {}, False),
    (ParseTemplate, {A.TRACE_VALIDATION_FAILED: True}, {}, False),
    (ParseTemplate, {A.ABSTENTION_DETECTED: True}, {}, False),
    (ParseTemplate, {A.SUFFICIENCY_DETECTED: False}, {}, False),
    (ParseTemplate, {A.RAW_LLM_RESPONSE: ABSENT}, {}, False),
    (ParseTemplate, {A.ANSWER: ABSENT}, {}, False),
    (AgenticParseTemplate, {}, {"agentic_parsing": True}, True),
    (AgenticParseTemplate, {}, {}, False),
    (VerifyTemplate, {}, {}, True),
    (VerifyTemplate, {A.PARSED_ANSWER: ABSENT}, {}, False),
    (EmbeddingCheck, {A.FIELD_VERIFICATION_RESULT: False}, {}, True),
    (EmbeddingCheck, {A.FIELD_VERIFICATION_RESULT: True}, {}, False),
    (EmbeddingCheck, {A.FIELD_VERIFICATION_RESULT: None}, {}, False),
    (DeepJudgmentAutoFail, {A.DEEP_JUDGMENT_PERFORMED: True, A.ATTRIBUTES_WITHOUT_EXCERPTS: ["target"]}, {}, True),
    (DeepJudgmentAutoFail, {A.DEEP_JUDGMENT_PERFORMED: True, A.ATTRIBUTES_WITHOUT_EXCERPTS: []}, {}, False),
    (DeepJudgmentAutoFail, {A.DEEP_JUDGMENT_PERFORMED: False, A.ATTRIBUTES_WITHOUT_EXCERPTS: ["target"]}, {}, False),
    (DeepJudgmentAutoFail, {A.DEEP_JUDGMENT_PERFORMED: True, A.ATTRIBUTES_WITHOUT_EXCERPTS: ["target"],
                            A.ABSTENTION_DETECTED: True}, {}, False),
    (RubricEvaluation, {}, {"rubric": RUBRIC}, True),
    (RubricEvaluation, {}, {"rubric": Rubric()}, False),
    (RubricEvaluation, {A.TRACE_VALIDATION_FAILED: True}, {"rubric": RUBRIC}, True),
    (RubricEvaluation, {A.TRACE_VALIDATION_FAILED: True}, {"rubric": RUBRIC, "use_full_trace_for_rubric": False},
     False),
    (RubricEvaluation, {}, {"rubric": AGENTS}, False),
    (AgenticRubricEvaluation, {}, {"rubric": AGENTS}, True),
    (AgenticRubricEvaluation, {}, {"rubric": CLASSIC}, False),
    (AgenticRubricEvaluation, {}, {}, False),
    (DeepJudgmentRubricAutoFail, {A.DEEP_JUDGMENT_RUBRIC_PERFORMED: True, A.TRAITS_WITHOUT_VALID_EXCERPTS: ["clear"]},
     {}, True),
    (DeepJudgmentRubricAutoFail, {A.DEEP_JUDGMENT_RUBRIC_PERFORMED: True, A.TRAITS_WITHOUT_VALID_EXCERPTS: []}, {},
     False),
    (DeepJudgmentRubricAutoFail, {A.DEEP_JUDGMENT_RUBRIC_PERFORMED: False, A.TRAITS_WITHOUT_VALID_EXCERPTS: ["clear"]},
     {}, False),
    (DeepJudgmentRubricAutoFail, {A.DEEP_JUDGMENT_RUBRIC_PERFORMED: True, A.TRAITS_WITHOUT_VALID_EXCERPTS: ["clear"],
                                  A.ABSTENTION_DETECTED: True}, {}, False),
]  # fmt: skip


def named(value: Any) -> str:
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, dict):
        return ", ".join(f"{name} {'absent' if each is ABSENT else each}" for name, each in value.items()) or "sound"
    return "runs" if value else "is skipped"


def context(prepared: PreparedTemplate, artifacts: dict[Any, Any], settings: dict[str, Any]) -> VerificationContext:
    rubric = settings.get("rubric")
    made = VerificationContext(
        question_id="q", template_id="t", question_text="Which?", template_code=TEMPLATE,
        answering_model=ModelConfig(id="m", interface="manual", manual_traces={}), rubric=rubric,
        config=VerificationConfig(**{name: value for name, value in settings.items() if name != "rubric"}),
    )  # fmt: skip
    for key, value in ({A.ANSWER: prepared} | SOUND | artifacts).items():
        if value is not ABSENT:
            made[key] = value
    return made


@pytest.mark.parametrize(("stage", "artifacts", "settings", "runs"), RULES, ids=named)
def test_section_8_each_row_says_when_a_stage_runs(
    prepared: PreparedTemplate, stage: type[Stage], artifacts: dict[Any, Any], settings: dict[str, Any], runs: bool
) -> None:
    assert stage().should_run(context(prepared, artifacts, settings)) is runs


@pytest.mark.parametrize("stage", [stage for stage, _ in PROGRAM if stage is not FinalizeResult])
def test_section_8_after_an_error_no_stage_runs(prepared: PreparedTemplate, stage: type[Stage]) -> None:
    _, artifacts, settings, _ = next(row for row in RULES if row[0] is stage and row[3])
    broken = context(prepared, artifacts, settings)
    broken.mark_error("The connection broke.")
    assert stage().should_run(broken) is False


def test_section_8_finalize_result_runs_always(prepared: PreparedTemplate) -> None:
    broken = context(prepared, {}, {})
    broken.mark_error("The connection broke.")
    assert FinalizeResult().should_run(broken) is True
