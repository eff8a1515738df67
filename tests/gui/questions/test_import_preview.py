"""What a table holds, told before it is imported."""

from __future__ import annotations

from karenina_gui.authoring.import_export import ExistingQuestion
from karenina_gui.formats.tables.question_import import DuplicateRow, ImportedQuestion, ImportReport
from karenina_gui.formats.tables.table_reader import RefusedRow
from karenina_gui.gui.questions.import_preview import duplicate_rows, summary
from karenina_gui.schemas.question import Question

WHY = Question(question="Why?", raw_answer="So.")
HOW = Question(question="How?", raw_answer="Thus.")


def test_rows_are_counted_by_what_becomes_of_them() -> None:
    report = ImportReport(
        [ImportedQuestion(2, WHY), ImportedQuestion(5, HOW)],
        [RefusedRow(3, "empty")],
        [DuplicateRow(4, 2, WHY.id, same_answer=True)],
    )
    known = [ExistingQuestion(5, HOW.id, "other_answer")]
    assert summary(report, known) == ("4 rows: 1 new question, 1 duplicate, 1 already in the benchmark, 1 skipped.")
    assert summary(ImportReport([ImportedQuestion(1, WHY)], unit="entry")) == "1 entry: 1 new question."


def test_repetitions_with_another_answer_come_first() -> None:
    report = ImportReport(
        duplicates=[DuplicateRow(3, 2, WHY.id, same_answer=True), DuplicateRow(9, 2, WHY.id, same_answer=False)]
    )
    assert duplicate_rows(report) == [
        (9, "same question as row 2, but with a different reference answer"),
        (3, "same question as row 2"),
    ]
