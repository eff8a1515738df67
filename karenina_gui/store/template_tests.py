"""Results of tests of templates, as they are stored with their questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session, select, update

from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, TemplateTest
from karenina_gui.store.question_summaries import among
from karenina_gui.store.tables import QuestionRow


def write_tests(session: Session, benchmark_id: int, tests: Sequence[tuple[int, Question, TemplateTest]]) -> None:
    """Write results of tests: (number, question as tested, result).

    Left out: results of templates or samples that were edited or deleted since.
    """
    numbers = [number for number, *_ in tests]
    wanted = select(QuestionRow.id, QuestionRow.answer_template, QuestionRow.custom_metadata)
    wanted = wanted.where(QuestionRow.benchmark_id == benchmark_id, among(QuestionRow.id, numbers))
    present = {number: (template, metadata) for number, template, metadata in session.exec(wanted)}
    # Each result by its primary key, which takes one statement for all.
    changes = [
        {"id": number, **_columns(test, tested, present[number][1])}
        for number, tested, test in tests
        if number in present and present[number][0] == tested.answer_template
    ]
    if changes:
        session.execute(update(QuestionRow), changes)


def _columns(test: TemplateTest, tested: Question, metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Columns of a result; without those of samples if the metadata holds others than the tested ones."""
    found: dict[str, Any] = {"template_valid": test.valid, "mutation": test.mutation}
    if (metadata or {}).get(SAMPLE_ANSWERS) == (tested.custom_metadata or {}).get(SAMPLE_ANSWERS):
        found |= {"samples_wrong": test.wrong, "samples_unread": test.unread}
    return found
