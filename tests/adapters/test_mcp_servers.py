"""Agents work with MCP servers of other authors, over stdio and over HTTP, and learn when one is gone.

The servers are `mcp-server-time` and, over HTTP, FastMCP's own server in front of it. Where it does not matter who
wrote a server, one of our own stands in that starts in no time.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.mcp_servers import _text_of
from karenina_gui.adapters.ports import AgentConfig
from karenina_gui.errors import ConfigurationError, RunCancelled, ToolServerError
from karenina_gui.schemas.condition import AnsweringSettings, Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from tests.adapters.conftest import CALLS, question
from tests.adapters.sse_server import SseServer
from tests.adapters.tools import Worked
from tests.ports import free_port
from tests.twin import Call, Reply, in_turn

ASKED = question().messages
HERE = Path(__file__).parent
CLOCK = str(Path(sys.executable).parent / "mcp-server-time")
TO_TOKYO = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
CONVERT = Reply(calls=[Call("convert_time", TO_TOKYO)])
DONE = Reply(text="It is nine in the evening.")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="The servers under test are started by a shell.")


@dataclass(frozen=True)
class Program:
    """A server over stdio that says which process it is, and what environment it sees."""

    folder: Path

    def server(self, **settings) -> ToolServer:
        return self._started(sys.executable, "-S", str(HERE / "small_server.py"), **settings)

    def clock(self) -> ToolServer:
        return self._started(CLOCK, "--local-timezone", "UTC")

    def _started(self, *command: str, **settings) -> ToolServer:
        script = 'env > "$0/env"; echo $$ > "$0/pid"; echo started >&2; exec "$@"'
        return ToolServer(command="sh", args=["-c", script, str(self.folder), *command], **settings)

    @property
    def environment(self) -> str:
        return (self.folder / "env").read_text()

    def send(self, signal_number: int) -> None:
        os.kill(int((self.folder / "pid").read_text()), signal_number)

    @property
    def runs(self) -> bool:
        try:
            self.send(0)
        except ProcessLookupError:
            return False
        return True


@pytest.fixture
def program(tmp_path) -> Program:
    return Program(tmp_path)


@dataclass(frozen=True)
class Bridge:
    url: str
    process: subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def bridge(tmp_path_factory) -> Iterator[Bridge]:
    """The clock over HTTP."""
    folder = tmp_path_factory.mktemp("bridge")
    port = free_port()
    command = [sys.executable, str(HERE / "clock_bridge.py"), CLOCK, str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env={**os.environ, "HOME": str(folder)})
    until = time.monotonic() + 60
    while not _answers(port):
        assert process.poll() is None, (folder / "log").read_text()
        assert time.monotonic() < until, (folder / "log").read_text()
        time.sleep(0.05)
    yield Bridge(f"http://127.0.0.1:{port}/mcp", process)
    process.kill()
    process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith(("mcp", "tool"))]
    assert left == []


@pytest.fixture
def run(play):
    """An agent at the twin with these servers."""

    def run(script, servers, *tools, calls=CALLS, config=None, environment=None, **settings):
        twin = play(script)
        model = ModelConfig(
            model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address, mcp_servers=servers, **settings
        )
        with AdapterFactory(environment=environment or {}) as adapters:
            agent = adapters.agent(model, calls)
            result = agent.run(ASKED, tools, model.tool_servers, config or AgentConfig())
        return result, twin.requests

    return run


def test_several_servers_serve_one_loop_over_stdio_and_http(run, program, bridge):
    both = [Call("clock__convert_time", TO_TOKYO), Call("bridged__convert_time", TO_TOKYO)]
    servers = {"clock": program.clock(), "bridged": ToolServer(url=bridge.url)}
    result, requests = run(in_turn(Reply(calls=both), DONE), servers)
    assert set(requests[0].tools) == {
        f"{server}__{tool}" for server in servers for tool in ("get_current_time", "convert_time")
    }
    assert requests[0].tools["clock__convert_time"]["required"] == ["source_timezone", "time", "target_timezone"]
    first, second = result.messages[1].tool_results
    assert (first.is_error, second.is_error) == (False, False)
    assert json.loads(first.content) == json.loads(second.content)
    assert "T21:00:00+09:00" in first.content
    assert result.final_response == DONE.text
    assert not program.runs


def test_a_server_over_sse_is_reached_at_an_address_that_the_environment_says(run):
    with SseServer() as server:
        entry = ToolServer(type="sse", url="${CLOCK_URL}", headers={"Authorization": "Bearer ${CLOCK_TOKEN}"})
        environment = {"CLOCK_URL": server.url, "CLOCK_TOKEN": "tk-123456"}
        call = Reply(calls=[Call("convert_time", TO_TOKYO)])
        result, _ = run(in_turn(call, DONE), {"clock": entry}, environment=environment)
    assert result.messages[1].tool_results[0].content == "2026-01-01T21:00:00+09:00"
    assert {headers["authorization"] for headers in server.headers} == {"Bearer tk-123456"}


@pytest.mark.parametrize("interface", ["claude_tool", "openai_endpoint"])
def test_tools_are_filtered_and_described_as_the_model_wants(play, adapters, bridge, interface):
    twin = play(in_turn(CONVERT, DONE))
    address = "anthropic_base_url" if interface == "claude_tool" else "endpoint_base_url"
    model = ModelConfig(
        model_name="m",
        interface=interface,
        mcp_urls_dict={"clock": bridge.url},
        mcp_tool_filter=["convert_time", "other"],
        mcp_tool_description_overrides={"convert_time": "From there to here."},
        api_key_env="TWIN_KEY",
        **{address: twin.address},
    )
    result = adapters.agent(model, CALLS).run(ASKED, [], model.tool_servers, AgentConfig())
    (tool,) = twin.requests[0].body["tools"]
    told = tool if interface == "claude_tool" else tool["function"]
    assert (told["name"], told["description"]) == ("convert_time", "From there to here.")
    assert "T21:00:00+09:00" in twin.requests[1].results[0][1]
    assert result.final_response == DONE.text


def test_the_filter_of_a_model_leaves_the_servers_of_a_condition_alone(play, adapters, bridge, program):
    """One server is the model's own, and stays filtered beside the one that the condition brings."""
    twin = play(in_turn(DONE, DONE, DONE))
    own = ToolServer(url=bridge.url)
    model = ModelConfig(
        model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address, mcp_servers={"own": own},
        mcp_tool_filter=["get_current_time"],
    )  # fmt: skip
    brought = Condition(name="more", mcp_servers={"own": own, "brought": program.clock()})
    filtered = brought.model_copy(update={"settings": AnsweringSettings(mcp_tool_filter=["convert_time"])})
    for each in (Condition(name="plain"), brought, filtered):
        asked = each.apply_to(model)
        adapters.agent(asked, CALLS).run(ASKED, [], asked.tool_servers, AgentConfig())
    assert [set(request.tools) for request in twin.requests] == [
        {"get_current_time"},
        {"own__get_current_time", "brought__get_current_time", "convert_time"},
        {"own__convert_time", "brought__convert_time"},
    ]


