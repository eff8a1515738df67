"""Statements of `verification-pipeline.md` that no other test holds."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Any, cast, get_args

import pytest
from pydantic import ValidationError

from karenina_gui import (
    AgenticRubricTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    ModelConfig,
    RegexRubricTrait,
    Rubric,
    StageOrchestrator,
    VerificationConfig,
    VerificationContext,
)
from karenina_gui.adapters.ports import AgentResult, CallUsage, LLMRequest, LLMResponse
from karenina_gui.errors import ProviderError, RubricError
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import PipelineTools
from karenina_gui.pipeline.deep_judgment import REASONING
from karenina_gui.pipeline.finalization import FinalizeResult
from karenina_gui.pipeline.generated_answer import GeneratedAnswer
from karenina_gui.pipeline.guards import TraceValidationAutoFail
from karenina_gui.pipeline.orchestrator import PROGRAM, register
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.template_evaluator import ParsedAnswer
from karenina_gui.pipeline.verify_job import VerificationTask, verify
from karenina_gui.schemas.messages import Message, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import merge_rubrics
from karenina_gui.schemas.verification_config import EvaluationMode
from tests.pipeline.agentic_job import ANSWER, TRUTH, Stagehand, reports
from tests.pipeline.conftest import Judged, Verify
from tests.pipeline.obliging_judge import Judge, says
from tests.pipeline.scripted_peer import AgentRun

SERVERS = {"mcp_urls_dict": {"papers": "http://127.0.0.1:9/"}}
CITES = RegexRubricTrait(name="cites", pattern=r"\[\d+\]")
CLEAR = LLMRubricTrait(name="clear", description="Is it easy to follow?", kind="boolean")
SHORT = CallableRubricTrait(name="short", kind="boolean", source="def f(text):\n    return len(text) < 99\n")
TRACED = """
class Answer(BaseAnswer):
    says: bool = VerifiedField(description="t", ground_truth=True, verify_with=TraceContains(substring="BCL2"))
