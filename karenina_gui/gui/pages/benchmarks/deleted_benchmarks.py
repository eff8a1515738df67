"""Dialog of deleted benchmarks, which are restored with their questions, runs and results."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.deleted_records import DeletedDialog, deleted_line
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.window import Window
    from karenina_gui.schemas.benchmark_summaries import DeletedBenchmark

COMES_BACK = "Restored benchmarks come back with their questions, runs and results. You can resume unfinished runs."


class DeletedBenchmarks(DeletedDialog):
    def __init__(self, window: Window) -> None:
        super().__init__("Deleted benchmarks")
        self.window = window

    def draw(self) -> None:
        deleted = self.window.services.library.benchmarks.list_deleted()
        with self.draw_frame(COMES_BACK if deleted else "No deleted benchmarks."):
            for benchmark in deleted:
                about = f"{contents_text(benchmark)} · deleted {day_and_time(benchmark.deleted_at)}"
                deleted_line(benchmark.name, partial(self._restore, benchmark), about).tooltip(benchmark.name)

    async def _restore(self, deleted: DeletedBenchmark) -> None:
        await restore(self.window, deleted.id, deleted.name)
        self.draw()


async def restore(window: Window, benchmark_id: int, name: str) -> None:
    """Restore a benchmark and tell the user."""
    await window.write(window.services.editor.restore_benchmark, benchmark_id)
    window.notify(f"Restored “{name}” with its runs.", "good")


def contents_text(deleted: DeletedBenchmark) -> str:
    """Return the contents of a benchmark, such as `12 questions, 1 run`."""
    return f"{quantity(deleted.questions, 'question')}, {quantity(deleted.runs, 'run')}"
