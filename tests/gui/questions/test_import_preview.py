"""What a table holds, told before it is imported."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.authoring.import_export import ExistingQuestion, SimilarQuestion
from karenina_gui.formats.tables.question_import import (
    DuplicateRow,
    ImportedQuestion,
    ImportPlan,
    ImportReport,
    NearDuplicateRow,
)
from karenina_gui.formats.tables.table_reader import RefusedRow, Table
from karenina_gui.gui.pages.questions.import_columns import OWN_CODE, TemplateChoice
from karenina_gui.gui.pages.questions.import_preview import (
    PREVIEW_COLUMNS,
    Decisions,
    decided_against,
    duplicate_rows,
    findings,
    near_duplicates,
    other_answers,
    similar_rows,
    summary,
)
from karenina_gui.gui.pages.templates.row_templates import AUTOMATIC, row_template
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
    assert summary(report, known) == (
        "4 rows: 1 new question, 1 duplicate, 1 already in the benchmark (1 with a different reference answer, "
        "see above), 1 skipped."
    )
    assert summary(ImportReport([ImportedQuestion(1, WHY)], unit="entry")) == "1 entry: 1 new question."


def test_repetitions_with_another_answer_come_first() -> None:
    report = ImportReport(
        duplicates=[DuplicateRow(3, 2, WHY.id, same_answer=True), DuplicateRow(9, 2, WHY.id, same_answer=False)]
    )
    assert duplicate_rows(report) == [
        (9, "same question as row 2, but with a different reference answer"),
        (3, "same question as row 2"),
    ]


def test_near_duplicates_are_asked_about_with_other_answers_first() -> None:
    report = ImportReport(
        [ImportedQuestion(2, WHY)],
        near=[
            NearDuplicateRow(3, 2, "Why? ", "spaces", same_answer=True, answer="So."),
            NearDuplicateRow(4, 2, "Why", "the final punctuation", same_answer=False, answer="Because."),
        ],
        kept_rows=frozenset(),
    )
    known = [ExistingQuestion(2, WHY.id, "near", WHY.question, "quotation marks", "So.", "“Why?”")]
    assert [(each.row, each.why) for each in near_duplicates(report, known)] == [
        (4, "differs from row 2 only in the final punctuation; its reference answer is different"),
        (2, "differs from a question in the benchmark only in quotation marks"),
        (3, "differs from row 2 only in spaces"),
    ]
    same = [ExistingQuestion(2, "own", "near", WHY.question, "", "So.", WHY.question)]
    assert near_duplicates(report, same)[1].why == "same text as a question in the benchmark, which has another ID"
    shown = {row.row: (row.mine, row.other, row.other_name, row.choices) for row in near_duplicates(report, known)}
    assert shown[4] == (("Why", "Because."), ("Why?", "So."), "Row 2", ("skip", "import"))
    assert shown[2] == (("Why?", "So."), ("“Why?”", "So."), "Benchmark", ("skip", "import"))
    assert summary(report, known) == "3 rows: 0 new questions, 3 near duplicates."
    report.kept_rows, report.skipped = frozenset({2}), frozenset({3, 4})
    assert summary(report, known) == "3 rows: 1 new question, 2 near duplicates."
    assert [row for row, _ in decided_against(report, known)] == [4, 3]
    report.imported.append(ImportedQuestion(5, WHY))
    report.skipped |= {5}
    assert decided_against(report, known)[-1] == (5, "similar to another question")


def test_another_reference_answer_is_shown_beside_the_one_in_the_benchmark() -> None:
    known = [ExistingQuestion(2, WHY.id, "other_answer", WHY.question, answer="Because.", known_text=WHY.question)]
    report = ImportReport([ImportedQuestion(2, WHY)])
    (row,) = other_answers(report, known)
    assert (row.mine, row.other) == (("Why?", "So."), ("Why?", "Because."))
    assert row.choices == ("skip", "update")
    report.updated = frozenset({2})
    assert summary(report, known) == "1 row: 0 new questions, 1 updated."


def test_choices_become_part_of_the_plan() -> None:
    report = ImportReport([ImportedQuestion(2, WHY), ImportedQuestion(3, HOW), ImportedQuestion(4, HOW)])
    known = [ExistingQuestion(2, WHY.id, "other_answer", WHY.question, answer="Because.", known_text=WHY.question)]
    similar = [
        SimilarQuestion(3, 0.8, "How so?", "Thus!", question_id="how"),
        SimilarQuestion(4, 0.8, "How?", "Thus.", other_row=3),
    ]
    rows = [*other_answers(report, known), *similar_rows(report, similar)]
    assert [(each.name, each.why, each.choices) for each in rows[1:]] == [
        ("Row 3", "80% similar to a question in the benchmark", ("import", "skip", "update")),
        ("Row 4", "80% similar to row 3", ("import", "skip")),
    ]
    decisions = Decisions()
    decisions.offer(rows)
    plan = decisions.apply_to(ImportPlan("q", "a"))
    assert (plan.kept_rows, plan.updated, plan.skipped, plan.answer_targets) == ({3, 4}, set(), {2}, {})
    decisions.chosen = {2: "update", 3: "update", 4: "skip"}
    plan = decisions.apply_to(ImportPlan("q", "a"))
    assert (plan.kept_rows, plan.updated, plan.skipped, plan.answer_targets) == (set(), {2}, {4}, {3: "how"})
    report.updated, report.skipped, report.answer_targets = plan.updated, plan.skipped, plan.answer_targets
    assert summary(report, known) == "3 rows: 0 new questions, 2 updated, 1 similar skipped."
    decisions.chosen = {2: "import"}  # made for other columns, where this was possible
    assert decisions.of(rows[0]) == "skip"


@pytest.mark.parametrize(
    ("answer", "remarks"),
    [
        ("Lima", []),
        ("5 mg", []),
        ("It depends on the dose and on the route of administration.", ["No starter fits"]),
        ("x" * 301, ["The reference answer has 301 characters."]),
    ],
)
def test_what_is_odd_about_a_row_is_said(answer: str, remarks: list[str]) -> None:
    question = Question(question="Which?", raw_answer=answer, answer_template=row_template(AUTOMATIC, answer))
    found = findings(question, AUTOMATIC)
    assert len(found) == len(remarks)
    assert all(said.startswith(begun) for said, begun in zip(found, remarks, strict=True))


def test_a_starter_that_an_answer_does_not_fit_leaves_the_value_open() -> None:
    question = Question(question="Since when?", raw_answer="long ago", answer_template=row_template("Date", "long ago"))
    assert findings(question, "Date") == [
        "The reference answer doesn’t fit the starter. Enter the expected value later."
    ]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (row_template("List", "b, a"), "items: b; a"),
        (row_template("Yes or no", "No"), "claim: no"),
        ("class Answer(BaseAnswer):\n    x: int\n", "class Answer(BaseAnswer):\n    x: int\n"),
        (None, ""),
    ],
)
def test_a_template_is_previewed_by_what_it_expects(source: str | None, shown: str) -> None:
    question = Question(question="Which?", raw_answer="b, a", answer_template=source)
    assert PREVIEW_COLUMNS["Template"](question) == shown


async def test_code_for_all_rows_is_the_template_of_the_import_once_it_is_written(user: User) -> None:
    choices: list[TemplateChoice] = []

    async def on_change() -> None:
        pass

    @ui.page("/")
    def page() -> None:
        choices.append(TemplateChoice(Table(("Question",), []), None, on_change))
        choices[0].draw_code()

    await user.open("/")
    (choice,) = choices
    assert choice.plan() == {}
    user.find(ui.select).elements.pop().set_value(OWN_CODE)
    assert choice.plan() == {}
    user.find(ui.textarea).elements.pop().set_value("class Answer(BaseAnswer): ...")
    assert choice.plan() == {"template": "class Answer(BaseAnswer): ..."}
