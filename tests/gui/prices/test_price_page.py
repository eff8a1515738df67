"""The table of prices: what is entered holds, what is half entered counts as unknown and says so."""

from __future__ import annotations

import asyncio

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.pages.prices import page as prices
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.prices import Price
from tests.saved_models import save_model

SAVED = 0.4
"""Seconds after a keystroke by which it is saved."""
MODEL = "openai:our-gpt"


@pytest.fixture
def services(services: AppContext) -> AppContext:
    """With a model that has no price yet."""
    save_model(services, "GPT", ModelConfig(id="GPT", interface="openai", model_name="our-gpt"))
    return services


async def test_a_price_holds_once_input_and_output_are_entered(user: User, services: AppContext) -> None:
    await open_page(user, services)
    await user.should_see("Unknown")
    await enter(user, "Input", "1.25")
    await user.should_see("Unknown: enter the output price.")
    assert services.runs.prices.all() == {}
    await enter(user, "Output", "10")
    await user.should_not_see("Unknown")
    await enter(user, "Cache read", "0.125")
    assert services.runs.prices.all() == {MODEL: Price(model=MODEL, input=1.25, output=10, cache_read=0.125)}
    await enter(user, "Output", "")
    await user.should_see("Unknown: enter the output price.")
    assert services.runs.prices.all() == {}


@pytest.mark.parametrize("typed", ["cheap", "-1", "2,500", "1e99"])
async def test_what_is_no_price_is_refused_where_it_is_typed(user: User, services: AppContext, typed: str) -> None:
    services.library.prices.save(Price(model=MODEL, input=1, output=10))
    await open_page(user, services)
    await enter(user, "Input", typed)
    assert [error.text for error in user.find(kind=FieldError).elements if error.text]
    assert services.runs.prices.all()[MODEL].input == 1


async def test_a_listed_price_is_shown_with_its_source_and_ones_own_replaces_it(
    user: User, services: AppContext
) -> None:
    save_model(services, "GPT", ModelConfig(id="GPT", interface="openai", model_name="gpt-5-mini"))
    await open_page(user, services)
    await user.should_see("List price of")
    await user.should_see("(genai-prices")
    assert box(user, "Input", "gpt-5-mini").props["placeholder"] == "0.25"
    await enter(user, "Input", "1", "gpt-5-mini")
    await user.should_see("To use your own price, enter the output price.")
    assert services.runs.prices.all()["openai:gpt-5-mini"].input == 0.25
    await enter(user, "Output", "3", "gpt-5-mini")
    await user.should_see("Your own price")
    assert services.runs.prices.all()["openai:gpt-5-mini"].input == 1


async def test_what_is_played_back_is_not_listed(user: User, application: Application) -> None:
    await open_page(user, application.services())
    await user.should_see("No models with costs yet")


def box(user: User, field: str, model: str = "our-gpt") -> ui.input:
    name = f"{field}: {model}"
    return next(each for each in user.find(kind=ui.input).elements if each.props["aria-label"] == name)


async def enter(user: User, field: str, text: str, model: str = "our-gpt") -> None:
    box(user, field, model).set_value(text)
    await asyncio.sleep(SAVED)


async def open_page(user: User, services: AppContext) -> None:
    @ui.page("/")
    def page() -> None:
        prices.draw(Window(services, browser_id="ada"), PageRoute())

    await user.open("/")
