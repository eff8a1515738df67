"""The page of all benchmarks, without a browser."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing

from nicegui import background_tasks, ui
from nicegui.testing import User
from nicegui.testing.user_interaction import UserInteraction

from karenina_gui.app import Application
from karenina_gui.gui.pages.benchmarks.export import export_benchmark
from karenina_gui.gui.pages.benchmarks.page import BenchmarkList
from karenina_gui.gui.session.window import Window
from karenina_gui.store.library import FILE_NAME
from tests.gui.desktop import Desktop
from tests.until import until


async def test_rows_stay_while_nothing_of_them_changes_and_a_deleted_one_is_offered_to_be_restored(
    user: User, application: Application
) -> None:
    made: list[BenchmarkList] = []

    @ui.page("/")
    def page() -> None:
        made.append(BenchmarkList(Window(application.services())))

    await user.open("/")
    (catalog,) = made
    (row,) = catalog.rows.default_slot.children
    catalog.refresh()  # as while a run moves
    assert not row.is_deleted
    assert not catalog.bring_back.visible
    application.editor.delete_benchmark(2)
    application.editor.delete_benchmark(1)
    catalog.refresh()
    assert row.is_deleted
    await user.should_see("Restore deleted benchmarks…")
    catalog.show_deleted()
    buttons = {each for each in user.find(kind=ui.button, content="Restore").elements if each.text == "Restore"}
    UserInteraction(user, buttons, None).click()
    await until(lambda: [each.id for each in application.library.benchmarks.summaries()] == [1])


async def test_the_list_does_not_call_modified_what_was_only_imported(user: User, application: Application) -> None:
    @ui.page("/")
    def page() -> None:
        BenchmarkList(Window(application.services()))

    await user.open("/")
    await user.should_see("Last saved")
    await user.should_not_see("Modified")


async def test_a_page_that_was_left_while_it_imported_leads_nowhere(user: User, application: Application) -> None:
    places: list[ui.element] = []

    @ui.page("/")
    def page() -> None:
        with ui.element("div") as place:
            BenchmarkList(Window(application.services()))
        places.append(place)

    await user.open("/")
    before, tasks = len(application.library.benchmarks.summaries()), set(background_tasks.running_tasks)
    with closing(sqlite3.connect(application.library.folder / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # so that the import takes a while
        user.find("Agents example").click()
        await until(lambda: application.library.writes.delay is not None)
        places[0].clear()
        gc.collect()
        other.execute("ROLLBACK")
    await until(lambda: len(application.library.benchmarks.summaries()) == before + 1)
    await until(lambda: background_tasks.running_tasks <= tasks)
    assert user.back_history == ["/"]


async def test_a_benchmark_deleted_elsewhere_is_told_of_instead_of_exported_or_deleted(
    user: User, application: Application
) -> None:
    windows: list[Window] = []
    shelves: list[BenchmarkList] = []
    told: list[str] = []

    @ui.page("/")
    def page() -> None:
        windows.append(Window(application.services()))
        shelves.append(BenchmarkList(windows[0]))

    await user.open("/")
    (window,), (catalog,) = windows, shelves
    window.notify = lambda message, kind="info", undo=None: told.append(message)  # type: ignore[method-assign]
    shown = application.library.benchmarks.summary(1)
    application.editor.delete_benchmark(1)
    with user:
        export_benchmark(window, 1)
        await catalog.delete(shown)
    assert told == [
        "Benchmark 1 doesn’t exist. It may have been deleted.",
        f"“{shown.name}” is already deleted.",
    ]


async def test_a_benchmark_is_duplicated_and_the_copy_taken_back(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks")
    name = application.library.benchmarks.summary(1).name
    await desktop.press(f"Duplicate {name}")
    await until(lambda: desktop.address.startswith("/benchmarks/") and desktop.address.endswith("/questions"))
    copies = [each for each in application.library.benchmarks.summaries() if each.name == f"{name} (copy)"]
    assert [each.questions for each in copies] == [application.library.benchmarks.summary(1).questions]
    await desktop.press("Undo")
    await until(lambda: f"{name} (copy)" not in {each.name for each in application.library.benchmarks.summaries()})