"""


def context() -> VerificationContext:
    model = ModelConfig(id="m", interface="manual", manual_traces={})
    return VerificationContext("q", "t", "What is 6 x 7?", "", model)


def status(result: VerificationResult, stage: str) -> str:
    return next(each.status for each in result.stages if each.name == stage)


# ---------------------------------------------------------------- 1. the same stages for all
OWN = Question(question="What is 2 x 2?", raw_answer="4", answer_template=TRACED,
               question_rubric=Rubric(regex_traits=[CITES]).model_dump())  # fmt: skip
OTHERS = [Question(question=f"What is {n} x {n}?", raw_answer=str(n * n), answer_template=TRACED) for n in (6, 7)]


def stages_of(tools: PipelineTools, question: Question, rubric: Rubric | None = None, **settings: Any) -> list[str]:
    model = ModelConfig(id="recorded", interface="manual", manual_traces={question.id: "It binds BCL2."})
    config = VerificationConfig(answering_models=[model], **settings)
    result, _ = verify(VerificationTask(question, config, model, rubric=rubric), tools)
    assert result.passed in (True, None)
    return [stage.name for stage in result.stages]


@pytest.mark.parametrize("mode", get_args(EvaluationMode))
@pytest.mark.parametrize("rubric", [None, Rubric(regex_traits=[RegexRubricTrait(name="dated", pattern=r"\d{4}")])])
def test_section_1_every_question_of_a_run_takes_the_same_stages(
    tools: PipelineTools, mode: EvaluationMode, rubric: Rubric | None
) -> None:
    settings = {"evaluation_mode": mode, "abstention_enabled": True, "deep_judgment_enabled": True}
    one, other = (stages_of(tools, question, rubric, **settings) for question in OTHERS)
    assert one == other
    assert len(one) > 4
    if rubric is not None:
        assert stages_of(tools, OWN, rubric, **settings) == one, "traits of the benchmark are there already"


def test_section_1_traits_of_a_question_add_the_stages_that_score_them(tools: PipelineTools) -> None:
    plain, own = stages_of(tools, OTHERS[0]), stages_of(tools, OWN)
    assert [name for name in own if name not in plain] == ["RubricEvaluation", "DeepJudgmentRubricAutoFail"]
    assert [name for name in own if name in plain] == plain


# ---------------------------------------------------------------- 3.1 composition
def test_section_3_1_template_only_is_the_default_mode() -> None:
    assert VerificationConfig().evaluation_mode == "template_only"
    default, chosen = StageOrchestrator.from_config(), StageOrchestrator.from_config("template_only")
    assert [stage.name for stage in default.stages] == [stage.name for stage in chosen.stages]


# ---------------------------------------------------------------- 3.3 sequential execution
class Told(Stage):
    """Records every call."""

    calls: list[str] = []
    runs = True

    def should_run(self, context: VerificationContext) -> bool:
        self.calls.append(f"{self.name}: should_run")
        return self.runs and super().should_run(context)

    def execute(self, context: VerificationContext) -> None:
        self.calls.append(f"{self.name}: execute")


class First(Told):
    name = "First"


class Idle(Told):
    name = "Idle"
    runs = False


class Breaks(Told):
    name = "Breaks"

    def execute(self, context: VerificationContext) -> None:
        raise OSError("the disk is gone")


class Sets(Told):
    name = "Sets"

    def execute(self, context: VerificationContext) -> None:
        context.error = "no disk"


class Last(Told):
    name = "Last"


def test_section_3_3_a_stage_is_asked_whether_it_runs_and_then_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Told, "calls", [])
    result = StageOrchestrator([First(), Idle(), Last(), FinalizeResult()]).execute(context())
    assert Told.calls == [
        "First: should_run", "First: execute", "Idle: should_run", "Last: should_run", "Last: execute",
    ]  # fmt: skip
    assert [each.status for each in result.stages] == ["ran", "skipped", "ran", "ran"]


def test_section_3_4_all_stages_share_one_context_that_they_change() -> None:
    seen: list[VerificationContext] = []

    class Sees(Stage):
        name = "Sees"

        def execute(self, context: VerificationContext) -> None:
            seen.append(context)
            context.caveats.append(f"seen {len(seen)}")

    made = context()
    result = StageOrchestrator([Sees(), Sees(), FinalizeResult()]).execute(made)
    assert [each is made for each in seen] == [True, True]
    assert result.metadata.caveats == ["seen 1", "seen 2"]


@pytest.mark.parametrize(
    ("stage", "message", "level"),
    [(Breaks(), "the disk is gone", logging.ERROR), (Sets(), "no disk", logging.WARNING)],
    ids=["raised", "set"],
)
def test_section_3_3_an_error_is_logged_and_the_pipeline_goes_on_to_its_result(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, stage: Stage, message: str, level: int
) -> None:
    monkeypatch.setattr(Told, "calls", [])
    with caplog.at_level(logging.WARNING, "karenina_gui.pipeline.orchestrator"):
        result = StageOrchestrator([stage, Last(), FinalizeResult()]).execute(context())
    assert message in (result.error or "")
    assert result.metadata.failure is not None
    assert (result.metadata.failure.category, message in result.metadata.failure.reason) == ("unexpected_error", True)
    assert result.completed_without_errors is False
    assert "Last: execute" not in Told.calls
    assert [each.status for each in result.stages] == ["failed", "skipped", "ran"]
    assert ("Breaks" in (result.stages[1].reason or "")) is isinstance(stage, Breaks), "mark_error() names the stage"
    told = {record.levelno: record.getMessage() + (record.exc_text or "") for record in caplog.records}
    assert message in told[level]


def test_section_3_3_the_time_is_brought_up_to_date_after_every_stage() -> None:
    times: list[float] = []

    class Clock(Stage):
        name = "Clock"

        def execute(self, context: VerificationContext) -> None:
            times.append(context.execution_time)
            sum(range(200_000))

    made = context()
    StageOrchestrator([Clock(), Clock(), Clock(), FinalizeResult()]).execute(made)
    assert times == sorted(times)
    assert 0 == times[0] < times[1] < times[2] <= made.execution_time


# ---------------------------------------------------------------- 3.4 the context
@pytest.mark.parametrize("name", ["question_id", "template_id", "question_text", "template_code"])
def test_section_3_4_the_identity_is_fixed_at_creation(name: str) -> None:
    made = context()
    before = getattr(made, name)
    with pytest.raises(AttributeError, match=f"{name} says which job this is"):
        setattr(made, name, "another")
    assert getattr(made, name) == before
    assert getattr(replace(made, **{name: "another"}), name) == "another"


def test_section_3_4_artifacts_grow_with_every_stage_and_result_fields_reach_the_result() -> None:
    there: list[list[str]] = []

    class Answers(Stage):
        name = "Answers"
        produces = [A.RAW_LLM_RESPONSE]

        def execute(self, context: VerificationContext) -> None:
            there.append(list(context.artifacts))
            context[A.RAW_LLM_RESPONSE] = "42"
            context.set_result_field("template.raw_llm_response", "42")

    class Verifies(Stage):
        name = "Verifies"
        requires = [A.RAW_LLM_RESPONSE]
        produces = [A.VERIFY_RESULT]

        def execute(self, context: VerificationContext) -> None:
            there.append(list(context.artifacts))
            context[A.VERIFY_RESULT] = True

    made = context()
    result = StageOrchestrator([Answers(), Verifies(), FinalizeResult()]).execute(made)
    assert there == [[], [A.RAW_LLM_RESPONSE]]
    assert list(made.artifacts) == [A.RAW_LLM_RESPONSE, A.VERIFY_RESULT, A.FINAL_RESULT]
    assert result.template is not None
    assert (result.template.raw_llm_response, result.template.verify_result) == ("42", True)


def test_section_3_4_what_the_context_holds() -> None:
    made = VerificationContext(
        question_id="q", template_id="t", question_text="What is 6 x 7?", template_code="",
        answering_model=ModelConfig(model_name="m"), parsing_model=ModelConfig(model_name="j"), rubric=Rubric(),
    )  # fmt: skip
    assert (made.question_id, made.template_id, made.question_text) == ("q", "t", "What is 6 x 7?")
    assert (made.template_code, made.answering_model.id, made.rubric) == ("", "m", Rubric())
    assert made.parsing_model is not None
    assert (made.artifacts, made.result_fields) == ({}, {})
    assert (made.error, made.completed_without_errors) == (None, True)
    made.set_artifact(A.RAW_LLM_RESPONSE, "42")
    assert made.get_artifact(A.RAW_LLM_RESPONSE) == "42"
    made.mark_error("no disk")
    assert (made.error, made.completed_without_errors) == ("no disk", False)


# ---------------------------------------------------------------- 4. stages
BROKEN = {
    "a syntax error": "class Answer(BaseAnswer:\n    pass\n",
    "no answer class": "x = 1\n",
    "a field without a type": (
        "class Answer(BaseAnswer):\n"
        "    target = VerifiedField(description='t', ground_truth='x', verify_with=ExactMatch())\n"
    ),
    "a reserved field": "class Answer(BaseAnswer):\n    correct: str = Field(description='t')\n",
}


@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN)
def test_section_4_a_template_that_cannot_be_used_leads_straight_to_the_result(check: Verify, source: str) -> None:
    result = check(source, "BCL2")
    assert result.error
    assert result.metadata.failure is not None
    assert (result.metadata.failure.category, result.metadata.failure.stage) == (
        "template_validation", "ValidateTemplate",
    )  # fmt: skip
    assert {each.status for each in result.stages[1:-1]} == {"skipped"}
    assert (result.stages[0].status, result.stages[-1].status) == ("failed", "ran")


def test_section_4_one_answer_class_of_any_name_will_do(check: Verify) -> None:
    assert check(TRACED.replace("class Answer", "class DrugAnswer"), "It binds BCL2.").passed is True


USE = ToolUseBlock(id="1", name="search", input={"q": "BCL2"})
TOLD = "I have looked it up."
LOOKS_UP = (
    Message(role="assistant", content=(USE,)),
    Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content="found it"),)),
)


def loop(*messages: Message, **ends: Any) -> Any:
    """An answering agent that has said this, with 10 tokens for it."""

    def run(given: AgentRun) -> AgentResult:
        return AgentResult(TOLD, messages, CallUsage(7, 3), turns=2, **ends)

    return run


def test_section_4_the_answer_is_kept_with_messages_tokens_and_the_flag_for_the_guards(hand: Stagehand) -> None:
    played = hand.play(agentic_parsing=False, answering=SERVERS, agent=loop(*LOOKS_UP, Message.of("assistant", TOLD)))
    template = played.result.template
    assert template is not None
    assert TOLD in (template.raw_llm_response or "")
    assert [message["role"] for message in template.trace_messages] == ["assistant", "tool", "assistant"]
    assert (template.usage_metadata or {})["answer_generation"]["total_tokens"] == 10
    assert played.context.artifacts[A.RECURSION_LIMIT_REACHED] is False


def test_section_4_a_cached_answer_goes_before_an_agent_and_an_agent_before_a_direct_call(hand: Stagehand) -> None:
    def keep(made: VerificationContext) -> None:
        made.cached_answer_data = GeneratedAnswer("It binds MCL1.", (Message.of("assistant", "It binds MCL1."),))

    said = loop(Message.of("assistant", TOLD))
    cached = hand.play(agentic_parsing=False, answering=SERVERS, agent=said, change=keep)
    assert (cached.runs, cached.of("answer_generation")) == ([], [])
    assert cached.context.artifacts[A.RAW_LLM_RESPONSE] == "It binds MCL1."
    agent = hand.play(agentic_parsing=False, answering=SERVERS, agent=said)
    assert (len(agent.runs), agent.of("answer_generation")) == (1, [])
    direct = hand.play(agentic_parsing=False, agent=said)
    assert (direct.runs, len(direct.of("answer_generation"))) == ([], 1)


def test_section_4_an_agent_at_its_limit_fails_and_all_that_is_known_is_kept(hand: Stagehand) -> None:
    played = hand.play(
        agentic_parsing=False, answering=SERVERS, rubric=Rubric(regex_traits=[CITES]),
        agent=loop(*LOOKS_UP, Message.of("assistant", "Hm."), limit_reached=True),
    )  # fmt: skip
    result, template = played.result, played.result.template
    assert template is not None
    assert (template.verify_result, template.recursion_limit_reached) == (False, True)
    assert result.metadata.failure is not None
    assert result.metadata.failure.category == "recursion_limit"
    assert "found it" in (template.raw_llm_response or "")
    assert len(template.trace_messages) == 3
    assert (template.usage_metadata or {})["answer_generation"]["total_tokens"] == 10
    assert result.completed_without_errors is True
    assert status(result, "RubricEvaluation") == "ran"


def test_section_4_a_trace_of_an_agent_with_servers_ends_with_its_own_message(hand: Stagehand) -> None:
    cut = hand.play(agentic_parsing=False, answering=SERVERS, agent=loop(*LOOKS_UP))
    whole = hand.play(agentic_parsing=False, answering=SERVERS, agent=loop(*LOOKS_UP, Message.of("assistant", TOLD)))
    assert cut.result.template is not None
    assert cut.result.template.verify_result is False
    assert cut.result.metadata.failure is not None
    assert cut.result.metadata.failure.category == "trace_validation"
    assert cut.context.artifacts[A.TRACE_VALIDATION_ERROR]
    assert cut.statuses["ParseTemplate"] == "the trace has no final answer"
    assert cut.result.completed_without_errors is True
    assert whole.context.artifacts[A.TRACE_VALIDATION_FAILED] is False
    assert whole.context.artifacts[A.MCP_ENABLED] is True


def test_section_4_a_final_message_without_text_is_none(hand: Stagehand) -> None:
    mute = hand.play(agentic_parsing=False, answering=SERVERS, agent=loop(*LOOKS_UP, LOOKS_UP[0]))
    assert mute.result.metadata.failure is not None
    assert mute.result.metadata.failure.category == "trace_validation"
    assert mute.context.artifacts[A.TRACE_VALIDATION_ERROR] == "Final AI message has no text content"


def test_section_4_traces_without_servers_and_recorded_ones_are_not_validated(hand: Stagehand, check: Verify) -> None:
    tools = {"workspace_tools": ["read_file"]}
    for played in (
        hand.play(agentic_parsing=False),
        hand.play(agentic_parsing=False, answering=tools, agent=loop(*LOOKS_UP)),
    ):
        assert played.context.artifacts[A.MCP_ENABLED] is False
        assert played.context.artifacts[A.TRACE_VALIDATION_FAILED] is False
    unfinished = [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "BCL2"},
    ]  # fmt: skip
    recorded = check(TRACED.replace('"BCL2"', '"MCL1"'), [unfinished])
    assert status(recorded, "TraceValidationAutoFail") == "ran"
    assert recorded.metadata.failure is not None
    assert recorded.metadata.failure.category == "content"


def test_section_4_a_trace_that_was_recorded_is_not_validated_even_with_servers() -> None:
    """No configuration gives recorded answers a server, so the guard is asked by itself."""
    with pytest.raises(ValidationError, match="cannot use MCP servers"):
        ModelConfig(id="m", interface="manual", manual_traces={}, **SERVERS)
    for interface, failed in (("manual", False), ("openai_endpoint", True)):
        made = context()
        made.answering_model = made.answering_model.model_copy(update={"interface": interface, **SERVERS})
        made.generation = GeneratedAnswer("", LOOKS_UP)
        made[A.RAW_LLM_RESPONSE] = ""
        TraceValidationAutoFail().execute(made)
        assert (made.artifacts[A.MCP_ENABLED], made.artifacts[A.TRACE_VALIDATION_FAILED]) == (True, failed)


@pytest.mark.parametrize("name", ["abstention", "sufficiency"])
@pytest.mark.parametrize("full", [False, True])
def test_section_4_both_checks_read_what_the_judge_of_the_template_reads(
    hand: Stagehand, name: str, full: bool
) -> None:
    values = {"reasoning": "x", "sufficient": True, "abstention_detected": False}
    played = hand.play(
        agentic_parsing=False, answering=SERVERS, agent=loop(*LOOKS_UP, Message.of("assistant", TOLD)), values=values,
        use_full_trace_for_template=full, **{f"{name}_enabled": True},
    )  # fmt: skip
    (request,) = played.of(f"{name}_check")
    told = "\n".join(message.text for message in request.messages)
    assert TOLD in told
    assert ("found it" in told) is full


@pytest.mark.parametrize("name", ["abstention", "sufficiency"])
def test_section_4_both_checks_read_the_raw_response_where_there_is_no_final_message(
    hand: Stagehand, name: str
) -> None:
    values = {"reasoning": "x", "sufficient": True, "abstention_detected": False}
    played = hand.play(
        agentic_parsing=False, answering={"workspace_tools": ["read_file"]}, agent=loop(*LOOKS_UP), values=values,
        **{f"{name}_enabled": True},
    )  # fmt: skip
    (request,) = played.of(f"{name}_check")
    assert "found it" in request.messages[-1].text
    assert played.result.metadata.failure is not None
    assert played.result.metadata.failure.reason == "The model gave no answer to read."


def test_section_4_a_template_of_patterns_gets_an_empty_answer_although_there_is_a_judge(hand: Stagehand) -> None:
    played = hand.play(agentic_parsing=False, template=TRACED.replace("BCL2", "calc.py"))
    assert played.context.artifacts[A.PARSED_ANSWER] == ParsedAnswer()
    assert [request.purpose for request in played.asked] == ["answer_generation"]
    assert played.result.passed is True


class Alike:
    """Finds everything alike."""

    name = "all alike"

    def similarity(self, one: str, other: str) -> float:
        return 1.0


@pytest.mark.parametrize("equivalent", [True, False])
def test_section_4_equivalent_values_turn_the_field_verification(hand: Stagehand, equivalent: bool) -> None:
    def give(made: VerificationContext) -> None:
        made.tools = replace(made.world, embedder=Alike())

    values = {"target": "BCL2", "reasoning": "x", "equivalent": equivalent}
    played = hand.play(agentic_parsing=False, values=values, change=give)
    (request,) = played.of("embedding_check")
    told = request.messages[-1].text
    assert (TRUTH in told, "BCL2" in told) == (True, True), "the judge compares what is expected with what was found"
    assert TRUTH not in "".join(message.text for each in played.of("parsing") for message in each.messages)
    artifacts = played.context.artifacts
    assert (artifacts[A.FIELD_VERIFICATION_RESULT], artifacts[A.VERIFY_RESULT]) == (equivalent, equivalent)
    assert artifacts[A.EMBEDDING_OVERRIDE_APPLIED] is equivalent


CHECKS = {
    "abstention": ({"abstention_detected": True}, {"abstention_detected": False}),
    "sufficiency": ({"sufficient": False}, {"sufficient": True}),
}


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("triggered", [True, False])
def test_section_4_both_checks_ask_the_judge_once_and_record_four_fields(
    hand: Stagehand, name: str, triggered: bool
) -> None:
    values = {"reasoning": "So it says.", **CHECKS[name][0 if triggered else 1]}
    with_check = hand.play(agentic_parsing=False, values=values, **{f"{name}_enabled": True})
    template = with_check.result.template
    assert template is not None
    detected = triggered if name == "abstention" else not triggered  # True: sufficient
    assert [getattr(template, f"{name}_{part}") for part in (
        "check_performed", "detected", "override_applied", "reasoning",
    )] == [True, detected, triggered, "So it says."]  # fmt: skip
    assert len(with_check.of(f"{name}_check")) == 1
    assert with_check.result.completed_without_errors is True
    parsed = 0 if triggered else 1
    assert len(with_check.of("parsing")) == parsed
    assert with_check.result.passed is (not triggered)
    if not triggered:
        plain = hand.play(agentic_parsing=False)
        assert len(with_check.asked) == len(plain.asked) + 1


def test_section_4_sufficiency_is_judged_by_the_templates_schema(hand: Stagehand) -> None:
    played = hand.play(agentic_parsing=False, values={"reasoning": "x", "sufficient": True}, sufficiency_enabled=True)
    (request,) = played.of("sufficiency_check")
    told = "\n".join(message.text for message in request.messages)
    assert "Protein that calc.py names" in told
    assert '"target"' in told
    assert ANSWER in told
    assert TRUTH not in told


def test_section_7_without_the_check_a_refusal_is_parsed_like_any_answer(judged: Judged) -> None:
    judge = Judge(target=None)
    template = """
