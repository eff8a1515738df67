"""Column names as people write them."""

from __future__ import annotations

import pytest

from karenina_gui.formats.tables.column_names import guess_columns


@pytest.mark.parametrize(
    ("headers", "question", "answer"),
    [
        (["Nr.", "Frage / question text", "Lösung (short)"], "Frage / question text", "Lösung (short)"),
        (["1. Pregunta", "2. RESPUESTA CORRECTA"], "1. Pregunta", "2. RESPUESTA CORRECTA"),
        (["Énoncé", "Réponse correcte (courte)"], "Énoncé", "Réponse correcte (courte)"),
        (["ID", "Aufgabenstellung", "Kurzantwort [max. 3 Wörter]"], "Aufgabenstellung", "Kurzantwort [max. 3 Wörter]"),
        (["Question (EN)", "Answer key"], "Question (EN)", "Answer key"),
        (["Item: Question stem", "Correct response"], "Item: Question stem", "Correct response"),
    ],
)
def test_a_column_is_known_by_a_part_of_its_name(headers: list[str], question: str, answer: str) -> None:
    found = guess_columns(headers)
    assert (found["question"], found["raw_answer"]) == (question, answer)


def test_a_whole_name_comes_before_a_part_of_one() -> None:
    assert guess_columns(["Answer (old)", "Question / old", "Answer", "Question"]) == {
        "question": "Question",
        "raw_answer": "Answer",
    }


def test_a_word_within_a_name_says_nothing() -> None:
    assert guess_columns(["Number of questions", "answered by", "no text here"]) == {}
