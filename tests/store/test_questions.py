from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from karenina_gui.errors import DuplicateQuestionError, InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.default_template import default_template
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.summaries import Conflict, QuestionFilter, Saved
from karenina_gui.store.library import Library


def entry(text: str, **fields: object) -> BenchmarkEntry:
    finished = bool(fields.pop("finished", False))
    return BenchmarkEntry(question=Question(question=text, raw_answer="?", **fields), finished=finished)


@pytest.fixture
def benchmark(library: Library) -> int:
    entries = [
        entry("Where does the Ångström come from?", keywords=["units", "history"], finished=True),
        entry(
            "How long is a metre? " + "long " * 100, keywords=["units"], answer_template="class Answer(BaseAnswer): ..."
        ),
        entry("Who was first?", answer_notes="See ÉTIENNE", answer_template=default_template("Who was first?")),
    ]
    return library.benchmarks.create(BenchmarkDocument(name="b", entries=entries))


def found(library: Library, benchmark: int, wanted: QuestionFilter) -> list[str]:
    return [row.text.split()[0] for row in library.questions.summaries(benchmark, wanted)]


def test_a_list_shows_the_beginning_of_the_text_in_order(library: Library, benchmark: int) -> None:
    rows = library.questions.summaries(benchmark)
    assert [row.position for row in rows] == [0, 1, 2]
    assert len(rows[1].text) == 200
    assert rows[0].keywords == ("units", "history")


def test_a_generated_default_template_counts_as_none(library: Library, benchmark: int) -> None:
    assert [row.has_template for row in library.questions.summaries(benchmark)] == [False, True, False]


def test_questions_are_found_by_text_in_any_case_and_by_state(library: Library, benchmark: int) -> None:
    assert found(library, benchmark, QuestionFilter(text="ångSTRÖM")) == ["Where"]
    assert found(library, benchmark, QuestionFilter(text="étienne")) == ["Who"]
    assert found(library, benchmark, QuestionFilter(text="HISTORY")) == ["Where"]
    assert found(library, benchmark, QuestionFilter(text="100%")) == []
    assert found(library, benchmark, QuestionFilter(finished=False)) == ["How", "Who"]
    assert found(library, benchmark, QuestionFilter(keyword="units", finished=True)) == ["Where"]
    assert found(library, benchmark, QuestionFilter(keyword="unit")) == []
    assert found(library, benchmark, QuestionFilter(has_template=True)) == ["How"]


def test_keywords_are_counted(library: Library, benchmark: int) -> None:
    assert library.questions.keywords(benchmark) == [("history", 1), ("units", 2)]


def test_an_edited_text_keeps_the_id(library: Library, benchmark: int) -> None:
    number = question_fingerprint("Who was first?")
    saved = library.questions.update(benchmark, number, {"question": "Who was second?"})
    assert isinstance(saved, Saved) and saved.revision == 2
    assert library.questions.entry(benchmark, number).question.question == "Who was second?"


def test_an_edit_of_what_has_changed_meanwhile_is_not_saved(library: Library, benchmark: int) -> None:
    number = question_fingerprint("Who was first?")
    library.questions.update(benchmark, number, {"raw_answer": "mine"}, expected_revision=1)
    conflict = library.questions.update(benchmark, number, {"raw_answer": "yours"}, expected_revision=1)
    assert isinstance(conflict, Conflict)
    assert (conflict.entry.question.raw_answer, conflict.revision) == ("mine", 2)
    assert library.questions.entry(benchmark, number).question.raw_answer == "mine"


def test_a_value_that_does_not_fit_is_refused_by_name(library: Library, benchmark: int) -> None:
    number = question_fingerprint("Who was first?")
    with pytest.raises(InputError, match=r"workspace_path.*leaves the workspace root"):
        library.questions.update(benchmark, number, {"workspace_path": "../secret"})
    with pytest.raises(InputError, match="colour"):
        library.questions.update(benchmark, number, {"colour": "red"})
    assert library.questions.summary(benchmark, number).revision == 1


def test_a_removed_question_comes_back_to_its_place(library: Library, benchmark: int) -> None:
    before = library.benchmarks.document(benchmark).entries
    removed = library.questions.remove(benchmark, before[1].id)
    assert [row.position for row in library.questions.summaries(benchmark)] == [0, 2]
    library.questions.put_back(removed)
    assert library.benchmarks.document(benchmark).entries == before
    assert removed.number is not None
    assert library.questions.id_of(benchmark, removed.number) == before[1].id


def test_a_question_can_be_put_after_another(library: Library, benchmark: int) -> None:
    first = question_fingerprint("Where does the Ångström come from?")
    library.questions.add(benchmark, entry("New?"), after=first)
    library.questions.add(benchmark, entry("Last?"))
    assert [row.text.split()[0] for row in library.questions.summaries(benchmark)] == [
        "Where",
        "New?",
        "How",
        "Who",
        "Last?",
    ]


def test_a_taken_id_is_refused_alone_and_reported_in_bulk(library: Library, benchmark: int) -> None:
    with pytest.raises(DuplicateQuestionError, match="already holds"):
        library.questions.add(benchmark, entry("Who was first?"))
    refused = library.questions.add_all(benchmark, [entry("a?"), entry("Who was first?"), entry("b?"), entry("a?")])
    assert [e.question.question for e in refused] == ["Who was first?", "a?"]
    assert len(library.questions.summaries(benchmark)) == 5


def test_many_are_finished_at_once(library: Library, benchmark: int) -> None:
    ids = [row.id for row in library.questions.summaries(benchmark)]
    assert library.questions.set_finished(benchmark, ids, True) == 2
    assert all(row.finished for row in library.questions.summaries(benchmark))


def test_a_check_of_a_template_lasts_until_it_is_edited(library: Library, benchmark: int) -> None:
    question = library.benchmarks.document(benchmark).entries[1].question
    source = question.answer_template or ""
    library.questions.note_template_check(benchmark, question.id, "an older text", False)
    assert library.questions.summary(benchmark, question.id).template_valid is None
    library.questions.note_template_check(benchmark, question.id, source, True)
    library.questions.update(benchmark, question.id, {"raw_answer": "1 m"})
    assert library.questions.summary(benchmark, question.id).template_valid is True
    library.questions.update(benchmark, question.id, {"answer_template": source + "\n"})
    assert library.questions.summary(benchmark, question.id).template_valid is None


def test_a_question_that_is_not_there_is_named(library: Library, benchmark: int) -> None:
    with pytest.raises(NotFoundError, match="'nobody'"):
        library.questions.entry(benchmark, "nobody")


def test_edits_from_many_threads_are_all_kept(library: Library, benchmark: int) -> None:
    number = question_fingerprint("Who was first?")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: library.questions.update(benchmark, number, {"answer_notes": str(n)}), range(80)))
    assert library.questions.summary(benchmark, number).revision == 81
