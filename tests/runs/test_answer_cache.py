from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings, strategies as st

from karenina_gui.adapters.ports import CallUsage
from karenina_gui.pipeline.generated_answer import GeneratedAnswer
from karenina_gui.runs.answer_cache import AnswerCache, as_data, from_data
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.messages import Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan

LIVE = ModelConfig(id="ada", model_name="ada", interface="openai_endpoint", endpoint_base_url="http://127.0.0.1:9/v1")

texts = st.text(max_size=20)
counts = st.none() | st.integers(0, 10**9)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
blocks = st.one_of(
    st.builds(TextBlock, text=texts),
    st.builds(ThinkingBlock, thinking=texts, signature=st.none() | texts),
    st.builds(ToolUseBlock, id=texts, name=texts, input=st.dictionaries(texts, values, max_size=3)),
    st.builds(ToolResultBlock, tool_use_id=texts, content=texts, is_error=st.booleans()),
)
conversations = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["system", "user", "assistant", "tool"]),
        content=st.lists(blocks, max_size=3).map(tuple),
        usage_metadata=st.none() | st.dictionaries(texts, values, max_size=2),
    ),
    max_size=4,
).map(tuple)
details = st.dictionaries(texts, st.integers(0, 99), max_size=2)
answers = st.builds(
    GeneratedAnswer,
    text=texts,
    messages=conversations,
    sent=conversations,
    usage=st.builds(
        CallUsage, input_tokens=counts, output_tokens=counts, input_token_details=details, output_token_details=details
    ),
    retries=st.dictionaries(st.sampled_from(["connection", "timeout"]), st.integers(1, 5)),
    limit_reached=st.booleans(),
    timeout_reached=st.booleans(),
    refusal=st.none() | texts,
    stop_reason=st.none() | texts,
    agent=st.booleans(),
    model=st.none() | texts,
)


@settings(max_examples=60, deadline=None)
@given(answers)
def test_whatever_an_answer_holds_comes_back_equal(answer: GeneratedAnswer) -> None:
    assert from_data(json.loads(json.dumps(as_data(answer), ensure_ascii=False))) == answer


def job(judge: int | None = 0, replicate: int | None = 2) -> Job:
    return Job("", "q", "ada", None if judge is None else f"judge {judge}", replicate)


def begin(library: Library) -> int:
    benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
    return library.runs.create(RunPlan(benchmark, "r", VerificationConfig(answering_models=[LIVE]), [], "none", "h"))


def answer(**fields: Any) -> GeneratedAnswer:
    return GeneratedAnswer("42", (Message.of("assistant", "42"),), **fields)


def test_an_answer_is_found_again_by_every_judge_of_the_same_replicate(library: Library) -> None:
    run = begin(library)
    AnswerCache(library.answers, run).save(job(), LIVE, answer(refusal="no"))
    later = AnswerCache(library.answers, run)
    assert later.find(job(judge=0)) == later.find(job(judge=1)) == answer(refusal="no")
    assert later.find(job(replicate=1)) is None
    assert AnswerCache(library.answers, begin(library)).find(job()) is None


def test_what_an_agent_said_until_its_time_was_over_is_asked_for_anew(library: Library) -> None:
    run = begin(library)
    AnswerCache(library.answers, run).save(job(), LIVE, answer(timeout_reached=True))
    assert AnswerCache(library.answers, run).find(job()) is None


def test_recorded_answers_are_kept_with_the_configuration_only(library: Library) -> None:
    run = begin(library)
    recorded = ModelConfig(id="ada", interface="manual", manual_traces={"q": "42"})
    AnswerCache(library.answers, run).save(job(), recorded, answer())
    assert library.answers.keys(run) == set()
