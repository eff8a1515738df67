"""Runs on a real cluster of two processes on this computer."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from karenina_gui import Benchmark
from karenina_gui.example import BENCHMARK, run_configuration
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.cluster.conftest import Cluster, answer_and_judge, document, model
from tests.twin import Asked, Reply, Twin
from tests.until import comes


def comparable(result: VerificationResult) -> Any:
    """The result without times."""
    return _without_times(result.model_dump(mode="json"))


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        times = ("execution_time", "timestamp", "result_id", "seconds")
        return {name: _without_times(part) for name, part in value.items() if name not in times}
    return [_without_times(part) for part in value] if isinstance(value, list) else value


def test_results_are_those_of_this_process(two_workers: Cluster) -> None:
    benchmark = Benchmark(document(8))
    with Twin(answer_and_judge) as twin:
        config = VerificationConfig(
            answering_models=[model(twin, "first"), model(twin, "second")],
            parsing_models=[model(twin, "judge"), model(twin, "other-judge")],
            judge_replicates=2,
            async_max_workers=8,
        )
        here = benchmark.run_verification(config)
        requests = Counter(asked.model for asked in twin.requests)
        twin.requests.clear()
        there = benchmark.run_verification(config, cluster=two_workers.address)
        assert Counter(asked.model for asked in twin.requests) == requests
    assert [comparable(result) for result in there] == [comparable(result) for result in here]
    assert {result.template.verify_result for result in there if result.template} == {True}


def test_the_example_replays_on_workers(two_workers: Cluster) -> None:
    benchmark = Benchmark.load(BENCHMARK)
    config = run_configuration().model_copy(update={"cluster": two_workers.address.address})
    there = benchmark.run_verification(config)
    here = benchmark.run_verification(run_configuration())
    assert [comparable(result) for result in there] == [comparable(result) for result in here]


def test_answers_are_generated_once_and_judged_once(two_workers: Cluster) -> None:
    with Twin(answer_and_judge) as twin:
        config = VerificationConfig(answering_models=[model(twin, "m")], parsing_models=[model(twin, "judge")])
        Benchmark(document(3)).run_verification(config, cluster=two_workers.address)
        assert Counter(asked.model for asked in twin.requests) == {"m": 3, "judge": 3}


def test_the_limit_of_requests_holds_for_all_workers_together(two_workers: Cluster) -> None:
    lock, at_once, most = threading.Lock(), 0, 0

    def script(asked: Asked) -> Reply:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.05)
        with lock:
            at_once -= 1
        return answer_and_judge(asked)

    with Twin(script) as twin:
        config = VerificationConfig(
            answering_models=[model(twin, "m")],
            parsing_models=[model(twin, "judge")],
            async_max_workers=12,
            max_concurrent_requests=3,
        )
        results = Benchmark(document(12)).run_verification(config, cluster=two_workers.address)
    assert len(results) == 12
    assert most == 3


def test_a_cancelled_run_sends_nothing_two_seconds_later(two_workers: Cluster) -> None:
    cancelled = threading.Event()

    def script(asked: Asked) -> Reply:
        if asked.model == "m" and asked.number == 6:
            cancelled.set()
        return replace(answer_and_judge(asked), delay=0.3)

    with Twin(script) as twin:
        config = VerificationConfig(
            answering_models=[model(twin, "m")], parsing_models=[model(twin, "judge")], async_max_workers=4
        )
        results = Benchmark(document(30)).run_verification(
            config, cluster=two_workers.address, cancelled=cancelled.is_set
        )
        ended = time.monotonic()
        assert len(results) < 10
        time.sleep(1.0)
        requests = len(twin.requests)
        time.sleep(max(0.0, ended + 2.0 - time.monotonic()))
        assert len(twin.requests) == requests


def test_calls_in_flight_end_with_a_cancelled_run(two_workers: Cluster) -> None:
    cancelled = threading.Event()

    def script(asked: Asked) -> Reply:
        cancelled.set()
        return replace(answer_and_judge(asked), drip=60.0)  # notices a connection that is cut

    with Twin(script) as twin:
        config = VerificationConfig(answering_models=[model(twin, "m")], parsing_models=[model(twin, "judge")])
        started = time.monotonic()
        Benchmark(document(2)).run_verification(config, cluster=two_workers.address, cancelled=cancelled.is_set)
        assert time.monotonic() - started < 8
        assert comes(lambda: not twin._open)
        assert time.monotonic() - started < 20


@pytest.mark.thorough
def test_two_hundred_templates_have_the_same_results_on_threads_and_on_two_and_four_workers(
    two_workers: Cluster, cluster: Cluster
) -> None:
    cluster.start_scheduler()
    for name in ("ada", "eve", "joe", "jim"):
        cluster.start_worker(name)
    cluster.wait(4)
    benchmark = Benchmark(document(200))
    with Twin(answer_and_judge) as twin:
        config = VerificationConfig(
            answering_models=[model(twin, "m")], parsing_models=[model(twin, "judge")], async_max_workers=64
        )
        here, two, four = (
            [comparable(result) for result in benchmark.run_verification(config, cluster=where)]
            for where in (None, two_workers.address, cluster.address)
        )
    assert here == two
    assert here == four
