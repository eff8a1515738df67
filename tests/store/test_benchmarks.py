from __future__ import annotations

import pytest

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import RegexRubricTrait, Rubric
from karenina_gui.store.library import Library


def full_document() -> BenchmarkDocument:
    """A benchmark with a value in every field."""
    question = Question(
        question="Welche Farbe hat der Himmel? ☁",
        raw_answer="blau",
        keywords=["Wetter", "Farbe"],
        id="urn:uuid:sky",
        answer_notes="Rayleigh scattering",
        author={"name": "Ada"},
        sources=[{"url": "https://example.org"}],
        answer_template="class Answer(BaseAnswer): ...",
        workspace_path="task_01",
        question_rubric={"regex_traits": [{"name": "cites", "pattern": r"\[\d\]"}]},
        few_shot_examples=[{"question": "Gras?", "answer": "grün"}],
        custom_metadata={"nested": {"big": 2**70, "none": None}},
    )
    return BenchmarkDocument(
        name="Himmel",
        description="two questions",
        version="2.0.0",
        creator={"name": "Ada", "role": "author"},
        entries=[
            BenchmarkEntry(
                question=question, finished=False, source={"@id": "urn:uuid:sky", "unknown": [1, {"a": None}]}
            ),
            BenchmarkEntry(question=Question(question="2 + 2?", raw_answer="4")),
        ],
        rubric=Rubric(regex_traits=[RegexRubricTrait(name="polite", pattern="please")]),
        custom_properties={"grade": 7},
        scenarios=[{"@type": "Scenario", "x": 1}],
        source={"@context": {"a": "b"}, "strange": ["kept"]},
    )


def test_a_document_comes_back_as_it_went_in(library: Library) -> None:
    document = full_document()
    assert library.benchmarks.document(library.benchmarks.create(document)) == document


def test_a_list_shows_counts_and_the_last_edited_first(library: Library) -> None:
    older = library.benchmarks.create(full_document())
    newer = library.benchmarks.create(BenchmarkDocument(name="empty"))
    library.benchmarks.update(older, {"description": "edited"})
    first, second = library.benchmarks.summaries()
    assert (first.id, first.questions, first.finished, first.description) == (older, 2, 1, "edited")
    assert (second.id, second.questions, second.runs) == (newer, 0, 0)


def test_an_edit_of_the_frame_leaves_the_rest_untouched(library: Library) -> None:
    number = library.benchmarks.create(full_document())
    library.benchmarks.update(number, {"rubric": None, "name": "Sky"})
    document = library.benchmarks.document(number)
    expected = full_document().model_copy(update={"rubric": None, "name": "Sky"})
    ignored = {
        "date_modified": True,
        "date_created": True,
        "entries": {"__all__": {"question": {"date_created", "date_modified"}}},
    }
    assert document.model_dump(exclude=ignored) == expected.model_dump(exclude=ignored)


def test_a_deleted_benchmark_is_gone_and_can_be_restored(library: Library) -> None:
    number = library.benchmarks.create(full_document())
    library.benchmarks.delete(number)
    assert library.benchmarks.summaries() == []
    with pytest.raises(NotFoundError):
        library.questions.summaries(number)
    with pytest.raises(NotFoundError, match=f"Benchmark {number} doesn’t exist"):
        library.benchmarks.require(number)
    library.benchmarks.restore(number)
    library.benchmarks.require(number)
    assert len(library.benchmarks.document(number).entries) == 2


def test_an_empty_name_is_refused(library: Library) -> None:
    number = library.benchmarks.create(full_document())
    with pytest.raises(InputError, match="name"):
        library.benchmarks.update(number, {"name": "  "})


def test_two_questions_of_one_id_are_refused_and_nothing_is_kept(library: Library) -> None:
    entry = BenchmarkEntry(question=Question(question="same?", raw_answer=""))
    with pytest.raises(InputError, match="same ID"):
        library.benchmarks.create(BenchmarkDocument(name="double", entries=[entry, entry]))
    assert library.benchmarks.summaries() == []


def test_deleted_benchmarks_are_listed_with_what_comes_back(library: Library) -> None:
    first, second = (library.benchmarks.create(full_document()) for _ in range(2))
    library.benchmarks.delete(first)
    library.benchmarks.delete(second)
    listed = library.benchmarks.list_deleted()
    assert {each.id for each in listed} == {first, second}
    assert {(each.name, each.questions, each.runs) for each in listed} == {("Himmel", 2, 0)}
    library.benchmarks.restore(first)
    assert [each.id for each in library.benchmarks.list_deleted()] == [second]