class Answer(BaseAnswer):
    target: str = VerifiedField(description="Protein that it binds", ground_truth="BCL2", verify_with=ExactMatch())
"""
    result = judged(says("I cannot answer that question."), judge, template=template)
    assert status(result, "ParseTemplate") == "ran"
    assert [list(asked.schema["properties"]) for asked in judge.asked if asked.schema] == [["target"]]
    assert result.passed is False
    assert result.metadata.failure is not None
    assert (result.metadata.failure.category, result.metadata.failure.stage) == ("content", "VerifyTemplate")


@pytest.mark.parametrize("full", [False, True])
def test_section_4_the_judge_of_a_template_reads_the_final_message_or_the_full_trace(
    hand: Stagehand, full: bool
) -> None:
    settings = {"use_full_trace_for_template": True} if full else {}
    played = hand.play(
        agentic_parsing=False, answering=SERVERS, agent=loop(*LOOKS_UP, Message.of("assistant", TOLD)), **settings
    )
    (request,) = played.of("parsing")
    told = "\n".join(message.text for message in request.messages)
    assert TOLD in told
    assert ("found it" in told) is full
    assert played.result.used_full_trace is full


@pytest.mark.parametrize("full", [True, False])
def test_section_4_traits_are_scored_on_the_full_trace_or_the_final_message(hand: Stagehand, full: bool) -> None:
    settings = {} if full else {"use_full_trace_for_rubric": False}
    found = RegexRubricTrait(name="found", pattern="found it")
    played = hand.play(
        agentic_parsing=False, answering=SERVERS, agent=loop(*LOOKS_UP, Message.of("assistant", TOLD)),
        rubric=Rubric(regex_traits=[found], llm_traits=[CLEAR]), values={"clear": True}, **settings,
    )  # fmt: skip
    (request,) = played.of("rubric_evaluation")
    assert ("found it" in "\n".join(message.text for message in request.messages)) is full
    assert played.result.rubric is not None
    assert played.result.rubric.regex_trait_scores == {"found": full}


BOTH = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.correct = {{"says": True}}
        self.regex = {{"gene": {{"pattern": "BCL2", "expected": "{expected}", "match_type": "exact"}}}}
    says: bool = VerifiedField(description="t", ground_truth=True, verify_with=TraceContains(substring="{wanted}"))
    def verify_granular(self):
        return 0.75
"""


