"""What a run with agents would do on this computer is said before it starts: where, how often, and what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup import form as run_form
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.option_text import setting_rows
from karenina_gui.gui.pages.run_setup.plan_view import plan_view
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.toasts import Toasts
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.agent_safety import ConfinementSummary, StartedProgram, investigations
from karenina_gui.runs.problems.agents import UNSANDBOXED_CLAUDE_CODE
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.rubric import AgenticRubricTrait
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.gui.run_pages import complete, visit_groups
from tests.saved_models import save_model

LIVE = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
PROGRAM = ToolServer(type="stdio", command="uvx", args=["papers mcp"], env={"PAPERS_TOKEN": "${PAPERS_TOKEN}"})
MODELS = {
    "plain": ModelConfig(id="plain", **LIVE),
    "reader": ModelConfig(id="reader", workspace_tools=["read_file"], **LIVE),
    "runner": ModelConfig(id="runner", workspace_tools=["read_file", "run_command"], **LIVE),
    "served": ModelConfig(id="served", mcp_servers={"papers": PROGRAM}, **LIVE),
}
AGENT: dict[str, Any] = {"kind": "boolean", "higher_is_better": True}


@pytest.fixture(scope="module")
def application(application: Application) -> Application:
    """On a computer that cannot confine commands."""
    application.runs.command_confinement = ConfinementSummary(False, "Nothing confines commands here.")
    return application


@pytest.fixture
def root(application: Application, tmp_path: Path) -> Iterator[Path]:
    """The first question has a folder, the second one lacks its own."""
    first, second = application.library.questions.summaries(1)[:2]
    application.editor.workspaces.set_root(1, str(tmp_path))
    (tmp_path / "task_01").mkdir()
    for row, path in ((first, "task_01"), (second, "task_02")):
        application.editor.edit(1, row.number, {"workspace_path": path})
    yield tmp_path
    for row in (first, second):
        application.editor.edit(1, row.number, {"workspace_path": None})
    application.editor.workspaces.set_root(1, None)


@pytest.fixture
def traits(application: Application) -> Iterator[None]:
    """Two that the run's judge investigates, one of which sees no files, and one with a model of its own."""
    own = ModelConfig(id="own", mcp_servers={"tool": ToolServer(type="stdio", command="evil")}, **LIVE)
    made = [
        {"name": "runs", **AGENT},
        {"name": "polite", "context_mode": "trace_only", **AGENT},
        {"name": "foreign", "model_override": own.model_dump(mode="json", exclude_defaults=True), **AGENT},
    ]
    before = application.library.benchmarks.frame(1).rubric
    application.editor.edit_benchmark(1, {"rubric": {"agentic_traits": made}})
    yield
    application.editor.edit_benchmark(1, {"rubric": before})


def choice(model: str = "plain", judge: str = "plain", **settings: Any) -> RunDraft:
    return RunDraft(models=[model], judges=[judge], settings=settings)


def missing(root: Path) -> str:
    return f"The workspace root {root} doesn’t exist. Restore the folder, or set another root in Benchmark details."


def test_without_a_root_an_agent_cannot_judge_and_the_way_there_is_shown(planner: Planner) -> None:
    plan = complete(planner, choice(agentic_parsing=True))
    assert plan.obstacles == ["Agentic judging needs a workspace root. Set it in Benchmark details."]
    assert "/benchmarks/1/details" in str(plan_view(plan, 1))
    assert complete(planner, choice(agentic_parsing=True, evaluation_mode="rubric_only")).obstacles == []


def test_answering_agents_need_a_root_only_where_questions_have_workspaces(
    application: Application, planner: Planner, root: Path
) -> None:
    application.editor.workspaces.set_root(1, None)
    plan = complete(planner, choice("reader"))
    assert plan.obstacles == ["Agents need a workspace root. Set it in Benchmark details."]
    assert "Set workspace root" in str(plan_view(plan, 1))
    assert complete(planner, choice("plain")).obstacles == []


def test_without_workspaces_of_questions_agents_begin_in_empty_folders(planner: Planner) -> None:
    plan = complete(planner, choice("reader"))
    assert (plan.obstacles, plan.doubts) == ([], [])
    assert "Agents start in empty folders" in str(plan_view(plan, 1))


