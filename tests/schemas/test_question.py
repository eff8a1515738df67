"""The code samples and the field table of `questions.md`."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

import pytest
from pydantic import Field, ValidationError

from karenina_gui import BaseAnswer, Question
from karenina_gui.schemas.question import checked_workspace_path


def test_section_1_a_question_needs_a_text_and_a_reference_answer() -> None:
    q = Question(
        question="What is the putative target of venetoclax?",
        raw_answer="BCL2 (B-cell lymphoma 2)",
        keywords=["pharmacology", "oncology"],
    )
    assert f"Question: {q.question}" == "Question: What is the putative target of venetoclax?"
    assert f"Raw answer: {q.raw_answer}" == "Raw answer: BCL2 (B-cell lymphoma 2)"
    assert f"Keywords: {q.keywords}" == "Keywords: ['pharmacology', 'oncology']"
    assert f"ID: {q.id}" == f"ID: {hashlib.md5(q.question.encode()).hexdigest()}"


def test_section_2_3_a_workspace_path_is_kept_relative() -> None:
    q = Question(
        question="Fix the bug in calculator.py so that division by zero returns an error message.",
        raw_answer="Division by zero handled with try/except",
        workspace_path="task_01",
    )
    assert q.workspace_path == "task_01"


@pytest.mark.parametrize("path", ["../x", "/etc", "a/../../b", "C:\\x", "~root", "\\x"])
def test_a_workspace_path_that_leaves_the_root_is_refused(path: str) -> None:
    with pytest.raises(ValidationError, match="outside the workspace root"):
        Question(question="q", raw_answer="a", workspace_path=path)


def test_section_3_2_the_id_is_the_md5_of_the_text() -> None:
    q1 = Question(question="What is the capital of France?", raw_answer="Paris")
    q2 = Question(question="What is the capital of France?", raw_answer="Paris")
    manual_id = hashlib.md5(b"What is the capital of France?").hexdigest()
    assert q1.id == q2.id == manual_id == "cb0b4aaf80c43c9973aefeda1bd72890"


@pytest.mark.parametrize("text", ["what is the capital of France?", "What is the capital of France? "])
def test_section_3_2_1_case_and_whitespace_make_another_id(text: str) -> None:
    assert Question(question=text, raw_answer="Paris").id != "cb0b4aaf80c43c9973aefeda1bd72890"


def test_section_3_2_1_other_fields_do_not_change_the_id() -> None:
    plain = Question(question="q", raw_answer="a")
    rich = Question(question="q", raw_answer="b", answer_template="x", keywords=["k"], author={"name": "Ada"})
    assert plain.id == rich.id


@pytest.mark.parametrize("field", [name for name in Question.model_fields if name not in ("question", "id")])
def test_section_3_2_1_modifying_another_field_keeps_the_id(field: str) -> None:
    question = Question(question="q", raw_answer="a")
    before = question.id
    value = next(value for value, fits in TYPES[field] if fits and value != getattr(question, field))
    setattr(question, field, value)
    assert getattr(question, field) == value
    assert question.id == before == hashlib.md5(b"q").hexdigest()


def test_section_3_2_1_changing_the_text_changes_the_id_unless_it_was_given() -> None:
    question = Question(question="What is teh target?", raw_answer="BCL2")
    question.question = "What is the target?"
    assert question.id == Question(question="What is the target?", raw_answer="").id
    kept = Question(question="What is teh target?", raw_answer="BCL2", id="typo")
    kept.question = "What is the target?"
    assert kept.id == "typo"


def test_section_4_ground_truth_is_structured() -> None:
    class Answer(BaseAnswer):
        target: str = Field(description="The protein target.")

        def ground_truth(self) -> None:
            self.correct = {"target": "BCL2"}

        def verify(self) -> bool:
            return self.target.strip().upper() == self.correct["target"]

    assert Answer(target=" bcl2 ").verify()
    assert not Answer(target="MCL1").verify()


def test_section_5_3_the_field_table() -> None:
    fields = Question.model_fields
    assert list(fields) == [
        "question",
        "raw_answer",
        "keywords",
        "id",
        "date_created",
        "date_modified",
        "answer_notes",
        "author",
        "sources",
        "answer_template",
        "workspace_path",
        "question_rubric",
        "few_shot_examples",
        "custom_metadata",
    ]
    before = datetime.now()
    question = Question(question="q", raw_answer="a")
    assert question.keywords == []
    created, modified = map(datetime.fromisoformat, (question.date_created, question.date_modified))
    assert before <= created <= modified <= datetime.now()
    for name in list(fields)[6:]:
        assert getattr(question, name) is None
    assert [name for name, field in fields.items() if field.is_required()] == ["question", "raw_answer"]


TYPES: dict[str, list[tuple[Any, bool]]] = {
    "question": [("q", True), (1, False), (None, False), ("", False)],
    "raw_answer": [("", True), (1, False), (None, False)],
    "keywords": [(["k"], True), ("k", False), ([1], False), (None, False)],
    "id": [("own", True), (1, False), (None, False)],
    "date_created": [("2026-01-01", True), (2026, False), (None, False)],
    "date_modified": [("2026-01-01", True), (2026, False), (None, False)],
    "answer_notes": [("n", True), (None, True), (["n"], False)],
    "author": [({"name": "Ada"}, True), (None, True), ("Ada", False)],
    "sources": [([{"url": "x"}], True), (None, True), ({"url": "x"}, False), (["x"], False)],
    "answer_template": [("x", True), (None, True), (1, False)],
    "workspace_path": [("task", True), (None, True), (1, False)],
    "question_rubric": [({}, True), (None, True), ([], False)],
    "few_shot_examples": [([{"question": "q", "answer": "a"}], True), (None, True), (["q"], False)],
    "custom_metadata": [({"any": [1, {"key": None}]}, True), (None, True), ([], False)],
}


@pytest.mark.parametrize("field", Question.model_fields)
def test_section_5_3_the_types_of_the_fields(field: str) -> None:
    for value, fits in TYPES[field]:
        given = {"question": "q", "raw_answer": "a", field: value}
        if fits:
            assert getattr(Question.model_validate(given), field) == value
        else:
            with pytest.raises(ValidationError, match=field):
                Question.model_validate(given)


@pytest.mark.parametrize("field", [name for name in TYPES if name != "id" and not name.startswith("date_")])
def test_section_5_3_a_change_brings_the_date_of_modification_up_to_date(field: str) -> None:
    given = {"question": "q", "raw_answer": "a", "date_created": "2026-01-01", "date_modified": "2026-01-01"}
    question = Question.model_validate(given)
    setattr(question, field, getattr(question, field))
    assert question.date_modified == "2026-01-01", "nothing has changed"
    before = datetime.now()
    setattr(question, field, "other" if field in ("question", "raw_answer") else TYPES[field][0][0])
    assert before <= datetime.fromisoformat(question.date_modified) <= datetime.now()
    assert question.date_created == "2026-01-01"


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValidationError, match="keyword"):
        Question.model_validate({"question": "q", "raw_answer": "a", "keyword": ["typo"]})


@pytest.mark.parametrize(
    ("given", "keywords"),
    [({"tags": ["a"]}, ["a"]), ({"tags": ["a"], "keywords": ["b"]}, ["b"]), ({"tags": ["a"], "keywords": []}, [])],
)
def test_tags_are_read_as_keywords_which_take_precedence(given: dict[str, list[str]], keywords: list[str]) -> None:
    assert Question.model_validate({"question": "q", "raw_answer": "a", **given}).keywords == keywords


@pytest.mark.parametrize(("path", "said"), [("C:\\x", "“C:\\x”"), ("a\tb", "“a\N{REPLACEMENT CHARACTER}b”")])
def test_a_refused_workspace_path_is_shown_as_it_was_typed(path: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"workspace folder") as refused:
        checked_workspace_path(path)
    assert said in str(refused.value)
