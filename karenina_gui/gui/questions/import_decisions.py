"""Rows of an import that a person decides on: questions that the file or the benchmark has already, or nearly so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from nicegui import ui

from karenina_gui.authoring.import_export import ExistingQuestion, SimilarQuestion
from karenina_gui.formats.tables.question_import import ImportPlan, ImportReport
from karenina_gui.gui.components.diff_view import diff_head, diff_section
from karenina_gui.gui.components.elements import button
from karenina_gui.gui.components.html import Html, tag
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.text import percent

LISTED = 100
"""Maximum number of rows with a control of their own; the buttons decide on all."""

Choice = Literal["import", "skip", "update"]
CHOICES: dict[Choice, str] = {"import": "Import", "skip": "Skip", "update": "Update reference answer"}
BENCHMARK = "Benchmark"
Text = tuple[str, str]
"""Question and reference answer."""


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
