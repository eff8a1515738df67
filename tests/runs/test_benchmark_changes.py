from __future__ import annotations

from typing import Any

from karenina_gui.runs.benchmark_changes import BenchmarkChanges
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.question import Question
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan


def begin(service: RunService, library: Library, document: BenchmarkDocument, model: Any) -> tuple[int, int]:
    benchmark = library.benchmarks.create(document)
    run = service.start(RunOrder(benchmark, VerificationConfig(answering_models=[model.config()])))
    assert service.wait(run, 20)
    return benchmark, run


def test_a_benchmark_that_nobody_edited_has_not_changed(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any
) -> None:
    benchmark, run = begin(service, library, document, model)
    assert not service.benchmark_changes(run)
    library.questions.update(benchmark, "q1", {"finished": False})
    assert not service.benchmark_changes(run)


def test_what_was_edited_deleted_and_added_is_counted_in_questions(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any
) -> None:
    benchmark, run = begin(service, library, document, model)
    library.questions.update(benchmark, "q1", {"raw_answer": "43"})
    library.questions.update(benchmark, "q1", {"answer_notes": "or 42"})
    library.questions.update(benchmark, "q2", {"question": "Quite another?"})
    library.questions.delete(benchmark, ["q3"])
    library.questions.add(benchmark, BenchmarkEntry(question=Question(question="New?", raw_answer="42")))
    assert service.benchmark_changes(run) == BenchmarkChanges(edited=2, deleted=1, added=1)


def test_of_a_run_without_a_snapshot_nothing_is_said(service: RunService, library: Library) -> None:
    benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
    run = library.runs.create(RunPlan(benchmark, "old", VerificationConfig(), [], "none", "a hash"))
    library.benchmarks.update(benchmark, {"description": "edited"})
    assert not service.benchmark_changes(run)
