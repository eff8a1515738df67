"""Tests of the page of an agentic result without a browser: its markup and its data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.results import api, page as result_page
from karenina_gui.gui.pages.results.page import FileChanges
from karenina_gui.gui.pages.results.trace_view import TraceView
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from tests.agentic_result import HOSTILE, agentic_result, opened
from tests.gui.conftest import Start
from tests.gui.results.test_investigations import plain


@pytest.fixture(scope="module")
def application(started: Start, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """Result 1 is agentic, result 2 is not."""
    with started() as application:
        other = plain()
        other.metadata.question_id = "other"
        opened(application, tmp_path_factory.mktemp("file"), [agentic_result(), other])
        yield application


@pytest.fixture
def show(user: User, application: Application) -> Callable[[int], None]:
    """Serve the page of a result at `/`, and its data."""
    services = application.services()
    api.register(services)

    def show(result_id: int) -> None:
        @ui.page("/")
        def page() -> None:
            result_page.draw(Window(services), PageRoute({"r": 1, "id": result_id}, {}))

    return show


async def test_an_agentic_result_has_its_panes_and_asks_why_at_each_field_and_trait(
    user: User, show: Callable[[int], None]
) -> None:
    show(1)
    await user.open("/")
    traces = user.find(kind=TraceView).elements
    assert {trace.props["anchor"] for trace in traces if "anchor" in trace.props} == {
        "investigation-1-message", "investigation-2-message",
    }  # fmt: skip
    assert len(user.find(kind=FileChanges).elements) == 1
    html = "".join(element.content for element in user.find(kind=ui.html).elements)
    for target in ("field%3Aresponders", "field%3Amean_dose", "trait%3AReproducible", "trait%3ACareful"):
        assert f'href="#why={target}"' in html
    assert HOSTILE not in html


async def test_a_result_without_agents_is_drawn_as_ever(user: User, show: Callable[[int], None]) -> None:
    show(2)
    await user.open("/")
    (trace,) = user.find(kind=TraceView).elements
    assert trace.props["url"] == "/api/results/2/conversation"
    assert "#why=" not in "".join(element.content for element in user.find(kind=ui.html).elements)


async def test_the_browser_gets_investigations_files_and_reasons_from_a_result_that_came_as_a_file(
    user: User, show: Callable[[int], None]
) -> None:
    show(1)
    get = user.http_client.get
    assert len((await get("/api/results/1/investigations/1")).json()) == 11
    assert (await get("/api/results/1/evidence")).json()["field:mean_dose"]["value"] == "247.5"
    files = (await get("/api/results/1/workspace")).json()
    assert [each["path"] for each in files] == ["analysis/count.py", "notes.tmp", "plot.png", "summary.md"]
    shown = (await get("/api/results/1/workspace/0")).json()
    assert shown["whole"]
    assert [line[3] for line in shown["lines"] if line[0] == "+"][1].endswith(HOSTILE)
    assert (await get("/api/results/1/workspace/2")).json()["note"] == "No text, so its contents are not shown."


@pytest.mark.parametrize(
    "path", ["1/investigations/9", "1/investigations/0", "1/workspace/4", "2/workspace/0", "99/evidence"]
)
async def test_what_is_not_there_is_said(user: User, show: Callable[[int], None], path: str) -> None:
    show(1)
    reply = await user.http_client.get(f"/api/results/{path}")
    assert reply.status_code == 404
    assert reply.json()["message"]
