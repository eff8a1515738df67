"""Cancellation ends calls in flight, whatever their provider does, and starts no others."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.runs.executor import open_tools
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.result_collection import collect_results
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.runs.conftest import benchmark
from tests.twin import Asked, Reply, Twin

AT_ONCE = 5.0
"""Maximum seconds until a cancelled run has ended."""
QUESTIONS, WORKERS = 200, 4
STOPPED = {"hanging": Reply(hangs=True), "dripping": Reply(text="It is 42.", drip=3600.0)}
"""Replies that never end."""


class Provider(Twin):
    """Answers the first two requests, and later ones with the given function."""

    def __init__(self, later: Reply) -> None:
        self.asked_later = threading.Event()

        def say(asked: Asked) -> Reply:
            if asked.number <= 2:
                return Reply(text="It is 42.")
            self.asked_later.set()
            return later

        super().__init__(say)

    def model(self, interface: str, **settings: Any) -> ModelConfig:
        address = "anthropic_base_url" if interface == "claude_tool" else "endpoint_base_url"
        return ModelConfig.model_validate(
            {"model_name": "m", "interface": interface, address: self.address, **settings}
        )


@pytest.fixture(params=[*STOPPED, "normal"])
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    with Provider(STOPPED.get(request.param, Reply(text="It is 42.", delay=0.05))) as provider:
        yield provider


def order(library: Library, *models: ModelConfig, **settings: Any) -> RunOrder:
    config = VerificationConfig(answering_models=list(models), async_max_workers=WORKERS, **settings)
    return RunOrder(library.benchmarks.create(benchmark(QUESTIONS)), config)


def nothing_more_arrives(provider: Provider, asked: int) -> None:
    """`asked`: number of requests at the cancellation. Each worker may have had one in flight."""
    time.sleep(0.2)
    assert asked <= len(provider.requests) <= asked + WORKERS
    asked = len(provider.requests)
    time.sleep(0.2)
    assert len(provider.requests) == asked


@pytest.mark.parametrize("interface", ["openai_endpoint", "claude_tool"])
def test_a_cancelled_run_is_over_at_once_and_asks_nothing_more(
    service: RunService, library: Library, provider: Provider, interface: str
) -> None:
    run = service.start(order(library, provider.model(interface)))
    assert provider.asked_later.wait(20)
    service.cancel(run)
    asked = len(provider.requests)
    assert service.wait(run, AT_ONCE)
    summary = service.library.runs.summary(run)
    assert summary.status == "cancelled"
    assert summary.outcomes == {"passed": summary.done}
    assert 2 <= summary.done < QUESTIONS
    nothing_more_arrives(provider, asked)
    assert service.library.results.page(run).total == summary.done


@pytest.mark.parametrize("done", [0, 2])
def test_a_cancelled_run_says_whether_anything_was_finished(service: RunService, library: Library, done: int) -> None:
    hangs = threading.Event()

    def say(asked: Asked) -> Reply:
        if asked.number <= done:
            return Reply(text="It is 42.")
        hangs.set()
        return STOPPED["hanging"]

    with Twin(say) as twin:
        model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
        run = service.start(order(library, model))
        assert hangs.wait(20)
        deadline = time.monotonic() + 20
        while service.progress(run).done < done:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        service.cancel(run)
        assert service.wait(run, AT_ONCE)
    kept = "Finished results are saved." if done else "No results yet."
    assert service.library.runs.summary(run).message == f"Stopped by you. {kept}"


@pytest.mark.parametrize("provider", STOPPED, indirect=True)
def test_the_application_ends_at_once_and_its_runs_count_as_interrupted(
    library: Library, sandbox: Sandbox, provider: Provider
) -> None:
    service = RunService(library, sandbox, lambda recorder: AdapterFactory(environment={}, recorder=recorder))
    run = service.start(order(library, provider.model("openai_endpoint")))
    assert provider.asked_later.wait(20)
    begun, asked = time.monotonic(), len(provider.requests)
    service.close()
    assert time.monotonic() - begun < AT_ONCE
    summary = library.runs.summary(run)
    assert (summary.status, summary.outcomes) == ("interrupted", {"passed": summary.done})
    nothing_more_arrives(provider, asked)


def test_a_worker_that_cannot_be_ended_is_not_waited_for_and_brings_nothing_later(model: Any, sandbox: Sandbox) -> None:
    cancelled, go_on, said = threading.Event(), threading.Event(), threading.Event()
    delivered: list[str] = []

    def deaf(request: Any) -> str:
        cancelled.set()
        assert go_on.wait(20)
        said.set()
        return "42"

    model.say = deaf
    config = VerificationConfig(answering_models=[model.config()], async_enabled=False)
    document = benchmark(3)
    with AdapterFactory(environment={}) as adapters:
        tools = open_tools(adapters, sandbox, config, cancelled.is_set)
        begun = time.monotonic()
        results = collect_results(
            RunRequest(document, config, [entry.id for entry in document.entries]),
            tools,
            on_result=lambda job, _: delivered.append(job.question_id),
            cancelled=cancelled.is_set,
        )
        assert time.monotonic() - begun < AT_ONCE
        go_on.set()
        assert said.wait(20)
        time.sleep(0.3)
    assert (results, delivered, len(model.asked)) == ({}, [], 1)
