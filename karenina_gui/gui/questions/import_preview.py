"""Preview and report of a table import: the first questions, and each row that is not imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from karenina_gui.authoring.import_export import ExistingQuestion
from karenina_gui.formats.tables.question_import import ImportedQuestion, ImportReport
from karenina_gui.gui.components.html import table
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.components.rejected_rows import rejected_rows
from karenina_gui.schemas.question import Question
from karenina_gui.text import quantity

FIRST_ROWS = 4
LONGEST_CELL = 160
"""Maximum number of characters of a preview cell."""

UNITS = {"row": "Row", "line": "Line", "entry": "Entry"}

KNOWN = {
    "same": "already in the benchmark, with the same reference answer",
    "other_answer": "already in the benchmark, with a different reference answer",
    "other_text": "another question in the benchmark has this ID",
}


def draw_preview(report: ImportReport, known: Sequence[ExistingQuestion]) -> None:
    """Show the first new questions. Columns without values are omitted."""
    rows = {each.row for each in known}
    first = [found for found in report.found if found.row not in rows][:FIRST_ROWS]
    if not first:
        return
    columns = [(title, of) for title, of in _COLUMNS.items() if any(of(found.question) for found in first)]

    def cells_of(found: ImportedQuestion) -> list[str]:
        return [f"{found.row:,}", *(_short(of(found.question)) for _, of in columns)]

    cells = [cells_of(found) for found in first]
    headers = [UNITS[report.unit], *(title for title, _ in columns)]
    caption = "Preview of the first questions"
    ui.label(caption).classes("h3")
    made = ui.html(table(headers, cells, caption=caption, numeric=[0])).classes("import-preview")
    made.props(f'tabindex="0" role="region" {aria_label(caption)}')


def draw_faults(
    report: ImportReport, known: Sequence[ExistingQuestion], download: Callable[[], None] | None = None
) -> None:
    """List skipped, duplicate and known rows, each with its number and reason.

    `download`: saves the skipped rows as a table.
    """
    _draw_rows("Skipped rows", report, [(row.row, row.reason) for row in report.refused], download)
    _draw_rows("Duplicates in the file", report, duplicate_rows(report))
    _draw_rows("Already in the benchmark", report, [(each.row, KNOWN[each.sameness]) for each in known])


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


def summary(report: ImportReport, known: Sequence[ExistingQuestion] = ()) -> str:
    """Summarize the rows of the file in one sentence."""
    new, refused = len(report.found) - len(known), len(report.refused)
    total = len(report.found) + len(report.duplicates) + refused
    parts = [quantity(new, "new question")]
    if report.duplicates:
        parts.append(quantity(len(report.duplicates), "duplicate"))
    if known:
        parts.append(f"{len(known):,} already in the benchmark")
    if refused:
        parts.append(f"{refused:,} skipped")
    return f"{quantity(total, report.unit)}: {', '.join(parts)}."


def _draw_rows(
    title: str, report: ImportReport, rows: list[tuple[int, str]], download: Callable[[], None] | None = None
) -> None:
    headers = (UNITS[report.unit], "Reason")
    rejected_rows(title, headers, [(f"{row:,}", reason) for row, reason in rows], download)


def _author(question: Question) -> str:
    return ", ".join(str(value) for value in (question.author or {}).values())


def _sources(question: Question) -> str:
    return ", ".join(str(each.get("url") or each.get("name") or each) for each in question.sources or ())


def _facts(question: Question) -> str:
    return ", ".join(f"{name}: {value}" for name, value in (question.custom_metadata or {}).items())


def _examples(question: Question) -> str:
    return str(len(question.few_shot_examples)) if question.few_shot_examples else ""


_COLUMNS: dict[str, Callable[[Question], str]] = {
    "Question": lambda question: question.question,
    "Reference answer": lambda question: question.raw_answer,
    "Keywords": lambda question: ", ".join(question.keywords),
    "Notes": lambda question: question.answer_notes or "",
    "Author": _author,
    "Sources": _sources,
    "Metadata": _facts,
    "Workspace": lambda question: question.workspace_path or "",
    "Template": lambda question: question.answer_template or "",
    "Examples": _examples,
}


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