def test_an_entry_filters_its_own_tools_and_what_a_tool_refuses_is_told_to_the_model(run, bridge):
    servers = {"clock": ToolServer(url=bridge.url, tools=["convert_time"])}
    wrong = Reply(calls=[Call("convert_time", {**TO_TOKYO, "target_timezone": "Atlantis"}), Call("get_current_time")])
    result, requests = run(in_turn(wrong, DONE), servers)
    assert list(requests[0].tools) == ["convert_time"]
    refused, unknown = result.messages[1].tool_results
    assert refused.is_error
    assert "Atlantis" in refused.content
    assert unknown.content == "There is no tool 'get_current_time'. There are: convert_time."


def test_a_program_sees_what_its_entry_says_and_none_of_our_keys(run, program, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-application")
    server = program.server(env={"PAPERS_TOKEN": "Bearer ${TOKEN}", "COLOUR": "red"})
    run(in_turn(DONE), {"clock": server}, environment={"TOKEN": "abc-def-ghi", "OTHER": "x"})
    assert "PAPERS_TOKEN=Bearer abc-def-ghi" in program.environment
    assert "COLOUR=red" in program.environment
    assert "PATH=" in program.environment
    assert "of-the-application" not in program.environment


def test_a_program_that_dies_ends_the_loop_with_what_was_said_before(run, program):
    def script(asked):
        if asked.number == 2:
            program.send(signal.SIGKILL)
        return CONVERT

    with pytest.raises(ToolServerError, match=r"“clock” failed while the agent was working") as raised:
        run(script, {"clock": program.clock()})
    assert raised.value.server == "clock"
    assert str(raised.value).endswith("try again. Its output:\nstarted")
    first, worked, second, broken = raised.value.messages
    assert [use.name for use in (*first.tool_uses, *second.tool_uses)] == ["convert_time", "convert_time"]
    assert not worked.tool_results[0].is_error
    assert broken.tool_results[0].is_error
    assert len(raised.value.usages) == 2


def test_a_call_that_hangs_is_an_error_that_the_model_can_read(run, program):
    def script(asked):
        if asked.number <= 2:
            program.send(signal.SIGSTOP if asked.number == 1 else signal.SIGCONT)
        return CONVERT if asked.number < 3 else DONE

    result, _ = run(script, {"clock": program.server(call_seconds=1)})
    late, in_time = result.messages[1].tool_results[0], result.messages[3].tool_results[0]
    assert late.is_error
    assert "did not answer within" in late.content
    assert "T21:00:00+09:00" in in_time.content


def test_after_a_cancel_nothing_waits_for_a_server(run, program):
    stopped = threading.Event()

    def script(asked):
        program.send(signal.SIGSTOP)
        return Reply(calls=[Call("convert_time", TO_TOKYO), Call("stop")])

    def stop(given):
        stopped.set()
        program.send(signal.SIGCONT)
        return ""

    with pytest.raises(RunCancelled):
        run(script, {"clock": program.server()}, Worked("stop", stop), calls=CallPolicy(cancelled=stopped.is_set))
    assert not program.runs


def test_a_cancel_does_not_wait_until_a_server_has_started(run):
    silent = ToolServer(command="sh", args=["-c", "cat > /dev/null"], connect_seconds=60)
    with pytest.raises(RunCancelled):
        run(in_turn(DONE), {"papers": silent}, calls=CallPolicy(cancelled=lambda: True))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"command": "no-such-program"}, "Couldn’t find the program “no-such-program”. Install it"),
        ({"command": "sh", "args": ["-c", "echo no papers >&2; exit 3"]}, "Its output:\nno papers"),
        (
            {"command": "sh", "args": ["-c", "cat > /dev/null"], "connect_seconds": 0.3},
            "its tools within 0.3 s",
        ),
        ({"url": "http://127.0.0.1:9/mcp"}, "Couldn’t reach 127.0.0.1:9"),
    ],
)
def test_a_server_that_cannot_be_reached_is_said_before_the_first_turn(run, entry, said):
    with pytest.raises(ToolServerError) as raised:
        run(in_turn(DONE), {"papers": ToolServer(**entry)})
    assert said in str(raised.value)
    assert str(raised.value).startswith("MCP server “papers”: ")
    assert raised.value.messages == ()