@pytest.mark.parametrize("fields", [True, False])
@pytest.mark.parametrize("patterns", [True, False])
def test_section_4_the_verdict_is_that_of_fields_and_patterns_together(
    check: Verify, fields: bool, patterns: bool
) -> None:
    source = BOTH.format(expected="BCL2" if patterns else "MCL1", wanted="binds" if fields else "nothing")
    template = check(source, "It binds BCL2.").template
    assert template is not None
    assert template.field_results == {"says": fields}
    assert template.regex_validation_results == {"gene": patterns}
    assert template.verify_result is (fields and patterns)
    assert template.verify_granular_result == 0.75


def test_section_4_patterns_and_functions_ask_no_model(hand: Stagehand) -> None:
    played = hand.play(
        template=None, rubric=Rubric(regex_traits=[CITES], callable_traits=[SHORT]), evaluation_mode="rubric_only"
    )
    assert [request.purpose for request in played.asked] == ["answer_generation"]
    assert played.result.rubric is not None
    assert played.result.rubric.regex_trait_scores == {"cites": False}
    assert played.result.rubric.callable_trait_scores == {"short": True}


def test_section_4_one_name_in_benchmark_and_question_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="cites"):
        merge_rubrics(Rubric(regex_traits=[CITES]), Rubric(regex_traits=[CITES]))
    assert issubclass(RubricError, ValueError)


