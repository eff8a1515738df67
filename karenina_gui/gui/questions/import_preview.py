"""What an import would make of a table, or has made of it: the first questions, and every row that gives none."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.formats.tabular import ImportReport
from karenina_gui.gui.parts.elements import note
from karenina_gui.gui.parts.markup import table

FIRST_ROWS = 3
ROWS_LISTED = 200
LONGEST_CELL = 160
"""Characters of a text that the preview shows."""


def draw_preview(report: ImportReport) -> None:
    """How many rows there are and how many can be used, the first questions, and the problems."""
    note(summary(report), "plain" if report.questions else "warn")
    if report.questions:
        rows = [
            (_short(each.question), _short(each.raw_answer), ", ".join(each.keywords))
            for each in report.questions[:FIRST_ROWS]
        ]
        caption = "The first questions of the file"
        ui.html(table(("Question", "Reference answer", "Keywords"), rows, caption=caption)).classes("import-preview")
    draw_faults(report)


def draw_faults(report: ImportReport) -> None:
    """Rows that cannot be used and rows that repeat others, with the reason of each."""
    refused = [(row.row, row.reason) for row in report.refused]
    repeated = [
        (row.row, f"the same question as row {row.first_row}" + ("" if row.same_answer else ", with another answer"))
        for row in report.duplicates
    ]
    for title, rows in (("Rows that cannot be used", refused), ("Repeated rows", repeated)):
        if rows:
            _listed(title, rows)


def summary(report: ImportReport) -> str:
    """The rows of the file in one sentence."""
    usable, repeated, refused = len(report.questions), len(report.duplicates), len(report.refused)
    total = usable + repeated + refused
    parts = [f"{usable:,} {'question' if usable == 1 else 'questions'}"]
    if repeated:
        parts.append(f"{repeated:,} repeated")
    if refused:
        parts.append(f"{refused:,} that cannot be used")
    return f"{total:,} {'row' if total == 1 else 'rows'}: {', '.join(parts)}."


def _listed(title: str, rows: list[tuple[int, str]]) -> None:
    ui.label(f"{title}: {len(rows):,}").classes("h3")
    lines = [f"Row {row}: {reason}" for row, reason in rows[:ROWS_LISTED]]
    if len(rows) > ROWS_LISTED:
        lines.append(f"… and {len(rows) - ROWS_LISTED:,} more")
    ui.label("\n".join(lines)).classes("import-report").props('tabindex="0"')


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
