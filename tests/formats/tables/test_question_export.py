"""Questions go out as a spreadsheet and come back as they were."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import pytest
from openpyxl import load_workbook

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.tables.question_export import (
    metadata_columns,
    question_rows,
    write_questions_csv,
    write_questions_xlsx,
)
from karenina_gui.formats.tables.question_import import (
    ImportPlan,
    KeywordColumn,
    guess_columns,
    guess_separator,
    questions_of,
)
from karenina_gui.formats.tables.table_reader import read_table
from karenina_gui.schemas.question import Question

Write = Callable[[Sequence[Question], IO[bytes]], None]
KINDS: dict[str, Write] = {"csv": write_questions_csv, "xlsx": write_questions_xlsx}
QUESTIONS = [
    Question(
        question="=1+1? “Yes”,\nor no;\tperhaps",
        raw_answer="-5",
        id="own",
        keywords=["a, b", "c"],
        answer_notes="'=quoted",
        author={"name": "Ada", "email": "ada@example.org"},
        sources=[{"url": "https://example.org/a"}, {"name": "A book", "page": 3}],
        answer_template="class Answer(BaseAnswer):\n    x: str\n",
        workspace_path="task_1",
        few_shot_examples=[{"question": "Why?", "answer": "So."}],
        custom_metadata={"level": "hard", "ID": "theirs", "=odd": "+1"},
    ),
    Question(question="@second", raw_answer="00042", author={"name": "Bo", "affiliation": "here"}),
    Question(question="Third?", raw_answer="+x", keywords=["one; two"]),
]
VARYING = {"date_created", "date_modified"}


@pytest.mark.parametrize("kind", KINDS)
def test_questions_come_back_as_they_went_out(kind: str, tmp_path: Path) -> None:
    table = read_table(written(QUESTIONS, kind, tmp_path))
    report = questions_of(table, guessed_plan(table))
    assert (report.refused, report.duplicates) == ([], [])
    assert [dumped(each) for each in report.questions] == [
        dumped(QUESTIONS[0]) | {"custom_metadata": {"level": "hard", "ID (metadata)": "theirs", "=odd": "+1"}},
        *map(dumped, QUESTIONS[1:]),
    ]


def test_no_cell_of_a_csv_begins_like_a_formula(tmp_path: Path) -> None:
    path = written(QUESTIONS, "csv", tmp_path)
    cells = [cell for row in csv.reader(path.read_text("utf-8-sig").splitlines(keepends=True)) for cell in row]
    assert [cell for cell in cells if cell.startswith(("=", "+", "@"))] == ["+1"]  # a number
    assert "'=1+1? “Yes”,\nor no;\tperhaps" in cells


def test_no_cell_of_a_workbook_is_a_formula(tmp_path: Path) -> None:
    sheet = load_workbook(written(QUESTIONS, "xlsx", tmp_path)).active
    assert sheet is not None
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "inlineStr"}
    assert str(sheet["A2"].value).startswith("=1+1?")


def test_a_text_that_no_cell_holds_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"Question 1 has 40,000 characters in the column “Reference answer”"):
        written([Question(question="Why?", raw_answer="x" * 40_000)], "xlsx", tmp_path)


def test_only_tables_of_this_application_have_columns_of_metadata() -> None:
    assert metadata_columns(["Question", "Reference answer", "level"]) == []


def written(questions: Sequence[Question], kind: str, folder: Path) -> Path:
    path = folder / f"q.{kind}"
    with path.open("wb") as file:
        KINDS[kind](questions, file)
    return path


def guessed_plan(table: Any) -> ImportPlan:
    """The plan with which the import of questions begins."""
    guessed = guess_columns(table.headers)
    column = guessed.pop("keywords")
    keywords = (KeywordColumn(column, guess_separator(table, column)),)
    return ImportPlan(**guessed, keywords=keywords, metadata=tuple(metadata_columns(table.headers)))


def dumped(question: Question) -> dict[str, Any]:
    return question.model_dump(exclude=VARYING)


def test_the_type_that_checkpoints_give_an_author_is_no_part_of_a_table() -> None:
    author = {"@type": "Person", "name": "Ada", "email": "ada@example.org"}
    header, row = question_rows([Question(question="Why?", raw_answer="So.", author=author)])
    cells = dict(zip(header, row, strict=True))
    assert (cells["Author"], cells["Author email"]) == ("Ada", "ada@example.org")