def test_section_4_the_sections_of_the_result(hand: Stagehand) -> None:
    played = hand.play(agentic_parsing=False, rubric=Rubric(regex_traits=[CITES]))
    result = played.result
    assert list(VerificationResult.model_fields)[:5] == [
        "metadata", "template", "rubric", "deep_judgment", "deep_judgment_rubric",
    ]  # fmt: skip
    meta = result.metadata
    assert (meta.question_id, meta.template_id) == ("q_xyz", "t")
    assert (meta.answering.model_name, meta.parsing and meta.parsing.model_name) == ("answerer", "judge")
    assert meta.execution_time > 0
    assert meta.timestamp
    assert meta.result_id
    assert result.template is not None
    assert result.template.parsed_llm_response == {"target": TRUTH, "tests": True}
    assert result.rubric is not None
    assert result.rubric.rubric_evaluation_strategy == "batch"
    assert (result.deep_judgment, result.deep_judgment_rubric) == (None, None)


# ---------------------------------------------------------------- 5. two paths
def test_section_5_a_wrong_field_leaves_the_scores_and_a_low_score_leaves_the_verdict(hand: Stagehand) -> None:
    rubric = Rubric(regex_traits=[CITES], llm_traits=[CLEAR])
    right = hand.play(agentic_parsing=False, rubric=rubric, values={"clear": False})
    wrong = hand.play(agentic_parsing=False, rubric=rubric, values={"clear": False, "target": "MCL1"})
    assert (right.result.passed, wrong.result.passed) == (True, False)
    assert right.result.rubric == wrong.result.rubric
    assert right.result.rubric is not None
    assert right.result.rubric.llm_trait_scores == {"clear": False}


