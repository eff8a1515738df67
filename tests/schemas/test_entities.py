"""The code samples of `questions.md` run as printed, with our name in the imports."""

from __future__ import annotations

import hashlib

import pytest
from pydantic import ValidationError

from karenina_gui import Field
from karenina_gui.benchmark import Benchmark
from karenina_gui.schemas.entities import AgenticRubricTrait, BaseAnswer
from karenina_gui.schemas.entities.question import Question


def test_the_paths_of_the_specification_lead_to_the_same_classes() -> None:
    import karenina_gui

    assert Benchmark is karenina_gui.Benchmark
    assert Question is karenina_gui.Question
    assert BaseAnswer is karenina_gui.BaseAnswer
    assert AgenticRubricTrait is karenina_gui.AgenticRubricTrait


def test_section_1_a_question(capsys: pytest.CaptureFixture[str]) -> None:
    q = Question(
        question="What is the putative target of venetoclax?",
        raw_answer="BCL2 (B-cell lymphoma 2)",
        keywords=["pharmacology", "oncology"],
    )
    print(f"Question: {q.question}")
    print(f"Raw answer: {q.raw_answer}")
    print(f"Keywords: {q.keywords}")
    print(f"ID: {q.id}")
    assert capsys.readouterr().out.splitlines() == [
        "Question: What is the putative target of venetoclax?",
        "Raw answer: BCL2 (B-cell lymphoma 2)",
        "Keywords: ['pharmacology', 'oncology']",
        f"ID: {hashlib.md5(q.question.encode()).hexdigest()}",
    ]


def test_section_2_3_a_workspace() -> None:
    q = Question(
        question="Fix the bug in calculator.py so that division by zero returns an error message.",
        raw_answer="Division by zero handled with try/except",
        workspace_path="task_01",
    )
    assert q.workspace_path == "task_01"


def test_section_3_2_ids(capsys: pytest.CaptureFixture[str]) -> None:
    q1 = Question(question="What is the capital of France?", raw_answer="Paris")
    q2 = Question(question="What is the capital of France?", raw_answer="Paris")
    print(f"q1.id: {q1.id}")
    print(f"q2.id: {q2.id}")
    print(f"Same: {q1.id == q2.id}")
    manual_id = hashlib.md5("What is the capital of France?".encode("utf-8")).hexdigest()  # noqa: UP012
    print(f"Manual hash: {manual_id}")
    print(f"Matches: {manual_id == q1.id}")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"q1.id: {manual_id}" and printed[2::2] == ["Same: True", "Matches: True"]


def test_section_4_a_template() -> None:
    class Answer(BaseAnswer):
        target: str = Field(description="The protein target.")

        def ground_truth(self) -> None:
            self.correct = {"target": "BCL2"}

        def verify(self) -> bool:
            return bool(self.target.strip().upper() == self.correct["target"])

    assert Answer(target=" bcl2 ").verify() and not Answer(target="BCL-XL").verify()


@pytest.mark.parametrize("name", ["max_turns", "timeout_seconds"])
def test_agentic_traits_refuse_less_than_one_turn_or_second(name: str) -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        AgenticRubricTrait.model_validate({"name": "works", "kind": "boolean", "higher_is_better": True, name: 0})
