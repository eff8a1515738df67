"""The Questions page by its addresses."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.frame import shell


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