def test_section_5_traits_are_judged_together_or_each_by_itself(hand: Stagehand) -> None:
    short = LLMRubricTrait(name="brief", description="Is it brief?", kind="boolean")
    rubric = Rubric(llm_traits=[CLEAR, short])
    played = {
        strategy: hand.play(agentic_parsing=False, rubric=rubric, values={"clear": True, "brief": False},
                            rubric_evaluation_strategy=strategy)
        for strategy in ("batch", "sequential")
    }  # fmt: skip
    asked = {name: [list((each.json_schema or {})["properties"]) for each in one.of("rubric_evaluation")]
             for name, one in played.items()}  # fmt: skip
    assert VerificationConfig().rubric_evaluation_strategy == "batch"
    assert asked == {"batch": [["clear", "brief"]], "sequential": [["clear"], ["brief"]]}
    for one in played.values():
        assert one.result.rubric is not None
        assert one.result.rubric.llm_trait_scores == {"clear": True, "brief": False}


# ---------------------------------------------------------------- 6. modes
def test_section_6_stages_that_a_mode_leaves_out_are_never_made(monkeypatch: pytest.MonkeyPatch) -> None:
    class Template(Stage):
        name = "Template"

        def __init__(self) -> None:
            raise AssertionError("made")

        def execute(self, context: VerificationContext) -> None: ...

    monkeypatch.setattr("karenina_gui.pipeline.orchestrator.PROGRAM", list(PROGRAM))
    register(Template, before="ParseTemplate", included=lambda of: of.template)
    assert StageOrchestrator.from_config("rubric_only").stages
    with pytest.raises(AssertionError, match="made"):
        StageOrchestrator.from_config("template_only")


