"""Edits of many questions: cells, pasted blocks, keywords, and authors."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, strategies as st

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.cell_edits import CELL_FIELDS, CellEdit, cell_text, pasted_rows, split_keywords
from karenina_gui.schemas.command import Actor, sentence
from karenina_gui.store.actors import acting

ME = Actor("browser", "Ada")


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    benchmark = editor.create_benchmark("cells")
    for text in ("one?", "two?", "three?"):
        editor.add_question(benchmark, text)
    return benchmark


@pytest.fixture
def numbers(editor: BenchmarkEditor, benchmark: int) -> list[int]:
    return [row.number for row in editor.library.questions.summaries(benchmark)]


def shown(editor: BenchmarkEditor, benchmark: int) -> list[list[str]]:
    return [
        [cell_text(entry.question, name) for name in CELL_FIELDS]
        for entry in editor.library.benchmarks.document(benchmark).entries
    ]


def test_a_block_fills_cells_to_the_right_and_down(editor: BenchmarkEditor, benchmark: int, numbers: list[int]) -> None:
    outcome = editor.cells.paste(benchmark, "1\tn1\ta, b; a\r\n2\t\tb\r\n", "raw_answer", numbers[1:])
    assert (outcome.changed, outcome.added, outcome.refused) == (tuple(numbers[1:]), (), ())
    assert shown(editor, benchmark) == [
        ["one?", "", "", "", ""],
        ["two?", "1", "n1", "a, b", ""],
        ["three?", "2", "", "b", ""],
    ]


def test_rows_below_the_last_become_questions_and_one_undo_takes_all_back(
    editor: BenchmarkEditor, benchmark: int, numbers: list[int]
) -> None:
    before = shown(editor, benchmark)
    block = 'three, really?\t3\n"four,\nin ""two"" lines?"\t4\n\tno text\none?\tagain\n'
    with acting(ME):
        outcome = editor.cells.paste(benchmark, block, "question", numbers[2:], author="Ada")
    assert shown(editor, benchmark)[2:] == [
        ["three, really?", "3", "", "", ""],
        ['four,\nin "two" lines?', "4", "", "", "Ada"],
    ]
    assert [refused.reason for refused in outcome.refused] == ["“one?” is in the benchmark already."]
    editor.history.undo_last(benchmark_scope(benchmark), ME.person)
    assert shown(editor, benchmark) == before


def benchmark_scope(benchmark: int) -> str:
    return f"benchmark/{benchmark}"


def test_a_paste_says_what_has_no_column(editor: BenchmarkEditor, benchmark: int, numbers: list[int]) -> None:
    assert editor.cells.paste(benchmark, "k\tAda\tmore\tand more", "keywords", numbers).left_out == 2


def test_a_cell_that_somebody_else_changed_is_not_overwritten(
    editor: BenchmarkEditor, benchmark: int, numbers: list[int]
) -> None:
    editor.edit(benchmark, numbers[0], {"raw_answer": "theirs"})
    edits = [
        CellEdit(numbers[0], "raw_answer", "mine", base=""),
        CellEdit(numbers[0], "answer_notes", "mine", base=""),
        CellEdit(numbers[1], "question", "one?", base="two?"),
        CellEdit(numbers[2], "question", "", base="three?"),
        CellEdit(10_000, "question", "x", base=""),
    ]
    outcome = editor.cells.edit(benchmark, edits)
    assert outcome.changed == (numbers[0],)
    assert [(each.number, each.field) for each in outcome.refused] == [
        (numbers[0], "raw_answer"),
        (10_000, "question"),
        (numbers[1], "question"),
        (numbers[2], "question"),
    ]
    assert shown(editor, benchmark) == [
        ["one?", "theirs", "mine", "", ""],
        ["two?", "", "", "", ""],
        ["three?", "", "", "", ""],
    ]
    # Sent again after a lost connection: it is there already.
    assert editor.cells.edit(benchmark, [edits[1]]).refused == ()


def test_keywords_and_authors_of_many_are_one_command_each(
    editor: BenchmarkEditor, benchmark: int, numbers: list[int]
) -> None:
    with acting(ME):
        editor.cells.change_keywords(benchmark, numbers, ["a", "b"], [])
        outcome = editor.cells.change_keywords(benchmark, numbers[:2], ["c", "a"], ["b"])
        editor.cells.set_author(benchmark, numbers[1:], {"name": "Ada", "email": "ada@example.org"})
    assert outcome.changed == tuple(numbers[:2])
    assert [cells[3:] for cells in shown(editor, benchmark)] == [["a, c", ""], ["a, c", "Ada"], ["a, b", "Ada"]]
    log = editor.library.commands.entries([benchmark_scope(benchmark)])
    assert [sentence(each) for each in log][:3] == [
        "Edited the author of 2 questions",
        "Edited the keywords of 2 questions",
        "Edited the keywords of 3 questions",
    ]
    # The name alone is typed into a cell; the address stays with its person.
    editor.cells.edit(benchmark, [CellEdit(numbers[1], "author", " Ada "), CellEdit(numbers[2], "author", "Bo")])
    authors = [entry.question.author for entry in editor.library.benchmarks.document(benchmark).entries]
    assert authors == [None, {"name": "Ada", "email": "ada@example.org"}, {"name": "Bo"}]


def test_texts_of_a_single_cell_stay_as_they_are() -> None:
    assert pasted_rows('5" pipes\n') == [['5" pipes']]
    assert pasted_rows("") == []
    assert split_keywords(" a,b ;; c\nb") == ["a", "b", "c"]


@given(st.lists(st.lists(st.text('aé,\t\n" ', max_size=6), min_size=2, max_size=4), max_size=5))
def test_blocks_come_as_spreadsheets_write_them(rows: list[list[str]]) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, delimiter="\t").writerows(rows)
    while rows and not any(rows[-1]):
        rows = rows[:-1]
    assert pasted_rows(written.getvalue()) == rows


@pytest.mark.parametrize(
    ("block", "rows"),
    [
        ('"Foo" or "Bar"?', [['"Foo" or "Bar"?']]),
        ('5" disk\t"x\nfoo\tbar', [['5" disk', '"x'], ["foo", "bar"]]),
        ("x" * 200_000 + "\ty", [["x" * 200_000, "y"]]),
    ],
    ids=["marks around words", "an open mark", "long"],
)
def test_quotation_marks_of_a_text_stay(block: str, rows: list[list[str]]) -> None:
    assert pasted_rows(block) == rows
