"""Two wordings of one question."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.formats.tables.near_duplicates import difference, plain_wording
from karenina_gui.formats.tables.question_import import ImportPlan, import_questions


@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        ("Which gene\nis it?", "Which gene is it?", "line breaks"),
        ("Which\N{NO-BREAK SPACE}gene is it?", "Which gene  is it? ", "spaces"),
        ("Which “gene” is it?", 'Which "gene" is it?', "quotation marks"),
        ("Which gene – is it", "Which gene - is it?", "dashes and the punctuation at the end"),
        ("Which\n'gene' is it?", "which ’gene’ is it?", "line breaks, quotation marks and upper and lower case"),
    ],
)
def test_the_difference_of_near_duplicates_is_named(one: str, other: str, named: str) -> None:
    assert plain_wording(one) == plain_wording(other)
    assert difference(one, other) == named


@pytest.mark.parametrize(("one", "other"), [("Is x > 5?", "Is x > 6?"), ("vitamin A", "vitamin B"), ("a b", "ab")])
def test_other_questions_are_no_near_duplicates(one: str, other: str) -> None:
    assert plain_wording(one) != plain_wording(other)


def test_near_duplicates_of_a_file_come_in_where_nobody_decides_and_only_the_kept_ones_otherwise(
    tmp_path: Path,
) -> None:
    path = tmp_path / "q.csv"
    path.write_text('Question,Answer\nWhy not?,a\n"Why\nnot?",b\nWhy  not?,a\nHow?,c\n')
    everything = import_questions(path, ImportPlan("Question", "Answer"))
    assert len(everything.imported) == 4
    assert [(each.row, each.first_row, each.difference, each.same_answer) for each in everything.near] == [
        (3, 2, "line breaks", False),
        (4, 2, "spaces", True),
    ]
    decided = import_questions(path, ImportPlan("Question", "Answer", kept_rows=frozenset({4})))
    assert [each.row for each in decided.imported] == [2, 4, 5]
    assert len(decided.near) == 2


def test_a_template_is_written_for_each_reference_answer(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("Question,Answer\nWhy?,a\nHow?,none\n")
    plan = ImportPlan("Question", "Answer", write_template=lambda answer: None if answer == "none" else f"# {answer}")
    assert [each.answer_template for each in import_questions(path, plan).questions] == ["# a", None]