def test_an_address_that_is_no_mcp_server_is_told_as_such(run, bridge):
    with pytest.raises(ToolServerError, match=r"isn’t an MCP server \(HTTP 404\)"):
        run(in_turn(DONE), {"papers": ToolServer(url=bridge.url.replace("/mcp", "/nothing"))})


def test_one_server_that_fails_leaves_no_other_running(run, program):
    with pytest.raises(ToolServerError):
        run(in_turn(DONE), {"clock": program.server(), "papers": ToolServer(url="http://127.0.0.1:9/mcp")})
    assert not (program.folder / "pid").exists() or not program.runs


def test_secrets_are_not_in_what_is_shown_of_a_program(run):
    script = 'printf "refused $PAPERS_TOKEN\\033[2J and \\033]0;title\\007sk-0123456789abc" >&2; exit 1'
    server = ToolServer(command="sh", args=["-c", script], env={"PAPERS_TOKEN": "${TOKEN}"})
    with pytest.raises(ToolServerError) as raised:
        run(in_turn(DONE), {"papers": server}, environment={"TOKEN": "swordfish"})
    assert "refused [TOKEN] and [key]" in str(raised.value)


def test_a_variable_that_is_not_set_is_named_with_its_server(run):
    server = ToolServer(url="http://127.0.0.1:9/mcp", headers={"Authorization": "Bearer ${PAPERS_TOKEN}"})
    with pytest.raises(ConfigurationError, match=r"“papers” needs PAPERS_TOKEN. Enter it on the API keys page"):
        run(in_turn(DONE), {"papers": server})


