"""What the Run page shows before anything is chosen, and once a run that cannot start was to be started."""

from __future__ import annotations

from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.form import RunForm
from karenina_gui.gui.pages.run_setup.plan_view import plan_view
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.gui.session.app_context import AppContext, ModelChange
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig
from tests.gui.run_pages import complete
from tests.saved_models import save_model
from tests.until import until

LIVE = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
NO_KEY = ModelConfig(id="ada", model_name="m", interface="openai_endpoint", api_key_env="NO_KEY_HERE")
REFUSING = """
class Answer(BaseAnswer):
    name: str = VerifiedField(
        description="The name.", ground_truth="BCL-2", verify_with=RegexMatch(pattern="^bcl2$")
    )
"""


@pytest.fixture
def own(application: Application) -> int:
    benchmark = application.editor.create_benchmark("Own")
    application.editor.add_question(benchmark, "Why?", "So.")
    return benchmark


async def draw(
    user: User,
    application: Application,
    benchmark: int,
    choice: RunDraft | None = None,
    services: AppContext | None = None,
) -> RunForm:
    forms: list[RunForm] = []

    @ui.page("/")
    def page() -> None:
        forms.append(RunForm(Window(services or application.services()), benchmark, choice or RunDraft()))
        forms[-1].draw()

    await user.open("/")
    await user.should_see("Answering models", retries=20)
    return forms[-1]


def saved(application: Application, *names: str) -> None:
    for entry in application.library.models.entries():
        application.library.models.delete(entry.number)
    for name in names:
        save_model(application, name, ModelConfig(id=name, **LIVE))


async def test_the_only_model_answers_and_judges(user: User, application: Application, own: int) -> None:
    saved(application, "ada")
    form = await draw(user, application, own)
    assert (form.choice.models, form.choice.judges) == (["ada"], ["ada"])


async def test_a_choice_that_was_made_stays(user: User, application: Application, own: int) -> None:
    saved(application, "ada")
    form = await draw(user, application, own, RunDraft(models=["ada"]))
    assert form.choice.judges == []


async def test_of_two_models_none_is_selected(user: User, application: Application, own: int) -> None:
    saved(application, "ada", "bob")
    form = await draw(user, application, own)
    assert (form.choice.models, form.choice.judges) == ([], [])


async def test_what_is_missing_is_no_problem_before_the_start(user: User, application: Application, own: int) -> None:
    saved(application, "ada", "bob")
    form = await draw(user, application, own)

    def plan() -> str:
        return "".join(str(each.content) for each in user.find(kind=ui.html).elements)

    await until(lambda: "Select at least one answering model." in plan())
    assert "note-bad" not in plan()
    await form._begin()
    assert plan().count("note-bad") == 2
    assert application.library.runs.count() == 0


async def test_a_model_that_changes_elsewhere_keeps_its_line(user: User, application: Application, own: int) -> None:
    saved(application, "ada", "bob")
    services = application.services()
    await draw(user, application, own, services=services)
    before = {box.id for box in user.find(kind=ui.checkbox).elements}
    entry = application.library.models.save("ada", ModelConfig(id="ada", **LIVE | {"model_name": "newer"}))
    services.models_changed.emit(ModelChange(entry.number, "ada", "ada"))
    await user.should_see("newer", kind=ui.html, retries=20)
    assert {box.id for box in user.find(kind=ui.checkbox).elements} == before
    application.library.models.delete(entry.number)
    services.models_changed.emit(ModelChange(entry.number, "ada", None))
    await user.should_not_see("newer", kind=ui.html)
    boxes = [box for box in user.find(kind=ui.checkbox).elements if box.text == "bob"]
    assert [box.value for box in boxes] == [True, True]  # the only one now


async def test_the_fault_of_a_model_is_told_once(user: User, application: Application, own: int) -> None:
    saved(application)
    save_model(application, "ada", NO_KEY)
    save_model(application, "bob", ModelConfig(id="bob", **LIVE))
    await draw(user, application, own)

    def chips() -> int:
        return sum("chip-warn" in str(each.content) for each in user.find(kind=ui.html).elements)

    assert chips() == 1
    box = min((each for each in user.find(kind=ui.checkbox).elements if each.text == "ada"), key=lambda each: each.id)
    box.set_value(True)
    assert chips() == 0
    await user.should_see("ada: no API key.", kind=ui.html, retries=20)


def test_a_question_whose_template_rejects_its_own_values_is_named(application: Application, own: int) -> None:
    saved(application, "ada")
    changes: dict[str, Any] = {"answer_template": REFUSING, "finished": True}
    (row,) = application.library.questions.summaries(own)
    application.editor.edit(own, row.number, changes)
    planner = Planner(application.services(), own)
    choice = RunDraft(models=["ada"], judges=["ada"])
    plan = complete(planner, choice)
    assert plan.hopeless == [row.id]
    assert "1 question can’t pass: the template rejects its own expected values" in plan_view(plan, own)
    choice.set("evaluation_mode", "rubric_only")
    assert complete(planner, choice).hopeless == []


async def test_advanced_settings_say_what_differs(user: User, application: Application, own: int) -> None:
    form = await draw(user, application, own, RunDraft(settings={"judge_replicates": 2, "abstention_enabled": True}))
    (head,) = [each for each in user.find(kind=ui.expansion).elements if each.text == "Advanced"]
    assert head.props["caption"] == "2 judgments · Pre-checks: Refusal check"
    assert not head.value
    form.choice.set("judge_replicates", None)
    form.choice.set("abstention_enabled", None)
    form._refresh()
    assert head.props["caption"] == "Defaults"


async def test_an_invalid_advanced_setting_is_in_sight(user: User, application: Application, own: int) -> None:
    await draw(user, application, own, RunDraft(refused={"judge_replicates": 99}))
    (head,) = [each for each in user.find(kind=ui.expansion).elements if each.text == "Advanced"]
    assert (head.props["caption"], head.value) == ("Needs fixing", True)


async def test_a_benchmark_with_traits_has_no_run_without_them(user: User, application: Application) -> None:
    form = await draw(user, application, 1, RunDraft())
    (mode,) = [each for each in user.find(kind=ui.radio).elements if each.props.get("aria-label") == "Evaluation mode"]
    assert (list(mode.options), mode.value) == (["template_and_rubric", "rubric_only"], "template_and_rubric")
    assert form.choice.value("evaluation_mode") == "template_only"
    mode.set_value("rubric_only")
    assert form.choice.value("evaluation_mode") == "rubric_only"
