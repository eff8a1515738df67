"""Benchmarks that were deleted, to be restored with their questions, runs and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.gui.parts.dates import day_and_time
from karenina_gui.gui.parts.dialogs import dialog_title
from karenina_gui.gui.parts.elements import button

if TYPE_CHECKING:
    from karenina_gui.gui.frame.window import Window
    from karenina_gui.schemas.summaries import DeletedBenchmark


class DeletedBenchmarks(ui.dialog):
    def __init__(self, window: Window) -> None:
        super().__init__()
        self.window = window
        self.props('aria-label="Deleted benchmarks"')
        with self:
            self.sheet = ui.element("div").classes("dialog dialog-wide")

    def show(self) -> None:
        """Open it on what is deleted now."""
        self._draw()
        self.open()

    def _draw(self) -> None:
        deleted = self.window.studio.desk.deleted_benchmarks()
        self.sheet.clear()
        with self.sheet:
            dialog_title("Deleted benchmarks")
            ui.label(
                "A benchmark comes back with its questions, runs and results. A run that was cut short can then be "
                "resumed."
                if deleted
                else "No benchmark is deleted."
            ).classes("hint")
            with ui.element("div").classes("deleted").props('tabindex="0"'):
                for each in deleted:
                    self._line(each)
            with ui.element("div").classes("dialog-actions"):
                button("Close", self.close)

    def _line(self, deleted: DeletedBenchmark) -> None:
        with ui.element("div").classes("deleted-line"):
            ui.label(deleted.name).classes("deleted-text").tooltip(deleted.name)
            ui.label(f"{what_it_has(deleted)} · deleted {day_and_time(deleted.deleted_at)}").classes("hint")
            one = button("Restore", lambda: self._restore(deleted), look="quiet")
            one.props["aria-label"] = f"Restore {deleted.name}"

    def _restore(self, deleted: DeletedBenchmark) -> None:
        restore(self.window, deleted.id, deleted.name)
        self._draw()


def restore(window: Window, benchmark_id: int, name: str) -> None:
    """Bring it back and say so."""
    window.studio.desk.restore_benchmark(benchmark_id)
    window.tell(f"“{name}” is back, with its runs.", "good")


def what_it_has(deleted: DeletedBenchmark) -> str:
    """`12 questions, 1 run`."""
    questions = "1 question" if deleted.questions == 1 else f"{deleted.questions:,} questions"
    return f"{questions}, {'1 run' if deleted.runs == 1 else f'{deleted.runs:,} runs'}"
