from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlmodel import col, delete

from karenina_gui.errors import DuplicateQuestionError, InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.benchmark_summaries import QuestionFilter, RestoredQuestions
from karenina_gui.schemas.edits import Conflict, Saved
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.sample_answer import TemplateTest
from karenina_gui.store import tables
from karenina_gui.store.library import Library
from tests.default_template import default_template


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


def number_of(library: Library, benchmark: int, text: str) -> int:
    return library.questions.number_of(benchmark, question_fingerprint(text))


def listed(library: Library, benchmark: int, wanted: QuestionFilter | None = None) -> list[str]:
    return [row.text.split()[0] for row in library.questions.summaries(benchmark, wanted)]


def test_a_list_shows_the_beginning_of_the_text_in_order(library: Library, benchmark: int) -> None:
    rows = library.questions.summaries(benchmark)
    assert [row.position for row in rows] == [0, 1, 2]
    assert len(rows[1].text) == 200
    assert rows[0].keywords == ("units", "history")


def test_a_generated_default_template_counts_as_none(library: Library, benchmark: int) -> None:
    assert [row.has_template for row in library.questions.summaries(benchmark)] == [False, True, False]


def test_chosen_questions_are_listed(library: Library, benchmark: int) -> None:
    numbers = [row.number for row in library.questions.summaries(benchmark)]
    assert listed(library, benchmark, QuestionFilter(has_template=True)) == ["How"]
    assert listed(library, benchmark, QuestionFilter(numbers=(numbers[2], numbers[0]))) == ["Where", "Who"]
    assert listed(library, benchmark, QuestionFilter(numbers=())) == []


def test_a_filter_finds_the_same_numbers_and_rows(library: Library, benchmark: int) -> None:
    everything = QuestionFilter()
    for wanted in (everything, QuestionFilter(has_template=False), QuestionFilter(first=2), QuestionFilter(numbers=())):
        rows = library.questions.summaries(benchmark, wanted)
        assert library.questions.numbers(benchmark, wanted) == [row.number for row in rows]
    numbers = library.questions.numbers(benchmark, everything)
    assert library.questions.entries(benchmark, reversed(numbers)) == {
        number: library.questions.entry(benchmark, number) for number in numbers
    }


def test_a_question_is_found_by_everything_that_is_written_in_it(library: Library, benchmark: int) -> None:
    first, second, third = [row.number for row in library.questions.summaries(benchmark)]
    texts = library.questions.texts(benchmark)
    assert texts.keys() == {first, second, third}
    assert all(part in texts[first] for part in ("Ångström", "?", "units", "history"))
    assert "class Answer(BaseAnswer): ..." in texts[second]
    assert "See ÉTIENNE" in texts[third] and question_fingerprint("Who was first?") in texts[third]
    assert library.questions.texts(benchmark, [second]) == {second: texts[second]}


def test_keywords_are_counted(library: Library, benchmark: int) -> None:
    assert library.questions.keywords(benchmark) == [("history", 1), ("units", 2)]


def test_an_edited_text_gives_the_id(library: Library, benchmark: int) -> None:
    number = number_of(library, benchmark, "Who was first?")
    saved = library.questions.update(benchmark, number, {"question": "Who was second?"})
    assert isinstance(saved, Saved) and saved.revision == 2
    entry = library.questions.entry(benchmark, number)
    assert (entry.question.question, entry.id) == ("Who was second?", question_fingerprint("Who was second?"))


def test_an_edit_of_what_has_changed_meanwhile_is_not_saved(library: Library, benchmark: int) -> None:
    number = number_of(library, benchmark, "Who was first?")
    library.questions.update(benchmark, number, {"raw_answer": "mine"}, expected_revision=1)
    conflict = library.questions.update(benchmark, number, {"raw_answer": "yours"}, expected_revision=1)
    assert isinstance(conflict, Conflict)
    assert (conflict.entry.question.raw_answer, conflict.revision) == ("mine", 2)
    assert library.questions.entry(benchmark, number).question.raw_answer == "mine"