def test_what_is_no_text_is_described():
    from mcp.types import (
        CallToolResult,
        EmbeddedResource,
        ImageContent,
        ResourceLink,
        TextContent,
        TextResourceContents,
    )

    inner = TextResourceContents(uri="file:///a.txt", text="inside")
    mixed = [
        TextContent(type="text", text="A picture:"),
        ImageContent(type="image", data="AAAA", mime_type="image/png"),
        ResourceLink(type="resource_link", uri="file:///a.txt", name="a"),
        EmbeddedResource(type="resource", resource=inner),
    ]
    assert _text_of(CallToolResult(content=mixed)).split("\n") == [
        "A picture:", "[image, image/png, 3 bytes; not shown]", "[resource file:///a.txt: a]", "inside",
    ]  # fmt: skip
    assert _text_of(CallToolResult(content=[], structured_content={"a": 1})) == '{"a": 1}'


@pytest.mark.parametrize(
    ("texts", "data", "text"),
    [
        (["1 row."], {"kelvin": 1337}, '1 row.\n{"kelvin": 1337}'),
        (['{"kelvin":1337}'], {"kelvin": 1337}, '{"kelvin":1337}'),
        (["1337"], {"result": 1337}, "1337"),
        (["gold"], {"result": "gold"}, "gold"),
        (["1", "2"], {"result": [1, 2]}, "1\n2"),
        (["2 rows."], {"result": [1, 2]}, '2 rows.\n{"result": [1, 2]}'),
    ],
)
def test_data_beside_a_summary_reach_the_model_once(texts, data, text):
    from mcp.types import CallToolResult, TextContent

    content = [TextContent(type="text", text=part) for part in texts]
    assert _text_of(CallToolResult(content=content, structured_content=data)) == text


def test_half_a_surrogate_in_a_result_is_an_answer(run, program):
    half = Reply(calls=[Call("convert_time", {"time": "half"})])
    result, _ = run(in_turn(half, DONE), {"clock": program.server(call_seconds=5)})
    (output,) = [output for message in result.messages for output in message.tool_results]
    assert (output.content, output.is_error) == ("Nine \ufffd.", False)


def test_a_server_over_http_that_dies_ends_the_loop(run, bridge):
    """The last test of this file: nobody serves after it."""

    def script(asked):
        if asked.number == 2:
            bridge.process.kill()
            bridge.process.wait()
        return CONVERT

    with pytest.raises(ToolServerError, match=r"“clock” failed while the agent was working") as raised:
        run(script, {"clock": ToolServer(url=bridge.url)})
    assert len(raised.value.messages) == 4
