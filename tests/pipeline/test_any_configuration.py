"""Any configuration, template and reply gives a valid result, never an exception; no failure is a wrong answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentResult, LLMRequest, LLMResponse
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.pipeline.context import PipelineTools
from karenina_gui.pipeline.verify_job import VerificationTask, verify
from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.examples import examples
from tests.pipeline import any_job as some
from tests.pipeline.scripted_peer import FAULTS, Peer, Script, Turn, value_of

ANSWER = f"It binds {some.TRUTH}. It was approved in 2016."
CI = settings(
    max_examples=examples(20, 510), deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
RUBRICS = st.tuples(some.trait_lists("", least=1), some.trait_lists("own "))


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    with AdapterRegistry.scope():
        peer = Peer()
        peer.register()
        yield peer


@pytest.fixture(scope="module")
def tools() -> Iterator[PipelineTools]:
    limits = Limits(wall_s=20.0, live_cells=48)
    with AdapterFactory(environment={}) as adapters, Sandbox(slots=1, limits=limits) as sandbox:
        yield PipelineTools(RunPorts(adapters, CallPolicy(retry=some.RETRIES)), sandbox)


def job(peer: Peer, template: str, rubrics: tuple[Any, Any], config: dict[str, Any], **model: Any) -> VerificationTask:
    benchmark, own = rubrics
    question = Question(
        id="the question", question="What does it bind?", raw_answer=some.REFERENCE, answer_template=template or None,
        question_rubric=own or None,
    )  # fmt: skip
    answerer, judge = peer.config("answerer", **model), peer.config("judge")
    chosen = VerificationConfig(
        answering_models=[answerer], parsing_models=[judge], retry_policy=some.RETRIES, **config
    )
    rubric = Rubric.model_validate(benchmark) if benchmark else None
    return VerificationTask(question, chosen, answerer, judge, rubric)


def played(task: VerificationTask, tools: PipelineTools) -> VerificationResult:
    """Verify a job, and check that the result is valid and survives a file."""
    result, _ = verify(task, tools)
    assert VerificationResult.model_validate(result.model_dump()) == result
    assert VerificationResult.model_validate_json(result.model_dump_json()) == result
    assert result.completed_without_errors == (result.error is None)
    assert result.stages[-1].name == "FinalizeResult"
    for name, trace in ((result.rubric and result.rubric.agentic_trait_investigation_traces) or {}).items():
        assert trace is None or any(name in each.traits for each in result.investigations or ())
    for name in (result.rubric and result.rubric.trait_faults) or ():
        assert name not in {**(result.rubric.llm_trait_scores or {}), **(result.rubric.metric_trait_scores or {})}
        assert any(repr(name) in warning for warning in result.metadata.warnings)
    return result


@pytest.mark.parametrize("mode", ["template_only", "template_and_rubric", "rubric_only"])
def test_any_job_ends_in_a_valid_result(mode: str, peer: Peer, tools: PipelineTools) -> None:
    @CI
    @given(
        st.sampled_from(some.TEMPLATES), st.just(({}, {})) if mode == "template_only" else RUBRICS, some.configurations,
        st.lists(some.turns, min_size=1, max_size=8), st.sampled_from(["judge", "agent", "judge", "no judge"]),
        some.searches, some.embedders,
    )  # fmt: skip
    def play(
        template: str, rubrics: tuple[Any, Any], config: dict[str, Any], turns: list[Turn], models: str, search: Any,
        embedder: Any,
    ) -> None:  # fmt: skip
        script = Script(turns, some.WORDS)
        peer.asked, peer.runs, peer.reply, peer.agent = [], [], script.reply, script.agent
        servers = {"mcp_urls_dict": {"papers": "http://127.0.0.1:9/"}} if models == "agent" else {}
        task = job(peer, template, rubrics, {"evaluation_mode": mode, **config}, **servers)
        task = replace(task, parsing_model=None) if models == "no judge" else task
        world = PipelineTools(tools.ports, tools.sandbox, search, embedder)
        result = played(task, world)
        outcome = outcome_of(result)
        assert (outcome == "error") == (result.error is not None)
        if outcome == "wrong":
            failure = result.metadata.failure
            assert failure is not None
            assert failure.stage in ("VerifyTemplate", "ParseTemplate", "AgenticParseTemplate")
        said_so = any(trait.get("include_ground_truth") for trait in rubrics[1].get("llm_traits", ()))
        for request in peer.asked:
            text = "".join(message.text for message in request.messages)
            assert said_so or some.REFERENCE not in text
            assert request.purpose == "embedding_check" or some.TRUTH not in text
        for run in peer.runs:
            assert some.REFERENCE not in run.text
            assert some.TRUTH not in run.text

    play()


def right(_model: str, request: LLMRequest) -> LLMResponse:
    """A model that answers rightly and judges rightly."""
    schema = request.json_schema
    if schema is None:
        return LLMResponse(ANSWER)
    values = {"target": some.TRUTH, "year": 2016, "abstention_detected": False, "sufficient": True, "equivalent": True}
    quote = {"text": "It was approved in 2016.", "confidence": "high", "explanation": "So it says."}
    verdict = {"risk": "none", "justification": "It is known."}

    def value(name: str, field: dict[str, Any]) -> Any:
        items = field.get("items", {}).get("properties", {})
        if items:
            return [quote] if "confidence" in items else [verdict]
        if (name in values and field.get("type") != "string") or name == "target":
            return values[name]
        return value_of(field, Random(0), ["It was approved in 2016."])

    data = {name: value(name, field) for name, field in schema["properties"].items()}
    return LLMResponse("", data)


@CI
@given(
    st.sampled_from(["template_only", "template_and_rubric", "rubric_only"]),
    RUBRICS, some.configurations,
    st.lists(st.sampled_from([*[None] * 20, *FAULTS]), min_size=1, max_size=8), some.searches,
)  # fmt: skip
def test_a_right_answer_is_never_wrong_because_a_provider_failed(
    peer: Peer, tools: PipelineTools, mode: str, rubrics: tuple[Any, Any], config: dict[str, Any],
    faults: list[str | None], search: Any,
) -> None:  # fmt: skip
    calls: list[str | None] = []

    def reply(model: str, request: LLMRequest) -> LLMResponse:
        fault = faults[len(calls) % len(faults)]
        calls.append(fault)
        if fault is not None:
            raise FAULTS[fault]()
        return right(model, request)

    def investigated(messages: Any) -> AgentResult:
        fault = faults[len(calls) % len(faults)]
        calls.append(fault)
        if fault is not None:
            raise FAULTS[fault]()
        return AgentResult(ANSWER, (Message.of("assistant", ANSWER),))

    peer.asked, peer.reply, peer.agent = [], reply, investigated
    task = job(peer, some.SOUND, rubrics, {"evaluation_mode": mode, **config})
    result = played(task, PipelineTools(tools.ports, tools.sandbox, search))
    outcome = outcome_of(result)
    assert outcome in ("passed", "unscored", "error"), result.metadata.failure
    if not any(calls):
        assert outcome != "error", result.error
        assert result.rubric is None or result.rubric.trait_faults is None
    if outcome == "error":
        assert result.passed is None