def test_no_agent_starts_below_a_root_that_is_gone(planner: Planner, root: Path) -> None:
    root.rename(root.with_name("moved"))
    plan = complete(planner, choice("reader"))
    assert plan.obstacles == [missing(root)]
    assert (plan.without_folder, plan.doubts) == ([], [])


def test_folders_that_are_missing_are_counted_and_their_questions_named(planner: Planner, root: Path) -> None:
    plan = complete(planner, choice("reader"))
    assert plan.without_folder == [list(plan.questions)[1]]
    assert plan.doubts == ["Jobs of 1 question will end in errors: workspace folder missing."]
    shown = str(plan_view(plan, 1))
    assert f"Agents work in copies of the workspaces in {root}." in shown
    assert "1 question without a folder" in shown
    assert "?tab=workspace" in shown
    in_place = str(plan_view(complete(planner, choice("reader", workspace_copy=False)), 1))
    assert f"Agents work in the workspaces in {root}." in in_place


def test_no_place_for_agents_is_named_where_no_agent_sees_a_workspace(planner: Planner, root: Path) -> None:
    plan = complete(planner, choice())
    assert (plan.without_folder, plan.in_workspaces, plan.investigations) == ([], False, 0)
    assert "Agents" not in str(plan_view(plan, 1))


def test_commands_that_will_be_refused_are_said_before(planner: Planner, root: Path) -> None:
    blocked = complete(planner, choice("runner")).doubts[0]
    assert blocked.startswith("All commands of runner will be blocked. Nothing confines commands here. Remove the tool")
    allowed = complete(planner, choice("runner", allow_unconfined_commands=True)).doubts
    assert allowed[0].startswith("runner may run unsandboxed commands: they can")


@pytest.mark.usefixtures("traits")
def test_who_may_run_commands_that_nothing_confines_is_named_agent_by_agent(
    application: Application, planner: Planner, root: Path
) -> None:
    save_model(application, "code", ModelConfig(id="code", interface="claude_agent_sdk", model_name="c"))
    doubts = complete(planner, choice("code", allow_unconfined_commands=True)).doubts
    assert doubts[0].startswith("code, plain, and the trait “foreign” may run unsandboxed commands: they can")
    assert f"code: {UNSANDBOXED_CLAUDE_CODE}" in doubts
    refused = complete(planner, choice("code")).doubts
    assert refused[0].startswith("All commands of code will be blocked.")


