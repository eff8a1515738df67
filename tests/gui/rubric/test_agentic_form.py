"""Who investigates a trait is chosen among the kept models that can be agents; one from a file stays until then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.rubric import page as rubric_page
from karenina_gui.gui.pages.rubric.rules import problems
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig
from tests.gui.conftest import Start
from tests.saved_models import save_model
from tests.until import until

LIVE = {"interface": "openai_endpoint", "endpoint_base_url": "http://127.0.0.1:9/v1"}
KEPT = ModelConfig(id="careful", model_name="m", api_key_env="MY_KEY", temperature=None, **LIVE)
AGENT: dict[str, Any] = {"name": "runs", "description": "It runs.", "kind": "boolean", "higher_is_better": True}


@pytest.fixture(scope="module")
def application(started: Start) -> Iterator[Application]:
    with started() as application:
        save_model(application, "careful", KEPT)
        recorded = ModelConfig(id="recorded", interface="manual", manual_traces={"q": "a"})
        save_model(application, "recorded", recorded)
        yield application


async def opened(user: User, application: Application, override: dict[str, Any] | None) -> ui.select:
    """The choice of who investigates the one trait of the benchmark."""
    trait = {**AGENT, "model_override": override} if override else AGENT
    application.editor.edit_benchmark(1, {"rubric": {"agentic_traits": [trait]}})

    @ui.page("/")
    def page() -> None:
        window = Window(application.services())
        window.enter(1)
        rubric_page.draw(window, PageRoute({"b": 1}))

    await user.open("/")
    (made,) = [each for each in user.find(ui.select).elements if each.props.get("aria-label") == "Agent model"]
    assert isinstance(made, ui.select)
    return made


def override(application: Application) -> Any:
    rubric = application.library.benchmarks.frame(1).rubric
    assert rubric is not None
    return rubric.agentic_traits[0].model_override


async def test_a_kept_model_is_copied_into_the_trait_without_a_key_and_let_go_again(
    user: User, application: Application
) -> None:
    choice = await opened(user, application, None)
    names = list(choice.options.values())
    assert names[0] == "The run’s judge"
    assert "careful" in names
    assert "recorded" not in names
    choice.set_value("saved:careful")
    await until(lambda: override(application) is not None)
    assert ModelConfig.model_validate(override(application)) == KEPT
    await user.should_see("Saved")
    choice.set_value("judge")
    await until(lambda: override(application) is None)


async def test_a_model_that_came_with_the_trait_is_recognised_or_named(user: User, application: Application) -> None:
    same = {**KEPT.model_dump(mode="json", exclude_defaults=True), "id": "called otherwise"}
    assert (await opened(user, application, same)).value == "saved:careful"
    other = await opened(user, application, {"model_name": "from-a-file", **LIVE})
    assert other.options[other.value] == "from-a-file (from this trait)"
    await user.should_not_see("Runs do not evaluate this kind of trait yet")


def test_a_model_that_cannot_be_read_is_told_where_another_is_chosen() -> None:
    found = problems("agentic", {**AGENT, "model_override": {"temperature": 9}}, {})
    assert found == {"model_override": "The trait’s model can’t be read. Choose another model."}
