"""Preview and report of a table import: the first questions, and each row that is not imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from karenina_gui.authoring.import_export import ExistingQuestion, new_questions
from karenina_gui.authoring.template_form.form import read_form
from karenina_gui.formats.tables.question_import import ImportedQuestion, ImportReport
from karenina_gui.formats.tables.rows import BadCell, Table
from karenina_gui.gui.components.diff import readable
from karenina_gui.gui.components.html import table
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.components.rejected_rows import rejected_rows
from karenina_gui.gui.templates.row_templates import is_open
from karenina_gui.schemas.question import Question
from karenina_gui.text import quantity

FIRST_ROWS = 4
LONGEST_CELL = 160
"""Maximum number of characters of a preview cell."""
LONG_QUESTION = 3_000
LONG_ANSWER = 300
"""Characters from which a text is reported as unusually long."""

UNITS = {"row": "Row", "line": "Line", "entry": "Entry"}

NOTES = {
    "same": "already in the benchmark, with the same reference answer",
    "other_answer": "already in the benchmark, with a different reference answer",
    "other_text": "another question in the benchmark has this ID",
}


def draw_data(data: Table) -> None:
    """Show the first rows of the file as they are, with all columns."""
    rows = [
        [f"{row.number:,}", *(_cell(row.value(header)) for header in data.headers)] for row in data.rows[:FIRST_ROWS]
    ]
    title = f"Data in the file: {quantity(len(data.rows), data.unit)}, {quantity(len(data.headers), 'column')}"
    ui.label(title).classes("h3")
    headers = [UNITS[data.unit], *data.headers]
    made = ui.html(table(headers, rows, caption="Data in the file", numeric=[0])).classes("import-preview import-data")
    made.props('tabindex="0" role="region" aria-label="Data in the file"')


def _cell(value: object) -> str:
    if isinstance(value, BadCell):
        return value.reason
    return "" if value is None else _short(str(value))


def draw_preview(report: ImportReport, existing: Sequence[ExistingQuestion]) -> None:
    """Show the first new questions. Columns without values are omitted."""
    first = new_questions(report, existing)[:FIRST_ROWS]
    if not first:
        return
    columns = [(title, of) for title, of in PREVIEW_COLUMNS.items() if any(of(row.question) for row in first)]

    def cells_of(row: ImportedQuestion) -> list[str]:
        return [f"{row.row:,}", *(_short(of(row.question)) for _, of in columns)]

    cells = [cells_of(row) for row in first]
    headers = [UNITS[report.unit], *(title for title, _ in columns)]
    caption = "Preview of the first questions"
    ui.label(caption).classes("h3")
    made = ui.html(table(headers, cells, caption=caption, numeric=[0])).classes("import-preview")
    made.props(f'tabindex="0" role="region" {aria_label(caption)}')


def draw_faults(
    report: ImportReport, existing: Sequence[ExistingQuestion], download: Callable[[], None] | None = None
) -> None:
    """List skipped, duplicate and known rows, each with its number and reason.

    `download`: saves the skipped rows as a table.
    """
    draw_rows("Skipped rows", report, [(row.row, row.reason) for row in report.refused], download)
    draw_rows("Duplicates in the file", report, duplicate_rows(report))
    unchanged = [question for question in existing if question.sameness in NOTES and question.row not in report.updated]
    draw_rows("Already in the benchmark", report, [(question.row, NOTES[question.sameness]) for question in unchanged])


def draw_findings(report: ImportReport, existing: Sequence[ExistingQuestion], starter: str | None) -> None:
    """List the new questions with something unusual, which are imported nonetheless.

    `starter`: the starter of their templates, or None.
    """
    rows = [
        (f"{new_question.row:,}", _short(new_question.question.question), remark)
        for new_question in new_questions(report, existing)
        for remark in findings(new_question.question, starter)
    ]
    rejected_rows("Check these rows", (UNITS[report.unit], "Question", "Remark"), rows)


def findings(question: Question, starter: str | None) -> list[str]:
    """Return what is unusual about a question."""
    remarks = []
    if len(question.question) > LONG_QUESTION:
        remarks.append(f"The question has {len(question.question):,} characters.")
    if len(question.raw_answer) > LONG_ANSWER:
        remarks.append(f"The reference answer has {len(question.raw_answer):,} characters.")
    if starter is not None and question.answer_template is None:
        remarks.append("No starter fits the reference answer. Choose one for this question later.")
    elif starter is not None and question.answer_template and is_open(question.answer_template):
        remarks.append("The reference answer doesn’t fit the starter. Enter the expected value later.")
    return remarks


def duplicate_rows(report: ImportReport) -> list[tuple[int, str]]:
    """Return (row, reason) of duplicates.

    Those with a different reference answer come first, as they may be errors.
    """
    rows = sorted(report.duplicates, key=lambda row: (row.same_answer, row.row))
    return [
        (
            row.row,
            f"same question as {report.unit} {row.first_row}"
            if row.same_answer
            else f"same question as {report.unit} {row.first_row}, but with a different reference answer",
        )
        for row in rows
    ]


def summary(report: ImportReport, existing: Sequence[ExistingQuestion] = ()) -> str:
    """Summarize the rows of the file in one sentence."""
    rows = {row.row for row in report.imported} | {row.row for row in report.near}
    total = len(rows) + len(report.duplicates) + len(report.refused)
    replaced = sum(question.sameness == "other_answer" and question.row in report.updated for question in existing)
    there = sum(question.sameness != "near" for question in existing) - replaced
    near = near_left_out(report, existing)
    targets = set(report.answer_targets)
    updated = replaced + len(targets)
    # Near duplicates that are skipped have a number of their own.
    similar = len(({row.row for row in report.imported} & report.skipped) - {row.row for row in existing})
    parts = {
        f"{updated:,} updated": updated,
        quantity(len(report.duplicates), "duplicate"): len(report.duplicates),
        quantity(near, "near duplicate"): near,
        f"{similar:,} similar skipped": similar,
        f"{there:,} already in the benchmark{_other_answers_left(existing, replaced)}": there,
        f"{len(report.refused):,} skipped": len(report.refused),
    }
    counts = [
        quantity(len(new_questions(report, existing)), "new question"),
        *(text for text, some in parts.items() if some),
    ]
    return f"{quantity(total, report.unit)}: {', '.join(counts)}."


def _other_answers_left(existing: Sequence[ExistingQuestion], replaced: int) -> str:
    """Mention rows that could update a reference answer; their list may be out of sight."""
    remaining = sum(question.sameness == "other_answer" for question in existing) - replaced
    return f" ({remaining:,} with a different reference answer, see above)" if remaining else ""


def near_left_out(report: ImportReport, existing: Sequence[ExistingQuestion]) -> int:
    """Return the number of near duplicates that are not imported."""
    if report.kept_rows is None:
        return 0
    near = {row.row for row in report.near} | {row.row for row in existing if row.sameness == "near"}
    return len(near - report.kept_rows - set(report.answer_targets))


def draw_rows(
    title: str, report: ImportReport, rows: list[tuple[int, str]], download: Callable[[], None] | None = None
) -> None:
    """List rows of the file with a reason each; nothing if there are none."""
    headers = (UNITS[report.unit], "Reason")
    rejected_rows(title, headers, [(f"{row:,}", reason) for row, reason in rows], download)


def _author(question: Question) -> str:
    return ", ".join(str(value) for value in (question.author or {}).values())


def _sources(question: Question) -> str:
    return ", ".join(str(source.get("url") or source.get("name") or source) for source in question.sources or ())


def _facts(question: Question) -> str:
    return ", ".join(f"{name}: {value}" for name, value in (question.custom_metadata or {}).items())


def _examples(question: Question) -> str:
    return str(len(question.few_shot_examples)) if question.few_shot_examples else ""


def _template(source: str) -> str:
    """Return the fields of a template with their expected values, or its source if custom code judges, too."""
    form = read_form(source) if source else ""
    if isinstance(form, str) or form.blocks or any(field.kind != "verified" for field in form.fields):
        return source
    return ", ".join(f"{field.name}: {_expected_text(field.expected)}" for field in form.fields)


def _expected_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(map(readable, value)) if isinstance(value, list) else readable(value)


PREVIEW_COLUMNS: dict[str, Callable[[Question], str]] = {
    "Question": lambda question: question.question,
    "Reference answer": lambda question: question.raw_answer,
    "Keywords": lambda question: ", ".join(question.keywords),
    "Notes": lambda question: question.answer_notes or "",
    "Author": _author,
    "Sources": _sources,
    "Metadata": _facts,
    "Workspace": lambda question: question.workspace_path or "",
    "Template": lambda question: _template(question.answer_template or ""),
    "Examples": _examples,
}


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
