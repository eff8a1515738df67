from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.errors import ConfigurationError, ProviderError
from karenina_gui.runs.executor import open_tools, read_ahead
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.result_collection import collect_results
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.runs.conftest import benchmark
from tests.twin import Reply, Twin


def request_for(document: BenchmarkDocument, config: VerificationConfig) -> RunRequest:
    return RunRequest(document, config, [entry.id for entry in document.entries])


def run(
    document: BenchmarkDocument, config: VerificationConfig, sandbox: Sandbox, **options: Any
) -> list[VerificationResult]:
    cancelled = options.get("cancelled", lambda: False)
    with AdapterFactory(environment={}) as adapters:
        tools = open_tools(adapters, sandbox, config, cancelled)
        return list(collect_results(request_for(document, config), tools, **options).values())


def answered(request: LLMRequest) -> str:
    return request.messages[-1].text


def test_results_come_in_the_stable_order_whatever_finishes_first(
    document: BenchmarkDocument, model: Any, sandbox: Sandbox
) -> None:
    another = threading.Event()
    finished: list[str] = []

    def last(request: LLMRequest) -> str:
        if answered(request) == "Text 0?":
            assert another.wait(20)
        return "42"

    def note(job: Job, result: VerificationResult) -> None:
        finished.append(job.question_id)
        another.set()

    model.say = last
    config = VerificationConfig(answering_models=[model.config()], async_max_workers=3)
    results = run(document, config, sandbox, on_result=note)
    assert [result.metadata.question_id for result in results] == [f"q{n}" for n in range(6)]
    assert sorted(finished) == [f"q{n}" for n in range(6)]
    assert finished[0] != "q0"
    assert all(result.passed for result in results)


def test_one_answer_serves_all_judges_and_each_replicate_has_its_own(
    document: BenchmarkDocument, model: Any, sandbox: Sandbox
) -> None:
    config = VerificationConfig(
        answering_models=[model.config()], parsing_models=[model.config("jim"), model.config("joe")], replicate_count=2
    )
    results = run(document, config, sandbox)
    assert len(results) == 24
    assert [request.purpose for request in model.asked] == ["answer_generation"] * 12
    assert sorted({request.replicate for request in model.asked}) == [1, 2]


def test_judges_of_one_answer_work_side_by_side_and_nobody_asks_for_it_again(model: Any, sandbox: Sandbox) -> None:
    both_judge = threading.Barrier(2)

    def meet(request: LLMRequest) -> str:
        if request.purpose == "answer_generation":
            return "42"
        both_judge.wait(10)  # breaks unless the other judge is at work at the same time
        return '{"reasoning": "It answers.", "abstention_detected": false}'

    model.say = meet
    config = VerificationConfig(
        answering_models=[model.config()], parsing_models=[model.config("jim"), model.config("joe")],
        abstention_enabled=True, async_max_workers=2,
    )  # fmt: skip
    results = run(benchmark(1), config, sandbox)
    assert len(results) == 2
    assert all(result.template and result.template.abstention_check_performed for result in results)
    assert [request.purpose for request in model.asked].count("answer_generation") == 1


def test_the_tokens_of_an_answer_that_two_judges_read_are_stored_once(
    document: BenchmarkDocument, sandbox: Sandbox
) -> None:
    with Twin(lambda asked: Reply(text="42")) as twin:
        model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
        judges = [model.model_copy(update={"id": name}) for name in ("jim", "joe")]
        results = run(document, VerificationConfig(answering_models=[model], parsing_models=judges), sandbox)
    for question in {result.metadata.question_id for result in results}:
        of = [result.template for result in results if result.metadata.question_id == question]
        counted = ["answer_generation" in (template.usage_metadata or {}) for template in of if template]
        assert sorted(counted) == [False, True]