def test_own_tools_of_claude_code_that_no_sandbox_holds_are_said_before(
    application: Application, planner: Planner, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = ModelConfig(id="own", interface="claude_agent_sdk", model_name="c", claude_code_tools=["Bash"])
    save_model(application, "own", own)
    off = complete(planner, choice("own")).doubts
    assert any(doubt.startswith("own: Claude Code’s own tools stay off") for doubt in off)
    assert not any("will be blocked" in doubt for doubt in off)
    on = complete(planner, choice("own", allow_unconfined_commands=True)).doubts
    assert f"own: {UNSANDBOXED_CLAUDE_CODE}" in on
    monkeypatch.setattr(application.runs, "command_confinement", ConfinementSummary(True, "Confined.", True))
    confined = complete(planner, choice("own")).doubts
    assert not any("own tools" in doubt for doubt in confined)


def test_programs_that_are_started_are_shown_with_variables_that_are_missing(
    planner: Planner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPERS_TOKEN", raising=False)
    plan = complete(planner, choice("served"))
    assert plan.programs == [StartedProgram("papers", "uvx 'papers mcp'", "served")]
    assert "This run starts 1 program on this computer" in str(plan_view(plan, 1))
    assert plan.doubts[0].startswith("served: its MCP servers need PAPERS_TOKEN.")


@pytest.mark.usefixtures("traits")
def test_what_comes_with_the_benchmark_has_to_be_agreed_to_once(application: Application, planner: Planner) -> None:
    own = {"model_name": "m", "interface": "openai_endpoint", "endpoint_base_url": "https://evil.example/v1"}
    made = [{"name": "second", "model_override": own, **AGENT}]
    once = "Continue only if you trust where it came from; you are asked once."
    assert f"The trait “foreign” would start the program evil. {once}" in complete(planner, choice()).doubts
    application.editor.edit_benchmark(1, {"rubric": {"agentic_traits": made}})
    plan = complete(planner, choice())
    sent = "The trait “second” would send requests and OPENAI_API_KEY to https://evil.example."
    assert f"{sent} {once}" in plan.doubts
    application.runs.consents.agree(reach.access for reach in plan.unagreed)
    assert not [doubt for doubt in complete(planner, choice()).doubts if once in doubt]


@pytest.mark.usefixtures("traits")
def test_programs_of_judges_that_investigate_are_shown(planner: Planner) -> None:
    plan = complete(planner, choice(judge="served"))
    assert StartedProgram("papers", "uvx 'papers mcp'", "served") in plan.programs
    quiet = complete(planner, choice(judge="served", rubric_trait_names=["foreign"]))
    assert [each.of for each in quiet.programs] == ["foreign"]


def test_programs_of_judges_that_only_read_are_not_shown(planner: Planner) -> None:
    assert complete(planner, choice(judge="served")).programs == []


@pytest.mark.usefixtures("traits")
def test_investigations_are_counted_for_templates_and_traits(planner: Planner, root: Path) -> None:
    questions = len(complete(planner, choice()).selection.chosen)
    assert complete(planner, choice(replicate_count=1)).investigations == 3 * questions
    plan = complete(planner, choice(agentic_parsing=True, replicate_count=2))
    assert plan.investigations == 2 * (3 * questions + plan.judged)
    assert f"up to {plan.investigations:,} investigations by judging agents" in str(plan_view(plan, 1))


def test_traits_share_an_investigation_only_where_the_same_agent_does_it() -> None:
    shared = VerificationConfig(agentic_rubric_strategy="shared")
    mine = AgenticRubricTrait(name="a", **AGENT)
    yours = AgenticRubricTrait(name="b", model_override=MODELS["plain"].model_dump(exclude_defaults=True), **AGENT)
    again = mine.model_copy(update={"name": "c"})
    assert [investigations(each, shared) for each in ([], [mine, again], [mine, yours])] == [0, 1, 2]
    assert investigations([mine, again], VerificationConfig()) == 2


def test_unconfined_commands_are_never_taken_from_memory_or_a_preset_silently() -> None:
    config = VerificationConfig(allow_unconfined_commands=True, allow_programs=True)
    kept = RunDraft.of(config)
    assert not kept.config({}).allow_programs
    kept.settings["allow_programs"] = True
    assert not RunDraft.from_memory(kept.to_memory()).config({}).allow_programs
    del kept.settings["allow_programs"]
    assert dict(setting_rows(kept))["Allow unsandboxed commands"] == "yes"
    assert not RunDraft.from_memory(kept.to_memory()).config({}).allow_unconfined_commands


async def test_a_preset_that_allows_them_is_opened_without_and_says_so(user: User, application: Application) -> None:
    config = VerificationConfig(answering_models=[MODELS["runner"]], allow_unconfined_commands=True)
    preset = application.library.presets.save(Preset(name="Daring", config=config))

    @ui.page("/")
    def page() -> None:
        window = Window(application.services())
        window.toasts = Toasts()
        run_form.draw(window, PageRoute({"b": 1}, {"preset": preset.id}))

    await user.open("/")
    await user.should_see("It is off here")
    visit_groups(user)
    await user.should_see("Allow unsandboxed commands")
    boxes = [each for each in user.find(ui.checkbox).elements if each.text == "Allow unsandboxed commands"]
    assert [box.value for box in boxes] == [False]


async def test_working_without_copies_says_what_it_does_to_the_files(user: User, application: Application) -> None:
    @ui.page("/")
    def page() -> None:
        run_form.RunForm(Window(application.services()), 1, choice("reader")).draw()

    await user.open("/")
    visit_groups(user)
    (box,) = [each for each in user.find(ui.checkbox).elements if each.text == "Use working copies"]
    box.set_value(False)
    await user.should_see("Agents change your original files permanently.")
    box.set_value(True)
    await user.should_not_see("Agents change your original files permanently.")
