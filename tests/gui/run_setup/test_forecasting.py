"""What the plan of a run says of tokens, cost and time."""

from __future__ import annotations

import pytest

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.plan_view import plan_view
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.prices import Price
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.example.plain_run import plain_run
from tests.gui.run_setup.test_run_plan import complete
from tests.saved_models import save_model, start_run
from tests.twin import Asked, Reply, Twin, fitting

QUESTIONS = 12
CALL = 18
"""Tokens of every reply of the twin."""


def script(asked: Asked) -> Reply:
    return Reply(text="Well.") if asked.schema is None else Reply(data=fitting(asked.schema))


def config(address: str) -> VerificationConfig:
    ada, judge = (
        ModelConfig(id=name, model_name=name, interface="openai_endpoint", endpoint_base_url=address)
        for name in ("ada", "judge")
    )
    return VerificationConfig(answering_models=[ada], parsing_models=[judge])


@pytest.fixture
def address(application: Application) -> str:
    """A benchmark whose questions two models of the twin have answered and judged."""
    with Twin(script) as twin:
        live = config(twin.address)
        for model in (*live.answering_models, *live.parsing_models):
            save_model(application, str(model.id), model)
        run = start_run(application, RunOrder(1, live))
        assert application.runs.wait(run, 60)
        return twin.address


def test_earlier_results_say_what_a_run_takes(application: Application, planner: Planner, address: str) -> None:
    choice = RunDraft.of(config(address))
    plan = complete(planner, choice)
    assert plan.forecast is not None
    assert plan.forecast.earlier == QUESTIONS
    ada = plan.forecast.by_model["openai_endpoint:ada"]
    assert (ada.low, ada.high) == (pytest.approx(0.9 * QUESTIONS * CALL), pytest.approx(1.1 * QUESTIONS * CALL))
    words = str(plan_view(plan, 1))
    assert "cost unknown" in words
    assert "No price for ada (OpenAI or a compatible server) and judge (OpenAI or a compatible server)" in words
    assert "Estimated from 12 earlier results of this benchmark." in words

    for name in ("ada", "judge"):
        application.library.prices.save(Price(model=f"openai_endpoint:{name}", input=1.0, output=1.0))
    words = str(plan_view(complete(planner, choice), 1))
    assert "cost unknown" not in words
    assert "tokens</b> · $0.0" in words


def test_a_new_model_is_estimated_from_its_prompts(application: Application, planner: Planner, address: str) -> None:
    eve = ModelConfig(id="eve", model_name="eve", interface="openai_endpoint", endpoint_base_url=address)
    save_model(application, "eve", eve)
    choice = RunDraft.of(config(address))
    choice.models = ["eve"]
    words = str(plan_view(complete(planner, choice), 1))
    assert "time unknown" in words
    assert "For eve (OpenAI or a compatible server): from prompt length." in words


def test_what_is_played_back_takes_nothing(planner: Planner) -> None:
    plan = complete(planner, RunDraft.of(plain_run()))
    assert plan.forecast is None
    assert "at no cost" in str(plan_view(plan, 1))
