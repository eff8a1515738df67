"""Preview of a table import: the first questions, rows that a person decides on, and each row that is not imported."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from nicegui import ui

from karenina_gui.authoring.import_export import ExistingQuestion, SimilarQuestion, new_questions
from karenina_gui.authoring.template_form.form import read_form
from karenina_gui.formats.tables.question_import import ImportedQuestion, ImportPlan, ImportReport
from karenina_gui.formats.tables.rows import BadCell, Table
from karenina_gui.gui.kit.diff import readable
from karenina_gui.gui.kit.diff_view import diff_head, diff_section
from karenina_gui.gui.kit.elements import button
from karenina_gui.gui.kit.html import Html, table, tag
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.kit.rejected_rows import rejected_rows
from karenina_gui.gui.pages.templates.row_templates import is_open
from karenina_gui.schemas.question import Question
from karenina_gui.text import percent, quantity

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
LISTED = 100
"""Maximum number of rows with a control of their own; the buttons decide on all."""

Choice = Literal["import", "skip", "update"]
CHOICES: dict[Choice, str] = {"import": "Import", "skip": "Skip", "update": "Update reference answer"}
BENCHMARK = "Benchmark"
Text = tuple[str, str]
"""Question and reference answer."""


def draw_data(data: Table) -> None:
    """Show the first rows of the file as they are, with all columns."""
    rows = [
        [f"{row.number:,}", *(_cell(row.value(header)) for header in data.headers)] for row in data.rows[:FIRST_ROWS]
    ]
    title = f"Data in the file: {quantity(len(data.rows), data.unit)}, {quantity(len(data.headers), 'column')}"
    ui.label(title).classes("h3")
    headers = [UNITS[data.unit], *data.headers]
    made = ui.html(table(headers, rows, caption="Data in the file", numeric=[0])).classes(
        "import-preview import-data box"
    )
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
    made = ui.html(table(headers, cells, caption=caption, numeric=[0])).classes("import-preview box")
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


@dataclass(frozen=True)
class UndecidedRow:
    """A row to decide on, and the question that it repeats."""

    row: int
    name: str
    """Such as `Row 3`."""
    why: str
    """Remark such as `differs only in spaces`."""
    mine: Text
    """Question of the row."""
    other: Text
    other_name: str
    """Place of the other question, as in `Row 3`."""
    choices: tuple[Choice, ...]
    """The first one applies unless the person chooses another."""
    target: str | None = None
    """Id of the question in the benchmark whose reference answer can be updated."""


@dataclass
class Decisions:
    """Choices of a person by row, for rows that were decided on."""

    chosen: dict[int, Choice] = field(default_factory=dict)
    _rows: dict[int, UndecidedRow] = field(default_factory=dict)

    def of(self, row: UndecidedRow) -> Choice:
        made = self.chosen.get(row.row)
        return made if made in row.choices else row.choices[0]

    def offer(self, rows: Sequence[UndecidedRow]) -> None:
        """Note what there is to decide; earlier choices stay."""
        self._rows = {row.row: row for row in rows}

    def apply_to(self, plan: ImportPlan) -> ImportPlan:
        """Return the plan with these decisions."""
        targets = {row: self._rows[row].target for row in self._rows_with("update")}
        return replace(
            plan,
            kept_rows=self._rows_with("import"),
            updated=frozenset(row for row, target in targets.items() if target is None),
            skipped=self._rows_with("skip"),
            answer_targets={row: target for row, target in targets.items() if target is not None},
        )

    def _rows_with(self, choice: Choice) -> frozenset[int]:
        """Rows with this choice."""
        return frozenset(row for row, undecided in self._rows.items() if self.of(undecided) == choice)


def near_duplicates(report: ImportReport, existing: Sequence[ExistingQuestion]) -> list[UndecidedRow]:
    """Return the near duplicates in the file and in the benchmark. Those with another answer come first."""
    rows = {row.row: (same, row) for same, row in (*_near_in_benchmark(report, existing), *_near_in_file(report))}
    return [row for _, row in sorted(rows.values(), key=lambda entry: (entry[0], entry[1].row))]


def decided_against(report: ImportReport, existing: Sequence[ExistingQuestion]) -> list[tuple[int, str]]:
    """Return (row, reason) of near duplicates and similar questions that were skipped."""
    near = {
        duplicate.row: duplicate.why
        for duplicate in near_duplicates(report, existing)
        if duplicate.row in report.skipped
    }
    similar = ({row.row for row in report.imported} & report.skipped) - {row.row for row in existing} - near.keys()
    return [*near.items(), *((row, "similar to another question") for row in sorted(similar))]


def _near_in_file(report: ImportReport) -> Iterator[tuple[bool, UndecidedRow]]:
    texts = _texts(report)
    for near in report.near:
        other_row = f"{report.unit} {near.first_row:,}"
        why = f"differs from {other_row} only in {near.difference}"
        if not near.difference:
            why = f"same text as {other_row}, which has another ID"
        if not near.same_answer:
            why += "; its reference answer is different"
        mine, other = (near.text, near.answer), texts.get(near.first_row, (near.text, near.answer))
        names = _name(report, near.row), _name(report, near.first_row)
        yield near.same_answer, UndecidedRow(near.row, names[0], why, mine, other, names[1], ("skip", "import"))


def _near_in_benchmark(
    report: ImportReport, existing: Sequence[ExistingQuestion]
) -> Iterator[tuple[bool, UndecidedRow]]:
    texts = _texts(report)
    for question in existing:
        if question.sameness == "near":
            in_benchmark = "a question in the benchmark"
            why = f"differs from {in_benchmark} only in {question.difference}"
            if not question.difference:
                why = f"same text as {in_benchmark}, which has another ID"
            mine, other = texts[question.row], (question.known_text, question.answer)
            choices: tuple[Choice, ...] = ("skip", "import", "update") if mine[1] != other[1] else ("skip", "import")
            name = _name(report, question.row)
            yield True, UndecidedRow(question.row, name, why, mine, other, BENCHMARK, choices, question.question_id)


def other_answers(report: ImportReport, existing: Sequence[ExistingQuestion]) -> list[UndecidedRow]:
    """Return the questions of the benchmark that have another reference answer in the file."""
    texts = _texts(report)
    return [
        UndecidedRow(
            question.row,
            _name(report, question.row),
            "same question, another reference answer",
            texts[question.row],
            (question.known_text, question.answer),
            BENCHMARK,
            ("skip", "update"),
        )
        for question in existing
        if question.sameness == "other_answer"
    ]


def similar_rows(report: ImportReport, similar: Sequence[SimilarQuestion]) -> list[UndecidedRow]:
    """Return the new questions that differ from another one in a few words. They come in unless somebody skips them."""
    texts, rows = _texts(report), []
    for question in similar:
        other_name = BENCHMARK if question.other_row is None else _name(report, question.other_row)
        where = "a question in the benchmark" if question.other_row is None else other_name.lower()
        updatable = question.question_id is not None and texts[question.row][1] != question.answer
        rows.append(
            UndecidedRow(
                question.row,
                _name(report, question.row),
                f"{percent(question.similarity)} similar to {where}",
                texts[question.row],
                (question.text, question.answer),
                other_name,
                ("import", "skip", "update") if updatable else ("import", "skip"),
                question.question_id,
            )
        )
    return rows


def _name(report: ImportReport, row: int) -> str:
    return f"{report.unit.capitalize()} {row:,}"


def _texts(report: ImportReport) -> dict[int, Text]:
    return {row.row: (row.question.question, row.question.raw_answer) for row in report.imported}


class DecisionList:
    """List of rows, each beside the question that it repeats, with a choice per row, and buttons for all of them."""

    def __init__(
        self, title: str, rows: Sequence[UndecidedRow], decisions: Decisions, on_change: Callable[[], Awaitable[None]]
    ) -> None:
        self._rows = rows
        self._decisions = decisions
        self._on_change = on_change
        self._controls: dict[int, ui.radio] = {}
        self._deciding_on_all = False
        with ui.element("div").classes("import-head line"):
            ui.label(f"{title}: {len(rows):,}").classes("h3")
            ui.space()
            for choice in CHOICES:
                if any(choice in row.choices for row in rows):
                    self._draw_button(title, choice)
        with ui.element("div").classes("import-decisions box").props(f'tabindex="0" role="group" {aria_label(title)}'):
            for row in rows[:LISTED]:
                self._draw_row(row)
            if len(rows) > LISTED:
                ui.label(f"{len(rows) - LISTED:,} more. Use the buttons above for all of them.").classes("hint")

    def _draw_button(self, title: str, choice: Choice) -> None:
        text = f"{CHOICES[choice].split()[0]} all"
        button(text, lambda: self._choose_all(choice), look="quiet").props(aria_label(f"{text}: {title}"))

    def _draw_row(self, row: UndecidedRow) -> None:
        with ui.element("div").classes("import-decision line wraps"):
            ui.label(f"{row.name}: {row.why}").classes("import-decision-why hint")
            options = {choice: CHOICES[choice] for choice in CHOICES if choice in row.choices}
            control = ui.radio(options, value=self._decisions.of(row)).props(f"inline dense {aria_label(row.name)}")
            self._controls[row.row] = control
            ui.html(_side_by_side(row)).classes("import-decision-texts")

        # Not a coroutine itself, which would look at the mark only after all rows have changed.
        def change() -> Awaitable[None] | None:
            self._decisions.chosen[row.row] = control.value
            return None if self._deciding_on_all else self._on_change()

        control.on_value_change(change)

    async def _choose_all(self, choice: Choice) -> None:
        """Choose this for each row that offers it."""
        rows = [row for row in self._rows if choice in row.choices]
        self._decisions.chosen |= {row.row: choice for row in rows}
        # Each control reports its new value, too, and one preview is enough for all.
        self._deciding_on_all = True
        for row in rows[:LISTED]:
            if row.row in self._controls:
                self._controls[row.row].value = choice
        self._deciding_on_all = False
        await self._on_change()


def _side_by_side(row: UndecidedRow) -> Html:
    """Table of the row and of the question that it repeats, with the words that differ."""
    sections = [
        diff_section(title, mine, other)
        for title, mine, other in zip(("Question", "Reference answer"), row.mine, row.other, strict=True)
    ]
    return tag(
        "table", diff_head((f"File: {row.name.lower()}", row.other_name)), *sections, class_="versions duplicate-table"
    )
