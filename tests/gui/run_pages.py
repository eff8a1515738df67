"""The Run page on an application as after the first start, with the models that a file of tests calls `MODELS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.plan import Plan
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.gui.pages.runs import api as run_routes
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from tests.gui.conftest import Start
from tests.saved_models import save_model


@pytest.fixture(scope="module")
def application(started: Start, request: pytest.FixtureRequest) -> Iterator[Application]:
    with started() as application:
        for name, model in getattr(request.module, "MODELS", {}).items():
            save_model(application, name, model)
        yield application


@pytest.fixture
def planner(application: Application) -> Planner:
    return Planner(application.services(), 1)


def complete(planner: Planner, choice: RunDraft) -> Plan:
    """The plan once all templates are checked."""
    planner.learn(planner.plan(choice).unknown)
    return planner.plan(choice)


@pytest.fixture
def show(user: User, application: Application) -> Callable[..., None]:
    """Serve one page at `/`, and the data of all of them."""
    services = application.services()
    run_routes.register(services)

    def show(draw: Callable[[Window, PageRoute], None], numbers: dict[str, int], **query: str) -> None:
        @ui.page("/")
        def page() -> None:
            draw(Window(services), PageRoute(numbers, query))

    return show


def visit_groups(user: User) -> None:
    """Expand each group of options once, which draws its options, and leave it as it was."""
    for fold in sorted(user.find(ui.expansion).elements, key=lambda each: each.id):
        before = fold.value
        fold.set_value(True)
        fold.set_value(before)