def test_a_failed_answer_is_not_asked_for_again_by_the_next_judge(
    document: BenchmarkDocument, model: Any, sandbox: Sandbox
) -> None:
    def down(request: LLMRequest) -> str:
        raise ProviderError("down", category="rejected")

    model.say = down
    config = VerificationConfig(
        answering_models=[model.config()], parsing_models=[model.config("jim"), model.config("joe")]
    )
    results = run(document, config, sandbox)
    assert [result.passed for result in results] == [None] * 12
    assert len(model.asked) == 6


def test_a_fault_of_ours_costs_one_result_and_not_the_run(
    document: BenchmarkDocument, model: Any, sandbox: Sandbox
) -> None:
    broken = document.entries[2].question
    broken.__dict__["raw_answer"] = object()  # nothing that validation would have let through
    results = run(document, VerificationConfig(answering_models=[model.config()]), sandbox)
    assert len(results) == 6
    failure = results[2].metadata.failure
    assert failure is not None
    assert (failure.category, results[2].passed) == ("unexpected_error", None)
    assert [result.passed for result in results].count(True) == 5


def test_after_a_cancel_no_further_call_is_made(document: BenchmarkDocument, model: Any, sandbox: Sandbox) -> None:
    cancelled = threading.Event()

    def cancel_at_the_second(request: LLMRequest) -> str:
        if len(model.asked) == 2:
            cancelled.set()
        return "42"

    model.say = cancel_at_the_second
    config = VerificationConfig(answering_models=[model.config()], async_enabled=False)
    results = run(document, config, sandbox, cancelled=cancelled.is_set)
    assert len(model.asked) == 2
    assert [result.metadata.question_id for result in results] == ["q0", "q1"]


def test_results_that_cannot_be_kept_stop_the_run(document: BenchmarkDocument, model: Any, sandbox: Sandbox) -> None:
    def full(job: Job, result: VerificationResult) -> None:
        raise OSError("no space left on device")

    config = VerificationConfig(answering_models=[model.config()], async_enabled=False)
    with pytest.raises(OSError, match="no space left"):
        run(document, config, sandbox, on_result=full)
    assert len(model.asked) < 6


@pytest.mark.parametrize(
    ("setting", "most"),
    [
        ({"async_max_workers": 4}, 4),
        ({"async_max_workers": 4, "async_enabled": False}, 1),
        ({"async_max_workers": 4, "max_concurrent_requests": 2}, 2),
        ({"async_max_workers": 4, "answerer_concurrency_limits": 1}, 1),
        ({"async_max_workers": 4, "answerer_concurrency_limits": {"ada": 3}}, 3),
    ],
)
def test_no_more_calls_than_allowed_are_under_way(
    document: BenchmarkDocument, model: Any, sandbox: Sandbox, setting: dict[str, Any], most: int
) -> None:
    together = threading.Barrier(most)

    def meet(request: LLMRequest) -> str:
        together.wait(timeout=5)  # passes only when so many calls are under way at the same time
        return "42"

    model.say = meet
    document.entries = document.entries[: 6 - 6 % most]
    results = run(document, VerificationConfig(answering_models=[model.config()], **setting), sandbox)
    assert model.most_at_once == most
    assert all(result.passed for result in results)


def test_a_full_model_does_not_keep_workers_from_the_others(
    document: BenchmarkDocument, model: Any, sandbox: Sandbox
) -> None:
    other_is_done = threading.Event()
    finished: list[str] = []

    def done(job: Job, _: VerificationResult) -> None:
        finished.append(job.answering)
        if finished.count("bob") == 6:
            other_is_done.set()

    def say(request: LLMRequest) -> str:
        if len(model.asked) == 1:  # the first call of the limited model, which all of its other jobs wait for
            assert other_is_done.wait(20)
        return "42"

    model.say = say
    config = VerificationConfig(
        answering_models=[model.config(), model.config("bob")],
        answerer_concurrency_limits={"ada": 1},
        task_ordering="prefix_cache",
    )
    results = run(document, config, sandbox, on_result=done)
    assert all(result.passed for result in results)
    assert finished[:6] == ["bob"] * 6