def test_a_value_that_does_not_fit_is_refused_by_name(library: Library, benchmark: int) -> None:
    number = number_of(library, benchmark, "Who was first?")
    with pytest.raises(InputError, match=r"workspace_path.*outside the workspace root"):
        library.questions.update(benchmark, number, {"workspace_path": "../secret"})
    with pytest.raises(InputError, match="colour"):
        library.questions.update(benchmark, number, {"colour": "red"})
    assert library.questions.summary(benchmark, number).revision == 1


def test_deleted_questions_come_back_to_their_places_as_they_were(library: Library, benchmark: int) -> None:
    before = library.questions.summaries(benchmark)
    numbers = library.questions.delete(benchmark, [row.number for row in before[:2]])
    assert numbers == [row.number for row in before[:2]]
    assert library.questions.summaries(benchmark) == before[2:]
    assert library.benchmarks.summary(benchmark).questions == 1
    assert [entry.id for entry in library.benchmarks.document(benchmark).entries] == [before[2].id]
    assert library.questions.keywords(benchmark) == []
    with pytest.raises(NotFoundError):
        library.questions.summary(benchmark, numbers[0])
    assert library.questions.restore(benchmark, numbers) == RestoredQuestions(numbers, [])
    assert library.questions.summaries(benchmark) == before
    assert library.questions.restore(benchmark, numbers) == RestoredQuestions([], [])


def test_deleted_questions_are_listed_the_last_first(library: Library, benchmark: int) -> None:
    rows = library.questions.summaries(benchmark)
    for batch in ([rows[1]], [rows[0], rows[2]]):
        library.questions.delete(benchmark, [row.number for row in batch])
        time.sleep(0.002)
    deleted = library.questions.list_deleted(benchmark)
    assert [each.number for each in deleted] == [rows[0].number, rows[2].number, rows[1].number]
    assert deleted[0].deleted_at == deleted[1].deleted_at != deleted[2].deleted_at
    assert deleted[2].text == rows[1].text


def test_a_deleted_question_whose_id_is_taken_stays_deleted_with_a_reason(library: Library, benchmark: int) -> None:
    (number,) = library.questions.delete(benchmark, [number_of(library, benchmark, "Who was first?")])
    library.questions.add(benchmark, entry("Who was first?"))
    restored = library.questions.restore(benchmark, [number])
    assert restored.numbers == []
    (reason,) = restored.refused
    assert reason.startswith("“Who was first?” stays deleted: Question 3 (“Who was first?”) has the same ID.")
    assert listed(library, benchmark) == ["Where", "How", "Who"]
    assert [each.number for each in library.questions.list_deleted(benchmark)] == [number]


def test_a_number_is_never_given_twice(library: Library, benchmark: int) -> None:
    last = library.benchmarks.create(BenchmarkDocument(name="gone"))
    with library._database.writing() as session:
        session.execute(delete(tables.BenchmarkRow).where(col(tables.BenchmarkRow.id) == last))
    assert library.benchmarks.create(BenchmarkDocument(name="another")) == last + 1


def test_a_number_beyond_all_bounds_is_not_there(library: Library, benchmark: int) -> None:
    with pytest.raises(NotFoundError):
        library.benchmarks.summary(10**30)
    with pytest.raises(NotFoundError):
        library.questions.summary(benchmark, 10**30)


def test_thousands_are_deleted_restored_and_finished_at_once(library: Library) -> None:
    entries = [entry(f"Question {number}?") for number in range(3000)]
    benchmark = library.benchmarks.create(BenchmarkDocument(name="large", entries=entries))
    numbers = [row.number for row in library.questions.summaries(benchmark)]
    assert library.questions.delete(benchmark, numbers) == numbers
    assert len(library.questions.restore(benchmark, numbers).numbers) == 3000
    assert library.questions.set_finished(benchmark, numbers, True) == 3000


