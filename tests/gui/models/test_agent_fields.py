"""What a model may do as an agent: nothing that a field does not own is lost, and no key is ever kept."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.formats.presets import preset_bytes
from karenina_gui.gui.pages.models import page as models
from karenina_gui.gui.pages.models.agent_fields import AGENT_FIELDS, any_set, unset_in
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.pipeline.unused_settings import unused_of_model
from karenina_gui.runs.agent_safety import ConfinementSummary
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.gui.conftest import Start
from tests.saved_models import save_model
from tests.until import until

PLAIN = ModelConfig(id="plain", model_name="m", interface="openai_endpoint")
MODEL = PLAIN.model_copy(
    update={
        "mcp_urls_dict": {"db": "http://localhost:1/mcp"},
        "mcp_servers": {
            "plain": ToolServer(url="http://localhost:2/mcp"),
            "papers": ToolServer(url="https://a.org", headers={"Authorization": "Bearer ${TOKEN}"}, call_seconds=9),
            "local": ToolServer(
                type="stdio", command="/opt/my tools/run", args=["--root", "a b", "it's", ""], env={"KEY": "${K}"},
                tools=["find"],
            ),
        },
        "workspace_tools": ["read_file", "run_command"],
        "mcp_tool_filter": ["find", "get"],
        "mcp_tool_description_overrides": {"find": "Find papers."},
        "mcp_http_timeout": 12.0,
        "agent_middleware": {"retry": {"tries": 2}, "limits": {"model_call_limit": 7, "exit_behavior": "end"}},
        "agent_timeout": 60.0,
    }
)  # fmt: skip


def row(**said: str) -> dict[str, Any]:
    return {"name": "papers", **said}


@pytest.mark.parametrize("name", AGENT_FIELDS)
def test_writing_what_was_read_changes_nothing(name: str) -> None:
    for model in (MODEL, PLAIN):
        assert AGENT_FIELDS[name].apply(model, AGENT_FIELDS[name].value_of(model)) == model


def test_a_mere_address_stays_where_other_programs_look_for_it() -> None:
    servers = AGENT_FIELDS["tool_servers"]
    plain = servers.apply(PLAIN, [row(url="http://localhost:1/mcp")])
    assert (plain.mcp_urls_dict, plain.mcp_servers) == ({"papers": "http://localhost:1/mcp"}, None)
    config = VerificationConfig(answering_models=[plain])
    assert b"mcp_servers" not in preset_bytes(Preset(name="p", config=config))
    more = servers.apply(plain, [row(url="http://localhost:1/mcp", headers="X-Team=a")])
    assert (more.mcp_urls_dict, set(more.mcp_servers or ())) == (None, {"papers"})
    assert servers.apply(MODEL, []).tool_servers == {}


def test_a_server_of_which_more_is_said_keeps_the_time_that_all_addresses_had() -> None:
    timed = PLAIN.model_copy(update={"mcp_http_timeout": 12.0})
    kept = AGENT_FIELDS["tool_servers"].apply(timed, [row(url="http://localhost:1/mcp", tools="find")])
    assert (kept.tool_servers["papers"].connect_seconds, kept.tool_servers["papers"].call_seconds) == (12, 60)


def test_seconds_are_read_as_other_numbers() -> None:
    server = AGENT_FIELDS["tool_servers"].apply(PLAIN, [row(url="http://localhost:1/mcp", connect="1,5", call="1e2")])
    assert (server.tool_servers["papers"].connect_seconds, server.tool_servers["papers"].call_seconds) == (1.5, 100)


def test_a_command_line_is_read_as_a_shell_would() -> None:
    rows = [row(kind="stdio", command="uvx 'my server' --dir ${HOME} \"a b\"", env="A=1\nTOKEN = ${T}")]
    server = AGENT_FIELDS["tool_servers"].apply(PLAIN, rows).tool_servers["papers"]
    assert (server.command, server.args) == ("uvx", ["my server", "--dir", "${HOME}", "a b"])
    assert server.env == {"A": "1", "TOKEN": "${T}"}
    local = MODEL.tool_servers["local"]
    assert shlex.split(local.command_line) == [local.command, *local.args]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (row(url="localhost:1"), "papers: Start the URL with http://"),
        (row(url="http://here/\u200bmcp"), "papers: The URL contains an invisible character"),
        (row(url="http://localhost:1?token=abc"), "papers: The URL contains an API key"),
        (row(url="http://me:x@localhost"), "user name or password"),
        ({"url": "http://localhost:1"}, "a unique name"),
        (row(kind="stdio"), "the command to run"),
        (row(kind="stdio", command="run 'open"), "quotation mark"),
        (row(kind="stdio", command="run --key sk-0123456789ab"), "looks like an API key"),
        (row(kind="stdio", command="run", env="API_KEY=abc"), r"write \$\{NAME\} here"),
        (row(kind="stdio", command="run", env="A"), "NAME="),
        (row(url="http://localhost:1", headers="Authorization: Bearer abc"), "looks like an API key"),
        (row(url="http://localhost:1", headers="X=sk-0123456789ab"), "looks like an API key"),
        (row(url="http://localhost:1", connect="soon"), "is not a number"),
        (row(url="http://localhost:1", connect="inf"), "is not a number"),
        (row(url="http://localhost:1", connect="1,234"), "is ambiguous"),
        (row(url="http://localhost:1", call="9999"), "3600"),
    ],
)
def test_a_server_that_cannot_be_says_why_and_repeats_no_key(said: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as fault:
        AGENT_FIELDS["tool_servers"].apply(PLAIN, [said])
    assert "sk-0123456789ab" not in str(fault.value)


def test_variables_that_nobody_has_set_are_named() -> None:
    program = row(kind="stdio", command="run ${A}", env="B=${B}\nC=${C}", headers="X=${OTHER}")
    assert unset_in(program, {"B"}.__contains__) == ["A", "C"]
    assert unset_in(row(url="http://a.org", headers="X=${A}"), set().__contains__) == ["A"]


def test_limits_leave_the_rest_of_their_table_as_it_is() -> None:
    turns = AGENT_FIELDS["agent_middleware.model_call_limit"]
    assert turns.apply(MODEL, 9.0).agent_middleware == {
        "retry": {"tries": 2},
        "limits": {"exit_behavior": "end", "model_call_limit": 9},
    }
    assert turns.apply(MODEL, None).agent_middleware == {"retry": {"tries": 2}, "limits": {"exit_behavior": "end"}}
    tokens = AGENT_FIELDS["agent_middleware.token_limit"].apply(PLAIN, 5000)
    assert tokens.max_agent_tokens == 5000
    assert AGENT_FIELDS["agent_middleware.token_limit"].apply(tokens, None).agent_middleware is None
    for wrong in (0, 1.5, float("inf")):
        with pytest.raises(ValueError, match="whole number"):
            turns.apply(MODEL, wrong)
    with pytest.raises(ValueError, match="more than 0 seconds"):
        AGENT_FIELDS["agent_timeout"].apply(MODEL, 0)


def test_the_part_is_folded_where_nothing_in_it_is_set() -> None:
    assert (any_set(PLAIN), any_set(MODEL)) == (False, True)
    assert any_set(AGENT_FIELDS["workspace_tools.read_file"].apply(PLAIN, True))


@pytest.fixture(scope="module")
def application(started: Start) -> Iterator[Application]:
    with started() as application:
        application.runs.command_confinement = ConfinementSummary(False, "Nothing confines commands here.")
        for name, model in {"plain": PLAIN, "agent": MODEL}.items():
            save_model(application, name, model.model_copy(update={"id": name}))
        yield application


async def test_tools_are_ticked_one_by_one_or_all_at_once(user: User, application: Application) -> None:
    def tools(name: str) -> Any:
        return application.library.models.all()[name].workspace_tools

    @ui.page("/")
    def page() -> None:
        models.draw(Window(application.services()), PageRoute({}, {"name": "plain"}))

    await user.open("/")
    user.find(kind=ui.button, content="Read only").click()
    await until(lambda: tools("plain") == ["list_files", "read_file", "search_files"])
    user.find(kind=ui.button, content="None").click()
    await until(lambda: tools("plain") is None)
    await user.should_see("Nothing confines commands here.")


async def test_own_tools_are_offered_for_claude_code_alone_and_say_where_they_run(
    user: User, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = application.library.models
    kept.save("code", ModelConfig(id="code", model_name="c", interface="claude_agent_sdk"))

    def page_of(name: str) -> None:
        @ui.page(f"/{name}")
        def page() -> None:
            models.draw(Window(application.services()), PageRoute({}, {"name": name}))

    page_of("plain")
    page_of("code")
    await user.open("/plain")
    await user.should_not_see("Claude Code’s own tools")
    await user.open("/code")
    await user.should_see("Runs commands, as in a terminal.")
    await user.should_see("off: this computer")
    labels = "Claude Code’s own tools: "
    shortcuts = {
        str(each.props["aria-label"]): each for each in user.find(kind=ui.button).elements if "aria-label" in each.props
    }
    UserInteraction(user, {shortcuts[f"{labels}Read only"]}, None).click()
    await until(lambda: kept.all()["code"].claude_code_tools == ["Glob", "Grep", "Read"])
    (box,) = [each for each in user.find(kind=ui.checkbox).elements if each.props["aria-label"] == "Bash"]
    box.set_value(True)
    await until(lambda: kept.all()["code"].claude_code_tools == ["Bash", "Glob", "Grep", "Read"])
    UserInteraction(user, {shortcuts[f"{labels}None"]}, None).click()
    await until(lambda: kept.all()["code"].claude_code_tools is None)
    monkeypatch.setattr(application.runs, "command_confinement", ConfinementSummary(True, "Confined.", True))
    await user.open("/code")
    await user.should_see("run in a sandbox: Claude Code")


def test_own_tools_of_another_interface_are_named_as_without_effect() -> None:
    chosen = PLAIN.model_copy(update={"claude_code_tools": ["Bash"]})
    assert unused_of_model(chosen) == ["claude_code_tools"]
    assert unused_of_model(chosen.model_copy(update={"interface": "claude_agent_sdk"})) == []
    assert "claude_code_tools" not in PLAIN.model_dump_json()


async def test_a_server_is_entered_in_its_card_and_its_missing_variable_is_said(
    user: User, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOKEN", raising=False)

    @ui.page("/")
    def page() -> None:
        models.draw(Window(application.services()), PageRoute({}, {"name": "agent"}))

    await user.open("/")
    await user.should_see("TOKEN is not set. Enter it on the API keys page")
    assert "TOKEN" in [use.variable for use in application.runs.models.key_uses()]
    (address,) = [each for each in user.find(kind=ui.input).elements if each.props["aria-label"] == "URL, server 1"]
    address.set_value("localhost")
    await user.should_see("Start the URL with http:// or https://.")
    assert len(user.find("Start the URL with http:// or https://.").elements) == 1
    address.set_value("http://localhost:7/mcp")
    await user.should_not_see("Start the URL")
    UserInteraction(user, {address}, None).trigger("blur")
    kept = application.library.models
    await until(lambda: (kept.all()["agent"].mcp_urls_dict or {})["db"] == "http://localhost:7/mcp")


async def test_settings_that_do_nothing_here_are_named(user: User, application: Application) -> None:
    idle = PLAIN.model_copy(update={"id": "idle", "max_context_tokens": 9000, "agent_runtime": {"kind": "other"}})
    save_model(application, "idle", idle)

    @ui.page("/")
    def page() -> None:
        models.draw(Window(application.services()), PageRoute({}, {"name": "idle"}))

    await user.open("/")
    await user.should_see("not used by this version: agent_runtime and max_context_tokens.")
    await user.should_not_see("mcp_tool_filter")
