"""The Questions page by its addresses."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.shell import layout
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from tests.until import until


@pytest.fixture
def served(application: Application) -> AppContext:
    """The application, drawn at every address, with its events connected."""
    services = application.services()
    services.connect()

    @ui.page("/")
    @ui.page("/{_:path}")
    def window() -> None:
        layout.draw(services)

    return services


@pytest.mark.parametrize("tab", ["question", "template", "rubric", "workspace"])
@pytest.mark.parametrize("place", ["questions", "questions/1"])
async def test_an_address_names_the_tab_that_is_open(user: User, served: AppContext, tab: str, place: str) -> None:
    await user.open(f"/benchmarks/1/{place}?tab={tab}")
    await user.should_see(kind=ui.tab_panels)
    editor = next(panels for panels in user.find(kind=ui.tab_panels).elements if panels.value in TABS)
    assert editor.value == tab


TABS = {"question", "template", "rubric", "workspace"}


async def test_templates_are_checked_again_while_their_list_is_open(user: User, served: AppContext) -> None:
    def unchecked() -> int:
        return len(served.library.questions.summaries(1, QuestionFilter(has_template=True, unchecked=True)))

    await user.open("/benchmarks/1/questions")
    await until(lambda: unchecked() == 0)
    served.editor.set_trusted(1, True)
    assert unchecked() > 0
    await until(lambda: unchecked() == 0)


async def test_the_run_page_follows_the_questions(user: User, served: AppContext) -> None:
    await user.open("/benchmarks/1/run")
    await user.should_see(content="<b>288 jobs</b>")
    finished = [each.number for each in served.library.questions.summaries(1) if each.finished]
    served.editor.set_finished(1, finished[:6], False)
    await user.should_see(content="<b>144 jobs</b>")
