"""The Models page: what its form asks for first, where a fault is told, and which models it lists."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui import example
from karenina_gui.app import Application
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.model_config import ModelConfig
from tests.gui.desktop import Desktop
from tests.saved_models import save_model
from tests.until import until

WITHOUT_KEY = ModelConfig(model_name="m", interface="openai_endpoint", api_key_env="NO_KEY_HERE", temperature=0.7)


def shown(desktop: Desktop) -> str:
    return "\n".join(str(each.content) for each in desktop.elements(ui.html))


@pytest.fixture
def services(application: Application) -> AppContext:
    return application.services()


async def test_a_missing_key_is_told_once_beside_its_button(
    user: User, application: Application, services: AppContext
) -> None:
    save_model(application, "keyless", WITHOUT_KEY)
    desktop = Desktop(user, services)
    await desktop.load("/models?name=keyless")
    await until(lambda: "NO_KEY_HERE is not set." in shown(desktop))
    assert "no api key" not in shown(desktop).lower()
    await desktop.load("/models?name=sample-careful")
    await until(lambda: "no API key" in shown(desktop))  # in the list, as another one is open
    await desktop.load("/models?name=keyless")
    await desktop.press("Enter key…")


async def test_the_advanced_settings_say_what_differs(
    user: User, application: Application, services: AppContext
) -> None:
    save_model(application, "warm", WITHOUT_KEY)
    desktop = Desktop(user, services)
    await desktop.load("/models?name=warm")
    await until(lambda: heads(desktop))
    (head,) = heads(desktop)
    assert (head.props["caption"], head.value) == ("Temperature", False)
    await desktop.type("System prompt", "Be brief.")
    await until(lambda: head.props["caption"] == "System prompt · Temperature")
    head.value = True
    await desktop.load("/models?name=sample-careful")
    await until(lambda: heads(desktop))
    assert heads(desktop)[0].value  # for who opened it


def heads(desktop: Desktop) -> list[ui.expansion]:
    return [each for each in desktop.elements(ui.expansion) if each.text == "Advanced"]


async def test_sample_models_are_listed_as_long_as_their_example_is_there(
    user: User, application: Application, services: AppContext
) -> None:
    desktop = Desktop(user, services)
    await desktop.load("/models")
    await until(lambda: set(example.ANSWERING_MODELS) <= desktop.entries().keys())
    application.editor.delete_benchmark(1)
    await until(lambda: not set(example.JUDGES) & desktop.entries().keys())
    assert "sample-agent" in desktop.entries()
    application.editor.restore_benchmark(1)
    await until(lambda: set(example.JUDGES) <= desktop.entries().keys())
