"""Dialog that imports questions from a table: choose a file, map its columns, preview, import."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.import_export import (
    ExistingQuestion,
    ImportedQuestions,
    SimilarQuestion,
    new_questions,
)
from karenina_gui.errors import InputError
from karenina_gui.formats.file_kinds import OTHER_TABLES, TABLES
from karenina_gui.formats.tables.question_import import ImportPlan, ImportReport, questions_of
from karenina_gui.formats.tables.rejected_rows import refused_csv
from karenina_gui.formats.tables.rows import Table
from karenina_gui.gui.kit.dialogs import dialog_title
from karenina_gui.gui.kit.elements import button, note
from karenina_gui.gui.kit.table_choice import TableChoice, read_table
from karenina_gui.gui.kit.uploads import FileDrop, busy
from karenina_gui.gui.pages.questions.import_columns import ColumnChoice
from karenina_gui.gui.pages.questions.import_preview import (
    DecisionList,
    Decisions,
    decided_against,
    draw_data,
    draw_faults,
    draw_findings,
    draw_preview,
    draw_rows,
    near_duplicates,
    other_answers,
    similar_rows,
    summary,
)
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.text import quantity, verb

LARGEST = 64 * 1024 * 1024

Preview = tuple[ImportReport, list[ExistingQuestion]]


class QuestionImport(ui.dialog):
    """Import dialog. `show` starts with the file choice, or with the file dropped on the window."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        super().__init__()
        self.window = window
        self.benchmark_id = benchmark_id
        self._name = ""
        self._table: Table | None = None
        self._previews = 0
        """Number of previews started. A preview that finishes after a newer one started is discarded."""
        self.props('aria-label="Import questions"')
        with self:
            self.sheet = ui.element("div").classes("dialog")
        self.on_value_change(lambda event: None if event.value else self._discard_table())

    def show(self) -> None:
        handed = self.window.pop_staged_file()
        self._draw_choice_of_file()
        self.open()
        if handed is not None:
            background_tasks.create(self._read_file(handed), name="read a dropped table", context=self.sheet)

    def _draw_choice_of_file(self, problem: str = "") -> None:
        self._start("Import questions")
        with self.sheet:
            ui.label(
                "A table with one question per row: XLSX, CSV, TSV, JSON, or JSON Lines. "
                "You’ll see a preview before anything is imported."
            ).classes("hint")
            FileDrop("Choose a file, or drop it here", TABLES, self._read_file, also=OTHER_TABLES, largest=LARGEST)
            if problem:
                note(problem, "bad")
            with ui.element("div").classes("dialog-actions"):
                button("Cancel", self.close)

    async def _read_file(self, path: Path) -> None:
        self._start(f"Reading {path.name}")
        with self.sheet:
            busy("Reading the file…")
        try:
            file = await read_table(path)
        except InputError as error:
            self._draw_choice_of_file(str(error))
            return
        if file is None or self.sheet.is_deleted:
            return
        self._name = path.name
        self._start(f"Import questions from {path.name}", wide=True)
        with self.sheet:
            choice = TableChoice(file, self._draw_table)
            self._body = ui.element("div").classes("import-body stack shrinks gap-12")
            self._draw_foot()
        await choice.start()

    def _draw_foot(self) -> None:
        """Draw the footer with the summary and the buttons. It stays visible while the preview scrolls."""
        with ui.element("div").classes("import-foot line gap-8"):
            self._state = ui.label().classes("import-state grow").props('role="status"')
            button("Another file…", self._draw_choice_of_file, look="quiet")
            button("Cancel", self.close)
            self._go = button("Import", self._import, look="main")
            self._go.set_enabled(False)

    async def _draw_table(self, table: Table | InputError) -> None:
        self._body.clear()
        self._table = None if isinstance(table, InputError) else table
        if isinstance(table, InputError):
            self._previews += 1
            with self._body:
                note(str(table), "bad")
            self._show_blocked("")
            return
        self._decisions = Decisions()
        with self._body:
            draw_data(table)
            self._columns = ColumnChoice(table, self._preview)
            self._preview_area = ui.element("div").classes("when-filled stack shrinks gap-8")
        await self._preview()

    async def _preview(self) -> None:
        """Preview the plan. Import is enabled before the preview is ready, so an early click works."""
        self._columns.show_unused()
        # Choices that were made hold for the next plan, too: an early click imports by them.
        preview = await self._find()
        if isinstance(preview, str):
            self._preview_area.clear()
            self._show_blocked(preview)
        elif preview is not None:
            self._show_counts(*preview)
            if (similar := await self._find_similar(*preview)) is not None:
                self._preview_area.clear()
                self._draw_preview(self._table, preview, similar)
                await self._count_again()

    async def _count_again(self) -> None:
        """Apply choices that were made before a column was changed."""
        if self._decisions.chosen:
            await self._decide()

    async def _decide(self) -> None:
        """Count again. The list of decisions is not redrawn, so the focus stays on its control."""
        preview = await self._find()
        if isinstance(preview, str):
            self._show_blocked(preview)
        elif preview is not None:
            self._show_counts(*preview)

    async def _find(self) -> Preview | str | None:
        """Return what the plan gives, a problem, or None if a newer plan has overtaken it."""
        plan, table = self._plan(), self._table
        self._previews += 1
        number = self._previews
        if plan is None or table is None:
            return "Choose the question and reference answer columns."
        self._go.set_enabled(True)
        try:
            preview: Preview | str | None = await run.io_bound(self._compute_preview, table, plan)
        except InputError as error:
            preview = str(error)
        return None if number != self._previews or self._preview_area.is_deleted else preview

    async def _find_similar(
        self, report: ImportReport, existing: list[ExistingQuestion]
    ) -> list[SimilarQuestion] | None:
        """Return similar questions, or None if a newer plan has overtaken this one."""
        number = self._previews
        files = self.window.services.editor.files
        similar = await run.io_bound(files.similar_questions, self.benchmark_id, report, existing)
        return None if number != self._previews or self._preview_area.is_deleted else similar

    def _plan(self) -> ImportPlan | None:
        plan = self._columns.plan()
        return plan and self._decisions.apply_to(plan)

    def _show_blocked(self, reason: str) -> None:
        """Show why the import is blocked."""
        self._state.text = reason
        self._go.text = "Import"
        self._go.set_enabled(False)

    def _compute_preview(self, table: Table, plan: ImportPlan) -> Preview:
        report = questions_of(table, plan)
        return report, self.window.services.editor.files.known_questions(self.benchmark_id, report)

    def _add(self, table: Table, plan: ImportPlan) -> ImportedQuestions:
        return self.window.services.editor.files.add_questions(self.benchmark_id, questions_of(table, plan))

    def _show_counts(self, report: ImportReport, existing: list[ExistingQuestion]) -> None:
        new = len(new_questions(report, existing))
        updated = len(report.updated & {question.row for question in existing if question.sameness == "other_answer"})
        updated += len(report.answer_targets)
        self._state.text = summary(report, existing)
        parts = [f"Import {quantity(new, 'question')}"] if new else []
        if updated:
            parts.append(f"{'update' if parts else 'Update'} {updated:,}")
        self._go.text = ", ".join(parts) or "Nothing to import"
        self._go.set_enabled(bool(parts))

    def _draw_preview(self, table: Table | None, preview: Preview, similar: list[SimilarQuestion]) -> None:
        report, existing = preview
        near = near_duplicates(report, existing)
        there = {row.row for row in near}
        lists = {
            "In the benchmark with a different reference answer": other_answers(report, existing),
            "Near duplicates": near,
            "Similar questions": [row for row in similar_rows(report, similar) if row.row not in there],
        }
        self._decisions.offer([row for rows in lists.values() for row in rows])
        with self._preview_area:
            draw_preview(report, existing)
            for title, rows in lists.items():
                if rows:
                    DecisionList(title, rows, self._decisions, self._decide)
            draw_findings(report, existing, self._columns.template.starter)
            # Different reference answers have a list of their own, with a decision for each.
            others = [question for question in existing if question.sameness != "other_answer"]
            draw_faults(report, others, self._download(table, report))

    async def _import(self) -> None:
        plan, table = self._plan(), self._table
        if plan is None or table is None:
            return
        self._go.set_enabled(False)
        self._go.props("loading")
        try:
            added = await self.window.write_long(as_one(self._add), table, plan)
        except InputError as error:
            self._go.props(remove="loading")
            self._state.text = str(error)
            return
        self.window.note_saved()
        self._report(table, added.outcome, added.command_id, finished=plan.finished)

    def _report(self, table: Table, done: ImportedQuestions, command_id: int | None, *, finished: bool) -> None:
        some = bool(done.added or done.updated)
        undo = self._undo(len(done.added), command_id)
        self._start("Import finished" if some else "Nothing imported", wide=True)
        with self.sheet:
            note(f"{_done_message(done)}.", "good" if some else "warn")
            if done.added and not finished:
                new = len(done.added)
                ui.label(
                    f"Runs skip {verb(new, 'it', 'them')} until {verb(new, 'it is', 'they are')} marked finished."
                ).classes("hint")
            draw_faults(done.report, done.existing, self._download(table, done.report))
            draw_rows(
                "Skipped near duplicates and similar questions",
                done.report,
                decided_against(done.report, done.existing),
            )
            with ui.element("div").classes("dialog-actions"):
                if some:
                    button("Undo import", undo, icon="undo")
                button("Close", self.close, look="main")
        if some:
            self.window.notify(f"{_done_message(done)} from {self._name}.", "good", undo=undo)

    def _undo(self, count: int, command_id: int | None) -> Callable[[], None]:
        """Return a callback that undoes the import. Further calls have no effect."""
        pending = [command_id]

        async def take_back(command_id: int | None) -> None:
            if await self.window.undo(command_id):
                self.window.notify(f"Import undone. {quantity(count, 'question')} removed.")

        def undo() -> None:
            self.close()
            if pending:
                background_tasks.create(take_back(pending.pop()), name="undo an import", context=self)

        return undo

    def _download(self, table: Table | None, report: ImportReport) -> Callable[[], None] | None:
        if table is None:
            return None
        name = f"{Path(self._name).stem}-skipped.csv"
        # Excel reads CSV as UTF-8 only with a byte order mark (utf-8-sig).
        return lambda: ui.download.content(refused_csv(table, report.refused).encode("utf-8-sig"), name)

    def _start(self, title: str, *, wide: bool = False) -> None:
        """Start a new page of the dialog and focus its title, for screen readers and keyboard users."""
        self.sheet.clear()
        self.sheet.classes(**{"add" if wide else "remove": "import-dialog"})
        with self.sheet:
            heading = dialog_title(title).props("tabindex=-1")
        # Quasar sets its own focus when the dialog opens, so set it afterward.
        self.client.run_javascript(f"setTimeout(() => getHtmlElement({heading.id})?.focus(), 80)")

    def _discard_table(self) -> None:
        """Release the table: large ones should not stay in memory while the dialog is closed."""
        self._table = None


def _done_message(done: ImportedQuestions) -> str:
    imported = f"Imported {quantity(len(done.added), 'question')}"
    if not done.updated:
        return imported
    updated = f"pdated {quantity(len(done.updated), 'reference answer')}"
    return f"{imported} and u{updated}" if done.added else f"U{updated}"