# ---------------------------------------------------------------- 7. optional stages
def test_section_7_without_options_each_model_is_asked_once_and_each_option_costs_more(hand: Stagehand) -> None:
    plain = hand.play(agentic_parsing=False)
    assert [request.purpose for request in plain.asked] == ["answer_generation", "parsing"]
    for option in ({"abstention_enabled": True}, {"sufficiency_enabled": True}, {"deep_judgment_enabled": True},
                   {"rubric": Rubric(llm_traits=[CLEAR])}):  # fmt: skip
        assert len(hand.play(agentic_parsing=False, reply=supported, **option).asked) > len(plain.asked)


# ---------------------------------------------------------------- 8. kinds of non-success
LOOKED_INTO = AgenticRubricTrait(name="tidy", kind="boolean", higher_is_better=True)


def supported(request: LLMRequest, quote: str = ANSWER) -> LLMResponse:
    """A model that says `ANSWER`, and a judge that reads it rightly and quotes this."""
    if request.json_schema is None:
        return LLMResponse(ANSWER)
    passages = [{"text": quote, "confidence": "high", "explanation": "So it says."}]
    told = {"target": TRUTH, "tests": True, "clear": True, "result": True, "reasoning": "x", "sufficient": True,
            "abstention_detected": False}  # fmt: skip
    asked = request.json_schema["properties"]
    data = {name: passages if each.get("type") == "array" else "It says so." if request.purpose == REASONING
            else told[name] for name, each in asked.items()}  # fmt: skip
    return LLMResponse(json.dumps(data), data)


