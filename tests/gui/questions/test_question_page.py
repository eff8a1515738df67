"""The Questions page by its addresses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application, build
from karenina_gui.gui.frame import shell
from karenina_gui.settings import Settings


@pytest.fixture
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    application = build(Settings(data=tmp_path_factory.mktemp("data")))
    yield application
    application.close()


@pytest.mark.parametrize("tab", ["question", "template", "rubric", "workspace"])
@pytest.mark.parametrize("place", ["questions", "questions/1"])
async def test_an_address_names_the_tab_that_is_open(
    user: User, application: Application, tab: str, place: str
) -> None:
    @ui.page("/")
    @ui.page("/{_:path}")
    def window() -> None:
        shell.draw(application.studio())

    await user.open(f"/benchmarks/1/{place}?tab={tab}")
    await user.should_see(kind=ui.tab_panels)
    editor = next(panels for panels in user.find(kind=ui.tab_panels).elements if panels.value in TABS)
    assert editor.value == tab


TABS = {"question", "template", "rubric", "workspace"}
