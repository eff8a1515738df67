"""Runs of a benchmark that is deleted while they are running."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library

WAIT = 20
"""Time limit of a test, in seconds."""


@pytest.fixture
def benchmark_id(library: Library, document: BenchmarkDocument) -> int:
    return library.benchmarks.create(document)


def delete_at(library: Library, service: RunService, model: Any, benchmark_id: int, call: int) -> int:
    """Start a run of six questions and delete its benchmark during this call; returns the ended run."""
    begun, go_on = threading.Event(), threading.Event()

    def pause(request: LLMRequest) -> str:
        if len(model.asked) == call:
            begun.set()
            assert go_on.wait(WAIT)
        return "42"

    model.say = pause
    config = VerificationConfig(answering_models=[model.config()], async_enabled=False)
    run = service.start(RunOrder(benchmark_id, config, name="first"))
    assert begun.wait(WAIT)
    assert [each.id for each in service.going(benchmark_id)] == [run]
    library.benchmarks.delete(benchmark_id)
    service.withdraw(benchmark_id)
    assert service.going(benchmark_id) == []
    assert service.progress(run).cancelling
    go_on.set()
    assert service.wait(run, WAIT)
    return run


def test_a_run_whose_benchmark_is_deleted_calls_nobody_any_more_and_keeps_what_it_has(
    library: Library, service: RunService, model: Any, benchmark_id: int
) -> None:
    run = delete_at(library, service, model, benchmark_id, 3)
    assert len(model.asked) == 3
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.done, summary.benchmark_deleted) == ("cancelled", 3, True)
    assert "benchmark was deleted" in str(summary.message)


def test_such_a_run_is_resumed_to_its_end_once_the_benchmark_is_back(
    library: Library, service: RunService, model: Any, benchmark_id: int
) -> None:
    run = delete_at(library, service, model, benchmark_id, 2)
    with pytest.raises(InputError, match="Restore it to resume this run"):
        service.resume(run)
    assert service.remaining(run).jobs == 4
    library.benchmarks.restore(benchmark_id)
    service.resume(run)
    assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).status == "completed"
    assert len(model.asked) == 6


def test_other_benchmarks_runs_go_on(
    library: Library, service: RunService, model: Any, benchmark_id: int, document: BenchmarkDocument
) -> None:
    go_on = threading.Event()

    def wait_for_it(_: LLMRequest) -> str:
        assert go_on.wait(WAIT)
        return "42"

    model.say = wait_for_it
    config = VerificationConfig(answering_models=[model.config()])
    run = service.start(RunOrder(benchmark_id, config))
    service.withdraw(library.benchmarks.create(document))
    go_on.set()
    assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).status == "completed"


def test_a_run_that_begins_while_its_benchmark_is_deleted_is_cancelled_at_once(
    library: Library, service: RunService, model: Any, benchmark_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = library.runs.create

    def delete_in_between(plan: Any) -> int:
        run = create(plan)
        library.benchmarks.delete(benchmark_id)
        service.withdraw(benchmark_id)  # which cannot know of the run yet
        return run

    monkeypatch.setattr(library.runs, "create", delete_in_between)
    model.say = slowly
    config = VerificationConfig(answering_models=[model.config()], async_enabled=False)
    run = service.start(RunOrder(benchmark_id, config))
    assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).status == "cancelled"


def slowly(_: LLMRequest) -> str:
    time.sleep(0.1)
    return "42"


def test_a_deleted_benchmark_is_not_run(library: Library, service: RunService, model: Any, benchmark_id: int) -> None:
    library.benchmarks.delete(benchmark_id)
    with pytest.raises(NotFoundError):
        service.start(RunOrder(benchmark_id, VerificationConfig(answering_models=[model.config()])))
