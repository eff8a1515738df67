from __future__ import annotations

from collections.abc import Iterator

import pytest

from karenina_gui.errors import DuplicateQuestionError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question


def question(name: str) -> Question:
    return Question(question=f"{name}?", raw_answer="", id=name)


@pytest.fixture
def document() -> BenchmarkDocument:
    document = BenchmarkDocument(name="b")
    for name in ("one", "two", "three"):
        document.add(question(name))
    return document


class Walked(list[BenchmarkEntry]):
    """Counts how often somebody goes through it."""

    walks = 0

    def __iter__(self) -> Iterator[BenchmarkEntry]:
        self.walks += 1
        return super().__iter__()


def test_hundreds_of_questions_are_added_without_a_walk_over_them_all() -> None:
    document = BenchmarkDocument(name="b")
    document.entries = entries = Walked()
    for number in range(500):
        document.add(question(str(number)))
    assert len(document.entries) == 500
    assert document.entries is entries
    assert entries.walks < 5


def test_a_list_that_somebody_else_has_changed_is_looked_up_as_it_is(document: BenchmarkDocument) -> None:
    document.entries.reverse()
    assert document.entry("one").id == "one"
    document.entries.remove(document.entry("two"))
    with pytest.raises(NotFoundError):
        document.entry("two")
    document.add(question("two"))
    document.entry("three").question.id = "drei"
    assert document.entry("drei").question.question == "three?"
    with pytest.raises(DuplicateQuestionError):
        document.add(question("two"))
    document.add(question("three"))
    assert [entry.id for entry in document.entries] == ["drei", "one", "two", "three"]


def test_a_document_that_was_looked_up_in_equals_its_copy_and_parts_from_it(document: BenchmarkDocument) -> None:
    again = BenchmarkDocument.model_validate(document.model_dump())
    assert again == document
    copy = document.model_copy(deep=True)
    copy.add(question("four"))
    with pytest.raises(NotFoundError):
        document.entry("four")
