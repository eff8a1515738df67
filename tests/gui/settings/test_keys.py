"""The page of keys lists each variable that somebody names, with whoever names it."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.condition_draft import ConditionDraft
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.settings import keys
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.saved_models import save_model


def asking_for(variable: str) -> Condition:
    headers = {"Authorization": f"Bearer ${{{variable}}}"}
    return Condition(
        name=f"with {variable.lower()}", mcp_servers={"s": ToolServer(url="http://h/mcp", headers=headers)}
    )


@pytest.fixture
def preset(application: Application, monkeypatch: pytest.MonkeyPatch) -> Preset:
    for variable in ("GRAPH_TOKEN", "PAPERS_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    config = VerificationConfig(conditions=[Condition(name="plain"), asking_for("GRAPH_TOKEN")])
    return application.library.presets.save(Preset(name="Deep & wide", config=config))


async def test_a_variable_that_only_a_condition_names_is_asked_for(
    user: User, services: AppContext, preset: Preset
) -> None:
    drafts = [ConditionDraft.of(asking_for("PAPERS_TOKEN"))]
    services.library.run_choices.save(1, "ada", RunDraft(conditions=drafts).to_memory())

    @ui.page("/")
    def page() -> None:
        keys.draw(Window(services, browser_id="ada"), PageRoute())

    await user.open("/")
    graph, papers = row_of(user, "GRAPH_TOKEN"), row_of(user, "PAPERS_TOKEN")
    assert "not set" in graph
    assert "chip-warn" in graph
    described = "Used by condition “with graph_token” in preset"
    assert f'{described} <a href="/presets?id={preset.id}">Deep &amp; wide</a>.' in graph
    benchmark = services.library.benchmarks.summary(1).name
    described = "Used by condition “with papers_token” for runs of"
    assert f'{described} <a href="/benchmarks/1/run">{benchmark}</a>.' in papers
    services.library.presets.delete(preset.id)
    services.emit_preset_changed(preset.id)
    await user.should_not_see(kind=ui.html, content="GRAPH_TOKEN")


async def test_models_and_conditions_that_name_a_variable_share_its_row(
    user: User, services: AppContext, preset: Preset
) -> None:
    model = ModelConfig(id="gpt", interface="openai_endpoint", model_name="m", api_key_env="GRAPH_TOKEN")
    save_model(services, "gpt", model)
    services.runs.models.keys.enter("GRAPH_TOKEN", "tk-123456")

    @ui.page("/")
    def page() -> None:
        keys.draw(Window(services, browser_id="ada"), PageRoute())

    await user.open("/")
    row = row_of(user, "GRAPH_TOKEN")
    assert 'Used by <a href="/models?name=gpt">gpt</a>, condition “with graph_token” in preset' in row
    assert "used until you quit" in row


def row_of(user: User, variable: str) -> str:
    """Its markup."""
    (row,) = [each.content for each in user.find(kind=ui.html).elements if f">{variable}<" in each.content]
    return row
