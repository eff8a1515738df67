"""A window that is used for long holds no page that it has left, and a closed one is not held at all."""

from __future__ import annotations

import gc
import weakref

import pytest
from nicegui import Client, ui
from nicegui.testing import User

from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from tests.example.plain_run import plain_run
from tests.gui.desktop import Desktop
from tests.until import until


def kept_though_deleted() -> int:
    """Number of parts of pages that are no longer shown, and that something still holds."""
    gc.collect()
    return sum(isinstance(each, ui.element) and each.is_deleted for each in gc.get_objects())


async def test_pages_that_were_left_are_let_go(user: User, services: AppContext) -> None:
    runs = services.runs
    run = runs.start(RunOrder(1, plain_run(), name="The example"))
    assert runs.wait(run, 60)
    first, second = (row.number for row in services.library.questions.summaries(1, QuestionFilter(first=2)))
    result = runs.library.results.page(run, limit=1).rows[0].id
    desktop = Desktop(user, services)
    await desktop.load("/guide")

    async def visit() -> None:
        for page in (
            f"/benchmarks/1/questions/{first}",
            f"/benchmarks/1/questions/{second}?tab=template",
            "/benchmarks/1/run",
            f"/runs/{run}",
            f"/runs/{run}/results?outcome=wrong",
            f"/runs/{run}/record",
            f"/runs/{run}/charts",
            f"/runs/{run}/results/{result}",
            "/models",
            "/guide",
        ):
            await desktop.follow(page)

    for _ in range(2):
        await visit()
    before = kept_though_deleted()
    for _ in range(2):
        await visit()
    await until(lambda: kept_though_deleted() <= before)


@pytest.mark.parametrize("page", ["/benchmarks/1/questions", "/benchmarks?import=1"])
async def test_windows_that_were_closed_are_let_go(user: User, services: AppContext, page: str) -> None:
    desktop = Desktop(user, services)
    closed: list[weakref.ref[Client]] = []
    for _ in range(3):
        await desktop.load(page)
        assert user.client is not None
        closed.append(weakref.ref(user.client))
        user.client.delete()
    await desktop.load("/guide")

    def kept() -> int:
        gc.collect()
        return sum(window() is not None for window in closed)

    await until(lambda: kept() == 0)
