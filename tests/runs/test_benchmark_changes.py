from __future__ import annotations

from pathlib import Path
from typing import Any

from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.runs.benchmark_changes import compare_benchmarks, compared_by_hashes
from karenina_gui.runs.reproducibility import record_of
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.results_import import ResultsImporter
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import LLMRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan


def begin(service: RunService, library: Library, document: BenchmarkDocument, model: Any) -> tuple[int, int]:
    benchmark = library.benchmarks.create(document)
    run = service.start(RunOrder(benchmark, VerificationConfig(answering_models=[model.config()])))
    assert service.wait(run, 20)
    return benchmark, run


def numbers(library: Library, benchmark: int) -> list[int]:
    return [row.number for row in library.questions.summaries(benchmark)]


def test_a_benchmark_that_nobody_edited_has_not_changed(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any
) -> None:
    benchmark, run = begin(service, library, document, model)
    assert not service.benchmark_changes(run)
    _, q1, *_ = numbers(library, benchmark)
    library.questions.update(benchmark, q1, {"finished": False})
    assert not service.benchmark_changes(run)


def test_what_was_edited_deleted_and_added_is_counted_in_questions(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any
) -> None:
    benchmark, run = begin(service, library, document, model)
    _, q1, q2, q3, *_ = numbers(library, benchmark)
    library.questions.update(benchmark, q1, {"raw_answer": "43"})
    library.questions.update(benchmark, q1, {"answer_notes": "or 42"})
    library.questions.update(benchmark, q2, {"question": "Quite another?"})
    library.questions.delete(benchmark, [q3])
    library.questions.add(benchmark, BenchmarkEntry(question=Question(question="New?", raw_answer="42")))
    changes = service.benchmark_changes(run)
    assert (changes.edited, changes.deleted, changes.added, changes.rubric) == (2, 1, 1, False)


def test_what_changed_is_said_question_by_question_and_field_by_field(document: BenchmarkDocument) -> None:
    now = document.model_copy(deep=True)
    now.entries[1].question.raw_answer = "43"
    now.entries[1].question.answer_template = None
    now.entries[2].finished = False
    now.entries[2].question.date_modified = "2020-01-01"
    del now.entries[3]
    now.add(Question(question="New?", raw_answer="42"))
    changes = compare_benchmarks(document, now)
    assert [(each.text, each.kind, each.fields) for each in changes.questions] == [
        ("Text 1?", "edited", ("raw_answer", "answer_template")),
        ("New?", "added", ()),
        ("Text 3?", "deleted", ()),
    ]
    edited = changes.questions[0]
    assert edited.was is not None
    assert edited.now is not None
    assert (edited.was.raw_answer, edited.now.raw_answer) == ("42", "43")
    assert not changes.by_hashes


def test_traits_for_all_questions_are_compared_one_by_one(document: BenchmarkDocument) -> None:
    now = document.model_copy(deep=True)
    document.rubric = Rubric(llm_traits=[trait("cites", "Names a source."), trait("brief", "Is brief.")])
    now.rubric = Rubric(llm_traits=[trait("cites", "Names two sources."), trait("kind", "Is kind.")])
    changes = compare_benchmarks(document, now)
    assert changes.rubric
    assert [(each.name, each.kind) for each in changes.traits] == [
        ("cites", "edited"), ("kind", "added"), ("brief", "deleted"),
    ]  # fmt: skip
    assert changes.traits[0].was is not None
    assert changes.traits[0].was["description"] == "Names a source."
    swapped = now.model_copy(deep=True, update={"rubric": Rubric(llm_traits=now.rubric.llm_traits[::-1])})
    assert (compare_benchmarks(now, swapped).rubric, compare_benchmarks(now, swapped).traits) == (True, ())


def test_an_opened_run_is_compared_by_the_hashes_of_its_record(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any, tmp_path: Path
) -> None:
    document.rubric = Rubric(regex_traits=[RegexRubricTrait(name="cites", pattern="doi")])
    benchmark, run = begin(service, library, document, model)
    summary, record = library.runs.summary(run), library.runs.reproducibility(run)
    info = RunInfo.of_run(summary, library.runs.config(run), None, record=record)
    file = SavedResults(export_results(library.results.each(run), tmp_path / "r.json", run=info))
    (opened,) = ResultsImporter(library, lambda _: None).open(file.look(), file.each(), benchmark)
    assert not service.benchmark_changes(opened)
    _, q1, q2, q3, *_ = numbers(library, benchmark)
    library.questions.update(benchmark, q1, {"answer_notes": "or 43", "raw_answer": "43"})
    library.questions.update(benchmark, q2, {"finished": False})
    library.questions.delete(benchmark, [q3])
    other = Rubric(regex_traits=[RegexRubricTrait(name="cites", pattern="pmid")])
    library.benchmarks.update(benchmark, {"rubric": other})
    changes = service.benchmark_changes(opened)
    assert changes.by_hashes
    assert [(each.text, each.kind, each.fields) for each in changes.questions] == [
        ("Text 1?", "edited", ("raw_answer", "answer_notes")), ("Text 3?", "deleted", ()),
    ]  # fmt: skip
    assert [(each.name, each.kind) for each in changes.traits] == [("cites", "edited")]


def test_a_question_of_a_record_is_known_by_its_text_where_it_has_another_id(document: BenchmarkDocument) -> None:
    config = VerificationConfig(answering_models=[ModelConfig(model_name="m")])
    made = record_of(RunRequest(document, config, ["q0", "q1"]), "2026-01-01", "")
    now = BenchmarkDocument(name="other")
    now.add(document.entries[1].question.model_copy(update={"id": "another"}))
    changes = compared_by_hashes(made, now, {})
    assert [(each.id, each.kind) for each in changes.questions] == [("q0", "deleted")]


def trait(name: str, description: str) -> LLMRubricTrait:
    return LLMRubricTrait(name=name, kind="boolean", description=description)


def test_of_a_run_without_a_snapshot_nothing_is_said(service: RunService, library: Library) -> None:
    benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
    run = library.runs.create(RunPlan(benchmark, "old", VerificationConfig(), [], "none", "a hash"))
    library.benchmarks.update(benchmark, {"description": "edited"})
    assert not service.benchmark_changes(run)
