"""Rows of an import that a person decides on: near duplicates, and other reference answers of known questions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from textwrap import shorten

from nicegui import ui

from karenina_gui.authoring.import_export import ExistingQuestion
from karenina_gui.formats.tables.question_import import ImportReport
from karenina_gui.gui.components.elements import button
from karenina_gui.gui.components.quoting import aria_label

LISTED = 100
"""Maximum number of rows with a control of their own; the buttons decide on all."""
_LONGEST = 240


@dataclass
class Decisions:
    """Rows that were ticked."""

    kept: set[int] = field(default_factory=set)
    """Near duplicates to import."""
    updated: set[int] = field(default_factory=set)
    """Rows whose reference answer replaces the one in the benchmark."""


@dataclass(frozen=True)
class UndecidedRow:
    """A row to decide on: the text of its question, and why."""

    row: int
    text: str
    why: str


def near_duplicates(report: ImportReport, known: Sequence[ExistingQuestion]) -> list[UndecidedRow]:
    """Return the near duplicates in the file and in the benchmark. Those with another answer come first."""
    in_file = [
        (
            each.same_answer,
            UndecidedRow(
                each.row,
                each.text,
                f"differs from {report.unit} {each.first_row:,} only in {each.difference}"
                + ("" if each.same_answer else "; its reference answer is different"),
            ),
        )
        for each in report.near
    ]
    in_benchmark = [
        (True, UndecidedRow(each.row, each.text, f"differs from a question in the benchmark only in {each.difference}"))
        for each in known
        if each.sameness == "near"
    ]
    found = {question.row: (same, question) for same, question in (*in_benchmark, *in_file)}
    return [question for _, question in sorted(found.values(), key=lambda each: (each[0], each[1].row))]


def other_answers(report: ImportReport, known: Sequence[ExistingQuestion]) -> list[UndecidedRow]:
    """Return the questions of the benchmark that have another reference answer in the file."""
    answers = {each.row: each.question.raw_answer for each in report.found}
    return [
        UndecidedRow(
            each.row, each.text, f"“{_short(each.answer)}” in the benchmark, “{_short(answers[each.row])}” in the file"
        )
        for each in known
        if each.sameness == "other_answer"
    ]


class DecisionList:
    """Table with a check box per row, and buttons for all of them."""

    def __init__(
        self,
        title: str,
        action: str,
        questions: Sequence[UndecidedRow],
        chosen: set[int],
        on_change: Callable[[], Awaitable[None]],
    ) -> None:
        self._rows = {each.row for each in questions}
        self._chosen = chosen
        self._on_change = on_change
        self._boxes: dict[int, ui.checkbox] = {}
        with ui.element("div").classes("import-head"):
            ui.label(f"{title}: {len(questions):,}").classes("h3")
            ui.space()
            button(f"{action} all", lambda: self._choose_all(self._rows), look="quiet").props(
                aria_label(f"{action} all: {title}")
            )
            button("Skip all", lambda: self._choose_all(set()), look="quiet").props(aria_label(f"Skip all: {title}"))
        with ui.element("div").classes("import-decisions").props(f'tabindex="0" role="group" {aria_label(title)}'):
            for each in questions[:LISTED]:
                self._line(action, each)
            if len(questions) > LISTED:
                ui.label(f"{len(questions) - LISTED:,} more. Use the buttons above for all of them.").classes("hint")

    def _line(self, action: str, question: UndecidedRow) -> None:
        with ui.element("div").classes("import-decision"):
            box = ui.checkbox(f"{action} row {question.row:,}", value=question.row in self._chosen).props("dense")
            self._boxes[question.row] = box
            with ui.element("div"):
                ui.label(_short(question.text)).classes("import-decision-text")
                ui.label(question.why).classes("hint")

        async def change() -> None:
            (self._chosen.add if box.value else self._chosen.discard)(question.row)
            await self._on_change()

        box.on_value_change(change)

    async def _choose_all(self, rows: set[int]) -> None:
        self._chosen -= self._rows
        self._chosen |= rows
        for row, box in self._boxes.items():
            box.value = row in rows
        await self._on_change()


def _short(text: str) -> str:
    return shorten(text, _LONGEST, placeholder="…")