AUTO_FAILS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "RecursionLimitAutoFail": (
        {"answering": SERVERS, "agent": loop(*LOOKS_UP, Message.of("assistant", "Hm."), limit_reached=True)},
        ["TraceValidationAutoFail", "RubricEvaluation", "AgenticRubricEvaluation"],
    ),
    "TraceValidationAutoFail": (
        {"answering": SERVERS, "agent": loop(*LOOKS_UP)},
        ["AbstentionCheck", "RubricEvaluation", "AgenticRubricEvaluation"],
    ),
    "DeepJudgmentAutoFail": (
        {"deep_judgment_enabled": True, "deep_judgment_excerpt_retry_attempts": 0},
        ["RubricEvaluation", "AgenticRubricEvaluation"],
    ),
    "DeepJudgmentRubricAutoFail": (
        {"deep_judgment_rubric_mode": "enable_all", "deep_judgment_rubric_excerpt_retry_attempts_default": 0},
        ["AgenticRubricEvaluation"],
    ),
}


@pytest.mark.parametrize("guard", AUTO_FAILS)
def test_section_8_after_an_auto_fail_the_stages_that_can_still_tell_something_go_on(
    hand: Stagehand, guard: str
) -> None:
    settings, go_on = AUTO_FAILS[guard]
    answers = settings.get("agent") or loop(Message.of("assistant", "tidy: yes."))

    def agent(run: AgentRun) -> AgentResult:
        return cast(AgentResult, answers(run)) if run.model == "answerer" else reports("tidy: yes.")(run)

    played = hand.play(
        agentic_parsing=False, rubric=Rubric(llm_traits=[CLEAR], agentic_traits=[LOOKED_INTO]), abstention_enabled=True,
        reply=lambda request: supported(request, "It was never said."), **{**settings, "agent": agent},
    )  # fmt: skip
    result = played.result
    assert status(result, guard) == "ran"
    assert result.template is not None
    assert result.template.verify_result is False
    assert (result.error, result.completed_without_errors) == (None, True)
    assert {name: status(result, name) for name in [*go_on, "FinalizeResult"]} == dict.fromkeys(
        [*go_on, "FinalizeResult"], "ran"
    )
    assert result.rubric is not None
    assert result.rubric.llm_trait_scores == {"clear": True}
    assert result.rubric.agentic_trait_scores == {"tidy": True}


def test_section_8_an_error_skips_all_that_follows_and_says_so(hand: Stagehand) -> None:
    def down(_request: Any) -> Any:
        raise ProviderError("no luck", category="server_error")

    played = hand.play(agentic_parsing=False, reply=down, rubric=Rubric(regex_traits=[CITES]))
    result = played.result
    assert (result.completed_without_errors, result.passed) == (False, None)
    assert "no luck" in (result.error or "")
    assert [each.name for each in result.stages if each.status == "ran"] == ["ValidateTemplate", "FinalizeResult"]
    assert {each.status for each in result.stages[2:-1]} == {"skipped"}
    assert VerificationResult.model_validate(json.loads(result.model_dump_json())) == result


def test_section_8_checks_skip_what_follows_and_are_no_errors(hand: Stagehand) -> None:
    refused = hand.play(
        agentic_parsing=False, values={"reasoning": "x", "abstention_detected": True}, abstention_enabled=True,
        sufficiency_enabled=True,
    )  # fmt: skip
    assert refused.result.completed_without_errors is True
    assert refused.result.passed is False
    assert [refused.statuses[name] for name in ("SufficiencyCheck", "ParseTemplate", "VerifyTemplate")] == [
        "the model refused to answer", "the model refused to answer", "no field was extracted",
    ]  # fmt: skip
