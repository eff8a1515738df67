"""Providers, workers, and schedulers that go away during a run on a cluster."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import replace
from typing import Any

from karenina_gui import Benchmark
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.cluster.conftest import Cluster, answer_and_judge, document, model
from tests.twin import Asked, Reply, Twin


def config_for(twin: Twin, **fields: Any) -> VerificationConfig:
    defaults: dict[str, Any] = {
        "answering_models": [model(twin, "m")],
        "parsing_models": [model(twin, "judge")],
        "async_max_workers": 4,
        "retry_policy": RetryPolicy.none(),
    }
    return VerificationConfig(**{**defaults, **fields})


def test_a_run_waits_for_a_provider_and_repeats_no_paid_call(two_workers: Cluster) -> None:
    """The judge is away after its first reply to a job: neither the answer nor that reply is asked for again."""
    down = threading.Event()
    waits: list[str] = []

    def script(asked: Asked) -> Reply:
        if asked.model == "judge" and "target" in str(asked.schema) and not down.is_set():
            return Reply(status=503, message="overloaded")
        if asked.schema and "target" not in str(asked.schema):
            return Reply(data={"abstention_detected": False, "reasoning": "It answers."})
        return answer_and_judge(asked)

    def on_outage(outages: Any) -> None:
        waits.extend(outage.model for outage in outages)
        if outages:
            down.set()

    with Twin(script) as twin:
        results = Benchmark(document(1)).run_verification(
            config_for(twin, abstention_enabled=True), cluster=two_workers.address, on_outage=on_outage
        )
        checks = [asked for asked in twin.requests if asked.schema and "target" not in str(asked.schema)]
        answers = [asked for asked in twin.requests if asked.model == "m"]
    assert [result.error for result in results] == [None]
    assert "judge" in waits
    assert (len(answers), len(checks)) == (1, 1)


def test_a_model_for_which_the_run_waited_in_vain_ends_its_jobs_as_in_this_process(two_workers: Cluster) -> None:
    def script(asked: Asked) -> Reply:
        return Reply(status=503, message="overloaded") if asked.model == "judge" else answer_and_judge(asked)

    with Twin(script) as twin:
        config = config_for(twin, provider_wait_seconds=0.2)
        benchmark = Benchmark(document(2))
        here = benchmark.run_verification(config)
        there = benchmark.run_verification(config, cluster=two_workers.address)
    assert [result.error for result in there] == [result.error for result in here]
    assert all("gave up after 0.2 s" in str(result.error) for result in there)


def test_a_run_that_must_not_wait_reports_failures_as_in_this_process(two_workers: Cluster) -> None:
    with Twin(lambda asked: Reply(status=500, message="broken")) as twin:
        config = config_for(twin, provider_wait_seconds=0)
        benchmark = Benchmark(document(2))
        here = benchmark.run_verification(config)
        there = benchmark.run_verification(config, cluster=two_workers.address)
    assert [result.error for result in there] == [result.error for result in here]
    assert [result.metadata.failure for result in there] == [result.metadata.failure for result in here]


def test_a_judgment_goes_on_when_all_workers_were_replaced_at_once(cluster: Cluster) -> None:
    """Dask would keep it for the worker that generated the answer."""
    judging = threading.Event()

    def script(asked: Asked) -> Reply:
        if not asked.schema or judging.is_set():
            return answer_and_judge(asked)
        judging.set()
        return replace(answer_and_judge(asked), delay=10)

    def replace_worker() -> None:
        judging.wait(30)
        cluster.start_worker("eve")
        time.sleep(1.2)  # of the two seconds that a worker takes to start
        cluster.kill_worker("ada")

    cluster.start_scheduler()
    cluster.start_worker("ada")
    cluster.wait(1)
    with Twin(script) as twin:
        replacing = threading.Thread(target=replace_worker)
        replacing.start()
        results = Benchmark(document(1)).run_verification(config_for(twin), cluster=cluster.address)
        replacing.join()
        answers = [asked for asked in twin.requests if asked.model == "m"]
    assert [result.error for result in results] == [None]
    assert len(answers) == 1


def test_a_run_waits_for_a_cluster_and_survives_workers_and_scheduler(cluster: Cluster) -> None:
    """No scheduler at first, then no worker; later a worker dies, then the scheduler, which comes back."""
    waits: list[str] = []
    done = threading.Event()
    results: list[Any] = []

    times: list[float] = []

    def script(asked: Asked) -> Reply:
        times.append(time.monotonic())
        return replace(answer_and_judge(asked), delay=0.1)

    with Twin(script) as twin:
        benchmark = Benchmark(document(40))

        def run() -> None:
            results.extend(
                benchmark.run_verification(
                    config_for(twin), cluster=cluster.address, on_outage=lambda now: waits.extend(o.why for o in now)
                )
            )
            done.set()

        thread = threading.Thread(target=run)
        thread.start()
        _until(lambda: any("reached" in why for why in waits))
        cluster.start_scheduler()
        _until(lambda: any("no workers" in why for why in waits))
        cluster.start_worker("ada")
        cluster.start_worker("eve")
        _until(lambda: len(twin.requests) > 10)
        cluster.kill_worker("ada")
        _until(lambda: len(twin.requests) > 30)
        cluster.kill_scheduler()
        lost = time.monotonic()
        cluster.start_scheduler()
        assert done.wait(60)
        thread.join()
        answers = Counter(asked.text for asked in twin.requests if asked.model == "m")
    assert Counter(result.error for result in results) == {None: 40}, [result.error for result in results]
    repeated = sum(answers.values()) - 40
    assert 0 <= repeated <= 8, f"{repeated} answers were generated again, but only 8 were in flight"
    again = [at for at in times if at > lost + 0.5]
    assert all(sum(now - 0.09 < at <= now for at in again) <= 4 for now in again), "more calls than allowed"


def _until(holds: Any) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
