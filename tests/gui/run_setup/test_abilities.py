"""What a model cannot do is said where it is chosen, not by a run that fails."""

from __future__ import annotations

from dataclasses import replace

from nicegui import ui
from nicegui.testing import User

from karenina_gui.adapters.ports import PortCapabilities
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.form import RunForm
from karenina_gui.gui.pages.run_setup.model_choice import IN_WORDS, NOT_ASKED, limitations
from karenina_gui.gui.pages.run_setup.option_text import group_summary
from karenina_gui.gui.pages.run_setup.options import GROUPS
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig

GROUP = {group.name: group for group in GROUPS}
LIVE = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
MODELS = {
    "recorded": ModelConfig(id="recorded", interface="manual", manual_traces={"q": "an answer"}),
    "tooled": ModelConfig(
        id="tooled", interface="manual", manual_traces={"q": "an answer"}, workspace_tools=["read_file"]
    ),
    "plain": ModelConfig(id="plain", **LIVE),
    "secretive": ModelConfig(
        id="secretive",
        mcp_servers={"papers": {"command": "papers", "env": {"PAPERS_TOKEN": "${PAPERS_TOKEN}"}}},
        **LIVE,
    ),
    "foreign": ModelConfig(id="foreign", interface="carrier_pigeon", model_name="m"),
}


async def opened(user: User, application: Application, choice: RunDraft) -> None:
    @ui.page("/")
    def page() -> None:
        RunForm(Window(application.services()), 1, choice).draw()

    await user.open("/")


def test_tools_are_used_through_every_interface_that_asks_a_model(application: Application) -> None:
    for name in ("openai_endpoint", "openrouter", "claude_tool", "langchain", "replay"):
        tooled = ModelConfig(id="a", interface=name, model_name="m", workspace_tools=["read_file"])
        assert application.runs.models.tools_in_vain(tooled) == []


def test_a_variable_that_an_mcp_server_needs_is_asked_for_on_the_page_of_keys(application: Application) -> None:
    (use,) = [use for use in application.runs.models.key_uses() if use.variable == "PAPERS_TOKEN"]
    assert (use.models, use.is_set) == (("secretive",), False)
    assert application.runs.models.unset_variables(MODELS["secretive"]) == ["PAPERS_TOKEN"]


def test_recorded_answers_read_no_examples_and_no_instructions(application: Application, planner: Planner) -> None:
    recorded = planner.setting_context(RunDraft(models=["recorded"]))
    both = planner.setting_context(RunDraft(models=["recorded", "plain"]))
    assert group_summary(GROUP["examples"], recorded) == "Not applicable"
    assert group_summary(GROUP["examples"], both) == "None"
    generation = next(each for each in GROUP["instructions"].options if each.name == "prompt_config.generation")
    assert (generation.is_relevant(recorded), generation.is_relevant(both)) == (False, True)
    assert limitations(MODELS["recorded"], "models", application.runs.models) == [NOT_ASKED]


def test_a_judge_without_structured_output_is_told_as_such(application: Application) -> None:
    spec = AdapterRegistry.require("openai_endpoint")
    AdapterRegistry.register(replace(spec, capabilities=PortCapabilities(structured_output=False)))
    try:
        assert limitations(MODELS["plain"], "judges", application.runs.models) == [IN_WORDS]
    finally:
        AdapterRegistry.register(spec)
    assert limitations(MODELS["plain"], "judges", application.runs.models) == []
    assert limitations(MODELS["plain"], "models", application.runs.models) == []


async def test_the_form_says_it_beside_the_models(user: User, application: Application) -> None:
    await opened(user, application, RunDraft())
    await user.should_see("recorded and tooled can’t judge: recorded answers only.")
    await user.should_see(NOT_ASKED)
    await user.should_see("Can’t use its tools: read_file.")
    names = [each.text for each in user.find(ui.checkbox).elements]
    assert (names.count("plain"), names.count("recorded")) == (2, 1)


async def test_a_model_of_an_interface_that_is_not_here_is_shown_and_keeps_a_run_from_starting(
    user: User, application: Application, planner: Planner
) -> None:
    choice = RunDraft(models=["foreign"], judges=["foreign"])
    await opened(user, application, choice)
    planner.learn(planner.plan(choice).unknown)
    plan = planner.plan(choice)
    assert plan.unknown == []
    (obstacle,) = plan.obstacles
    assert obstacle.startswith("foreign: Unknown interface “carrier_pigeon”.")
    await user.should_see("Unknown interface", retries=30)


async def test_groups_follow_the_models_that_are_chosen(user: User, application: Application) -> None:
    await opened(user, application, RunDraft(models=["recorded"]))
    await user.should_see("The selected models have recorded answers, so they read no examples.")
    lines = [each for each in user.find(ui.checkbox).elements if each.text == "plain"]
    to_answer = min(lines, key=lambda each: each.id)  # it is drawn before the judges
    to_answer.set_value(True)
    await user.should_not_see("The selected models have recorded answers, so they read no examples.")
