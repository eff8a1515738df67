"""What a table holds, told before it is imported."""

from __future__ import annotations

from karenina_gui.formats.tables import RefusedRow
from karenina_gui.formats.tabular import DuplicateRow, ImportReport
from karenina_gui.gui.questions.import_preview import summary
from karenina_gui.schemas.question import Question


def test_rows_are_counted_by_what_becomes_of_them() -> None:
    question = Question(question="Why?", raw_answer="So.")
    report = ImportReport([question], [RefusedRow(2, "empty")], [DuplicateRow(3, 1, question.id, same_answer=True)])
    assert summary(report) == "3 rows: 1 question, 1 repeated, 1 that cannot be used."
    assert summary(ImportReport([question])) == "1 row: 1 question."
