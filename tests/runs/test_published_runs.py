"""Runs of published versions, and runs that say which version they asked."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.errors import NotFoundError
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library

WAIT = 20
"""Time limit of a test, in seconds."""


@pytest.fixture
def benchmark_id(library: Library, document: BenchmarkDocument) -> int:
    return library.benchmarks.create(document)


def order(benchmark_id: int, model: Any, version: int | None = None) -> RunOrder:
    config = VerificationConfig(answering_models=[model.config()], async_enabled=False)
    return RunOrder(benchmark_id, config, version=version)


def finished_run(service: RunService, wanted: RunOrder) -> int:
    run = service.start(wanted)
    assert service.wait(run, WAIT)
    return run


def version_text(library: Library, run: int) -> str:
    return library.published.state_of_run(library.runs.summary(run)).text


def test_a_run_of_a_version_asks_what_was_published(
    library: Library, service: RunService, benchmark_id: int, model: Any
) -> None:
    version = library.published.publish(benchmark_id, library.benchmarks.document(benchmark_id), "pilot")
    numbers = [row.number for row in library.questions.summaries(benchmark_id)]
    library.questions.update(benchmark_id, numbers[0], {"question": "Something else?"})
    library.questions.delete(benchmark_id, numbers[1:3])
    wanted = order(benchmark_id, model, version.id)
    assert len(service.selection(wanted).chosen) == len(numbers)
    run = finished_run(service, wanted)
    summary = library.runs.summary(run)
    assert (summary.done, summary.benchmark_hash) == (len(numbers), version.sha256)
    asked = {request.messages[-1].text for request in model.asked}
    assert not any("Something else?" in text for text in asked)
    assert version_text(library, run) == "v1 (pilot)"
    record = library.runs.reproducibility(run)
    assert record is not None
    assert (record.benchmark.published, record.benchmark.sha256) == ("v1 (pilot)", version.sha256)
    assert library.snapshots.document(summary.benchmark_hash).entries == library.published.document(version.id).entries


def test_a_preview_of_a_version_shows_its_wording(
    library: Library, service: RunService, benchmark_id: int, model: Any
) -> None:
    version = library.published.publish(benchmark_id, library.benchmarks.document(benchmark_id))
    (first, *_) = library.questions.summaries(benchmark_id)
    library.questions.delete(benchmark_id, [first.number])
    setting = str(model.config().id), None, None
    shown = service.preview(order(benchmark_id, model, version.id), first.id, setting, "42")
    assert first.text in str(shown)
    with pytest.raises(NotFoundError):
        service.preview(order(benchmark_id, model), first.id, setting, "42")


def test_a_run_of_the_present_state_says_its_version_or_that_it_has_changed(
    library: Library, service: RunService, benchmark_id: int, model: Any
) -> None:
    before = finished_run(service, order(benchmark_id, model))
    assert version_text(library, before) == ""
    library.published.publish(benchmark_id, library.benchmarks.document(benchmark_id))
    # Published only now, but it is what the run asked.
    assert version_text(library, before) == "v1"
    same = finished_run(service, order(benchmark_id, model))
    (first, *_) = library.questions.summaries(benchmark_id)
    library.questions.update(benchmark_id, first.number, {"raw_answer": "other"})
    changed = finished_run(service, order(benchmark_id, model))
    assert [version_text(library, run) for run in (same, changed)] == ["v1", "unpublished changes since v1"]
    library.published.publish(benchmark_id, library.benchmarks.document(benchmark_id), "final")
    assert version_text(library, changed) == "v2 (final)"
