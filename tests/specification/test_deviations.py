"""What this package does in another way than the specification, where no other test shows it."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from karenina_gui import (
    Benchmark,
    ModelConfig,
    RegexRubricTrait,
    Rubric,
    StageOrchestrator,
    VerificationConfig,
    VerificationContext,
)
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.openai_endpoint import OpenAILLM
from karenina_gui.adapters.run_ports import uses_agent
from karenina_gui.errors import ConfigurationError, InputError, ProviderError
from karenina_gui.formats.k_eval.dataset_reader import DATASET_HASH
from karenina_gui.pipeline.finalization import FinalizeResult
from karenina_gui.pipeline.stage import Stage
from karenina_gui.sandbox import Sandbox
from tests.pipeline.agentic_job import ANSWER, Stagehand
from tests.pipeline.conftest import Judged, Verify
from tests.pipeline.obliging_judge import Judge, says
from tests.template_texts import TARGET

HANDWRITTEN = """
class Answer(BaseAnswer):
    target: str = Field(description="Protein that it binds")
    year: int = Field(description="Year of approval")
    def ground_truth(self):
        self.correct = {"target": "BCL2"}
    def verify(self):
        return self.target == self.correct["target"]
    def verify_granular(self):
        return 1.0
"""


@pytest.mark.parametrize(("year", "passed"), [(2016, True), (None, False)])
def test_a_field_that_the_judge_leaves_open_fails_the_answer_without_the_authors_verify(
    judged: Judged, year: int | None, passed: bool
) -> None:
    judge = Judge(year=year)
    result = judged(says("It binds BCL2."), judge, template=HANDWRITTEN)
    assert result.completed_without_errors
    assert result.passed is passed
    assert result.template is not None
    assert result.template.verify_granular_result == (1.0 if passed else None)
    assert result.template.field_results == (None if passed else {"year": None})
    assert {"type": "null"} in (judge.asked[-1].schema or {})["properties"]["year"]["anyOf"]


@pytest.mark.parametrize(
    "settings",
    [
        {"interface": "manual", "manual_traces": {}},
        {"interface": "openai_endpoint", "workspace_tools": ["read_file"]},
    ],
)
def test_recorded_answers_and_workspace_tools_come_through_the_agent_port(settings: dict[str, Any]) -> None:
    assert uses_agent(ModelConfig.model_validate({"model_name": "m", **settings}))


def test_openai_endpoints_need_no_langchain(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("langchain")] + ["langchain", "langchain_core"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert judged(says("It binds BCL2."), Judge(), template=TARGET).passed is True


@pytest.mark.parametrize("interface", ["openai_endpoint", "openrouter"])
def test_both_interfaces_have_an_adapter_without_langchain(monkeypatch: pytest.MonkeyPatch, interface: str) -> None:
    for name in [name for name in sys.modules if name.startswith("langchain")] + ["langchain", "langchain_core"]:
        monkeypatch.setitem(sys.modules, name, None)
    address = {"endpoint_base_url": "http://127.0.0.1:9/v1"} if interface == "openai_endpoint" else {}
    model = ModelConfig(model_name="m", interface=interface, endpoint_api_key="x", **address)
    with AdapterFactory(environment={}) as adapters:
        assert isinstance(adapters.llm(model), OpenAILLM)
    with AdapterFactory(environment={}) as adapters, pytest.raises(ConfigurationError, match="langchain"):
        adapters.llm(ModelConfig(model_name="m", interface="langchain", model_provider="openai"))


def test_a_configuration_knows_no_workspace_root() -> None:
    with pytest.raises(ValidationError, match="workspace_root"):
        VerificationConfig.model_validate({"workspace_root": "/somewhere"})


def test_a_switched_on_embedding_check_leaves_the_environment_alone() -> None:
    before = dict(os.environ)
    with AdapterFactory(environment={}) as adapters:
        assert adapters.embedder(VerificationConfig(embedding_check_enabled=True)) is not None
    assert dict(os.environ) == before


@pytest.mark.parametrize(("name", "title"), [("abstention", "refusal"), ("sufficiency", "sufficiency")])
def test_a_check_whose_judge_fails_is_not_performed_and_the_job_goes_on(hand: Stagehand, name: str, title: str) -> None:
    right = hand._reply(hand.values)

    def reply(request: Any) -> Any:
        if request.purpose == f"{name}_check":
            raise ProviderError("no luck", category="rejected")
        return right(request)

    played = hand.play(agentic_parsing=False, reply=reply, **{f"{name}_enabled": True})
    assert played.result.passed is True
    assert played.result.template is not None
    assert getattr(played.result.template, f"{name}_check_performed") is False
    assert f"The {title} check was not performed: no luck" in played.problems


def test_a_template_of_patterns_has_no_sufficiency_check(check: Verify) -> None:
    source = """
class Answer(BaseAnswer):
    says: bool = VerifiedField(description="t", ground_truth=True, verify_with=TraceContains(substring="BCL2"))
"""
    result = check(source, "It binds BCL2.", sufficiency_enabled=True)
    stages = {each.name: each.reason for each in result.stages}
    assert result.passed is True
    assert stages["SufficiencyCheck"] == "the template asks nothing of a judge"


def test_an_empty_answer_fails_without_a_question_to_the_judge(hand: Stagehand) -> None:
    hand.answer = "  "
    played = hand.play(agentic_parsing=False)
    assert played.result.passed is False
    assert played.of("parsing") == []


def test_parsed_answer_has_the_values_and_the_class_stays_in_the_sandbox(hand: Stagehand) -> None:
    artifacts = hand.play(agentic_parsing=False).context.artifacts
    assert artifacts["parsed_answer"].values.keys() == {"target", "tests"}
    assert not isinstance(artifacts["Answer"], type)
    assert artifacts["RawAnswer"].valid
    assert [field.name for field in artifacts["RawAnswer"].fields] == ["target", "tests"]


def test_a_rubric_section_stands_beside_a_template_of_the_mode_that_has_none(hand: Stagehand) -> None:
    result = hand.play(
        template=None, rubric=Rubric(regex_traits=[RegexRubricTrait(name="fixed", pattern="fixed")]),
        evaluation_mode="rubric_only",
    ).result  # fmt: skip
    assert result.template is not None
    assert (result.template.raw_llm_response, result.template.verify_result) == (ANSWER, None)


class Refuses(Stage):
    name = "Refuses"

    def execute(self, context: VerificationContext) -> None:
        raise InputError("The folder is not there. Choose another.")


def test_what_a_person_can_mend_is_logged_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    context = VerificationContext("q", "t", "Mend it.", "", ModelConfig(model_name="m"))
    with caplog.at_level(logging.WARNING, "karenina_gui.pipeline.orchestrator"):
        result = StageOrchestrator([Refuses(), FinalizeResult()]).execute(context)
    assert result.error == "The folder is not there. Choose another."
    assert [(record.levelno, record.exc_info) for record in caplog.records] == [(logging.WARNING, None)]


def test_results_in_python_have_no_hash_of_the_data_set(sandbox: Sandbox) -> None:
    benchmark = Benchmark.create("of a data set")
    question_id = benchmark.add_question("What is 6 x 7?", "42", "class Answer(BaseAnswer):\n    pass\n")
    benchmark.document.custom_properties[DATASET_HASH] = "cd" * 32
    recorded = ModelConfig(id="m", interface="manual", manual_traces={question_id: "42"})
    (result,) = benchmark.run_verification(VerificationConfig(answering_models=[recorded]), sandbox=sandbox)
    assert "cd" * 32 not in result.model_dump_json()
