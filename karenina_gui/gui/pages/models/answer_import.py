"""Recorded answers of a model: their field in its form, and the dialog that maps, previews, and imports a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import run, ui
from nicegui.events import ValueChangeEventArguments

from karenina_gui.errors import InputError
from karenina_gui.formats.file_kinds import OTHER_TABLES, TABLES
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.formats.recorded_answers import (
    MatchedTraces,
    RecordedFile,
    TraceColumns,
    answers_by_question,
    guess_trace_columns,
    match_traces,
    models_of,
    results_table,
    traces_of,
)
from karenina_gui.formats.tables.rows import Table
from karenina_gui.gui.kit.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import button, field, note
from karenina_gui.gui.kit.html import table
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.kit.rejected_rows import rejected_rows
from karenina_gui.gui.kit.table_choice import TableChoice, read_table
from karenina_gui.gui.kit.uploads import FileDrop, busy
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.messages import final_answer
from karenina_gui.schemas.question import Question
from karenina_gui.text import quantity
from karenina_gui.traces.dialogues import PARTS, Conversations, JudgedPart, judged_text, with_judged_part
from karenina_gui.traces.provider_formats import replicates, to_messages

COLUMNS = {
    "question": "Question (ID or text)",
    "text": "Text next to an ID",
    "answer": "Answer",
    "replicate": "Replicate",
    "model": "Model",
}
NOTHING = {"text": "— none —", "replicate": "— order in the file —", "model": "— one model —"}
"""Choice of no column, where one is optional."""
NOT_CHOSEN = "— choose —"
FIRST = 4
LONGEST = 160
"""Maximum number of characters of a preview cell."""
Answers = dict[str, Any]


@dataclass(frozen=True)
class AnswerFile:
    recorded: RecordedFile
    matched: MatchedTraces
    conversations: Conversations


class AnswerImport(ui.dialog):
    """Import dialog. `keep` is called with {question id: answers} and a summary sentence.

    `names`: names under which a file may have the model's answers.
    """

    def __init__(
        self,
        window: Window,
        keep: Callable[[dict[str, Any], str], Awaitable[None]],
        names: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__()
        self._window, self._keep, self._names = window, keep, names
        self._path = Path()
        self._table: Table | None = None
        self._content: AnswerFile | None = None
        self._previews = 0
        self._part: JudgedPart | None = None
        self.props('aria-label="Import recorded answers"')
        with self:
            self._sheet = ui.element("div").classes("dialog")

    def show(self) -> None:
        self._questions = self._questions_of_benchmark()
        self._draw_choice_of_file()
        self.open()

    def _draw_choice_of_file(self, problem: str = "") -> None:
        benchmark = self._window.benchmark()
        self._start("Import recorded answers", wide=False)
        with self._sheet:
            ui.label(
                "A table with one question and answer per row, JSON with answers by question, or exported results. "
                f"Answers are matched to the questions of “{benchmark.name if benchmark else ''}” by ID or text."
            ).classes("hint")
            FileDrop("Choose a file, or drop it here", TABLES, self._read_file, also=OTHER_TABLES)
            if problem:
                note(problem, "bad")
            with dialog_actions():
                button("Cancel", self.close)

    async def _read_file(self, path: Path) -> None:
        self._path, self._part = path, None
        self._start(f"Reading {path.name}")
        with self._sheet:
            busy("Reading the file…")
        try:
            whole = await run.io_bound(read_apart, answers_by_question, path)
            results = None if whole is not None else await run.io_bound(read_apart, results_table, path)
            file = await read_table(path) if whole is None and results is None else None
        except InputError as error:
            self._draw_choice_of_file(str(error))
            return
        if self._sheet.is_deleted:
            return
        self._start(f"Recorded answers from {path.name}")
        with self._sheet:
            choice = TableChoice(file, self._draw_table) if file is not None else None
            self._body = ui.element("div").classes("import-body stack shrinks gap-12")
            self._draw_foot()
        if choice is not None:
            await choice.start()
        elif results is not None:
            await self._draw_table(results)
        elif whole is not None:
            with self._body:
                self._draw_preview_area()
            self._previews += 1
            self._show(self._match(whole))

    def _draw_foot(self) -> None:
        with ui.element("div").classes("import-foot line gap-8"):
            self._state = ui.label().classes("import-state grow").props('role="status"')
            button("Another file…", self._draw_choice_of_file, look="quiet")
            button("Cancel", self.close)
            self._go = button("Import answers", self._import, look="main")
            self._go.set_enabled(False)

    async def _draw_table(self, table: Table | InputError) -> None:
        self._body.clear()
        self._table = None if isinstance(table, InputError) else table
        self._previews += 1
        if isinstance(table, InputError):
            with self._body:
                note(str(table), "bad")
            self._set_state(None, "")
            return
        guessed = guess_trace_columns(table.headers)
        self._columns: dict[str, ui.select] = {}
        with self._body:
            with ui.element("div").classes("answer-columns"):
                for name, title in COLUMNS.items():
                    self._column(table, name, title, guessed.get(name))
                self._model_area = ui.element("div").classes("answer-model")
            self._draw_preview_area()
        await self._draw_models()

    def _draw_preview_area(self) -> None:
        self._part_area = ui.element("div").classes("when-filled stack shrinks gap-8")
        self._preview_area = ui.element("div").classes("when-filled stack shrinks gap-8")

    async def _draw_models(self) -> None:
        """Offer the models of the chosen column, and preview the answers of one."""
        self._model_area.clear()
        self._model: ui.select | None = None
        columns, table = self._chosen_columns(), self._table
        counts = models_of(table, columns.model) if columns is not None and table is not None else {}
        if len(counts) > 1:
            titles = {name: f"{name or '(no name)'} · {quantity(count, 'answer')}" for name, count in counts.items()}
            own = next((name for name in self._names() if name in counts), None)
            with self._model_area:
                ui.label("Answers of *").classes("field-label")
                self._model = ui.select(titles, value=own, on_change=self._preview)
                self._model.props(f"outlined dense options-dense {aria_label('Answers of')}").classes("input")
        await self._preview()

    def _column(self, table: Table, name: str, title: str, guessed: str | None) -> None:
        nothing = NOTHING.get(name, NOT_CHOSEN)
        ui.label(title + ("" if name in NOTHING else " *")).classes("field-label")
        on_change = self._draw_models if name == "model" else self._preview
        chosen = ui.select([nothing, *table.headers], value=guessed or nothing, on_change=on_change)
        chosen.props(f"outlined dense options-dense {aria_label(title)}").classes("input")
        self._columns[name] = chosen

    async def _preview(self) -> None:
        """Preview the questions that have an answer."""
        self._previews += 1
        number = self._previews
        columns, table = self._chosen_columns(), self._table
        if columns is None or table is None:
            self._clear_preview()
            self._set_state(None, "Select the question column and the answer column.")
            return
        model = self._model.value if self._model is not None else None
        if self._model is not None and model is None:
            self._clear_preview()
            self._set_state(None, "Select the model whose answers these are.")
            return
        try:
            preview = await run.io_bound(lambda: self._match(traces_of(table, columns, self._path, model)))
        except InputError as error:
            preview, problem = None, str(error)
        else:
            problem = ""
        # A newer preview has started, or the dialog is closed.
        if number != self._previews or self._preview_area.is_deleted:
            return
        if preview is None:
            self._clear_preview()
            self._set_state(None, problem)
        else:
            self._show(preview)

    def _clear_preview(self) -> None:
        self._part_area.clear()
        self._preview_area.clear()

    def _match(self, recorded: RecordedFile) -> AnswerFile:
        matched = match_traces(recorded, self._questions)
        return AnswerFile(recorded, matched, Conversations.of(matched.traces.values()))

    def _show(self, content: AnswerFile) -> None:
        self._part_area.clear()
        if content.conversations.need_choice:
            self._draw_part(content)
        else:
            self._part = None
        self._draw_answers(content)
        answered, every = len(content.matched.traces), len(self._questions)
        self._set_state(content, f"{answered:,} of {every:,} questions have an answer in this file.")

    def _draw_part(self, content: AnswerFile) -> None:
        """Offer the part of the conversations that is judged."""
        self._part = self._part or content.conversations.default
        titles = {part: title[0].upper() + title[1:] for part, title in PARTS.items()}

        def choose(event: ValueChangeEventArguments[JudgedPart]) -> None:
            self._part = event.value
            self._draw_answers(content)

        with self._part_area:
            note(content.conversations.describe(), "warn")
            with field("Judged text", "of each conversation"):
                choice = ui.select(titles, value=self._part, on_change=choose)
                choice.props(f"outlined dense options-dense {aria_label('Judged text')}").classes("input")

    def _draw_answers(self, content: AnswerFile) -> None:
        self._preview_area.clear()
        with self._preview_area:
            draw_answers(content.recorded, content.matched, self._questions, self._part)

    def _set_state(self, content: AnswerFile | None, text: str) -> None:
        self._content = content
        self._state.text = text
        self._go.set_enabled(content is not None and bool(content.matched.traces))

    def _chosen_columns(self) -> TraceColumns | None:
        chosen = {name: str(select.value) for name, select in self._columns.items()}
        if NOT_CHOSEN in chosen.values():
            return None
        return TraceColumns(**{name: column for name, column in chosen.items() if column != NOTHING.get(name)})

    async def _import(self) -> None:
        if self._content is not None:
            matched = self._content.matched
            self.close()
            await self._keep(with_judged_part(matched.traces, self._part), summary(matched, len(self._questions)))

    def _questions_of_benchmark(self) -> list[Question]:
        benchmark_id = self._window.benchmark_id
        return [] if benchmark_id is None else self._window.services.editor.files.questions(benchmark_id)

    def _start(self, title: str, *, wide: bool = True) -> None:
        self._sheet.clear()
        self._sheet.classes(**{"add" if wide else "remove": "import-dialog"})
        with self._sheet:
            heading = dialog_title(title).props('tabindex="-1"')
        # Quasar sets its own focus when the dialog opens, so set it afterward.
        self.client.run_javascript(f"setTimeout(() => getHtmlElement({heading.id})?.focus(), 80)")


def draw_answers(
    recorded: RecordedFile, matched: MatchedTraces, questions: Sequence[Question], part: JudgedPart | None = None
) -> None:
    """Show the first answers with their questions, and list everything that has no match.

    `part`: judged part of conversations; None: the default.
    """
    texts = {question.id: question.question for question in questions}
    if not matched.traces:
        note(
            "No answer matches a question of this benchmark. Check that the question column has question IDs or texts.",
            "warn",
        )
    else:
        first = [
            (_short(texts[key]), *_summarize_answer(answer, part))
            for key, answer in list(matched.traces.items())[:FIRST]
        ]
        caption = "First answers"
        ui.label(caption).classes("h3")
        made = ui.html(table(("Question", "Replicates", "Answer"), first, caption=caption, numeric=[1]))
        made.classes("import-preview box").props(f'tabindex="0" role="region" {aria_label(caption)}')
    headers = (f"{recorded.unit.capitalize()} in the file", "Reason")
    rejected_rows("Skipped rows", headers, [(f"{row.row:,}", row.reason) for row in recorded.refused])
    reasons = {
        "No question has this ID or text.": matched.unknown,
        "Its question is answered under another ID.": matched.repeated,
        "The question with this ID has another text. If it is the same question, leave out the text.": matched.doubtful,
    }
    unmatched = [(_short(key), reason) for reason, keys in reasons.items() for key in keys]
    rejected_rows("Answers without a question", ("In the file", "Reason"), unmatched)
    others = [(model or "(no name)", f"{count:,}") for model, count in recorded.others.items()]
    rejected_rows("Answers of other models, left out", ("Model", "Answers"), others)
    missing = [
        (_short(texts[key]), "Runs with this model report an error for this question.") for key in matched.missing
    ]
    rejected_rows("Questions without an answer", ("Question", "Effect"), missing)


def summary(matched: MatchedTraces, questions: int) -> str:
    """Summarize the import in one sentence."""
    return f"Imported answers to {len(matched.traces):,} of {quantity(questions, 'question')}."


def _summarize_answer(answer: Any, part: JudgedPart | None) -> tuple[str, str]:
    """Return the number of replicates and the first answer."""
    if isinstance(answer, str | dict):
        return "all", _short(_final(answer, part))
    answers = replicates(answer)
    present = [item for item in answers if item is not None]
    count = (
        "all"
        if len(answers) == 1
        else f"{len(present)}"
        if len(present) == len(answers)
        else f"{len(present)} of {len(answers)}"
    )
    return count, _short(_final(present[0], part))


def _final(answer: Any, part: JudgedPart | None) -> str:
    """Return the text that will be judged."""
    if isinstance(answer, str):
        return answer
    messages = to_messages(answer)
    return judged_text(messages, part) or final_answer(messages)[0] or "(no final message)"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class RecordedAnswersField(ui.element):
    """Import of recorded answers.

    `keep` is called with {question id: answers}. `names`: names under which a file may have the model's answers.
    """

    def __init__(
        self,
        window: Window,
        answers: Answers | None,
        keep: Callable[[Answers], Awaitable[None]],
        names: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__("div")
        self._window, self._keep = window, keep
        benchmark = window.benchmark()
        with (
            self.classes("full-width"),
            field("Recorded answers", "existing answers from a spreadsheet, CSV, JSON, or exported results"),
        ):
            self._count = ui.label().classes("hint")
            self.show(answers)
            self._import = AnswerImport(window, self._use_answers, names)
            title = f"Import answers for “{benchmark.name}”…" if benchmark else "Open a benchmark first"
            button(title, self._import.show, icon="upload_file").set_enabled(benchmark is not None)

    def show(self, answers: Answers | None) -> None:
        """Show the number of answers."""
        count = len(answers or {})
        self._count.text = f"Recorded answers to {quantity(count, 'question')}." if count else "No answers yet."

    async def _use_answers(self, answers: Answers, message: str) -> None:
        await self._keep(answers)
        self._window.notify(message, "good")
