"""Conditions on the Run page: written in their cards, counted in the plan, and what stands against them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.condition_draft import ConditionDraft
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.form import RunForm
from karenina_gui.gui.pages.run_setup.plan_view import plan_view
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.gui.session.toasts import Toasts
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.condition import AnsweringSettings, Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.gui.run_pages import complete
from tests.until import until

LIVE = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
PROGRAM = ToolServer(type="stdio", command="uvx", args=["graph"], env={"GRAPH_TOKEN": "${GRAPH_TOKEN}"})
MODELS = {
    "ada": ModelConfig(id="ada", system_prompt="Be brief.", **LIVE),
    "warm": ModelConfig(id="warm", temperature=0.5, **LIVE),
    "cold": ModelConfig(id="cold", temperature=0, **LIVE),
    "unset": ModelConfig(id="unset", temperature=None, **LIVE),
    "claude": ModelConfig(id="claude", interface="claude_agent_sdk", model_name="c"),
    "claude-judge": ModelConfig(id="claude-judge", interface="claude_tool", model_name="c", api_key_env="HOME"),
    "old": ModelConfig(id="old", interface="manual", manual_traces={"q": "42"}),
}
PLAIN, TOLD = Condition(name="plain"), Condition(name="told", system_prompt="Be brief and exact.")
WITH_GRAPH = Condition(name="with graph", mcp_servers={"graph": PROGRAM}, require_mcp_tool_use=True)
Opened = Callable[[RunDraft], Any]


def choice(*conditions: Condition, model: str = "ada", judge: str = "cold", **settings: Any) -> RunDraft:
    drafts = [ConditionDraft.of(each) for each in conditions]
    return RunDraft(models=[model], judges=[judge], conditions=drafts, settings=settings)


# ---------------------------------------------------------------- the plan
def test_answers_jobs_and_calls_multiply_by_conditions_and_judgments(planner: Planner) -> None:
    once = complete(planner, choice(replicate_count=3))
    plan = complete(planner, choice(PLAIN, TOLD, replicate_count=3, judge_replicates=2))
    questions = len(plan.selection.chosen)
    assert (plan.answers, plan.jobs) == (questions * 2 * 3, questions * 2 * 3 * 2)
    assert plan.judge_calls == 4 * once.judge_calls
    assert f"{questions} questions × 1 model × 2 conditions × 3 replicates × 2 judgments" in plan_view(plan, 1)
    assert plan.obstacles == []


def test_without_a_judge_an_answer_is_one_job_however_often_it_would_be_judged(planner: Planner) -> None:
    lonely = choice(PLAIN, judge_replicates=2)
    lonely.judges = []
    plan = planner.plan(lonely)
    assert plan.jobs == plan.answers


def test_three_replicates_are_usual_in_the_application() -> None:
    assert RunDraft().config({}).replicate_count == 3
    assert VerificationConfig().replicate_count == 1


def test_a_rule_about_calls_wants_a_server(planner: Planner) -> None:
    strict = Condition(name="strict", require_mcp_tool_use=True)
    (obstacle,) = complete(planner, choice(PLAIN, strict)).obstacles
    assert obstacle.startswith("The condition “strict” requires an MCP tool call, but ada has no MCP server in it.")
    assert complete(planner, choice(PLAIN, WITH_GRAPH)).obstacles == []


def test_programs_and_variables_of_conditions_are_told_beforehand(
    planner: Planner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GRAPH_TOKEN", raising=False)
    plan = complete(planner, choice(PLAIN, WITH_GRAPH))
    assert "(graph), for ada under “with graph”" in plan_view(plan, 1)
    variable, program = plan.doubts
    assert variable == (
        "ada: its MCP servers need GRAPH_TOKEN. Enter it on the API keys page, or set the environment variable."
    )
    assert program.startswith("ada · with graph would start the program GRAPH_TOKEN=${GRAPH_TOKEN} uvx graph.")
    assert "/keys?enter=GRAPH_TOKEN" in plan_view(plan, 1)


def test_workspace_tools_of_a_condition_count_as_work_in_a_workspace(planner: Planner) -> None:
    runs = Condition(name="runs", settings=AnsweringSettings(workspace_tools=["run_command"]))
    situation = planner.setting_context(choice(PLAIN, runs))
    assert (situation.works, situation.commands) == (True, True)
    assert complete(planner, choice(PLAIN, runs)).in_workspaces


def test_a_setting_that_an_interface_makes_no_use_of_is_doubted(planner: Planner) -> None:
    hot = Condition(name="hot", settings=AnsweringSettings(temperature=1))
    ignored = "claude ignores “Temperature” of the condition “hot”: its interface can’t set it."
    assert ignored in complete(planner, choice(PLAIN, hot, model="claude")).doubts
    assert complete(planner, choice(PLAIN, hot)).doubts == []


@pytest.mark.parametrize(
    ("judge", "told"), [("warm", True), ("cold", False), ("unset", False), ("sample-judge", False)]
)
def test_a_judge_that_is_asked_as_it_is_set_is_told_of_where_that_is_not_at_temperature_0(
    planner: Planner, judge: str, told: bool
) -> None:
    view = plan_view(complete(planner, choice(judge=judge, fixed_judges=False)), 1)
    assert ("Judges use their own temperature" in view) is told
    assert ("/models?name=warm" in view) is told


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ("warm", "Judges run at temperature 0 with a fixed seed, so variation comes mostly from the answers."),
        ("unset", "Not sent, as set on the Models page: a temperature to unset."),
        ("claude-judge", "No seed is sent to claude-judge: the provider doesn’t support one."),
        ("sample-judge", None),
    ],
)
def test_judges_are_fixed_unless_told_otherwise_and_what_cannot_be_is_named(
    planner: Planner, judge: str, told: str | None
) -> None:
    chosen = choice(judge=judge)
    assert chosen.config({}).fixed_judges
    view = plan_view(complete(planner, chosen), 1)
    assert told in view if told else "temperature 0" not in view


def test_missing_recordings_are_told_once_for_all_conditions_of_a_model(planner: Planner) -> None:
    other = Condition(name="other", system_prompt="Otherwise.")
    plan = complete(planner, choice(PLAIN, TOLD, other, model="sample-careful", judge="sample-judge"))
    (doubt,) = plan.doubts
    assert doubt.startswith("sample-careful under “told”, “other” replays a recording that lacks 72 of 72 answers:")


# ---------------------------------------------------------------- the cards
@pytest.fixture
async def opened(user: User, application: Application) -> Opened:
    """Open the Run page of the example with a choice."""

    async def open_form(choice: RunDraft) -> RunForm:
        forms: list[RunForm] = []

        @ui.page("/")
        def page() -> None:
            window = Window(application.services())
            window.toasts = Toasts()
            form = RunForm(window, 1, choice)
            form.draw()
            forms.append(form)

        await user.open("/")
        return forms[-1]

    return open_form


def labelled(user: User, kind: Any, label: str) -> Any:
    (found,) = [each for each in user.find(kind=kind).elements if each.props.get("aria-label") == label]
    return found


def press(user: User, label: str) -> None:
    button = labelled(user, ui.button, label)
    with button.client:
        for listener in list(button._event_listeners.values()):
            if listener.type == "click":
                button._handle_event({"listener_id": listener.id, "args": None})


def names(form: RunForm) -> list[str]:
    return [draft.name for draft in form.choice.conditions]


async def test_conditions_are_added_written_and_held_against_the_baseline(user: User, opened: Opened) -> None:
    form = await opened(choice())
    user.find("Add condition").click()
    user.find("Add condition").click()
    assert names(form) == ["baseline", "condition"]
    await user.should_see("Same as “baseline”: results will only differ at random.")
    labelled(user, ui.input, "Condition 2 name").set_value("told")
    source = labelled(user, ui.radio, "System prompt source, condition 2")
    labelled(user, ui.textarea, "System prompt, condition 2").set_value("Be brief and exact.")
    assert source.value == "these"
    labelled(user, ui.checkbox, "Temperature, condition 2").set_value(True)
    labelled(user, ui.number, "Temperature value, condition 2").set_value(3)
    await user.should_see("Enter a number from 0 to 2.")
    labelled(user, ui.number, "Temperature value, condition 2").set_value(0.7)
    labelled(user, ui.checkbox, "Require at least one successful call, condition 2").set_value(True)
    (view,) = [each.content for each in user.find(kind=ui.html).elements if "Differs from" in each.content]
    assert "Differs from “baseline”:" in view
    for phrase in ("system prompt", "temperature 0.1 → 0.7", "requires a successful call"):
        assert f"<li>{phrase}</li>" in view
    assert "<mark> and exact</mark>" in view
    told = form.choice.config({}).conditions[1]
    assert (told.name, told.system_prompt, told.settings.explicit) == (
        "told",
        "Be brief and exact.",
        {"temperature": 0.7},
    )
    assert told.require_mcp_tool_success


async def test_the_button_that_adds_conditions_stays_the_same_so_that_no_click_is_lost(
    user: User, opened: Opened
) -> None:
    form = await opened(choice())
    (add,) = user.find("Add condition").elements
    for _ in range(3):
        user.find("Add condition").click()
        assert user.find("Add condition").elements == {add}
    assert names(form) == ["baseline", "condition", "condition 2"]
    await user.should_not_see("Compare tools on/off")


async def test_cards_are_copied_moved_deleted_and_come_back(user: User, opened: Opened) -> None:
    form = await opened(choice(PLAIN, TOLD))
    press(user, "Copy condition 2")
    assert names(form) == ["plain", "told", "told 2"]
    press(user, "Move condition 3 up")
    assert names(form) == ["plain", "told 2", "told"]
    press(user, "Delete condition 1")
    assert names(form) == ["told 2", "told"]  # a new baseline
    await user.should_see("Deleted “plain”.")
    user.find("Undo").click()
    await until(lambda: len(names(form)) == 3)
    assert names(form) == ["plain", "told 2", "told"]


async def test_two_of_one_name_keep_the_run_from_starting_and_say_so_at_the_card(user: User, opened: Opened) -> None:
    form = await opened(choice(PLAIN, TOLD))
    labelled(user, ui.input, "Condition 2 name").set_value("plain")
    await user.should_see("Another condition has this name. Choose a different one.")
    await user.should_see("Condition “plain”: Another condition has this name", retries=100)
    assert [each.name for each in form.choice.config({}).conditions] == ["plain"]


async def test_servers_of_a_condition_are_written_in_the_cards_of_models(user: User, opened: Opened) -> None:
    form = await opened(choice(PLAIN, WITH_GRAPH))
    press(user, "Settings of condition 2")
    assert labelled(user, ui.radio, "MCP server source, condition 2").value == "these"
    assert labelled(user, ui.input, "Name, server 1").value == "graph"
    labelled(user, ui.radio, "MCP server source, condition 2").set_value("none")
    assert form.choice.config({}).conditions[1].mcp_servers == {}
    labelled(user, ui.radio, "MCP server source, condition 2").set_value("these")
    assert form.choice.config({}).conditions[1].mcp_servers == {"graph": PROGRAM}


async def test_a_ready_pair_asks_for_what_only_the_person_knows(user: User, opened: Opened) -> None:
    form = await opened(choice())
    user.find("Compare tools on/off").click()
    assert names(form) == ["without tools", "with tools"]
    await user.should_see("Add a server, or choose “None”.")
    await user.should_not_see("results will only differ at random")  # not before the servers are there