def test_a_failed_generation_is_shared_by_all_judges(document: BenchmarkDocument, model: Any, sandbox: Sandbox) -> None:
    def fail(request: LLMRequest) -> str:
        raise ProviderError("no such model", category="rejected", status=404)

    model.say = fail
    document.entries = document.entries[:1]
    judges = [model.config(name) for name in ("jim", "joe", "jay")]
    results = run(document, VerificationConfig(answering_models=[model.config()], parsing_models=judges), sandbox)
    assert len(model.asked) == 1
    assert [result.error for result in results] == ["ada: no such model"] * 3


def test_results_of_two_models_of_one_id_have_an_identity_each(
    document: BenchmarkDocument, model: Any, sandbox: Sandbox
) -> None:
    config = VerificationConfig(answering_models=[model.config()] * 2, parsing_models=[model.config("jim")] * 2)
    results = run(document, config, sandbox)
    assert len({result.metadata.result_id for result in results}) == len(results) == 24
    names = {(r.metadata.answering.label, r.metadata.parsing.label) for r in results if r.metadata.parsing}
    assert names == {("ada", "jim"), ("ada", "jim #2"), ("ada #2", "jim"), ("ada #2", "jim #2")}


def test_a_run_ends_when_its_time_is_over(document: BenchmarkDocument, model: Any, sandbox: Sandbox) -> None:
    def slow(request: LLMRequest) -> str:
        time.sleep(0.2)
        return "42"

    model.say = slow
    config = VerificationConfig(answering_models=[model.config()], async_enabled=False, batch_timeout_seconds=0.3)
    assert 1 <= len(run(document, config, sandbox)) < 6


def test_the_search_for_excerpts_of_traits_has_a_tool_of_its_own(sandbox: Sandbox) -> None:
    config = VerificationConfig(deep_judgment_rubric_search_tool="crystal ball")
    with AdapterFactory(environment={}) as adapters:
        search = open_tools(adapters, sandbox, config).rubric_search
        assert search is not None  # a trait of the rubric may ask for it, and is told then
        with pytest.raises(ConfigurationError, match="“crystal ball”"):
            search(["Does venetoclax bind BCL2?"])
        config.deep_judgment_rubric_mode = "off"
        assert open_tools(adapters, sandbox, config).rubric_search is None
        config.deep_judgment_rubric_mode = "use_checkpoint"
        with pytest.raises(ConfigurationError, match="“crystal ball”"):
            open_tools(adapters, sandbox, config)
        config.deep_judgment_rubric_search_tool = "tavily"
        assert open_tools(adapters, sandbox, config).rubric_search is not None


DATA = """
class Answer(BaseAnswer):
    dose: int = VerifiedField(description="Dose {}", ground_truth=40, verify_with=NumericExact())
"""
LOCKED = """
import os
class Answer(BaseAnswer):
    dose: int = Field(description="Dose {}")
    def verify(self):
        return self.dose == 40
"""


def test_reading_ahead_takes_no_locked_process_from_those_who_need_it_now() -> None:
    with Sandbox() as sandbox:
        sources = [LOCKED.format(1), DATA.format(1), ""]
        read_ahead(sandbox, sources, lambda: 0, threading.Event(), trust=False)
        assert sandbox.zygotes == []


def test_reading_ahead_ends_with_the_run_however_much_is_left() -> None:
    over = threading.Event()
    over.set()
    with Sandbox() as sandbox:
        read_ahead(sandbox, [DATA.format(number) for number in range(100_000)], lambda: 0, over, trust=False)


def test_reading_ahead_leaves_a_closed_sandbox_to_the_jobs() -> None:
    sandbox = Sandbox()
    sandbox.close()
    read_ahead(sandbox, [LOCKED.replace("import os", "").format(1)], lambda: 0, threading.Event(), trust=False)
