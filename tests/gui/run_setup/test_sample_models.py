"""Models that replay the examples stay out of the way of other benchmarks."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui import example
from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.form import RunForm
from karenina_gui.gui.session.window import Window
from tests.saved_models import save_model

SAMPLES = {*example.ANSWERING_MODELS, *example.JUDGES}


@pytest.fixture
def own_benchmark(application: Application) -> int:
    benchmark = application.editor.create_benchmark("Own")
    application.editor.add_question(benchmark, "Why?", "So.")
    for model in example.run_configuration().answering_models + example.run_configuration().parsing_models:
        save_model(application, model.id or "", model)
    return benchmark


async def test_sample_models_are_hidden_from_other_benchmarks_until_asked_for(
    user: User, application: Application, own_benchmark: int
) -> None:
    await draw(user, application, own_benchmark)
    assert not boxes(user) & SAMPLES
    user.find("Show models of the examples").click()
    assert boxes(user) >= SAMPLES


async def test_a_sample_model_that_is_selected_stays_in_sight(
    user: User, application: Application, own_benchmark: int
) -> None:
    await draw(user, application, own_benchmark, RunDraft(models=["sample-hasty"]))
    assert boxes(user) & SAMPLES == {"sample-hasty"}


async def test_the_example_offers_its_own_models(user: User, application: Application, own_benchmark: int) -> None:
    await draw(user, application, 1)
    agents = {str(model.id) for model in example.agents.run_configuration().answering_models}
    assert boxes(user) >= SAMPLES
    assert not agents & boxes(user)


def test_only_shipped_recordings_are_samples() -> None:
    models = {str(model.id): model for model in example.run_configuration().answering_models}
    own = models["sample-hasty"].model_copy(update={"recording": "mine"})
    assert example.foreign_samples({**models, "own": own}, ["q"]) == {"sample-careful", "sample-hasty"}


async def draw(user: User, application: Application, benchmark: int, choice: RunDraft | None = None) -> None:
    @ui.page("/")
    def page() -> None:
        RunForm(Window(application.services()), benchmark, choice or RunDraft()).draw()

    await user.open("/")
    await user.should_see("Answering models", retries=20)


def boxes(user: User) -> set[str]:
    return {each.text for each in user.find(kind=ui.checkbox).elements if each.visible}
