"""The page of a run that is going: whatever is counted on it is of one moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.runs import api as run_routes, view as run_view
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from tests.figures.random_run import RandomRun, fill, record
from tests.figures.shown import outcomes, texts
from tests.gui.conftest import Start
from tests.until import until

DRAWN = next(run for run in map(RandomRun, range(100)) if 100 < sum(bool(row.outcome) for row in run.rows) < 300)


@pytest.fixture(scope="module")
def application(started: Start) -> Iterator[Application]:
    with started() as application:
        yield application


async def test_head_figures_and_tables_say_the_same_while_results_come(user: User, application: Application) -> None:
    library, services = application.library, application.services()
    services.connect()
    run_routes.register(services)
    run = fill(library, DRAWN, 10)

    @ui.page("/")
    def page() -> None:
        run_view.draw(Window(services), PageRoute({"r": run}, {}))

    await user.open("/")

    def head() -> str:
        return _markup(user, "running-big")

    def figures() -> int:
        return sum(outcomes(_markup(user, "overview-counts")).values())

    def counted() -> int:
        return int(texts(head(), "running-big")[0][1].split()[0])

    await until(lambda: _markup(user, "overview-counts"))
    assert counted() == figures() == 10
    for before, results in ((10, 17), (17, 23), (23, 40)):  # faster than figures are drawn
        record(library, run, DRAWN, before, results)
        application.runs.changed.emit(run)
        for _ in range(20):
            await asyncio.sleep(0.01)
            assert counted() == figures()
    await until(lambda: counted() == 40)
    assert figures() == 40
    last = library.results.tally(run)[1]
    record(library, run, DRAWN, 40, 50)
    table = (await user.http_client.get(f"/api/runs/{run}/results?last={last}")).json()
    assert table["total"] == table["all"] == 40
    matrix = (await user.http_client.get(f"/api/runs/{run}/matrix?last={last}")).json()
    cells = [cell for row in matrix["rows"] for cell in row["cells"] if cell]
    assert sum(cell["judged"] + cell["left_out"] for cell in cells) == 40


def _markup(user: User, part: str) -> str:
    """Of the piece that has this part; empty: it is not there (yet)."""
    assert user.client is not None
    found = [each.content for each in user.client.layout.descendants() if isinstance(each, ui.html)]
    return next((content for content in found if part in content), "")
