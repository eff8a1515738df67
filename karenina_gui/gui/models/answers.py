"""Recorded answers of a model: read from a file, matched to the questions of the benchmark that is open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.formats.traces import TraceColumns, match_traces, read_traces
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.elements import field, text_input
from karenina_gui.gui.parts.uploads import FileDrop
from karenina_gui.schemas.question import Question

Answers = dict[str, Any]


class RecordedAnswers(ui.element):
    """Draws itself; `keep` gets the answers by question id."""

    def __init__(self, window: Window, answers: Answers | None, keep: Callable[[Answers], None]) -> None:
        super().__init__("div")
        self._window, self._keep = window, keep
        benchmark = window.benchmark()
        with (
            self.classes("full-width"),
            field("Recorded answers", "a JSON, JSON Lines or CSV file with a question and its answer in each row"),
        ):
            self._count = ui.label().classes("hint")
            self.show(answers)
            with ui.element("div").classes("field-row"):
                self._question_column = text_input(
                    "Column of the question", placeholder="Column of the question (optional)"
                )
                self._answer_column = text_input("Column of the answer", placeholder="Column of the answer (optional)")
            matched = f"Choose file; matched to “{benchmark.name}”" if benchmark else "Open a benchmark first"
            FileDrop(matched, ".json,.jsonl,.csv", self._read).set_enabled(benchmark is not None)

    def show(self, answers: Answers | None) -> None:
        """Say how many there are."""
        count = len(answers or {})
        self._count.text = f"{count:,} questions have recorded answers." if count else "No answers yet."

    async def _read(self, path: Path) -> None:
        question, answer = (str(box.value or "").strip() for box in (self._question_column, self._answer_column))
        columns = TraceColumns(question, answer) if question and answer else None
        try:
            found = await run.io_bound(_answers, path, columns, self._questions())
        except InputError as error:
            self._window.tell(str(error), "bad")
            return
        if found is None:
            return
        answers, message = found
        if not answers:
            self._window.tell("No answer in this file belongs to a question of this benchmark.", "bad")
            return
        self._keep(answers)
        self._window.tell(message, "good")

    def _questions(self) -> list[Question]:
        desk, benchmark_id = self._window.studio.desk, self._window.benchmark_id
        if benchmark_id is None:
            return []
        return [desk.question(benchmark_id, row.id).entry.question for row in desk.questions(benchmark_id)]


def _answers(path: Path, columns: TraceColumns | None, questions: list[Question]) -> tuple[Answers, str]:
    """Recorded answers by question id, and what there is to say about the file."""
    recorded = read_traces(path, columns)
    matched = match_traces(recorded.answers, questions)
    parts = [f"{len(matched.traces):,} of {len(questions):,} questions have recorded answers now."]
    if matched.unknown:
        parts.append(f"{len(matched.unknown):,} entries belong to no question of this benchmark.")
    if recorded.refused:
        first = recorded.refused[0]
        parts.append(f"{len(recorded.refused):,} rows were refused; row {first.row}: {first.reason}")
    return matched.traces, " ".join(parts)
