"""Import of result files as runs: of the benchmark with their questions, or of a new one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.runs.results_import import PORTION, ResultsImporter, questions_of
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.result_summaries import ResultFilter, ResultSort
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.store.library import Library

FILES = ("full.export-v2.2.json", "full.export.csv", "full.facade-array.json", "full.facade.csv")


@pytest.fixture
def told() -> list[int]:
    return []


@pytest.fixture
def opener(library: Library, told: list[int]) -> ResultsImporter:
    return ResultsImporter(library, told.append)


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., SavedResults]:
    def saved(content: Any, name: str = "results.json") -> SavedResults:
        path = tmp_path / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return SavedResults(path)

    return saved


def row(number: int, model: str = "ada", **metadata: Any) -> dict[str, Any]:
    known = {
        "question_id": f"q{number}",
        "template_id": "t",
        "question_text": f"Text {number}?",
        "answering": {"interface": "manual", "model_name": model},
        "timestamp": "2026-01-01 00:00:00",
    }
    return {"metadata": known | metadata, "template": {"raw_llm_response": "42", "verify_result": number % 2 == 0}}


def opened(opener: ResultsImporter, library: Library, file: SavedResults) -> RunSummary:
    """The first run of the file, in a new benchmark made of its questions."""
    found = file.look()
    benchmark = library.benchmarks.create(questions_of(found, found.name))
    return library.runs.summary(opener.open(found, file.each(), benchmark)[0])


@pytest.mark.parametrize("name", FILES)
def test_every_shape_opens_as_a_run_that_all_screens_can_show(
    shared: Path, opener: ResultsImporter, library: Library, name: str
) -> None:
    run = opened(opener, library, SavedResults(shared / "results" / name))
    assert (run.name, run.status, run.done, run.total, run.origin) == ("full", "completed", 3, 3, name)
    assert (run.answering, run.judges, run.evaluation_mode) == (("answerer-A",), ("judge-1",), "template_and_rubric")
    page = library.results.page(run.id)
    assert [row.outcome for row in page.rows][:2] == ["passed", "wrong"]
    assert page.rows[0].traits["depth"] == 4
    assert sum(run.outcomes.values()) == 3
    first = library.results.get(page.rows[0].id)
    assert first.summary.answering == "answerer-A"
    assert library.runs.jobs_left(run.id) == []


@pytest.mark.parametrize("kind", ["json", "xlsx", "csv"])
def test_a_run_goes_through_a_file_and_comes_back(
    shared: Path, opener: ResultsImporter, library: Library, tmp_path: Path, kind: str
) -> None:
    file = SavedResults(shared / "results/full.export-v2.2.json")
    run = opened(opener, library, file)
    info = RunInfo.of_run(run, library.runs.config(run.id), library.benchmarks.frame(run.benchmark_id))
    path = export_results(library.results.each(run.id), tmp_path / f"again.{kind}", run=info)
    again = opened(opener, library, SavedResults(path))
    assert (again.outcomes, again.answering, again.judges) == (run.outcomes, run.answering, run.judges)
    if kind == "json":
        assert list(library.results.each(again.id)) == [result for _, result in file.each()]
        theirs = json.loads((shared / "results/full.export-v2.2.json").read_text())
        ours = json.loads(path.read_text())
        for mine, before in zip(ours["results"], theirs["results"], strict=True):
            assert {key: mine[key] for key in before} == before
        rubrics = [each["shared_data"]["rubric_definition"] for each in (ours, theirs)]
        assert Rubric.model_validate(rubrics[0]) == Rubric.model_validate(rubrics[1])
        assert ours["metadata"]["verification_config"] == theirs["metadata"]["verification_config"]


def test_an_export_has_the_order_and_the_filter_of_the_table(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    rows = [row(n, execution_time=float(n * 7 % 10)) for n in range(10)]
    run = opened(opener, library, saved(rows))
    wanted, sort = ResultFilter(outcomes=("passed",)), ResultSort("seconds", descending=True)
    times = [result.metadata.execution_time for result in library.results.each(run.id, wanted, sort)]
    assert times == [8.0, 6.0, 4.0, 2.0, 0.0]


def numbered(topic: str, *, first: int = 1, spaces: str = " ") -> BenchmarkDocument:
    """Four questions with plain ids: `1` to `4`."""
    document = BenchmarkDocument(name=topic)
    for number in range(1, 5):
        text = f"{topic}{spaces}question {number}?"
        document.add(Question(question=text, raw_answer="42", id=str(number + first - 1)))
    return document


def plain_rows(topic: str, numbers: range = range(1, 5)) -> list[dict[str, Any]]:
    return [row(n, question_id=str(n), question_text=f"{topic} question {n}?") for n in numbers]


@pytest.mark.parametrize("order", [("gold", "mouse"), ("mouse", "gold")])
def test_results_belong_to_the_benchmark_with_their_ids_and_texts(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults], order: tuple[str, str]
) -> None:
    ids = {topic: library.benchmarks.create(numbered(topic)) for topic in order}
    for topic in order:
        outlook = opener.outlook(saved(plain_rows(topic)).look())
        assert [(each.benchmark_id, each.matched, each.doubtful) for each in outlook.candidates] == [(ids[topic], 4, 0)]


def test_equal_ids_alone_are_a_doubt(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    gold = library.benchmarks.create(numbered("gold"))
    outlook = opener.outlook(saved(plain_rows("mouse")).look())
    assert (outlook.candidates, [each.benchmark_id for each in outlook.doubtful]) == ([], [gold])


def test_equal_benchmarks_are_a_doubt(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    copies = {library.benchmarks.create(numbered("gold")) for _ in range(2)}
    assert {each.benchmark_id for each in opener.outlook(saved(plain_rows("gold")).look()).candidates} == copies


def test_an_edited_question_among_others_keeps_its_results(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    gold = library.benchmarks.create(numbered("gold"))
    file = saved([*plain_rows("gold", range(1, 4)), *plain_rows("Gold", range(4, 5))])
    assert [(each.matched, each.doubtful) for each in opener.outlook(file.look()).candidates] == [(3, 1)]
    (run_id,) = opener.open(file.look(), file.each(), gold)
    assert [each.question_id for each in library.results.page(run_id).rows] == ["1", "2", "3", "4"]


def test_an_id_made_of_the_text_in_the_file_proves_an_edited_question(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    edited = BenchmarkDocument(name="edited")
    edited.add(Question(question="Edited?", raw_answer="42", id=question_fingerprint("Text 1?")))
    library.benchmarks.create(edited)
    outlook = opener.outlook(saved([row(1, question_id=question_fingerprint("Text 1?"))]).look())
    assert [(each.matched, each.doubtful) for each in outlook.candidates] == [(1, 0)]


def test_a_text_goes_before_an_id(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    shifted = library.benchmarks.create(numbered("gold", first=2, spaces="  "))
    file = saved(plain_rows("gold"))
    (run_id,) = opener.open(file.look(), file.each(), shifted)
    assert [each.question_id for each in library.results.page(run_id).rows] == ["2", "3", "4", "5"]


def test_results_of_another_question_with_the_same_id_and_time_are_not_the_same(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    opened(opener, library, saved(plain_rows("gold")))
    assert opener.outlook(saved(plain_rows("mouse")).look()).already == []
    assert len(opener.outlook(saved(plain_rows("gold")).look()).already) == 1


def test_a_benchmark_with_other_ids_is_matched_by_its_texts(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    by_text, by_id = BenchmarkDocument(name="by text"), BenchmarkDocument(name="by id")
    for number in range(3):
        by_text.add(Question(question=f"Text  {number}?\n", raw_answer="42"))
        by_id.add(Question(question=f"Another text {number}?", raw_answer="42", id=f"q{number}"))
    library.benchmarks.create(BenchmarkDocument(name="other"))
    text_id, id_id = library.benchmarks.create(by_text), library.benchmarks.create(by_id)
    file = saved([row(n) for n in range(3)])
    belongings = opener.outlook(file.look()).belongings
    assert [(each.benchmark_id, each.matched, each.doubtful, each.by) for each in belongings] == [
        (text_id, 3, 0, "text"),
        (id_id, 0, 3, "id"),
    ]
    (run_id,) = opener.open(file.look(), file.each(), text_id)
    shown = library.results.page(run_id).rows[0]
    number = library.questions.number_of(text_id, shown.question_id)
    assert library.questions.entry(text_id, number).question.question == "Text  0?\n"
    assert library.results.get(shown.id).result.metadata.question_id == "q0"


def test_a_new_benchmark_has_what_the_rows_say_of_the_questions(
    shared: Path, opener: ResultsImporter, library: Library
) -> None:
    file = SavedResults(shared / "results/full.export-v2.2.json")
    document = questions_of(file.look(), "From a file")
    assert [entry.question.question for entry in document.entries] == [
        "What does venetoclax bind and what is the dose?",
        "Name the capital of France.",
        "Please refuse to tell me the city",
    ]
    first = document.entries[0]
    assert (first.question.keywords, first.question.answer_template, first.finished) == (["onc"], None, False)
    assert document.rubric is not None
    assert document.rubric.names == ["clear", "depth", "tone", "cites_rx", "cov"]


def test_a_question_without_a_text_keeps_its_id_as_its_text(saved: Callable[..., SavedResults]) -> None:
    (entry,) = questions_of(saved([row(1, question_text=" ")]).look(), "x").entries
    assert (entry.question.question, entry.question.raw_answer) == ("q1", "")


def test_a_part_of_a_run_is_no_completed_run(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    run = opened(opener, library, saved({"metadata": {"job_summary": {"total_questions": 5}}, "results": [row(1)]}))
    assert (run.status, run.done, run.total) == ("partial", 1, 5)
    assert run.message == "The file has 1 of 5 results of this run."


def test_results_that_could_not_be_read_are_told_where_the_run_stands(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    run = opened(opener, library, saved([row(1), "text"]))
    assert run.status == "partial"
    assert run.message is not None
    assert "1 unreadable result skipped; first: number 2" in run.message


def test_the_same_results_are_recognised_also_in_another_shape(
    shared: Path, opener: ResultsImporter, library: Library
) -> None:
    run = opened(opener, library, SavedResults(shared / "results/full.export-v2.2.json"))
    outlook = opener.outlook(SavedResults(shared / "results/full.facade.csv").look())
    assert [each.id for each in outlook.already] == [run.id]
    assert [(each.benchmark_id, each.matched) for each in outlook.belongings] == [(run.benchmark_id, 3)]


def test_several_runs_of_one_file_open_as_several(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults], told: list[int]
) -> None:
    file = saved({"runs": {"monday": [row(1), row(2)], "tuesday": [row(1, "bob")]}})
    found = file.look()
    ids = opener.open(found, file.each(), library.benchmarks.create(questions_of(found, "x")))
    runs = [library.runs.summary(run_id) for run_id in ids]
    assert [(run.name, run.done, run.answering) for run in runs] == [("monday", 2, ("ada",)), ("tuesday", 1, ("bob",))]
    assert told == ids
    opener.discard(ids)
    assert library.runs.count() == 0


def test_models_of_one_name_and_repeated_jobs_stay_apart(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    twin = row(1)
    twin["metadata"]["answering"]["interface"] = "openai_endpoint"
    run = opened(opener, library, saved([row(1), twin, row(1), row(1, replicate=2)]))
    assert run.answering == ("ada", "ada #2")
    assert [each.answering for each in library.results.page(run.id).rows] == ["ada", "ada #2", "ada", "ada"]
    assert run.replicates == 2


def test_more_results_than_one_portion_come_in_in_their_order(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    count = PORTION * 2 + 7
    run = opened(opener, library, saved([row(n) for n in range(count)]))
    assert run.done == count
    page = library.results.page(run.id, offset=PORTION - 1, limit=3)
    assert [each.question_id for each in page.rows] == [f"q{PORTION - 1}", f"q{PORTION}", f"q{PORTION + 1}"]


def test_a_file_that_fails_halfway_leaves_nothing_behind(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults], told: list[int]
) -> None:
    file = saved([row(n) for n in range(PORTION + 5)])
    found = file.look()
    benchmark = library.benchmarks.create(questions_of(found, "x"))

    def breaking() -> Iterator[tuple[str, VerificationResult]]:
        for number, each in enumerate(file.each()):
            if number == PORTION + 2:
                raise InputError("The disk is gone.")
            yield each

    with pytest.raises(InputError, match="disk"):
        opener.open(found, breaking(), benchmark)
    assert library.runs.count() == 0
    assert told == []


def test_a_benchmark_that_is_gone_is_told(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    file = saved([row(1)])
    with pytest.raises(NotFoundError):
        opener.open(file.look(), file.each(), 99)


def test_a_file_whose_opening_was_cut_off_is_partial_and_counts_what_came_in(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    file = saved([row(number) for number in range(2 * PORTION)])
    found = file.look()
    benchmark = library.benchmarks.create(questions_of(found, found.name))

    told: list[RunSummary] = []

    def cut_off() -> Iterator[tuple[str, VerificationResult]]:
        for number, each in enumerate(file.each()):
            if number == PORTION + 3:  # the next start of the application
                told.extend(library.runs.summary(run) for run in library.runs.mark_interrupted())
            yield each

    opener.open(found, cut_off(), benchmark)
    ((status, done, total, outcomes, message),) = [(r.status, r.done, r.total, r.outcomes, r.message) for r in told]
    assert (status, done, total) == ("partial", PORTION, 2 * PORTION)
    assert outcomes == {"passed": PORTION // 2, "wrong": PORTION // 2}
    assert message is not None
    assert "only 500 of its 1,000 results are here" in message


def test_a_placeholder_id_in_a_file_gives_way_to_that_of_the_text(
    opener: ResultsImporter, library: Library, saved: Callable[..., SavedResults]
) -> None:
    file = saved([row(1, question_id=question_fingerprint("New question"))])
    summary = opened(opener, library, file)
    (entry,) = library.benchmarks.document(summary.benchmark_id).entries
    assert entry.id == question_fingerprint("Text 1?")
    assert [each.question_id for each in library.results.page(summary.id).rows] == [entry.id]
