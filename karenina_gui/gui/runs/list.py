"""Page of all runs, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.analysis.rates import OUTCOMES, RESULTS_PASSED
from karenina_gui.gui.components.elements import button, empty_state, heading, pane, toolbar
from karenina_gui.gui.components.figure_links import figure_list as listed_figures
from karenina_gui.gui.components.grid import Grid
from karenina_gui.gui.components.routing import open_tab, redraw
from karenina_gui.gui.runs.deleted_runs import DeletedRuns, delete
from karenina_gui.gui.runs.results_import import ResultsImportDialog
from karenina_gui.gui.runs.resume_panel import InterruptedRuns, find_interrupted, mark_seen
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.progress import JOBS_DONE

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs`; `?benchmark=3` shows those of one benchmark, `?open=1` opens the import of results."""
    benchmark = route.query.get("benchmark", "")
    benchmark_id = int(benchmark) if benchmark.isdecimal() else None
    find_interrupted(window)
    mark_seen(window)
    listed = window.services.library.runs.all(benchmark_id)
    with pane("Runs"):
        opening, deleted = ResultsImportDialog(window), DeletedRuns(window)
        window.register_command("results.open", opening.show)
        with toolbar():
            heading("Runs", 1)
            if benchmark_id is not None and listed:
                ui.label(f"Benchmark: {listed[0].benchmark_name}").classes("hint")
                button("Show all", lambda: ui.navigate.to("/runs"), look="quiet")
            ui.space()
            bring_back = button("Restore deleted…", deleted.show, icon="restore_from_trash", look="quiet")
            button("Import results…", opening.show, icon="upload_file")
        if route.query.get("open"):
            opening.show()

        def look_again(_news: object = None) -> None:
            bring_back.set_visibility(bool(window.services.library.runs.list_deleted()))
            if opening.value or deleted.value:
                return  # a redraw of the page would close its dialog
            # The page without runs has no table that could refresh itself.
            if bool(listed) != bool(window.services.library.runs.all(benchmark_id)):
                redraw("/runs")

        look_again()
        for sheet in (opening, deleted):
            sheet.on("hide", look_again)
        window.listen(window.services.run_changed, look_again)
        if not listed:
            _nothing_yet(window)
            return
        interrupted = InterruptedRuns(window, benchmark_id)
        tooltips = {"jobs": JOBS_DONE.short, "passed": RESULTS_PASSED.short, "errors": OUTCOMES.short}
        grid = Grid("run_tables", label="Runs", empty="<span>No runs.</span>")
        grid.attach(benchmark_id, tooltips, function="runs")
        grid.classes("result-grid wide fills").props('data-row-menu="run"')
        ui.html(listed_figures((JOBS_DONE, RESULTS_PASSED, OUTCOMES))).classes("run-list-figures")
    window.listen(window.services.run_changed, lambda _: grid.call("start"))
    window.listen(window.services.benchmark_changed, lambda change: grid.call("start") if change.of_presence else None)
    window.listen(window.services.changes_debounced, interrupted.show)
    _register_row_menu(window)


def _register_row_menu(window: Window) -> None:
    library = window.services.library

    async def delete_row(number: int) -> None:
        await delete(window, number, library.runs.summary(number).name)

    window.register_row_menu(
        "run",
        {
            "row.open": lambda number: ui.navigate.to(f"/runs/{number}"),
            "row.tab": lambda number: open_tab(f"/runs/{number}"),
            "run.charts": lambda number: ui.navigate.to(f"/runs/{number}/charts"),
            "go.questions": lambda number: ui.navigate.to(
                f"/benchmarks/{library.runs.summary(number).benchmark_id}/questions"
            ),
            "run.delete": delete_row,
        },
    )


def _nothing_yet(window: Window) -> None:
    with empty_state(
        "play_circle",
        "No runs" if window.services.library.runs.list_deleted() else "No runs yet",
        "A run sends finished questions to models and checks every answer.",
    ):
        if window.benchmark_id is not None:
            button("Run this benchmark", lambda: ui.navigate.to(f"/benchmarks/{window.benchmark_id}/run"), look="main")
        button("All benchmarks", lambda: ui.navigate.to("/benchmarks"))
