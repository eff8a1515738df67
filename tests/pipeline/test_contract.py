"""The artifact contract: declared once, validated before the first call, enforced at every access."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui import ArtifactKeys, ModelConfig, StageOrchestrator, VerificationContext
from karenina_gui.pipeline.artifacts import Key
from karenina_gui.pipeline.finalization import FinalizeResult
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.template_path import VerifyTemplate
from karenina_gui.schemas.result import VerificationResult

FOR_OTHER_STAGES_ONLY = {
    "AGENTIC_RUBRIC_EVALUATION_PERFORMED",
    "WORKSPACE_PATH",
    "RAW_ANSWER",
    "ANSWER",
    "TEMPLATE_VALIDATION_ERROR",
    "ANSWERING_MODEL_STR",
    "TRACE_VALIDATION_FAILED",
    "TRACE_VALIDATION_ERROR",
    "MCP_ENABLED",
    "PARSED_ANSWER",
    "PARSING_MODEL_STR",
    "TEMPLATE_EVALUATOR",
    "FIELD_VERIFICATION_RESULT",
    "FINAL_RESULT",
}

KEYS = {name: key for name, key in vars(ArtifactKeys).items() if isinstance(key, Key)}


class Snoop(Stage):
    name = "Snoop"

    def execute(self, context: VerificationContext) -> None:
        context.get_artifact(ArtifactKeys.VERIFY_RESULT)


class Forger(Stage):
    name = "Forger"

    def execute(self, context: VerificationContext) -> None:
        context[ArtifactKeys.VERIFY_RESULT] = True


def context() -> VerificationContext:
    return VerificationContext(
        question_id="q",
        template_id="t",
        question_text="What is 6 x 7?",
        template_code="",
        answering_model=ModelConfig(id="m", interface="manual", manual_traces={}),
    )


@pytest.mark.parametrize(("stage", "verb"), [(Snoop(), "reads"), (Forger(), "writes")])
def test_a_stage_touches_only_what_it_declares(stage: Stage, verb: str) -> None:
    result = StageOrchestrator([stage, FinalizeResult()]).execute(context())
    assert f"Stage {stage.name} {verb} the artifact 'verify_result' without declaring it" in (result.error or "")
    assert result.template is not None
    assert result.template.verify_result is None


class Works(Stage):
    """Records its calls. No earlier stage produces its artifact."""

    name = "Works"
    produces = [ArtifactKeys.PARSED_ANSWER]
    calls: list[str] = []

    def should_run(self, context: VerificationContext) -> bool:
        self.calls.append("should_run")
        return True

    def execute(self, context: VerificationContext) -> None:
        self.calls.append("execute")


class Reads(Stage):
    name = "Reads"
    requires = [ArtifactKeys.PARSED_ANSWER]

    def execute(self, context: VerificationContext) -> None: ...


def test_a_producer_must_come_before_the_stage_that_requires_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Works, "calls", [])
    assert StageOrchestrator([Works(), Reads(), FinalizeResult()]).validate_dependencies() == []
    with pytest.raises(ValueError, match="Stage Reads requires 'parsed_answer', which no earlier stage produces"):
        StageOrchestrator([Reads(), Works(), FinalizeResult()]).execute(context())
    with pytest.raises(ValueError, match="'raw_llm_response'"):
        StageOrchestrator([Works(), VerifyTemplate(), FinalizeResult()]).execute(context())
    assert Works.calls == []


def test_a_missing_producer_is_found_before_any_work() -> None:
    orchestrator = StageOrchestrator([VerifyTemplate(), FinalizeResult()])
    assert orchestrator.validate_dependencies() == [
        "Stage VerifyTemplate requires 'parsed_answer', which no earlier stage produces.",
        "Stage VerifyTemplate requires 'raw_llm_response', which no earlier stage produces.",
    ]
    with pytest.raises(ValueError, match="parsed_answer"):
        orchestrator.execute(context())


def test_every_artifact_has_a_home_in_the_result_or_is_known_to_have_none() -> None:
    homeless = {name for name, key in KEYS.items() if key.home is None}
    assert homeless == FOR_OTHER_STAGES_ONLY


@pytest.mark.parametrize("name", sorted(name for name, key in KEYS.items() if key.home))
def test_a_home_is_a_field_of_the_result(name: str) -> None:
    model: Any = VerificationResult
    for part in str(KEYS[name].home).split("."):
        annotation = model.model_fields[part].annotation
        model = next((a for a in getattr(annotation, "__args__", ()) if hasattr(a, "model_fields")), annotation)


class Trap(Stage):
    name = "Trap"

    def rule(self, context: VerificationContext) -> str | None:
        raise OSError("the rule broke")

    def execute(self, context: VerificationContext) -> None: ...


def test_a_rule_that_raises_does_not_stop_the_result() -> None:
    result = StageOrchestrator([Trap(), FinalizeResult()]).execute(context())
    assert result.error == "Trap stopped unexpectedly: OSError: the rule broke"
    assert [(stage.name, stage.status) for stage in result.stages] == [("Trap", "failed"), ("FinalizeResult", "ran")]


def test_an_error_that_a_stage_only_sets_is_a_failure_too() -> None:
    class Setter(Stage):
        name = "Setter"

        def execute(self, context: VerificationContext) -> None:
            context.error = "no disk"

    result = StageOrchestrator([Setter(), FinalizeResult()]).execute(context())
    assert result.metadata.failure is not None
    assert (result.metadata.failure.reason, result.completed_without_errors) == ("no disk", False)


def test_stages_without_an_end_are_refused() -> None:
    with pytest.raises(ValueError, match="FinalizeResult"):
        StageOrchestrator([Snoop()]).execute(context())


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="template_and_rubric"):
        StageOrchestrator.from_config(evaluation_mode="both")  # type: ignore[arg-type]