def test_a_question_can_be_put_after_another(library: Library, benchmark: int) -> None:
    first = number_of(library, benchmark, "Where does the Ångström come from?")
    library.questions.add(benchmark, entry("New?"), after=first)
    library.questions.add(benchmark, entry("Last?"))
    assert [row.text.split()[0] for row in library.questions.summaries(benchmark)] == [
        "Where",
        "New?",
        "How",
        "Who",
        "Last?",
    ]


def test_the_place_of_a_question_is_counted_among_those_that_are_left(library: Library, benchmark: int) -> None:
    first, second, third = (row.number for row in library.questions.summaries(benchmark))
    assert [library.questions.position_of(benchmark, each) for each in (first, second, third)] == [1, 2, 3]
    library.questions.delete(benchmark, [first])
    assert library.questions.position_of(benchmark, third) == 2
    with pytest.raises(NotFoundError):
        library.questions.position_of(benchmark, first)


def test_a_taken_id_is_refused_alone_and_reported_in_bulk(library: Library, benchmark: int) -> None:
    with pytest.raises(DuplicateQuestionError, match=r"Question 3 .* has the same text"):
        library.questions.add(benchmark, entry("Who was first?"))
    added = library.questions.add_all(benchmark, [entry("a?"), entry("Who was first?"), entry("b?"), entry("a?")])
    assert [library.questions.summary(benchmark, number).text for number in added] == ["a?", "b?"]
    assert len(library.questions.summaries(benchmark)) == 5


def test_many_are_finished_at_once(library: Library, benchmark: int) -> None:
    numbers = [row.number for row in library.questions.summaries(benchmark)]
    assert library.questions.set_finished(benchmark, numbers, True) == 2
    assert all(row.finished for row in library.questions.summaries(benchmark))


def test_a_check_of_a_template_lasts_until_it_is_edited(library: Library, benchmark: int) -> None:
    question = library.benchmarks.document(benchmark).entries[1].question
    source, number = question.answer_template or "", library.questions.number_of(benchmark, question.id)
    older = question.model_copy(update={"answer_template": "an older text"})
    library.questions.note_template_tests(benchmark, [(number, older, TemplateTest(False))])
    assert library.questions.summary(benchmark, number).template_valid is None
    library.questions.note_template_tests(benchmark, [(number, question, TemplateTest(True))])
    library.questions.update(benchmark, number, {"raw_answer": "1 m"})
    assert library.questions.summary(benchmark, number).template_valid is True
    library.questions.update(benchmark, number, {"answer_template": source + "\n"})
    assert library.questions.summary(benchmark, number).template_valid is None


def test_a_question_that_is_not_there_is_named(library: Library, benchmark: int) -> None:
    with pytest.raises(NotFoundError, match="'nobody'"):
        library.questions.number_of(benchmark, "nobody")
    with pytest.raises(NotFoundError, match="has no question 999"):
        library.questions.entry(benchmark, 999)


def test_edits_from_many_threads_are_all_kept(library: Library, benchmark: int) -> None:
    number = number_of(library, benchmark, "Who was first?")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: library.questions.update(benchmark, number, {"answer_notes": str(n)}), range(80)))
    assert library.questions.summary(benchmark, number).revision == 81


def test_a_question_is_opened_as_of_one_moment_while_others_edit_it(library: Library, benchmark: int) -> None:
    number = number_of(library, benchmark, "Who was first?")
    before = library.questions.summary(benchmark, number).revision
    library.questions.update(benchmark, number, {"answer_notes": "0"})
    torn = []
    with ThreadPoolExecutor(1) as pool:
        edits = pool.submit(
            lambda: [library.questions.update(benchmark, number, {"answer_notes": str(n)}) for n in range(1, 100)]
        )
        while not edits.done():
            entry, summary, _ = library.questions.load_details(benchmark, number)
            torn += [summary] if int(entry.question.answer_notes or 0) != summary.revision - before - 1 else []
    assert torn == []
