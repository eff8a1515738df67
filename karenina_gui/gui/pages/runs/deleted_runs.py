"""Dialog of deleted runs, to restore or erase them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from karenina_gui.errors import KareninaError
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.deleted_records import DeletedDialog, deleted_line
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.window import Window
    from karenina_gui.schemas.run_summaries import DeletedRun

HINT = "Restoring a run brings back its results. Erasing can’t be undone."


class DeletedRuns(DeletedDialog):
    def __init__(self, window: Window) -> None:
        super().__init__("Deleted runs")
        self.window = window

    def draw(self) -> None:
        deleted = self.window.services.library.runs.list_deleted()
        with self.draw_frame(HINT if deleted else "No deleted runs."):
            for item in deleted:
                about = (
                    f"{item.run.benchmark_name} · {quantity(item.run.done, 'result')} · "
                    f"deleted {day_and_time(item.deleted_at)}"
                )
                deleted_line(item.run.title, partial(self._restore, item), about, erase=partial(self._erase, item))

    async def _restore(self, deleted: DeletedRun) -> None:
        await restore(self.window, deleted.run.id, deleted.run.title)
        self.draw()

    async def _erase(self, deleted: DeletedRun) -> None:
        await self.window.write(self.window.services.runs.erase, deleted.run.id)
        self.window.notify(f"Erased run “{deleted.run.title}”.")
        self.draw()


async def delete(window: Window, run_id: int, name: str) -> bool:
    """Delete a run and show a message with undo; False if that was not possible."""
    try:
        await window.write(window.services.runs.delete, run_id)
    except KareninaError as error:
        window.notify(str(error), "bad")
        return False
    window.notify(f"Deleted run “{name}”.", undo=partial(restore, window, run_id, name))
    return True


async def restore(window: Window, run_id: int, name: str) -> None:
    """Restore a run and show a message."""
    try:
        await window.write(window.services.runs.restore, run_id)
    except KareninaError as error:
        window.notify(str(error), "bad")
        return
    window.notify(f"Restored run “{name}”.", "good")
