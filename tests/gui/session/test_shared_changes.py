"""Changes are told to all windows together, to those that they concern, and what windows share is read once."""

from __future__ import annotations

import asyncio

from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.authoring.changes import Change
from tests.gui.desktop import Desktop
from tests.until import until


async def test_equal_changes_are_told_once_and_different_ones_in_order(user: User, application: Application) -> None:
    services = application.services()
    await Desktop(user, services).load("/settings")
    told: list[Change] = []
    services.benchmark_changed.subscribe(told.append)
    for number in (1, 2, 1, 1):
        application.editor.changed.emit(Change(1, "edited", number))
    await until(lambda: len(told) == 2)
    assert told == [Change(1, "edited", 2), Change(1, "edited", 1)]


async def test_a_question_hears_of_itself_and_its_benchmark_only(user: User, application: Application) -> None:
    services = application.services()
    await Desktop(user, services).load("/settings")
    told: list[tuple[str, Change]] = []
    question, benchmark = services.changes_of(1, 7), services.changes_of(1)
    question.subscribe(lambda change: told.append(("question", change)))
    benchmark.subscribe(lambda change: told.append(("benchmark", change)))
    own, replaced = Change(1, "edited", 7), Change(1, "replaced")
    for change in (Change(1, "edited", 8), Change(2, "replaced"), own, replaced):
        application.editor.changed.emit(change)
    await until(lambda: len(told) == 3)
    assert told == [("question", own), ("question", replaced), ("benchmark", replaced)]


async def test_what_windows_share_is_read_once_for_each_change(user: User, application: Application) -> None:
    services = application.services()
    await Desktop(user, services).load("/settings")
    read: list[int] = []

    def name(number: int) -> str:
        read.append(number)
        return services.library.benchmarks.summary(number).name

    assert services.read_shared(name, 1) == services.read_shared(name, 1)
    assert read == [1]
    await services.write(application.editor.edit_benchmark, 1, {"name": "kinases"})
    assert services.read_shared(name, 1) == "kinases"
    assert read == [1, 1]


async def test_overviews_are_told_after_a_burst(user: User, application: Application) -> None:
    services = application.services()
    await Desktop(user, services).load("/settings")
    told: list[str] = []
    services.benchmark_changed.subscribe(lambda _: told.append("change"))
    services.changes_debounced.subscribe(lambda: told.append("burst"))
    for number in (1, 2, 3):
        application.editor.changed.emit(Change(1, "edited", number))
    await until(lambda: "burst" in told)
    assert told == ["change", "change", "change", "burst"]


async def test_windows_share_one_check_of_the_templates(user: User, application: Application) -> None:
    services = application.services()
    await Desktop(user, services).load("/settings")
    template = services.editor.question(1, 1).entry.question.answer_template
    services.editor.edit(1, 1, {"answer_template": f"# edited\n{template}"})
    announced: list[Change] = []
    application.editor.changed.subscribe(announced.append)
    await asyncio.gather(*(services.check_templates(1) for _ in range(8)))
    assert len(announced) == 1
