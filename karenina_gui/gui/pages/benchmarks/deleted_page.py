"""Notice and restore button on the pages of a deleted benchmark."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from karenina_gui.gui.kit.elements import button, note
from karenina_gui.gui.kit.routing import NotFound
from karenina_gui.gui.pages.benchmarks.deleted_benchmarks import restore

if TYPE_CHECKING:
    from karenina_gui.authoring.changes import Change
    from karenina_gui.gui.session.window import Window
    from karenina_gui.schemas.benchmark_summaries import DeletedBenchmark

TYPED = "Restore it to save your edits."
RUN_COMES_BACK = "This run and its results come back when you restore it."


def absence_note(window: Window, benchmark_id: int, consequence: str) -> None:
    """Show a notice at the top of a page while the benchmark is deleted. The page content stays."""
    container = ui.element("div").classes("absence")

    def show() -> None:
        container.clear()
        if deleted := window.services.library.benchmarks.get_deleted(benchmark_id):
            with container, note(f"The benchmark “{deleted.name}” was deleted. {consequence}", "bad") as line:
                button("Restore benchmark", lambda: restore(window, benchmark_id, deleted.name))
            line.classes("note-deleted")

    show()
    on_presence(window, benchmark_id, show)


def deleted_page(window: Window, deleted: DeletedBenchmark) -> NotFound:
    """Return the message at the URL of a deleted benchmark. The page reloads once it is restored."""

    def way_back() -> None:
        on_presence(window, deleted.id, ui.navigate.reload)
        restores = partial(window.write, window.services.editor.restore_benchmark, deleted.id)
        button("Restore benchmark", restores, look="main")

    return NotFound(
        f"“{deleted.name}” was deleted with its runs. Restore it to get everything back.",
        "Benchmark deleted",
        first_way=way_back,
    )


def on_presence(window: Window, benchmark_id: int, callback: Callable[[], Any]) -> None:
    """Call back when the benchmark is deleted or restored, until the current page part is removed."""

    def on_change(change: Change) -> Any:
        return callback() if change.of_presence else None

    window.listen(window.services.changes_of(benchmark_id), on_change)
