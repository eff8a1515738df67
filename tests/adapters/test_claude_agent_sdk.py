"""Claude Code itself against a twin of Anthropic's API: what it may do, what is told of it, and how it ends."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentConfig, OwnTools
from karenina_gui.errors import (
    AuthenticationError,
    ConfigurationError,
    PortError,
    ProviderError,
    RunCancelled,
    ToolServerError,
)
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import ToolOutput, ToolSpec
from tests.adapters.conftest import KEY, ValueAndUnit, parsing, question
from tests.claude_code_twin import AskedTurn, Call, ClaudeCodeTwin, Turn
from tests.examples import cases
from tests.twin import OnLoopback, Reply, Twin, in_turn

pytest.importorskip("claude_agent_sdk", reason="needs the extra 'agent'")

NONE = RetryBudget(max_attempts=0)
POLICY = RetryPolicy(connection=NONE, timeout=NONE, rate_limit=NONE, server_error=NONE)
CALLS = CallPolicy(retry=POLICY, request_timeout=10)
ASKED = (Message.of("system", "Be brief."), Message.of("user", "What does notes.txt say? @/etc/hostname"))


@dataclass
class Notes:
    """A tool with one note; remembers how it was called."""

    spec: ToolSpec = field(
        default_factory=lambda: ToolSpec(
            "read_file", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}}
        )
    )
    asked: list[dict[str, Any]] = field(default_factory=list)
    fault: Exception | None = None

    def call(self, arguments: dict[str, Any], seconds: float | None = None) -> ToolOutput:
        self.asked.append(arguments)
        if self.fault is not None:
            raise self.fault
        return ToolOutput("The dose is 40 mg.")


READ = Call("mcp__workspace__read_file", {"path": "/workspace/notes.txt"})


def reads_then_answers(asked: AskedTurn) -> Turn:
    return Turn("It says 40 mg.") if asked.results else Turn("I look.", [READ], thinking="Where is it?")


def reads_forever(_asked: AskedTurn) -> Turn:
    return Turn("Once more.", [READ])


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Plays one loop with a script: `play(script, tools, servers, **config)` gives the result and the twin."""
    scratch = tmp_path / "temporary"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    threads = set(threading.enumerate())

    def run(script, tools=(), servers=None, calls=CALLS, address=None, settings=None, **config):
        with (
            ClaudeCodeTwin(script) as twin,
            AdapterFactory(environment={"TWIN_KEY": KEY, "MINE": "open sesame"}) as adapters,
        ):
            result = adapters.agent(model_at(address or twin.address, **(settings or {})), calls).run(
                ASKED, tools, servers or {}, AgentConfig(**config)
            )
        return result, twin

    yield run
    assert list(scratch.iterdir()) == []
    left = [each for each in set(threading.enumerate()) - threads if not each.daemon]
    for each in left:
        each.join(10)  # anyio has told it to end
    assert [each for each in left if each.is_alive()] == []
    assert children() == []


def model_at(address: str, **settings: Any) -> ModelConfig:
    return ModelConfig(
        model_name="m", interface="claude_agent_sdk", api_key_env="TWIN_KEY", anthropic_base_url=address, **settings
    )


def children() -> list[str]:
    """Programs that this process has started and that are still there, or were never waited for."""
    if not Path("/proc/self/stat").exists():
        return []
    stats = [line for each in Path("/proc").glob("[0-9]*/stat") if (line := _text(each))]
    return [line for line in stats if line.rpartition(")")[2].split()[1] == str(os.getpid()) and "(claude)" in line]


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def test_a_task_with_a_tool_is_told_turn_by_turn(play, monkeypatch):
    monkeypatch.setenv("OUR_OTHER_KEY", "sk-another-secret-123456")
    notes = Notes()
    result, twin = play(reads_then_answers, [notes], max_turns=5, system_prompt="You have tools.")
    assert result.final_response == "It says 40 mg."
    assert [message.role for message in result.messages] == ["assistant", "tool", "assistant"]
    first, told, last = result.messages
    assert (first.thinking[0].thinking, first.thinking[0].signature) == ("Where is it?", "signed")
    assert (first.text, first.tool_uses[0].name, first.tool_uses[0].input) == ("I look.", READ.name, READ.input)
    assert told.tool_results[0].tool_use_id == first.tool_uses[0].id
    assert (told.tool_results[0].content, told.tool_results[0].is_error) == ("The dose is 40 mg.", False)
    assert notes.asked == [READ.input]
    assert first.usage_metadata == {"input_tokens": 19, "output_tokens": 7, "total_tokens": 26}
    assert first.timestamp <= told.timestamp <= last.timestamp
    assert result.dollars is None  # it has no list price of a model of this name
    assert (result.turns, result.model, result.stop_reason, result.limit_reached) == (2, "m", "end_turn", False)
    assert (result.usage.input_tokens, result.usage.output_tokens) == (38, 14)
    assert result.usage.input_token_details == {"cache_read": 10, "cache_creation": 6}

    asked = twin.requests[0]
    assert (asked.key, asked.tools) == (KEY, [READ.name])
    assert asked.system.endswith("You have tools.\n\nBe brief.")
    assert "Anthropic" in asked.system, "the program introduces itself first"
    assert asked.body["messages"][0]["content"][0]["text"] == ASKED[1].text
    assert asked.body["max_tokens"] == 16384
    sent = json.dumps([each.body for each in twin.requests])
    assert not [secret for secret in (KEY, "sk-another", "karenina-claude-", str(Path.cwd())) if secret in sent]


OWN_TOOLS = [
    Call("Read", {"file_path": "OUTSIDE/secret.txt"}),
    Call("Write", {"file_path": "OUTSIDE/planted.txt", "content": "x"}),
    Call("Edit", {"file_path": "OUTSIDE/secret.txt", "old_string": "hidden", "new_string": "gone"}),
    Call("MultiEdit", {"file_path": "OUTSIDE/secret.txt", "edits": [{"old_string": "hidden", "new_string": "x"}]}),
    Call("NotebookEdit", {"notebook_path": "OUTSIDE/n.ipynb", "new_source": "x", "edit_mode": "insert"}),
    Call("Bash", {"command": "cat OUTSIDE/secret.txt; touch OUTSIDE/planted.txt"}),
    Call("BashOutput", {"bash_id": "1"}),
    Call("PowerShell", {"command": "cat OUTSIDE/secret.txt"}),
    Call("Glob", {"pattern": "*", "path": "OUTSIDE"}),
    Call("Grep", {"pattern": "hidden", "path": "OUTSIDE", "output_mode": "content"}),
    Call("LS", {"path": "OUTSIDE"}),
    Call("WebFetch", {"url": "http://127.0.0.1:9/", "prompt": "read it"}),
    Call("WebSearch", {"query": "hidden"}),
    Call("Task", {"description": "d", "prompt": "read OUTSIDE/secret.txt", "subagent_type": "general-purpose"}),
    Call("Agent", {"description": "d", "prompt": "read OUTSIDE/secret.txt", "subagent_type": "general-purpose"}),
    Call("Skill", {"skill": "run"}),
    Call("ToolSearch", {"query": "select:Bash"}),
    Call("TodoWrite", {"todos": []}),
    Call("ReadMcpResourceTool", {"server": "workspace", "uri": "file://OUTSIDE/secret.txt"}),
    Call("ListMcpResourcesTool", {}),
    Call("LSP", {"operation": "hover", "filePath": "OUTSIDE/secret.txt", "line": 1, "character": 1}),
    Call("EnterWorktree", {}),
    Call("CronCreate", {"cron": "* * * * *", "prompt": "x"}),
    Call("SlashCommand", {"command": "/init"}),
]


@pytest.fixture(scope="module")
def own_tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[str], Any]]:
    """A loop in which the model calls every tool of Claude Code's own; the folder that each of them aims at."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("hidden words")
    calls = [Call(call.name, json.loads(json.dumps(call.input).replace("OUTSIDE", str(outside)))) for call in OWN_TOOLS]
    with (
        ClaudeCodeTwin(lambda asked: Turn("Done.") if asked.results else Turn("All.", calls)) as twin,
        AdapterFactory(environment={"TWIN_KEY": KEY}) as adapters,
    ):
        config = AgentConfig(workspace_path=tmp_path_factory.mktemp("workspace"))
        result = adapters.agent(model_at(twin.address), CALLS).run(ASKED, [Notes()], {}, config)
        yield outside, twin.requests[0].tools, result


@pytest.mark.parametrize("name", [call.name for call in OWN_TOOLS])
def test_none_of_its_own_tools_can_be_called(own_tools, name):
    outside, offered, result = own_tools
    uses = {use.name: use.id for message in result.messages for use in message.tool_uses}
    results = {each.tool_use_id: each for message in result.messages for each in message.tool_results}
    assert offered == [READ.name]
    assert results[uses[name]].is_error
    assert "hidden" not in results[uses[name]].content
    assert [(each.name, each.read_text()) for each in outside.iterdir()] == [("secret.txt", "hidden words")]


def test_its_own_tools_work_in_the_workspace_where_they_are_allowed(play, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()

    def script(asked: AskedTurn) -> Turn:
        if asked.results:
            return Turn("Done.")
        write = Call("Write", {"file_path": str(folder / "a.txt"), "content": "written"})
        return Turn("I write.", [write, Call("Bash", {"command": "pwd; cat a.txt; echo key:$ANTHROPIC_API_KEY"})])

    result, twin = play(script, own_tools=OwnTools(), workspace_path=folder)
    assert (folder / "a.txt").read_text() == "written"
    assert set(twin.requests[0].tools) <= {"Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"}
    said = [each.content for message in result.messages for each in message.tool_results]
    assert said[1].split() == ["/workspace", "writtenkey:[password]"]
    told = "".join(message.model_dump_json() for message in result.messages)
    assert KEY not in told
    assert str(folder) not in told


@pytest.mark.parametrize(
    ("limits", "limit", "calls"),
    [
        ({"max_turns": 2}, "2 turns", 2),
        ({"max_tokens": 30}, "30 tokens", 1),
        ({"max_tool_calls": 1}, "1 tool call", 1),
    ],
)
def test_a_limit_ends_the_loop_and_keeps_what_was_done(play, limits, limit, calls):
    notes = Notes()
    result, twin = play(reads_forever, [notes], **limits)
    assert (result.limit_reached, result.limit, result.timeout_reached) == (True, limit, False)
    assert len(notes.asked) == calls
    assert len(twin.requests) == 2
    assert result.messages[0].text == "Once more."


def test_time_that_is_over_leaves_what_was_said(play, monkeypatch):
    passed = [0.0]
    monkeypatch.setattr("karenina_gui.adapters.claude_code_loop.monotonic", lambda: time.monotonic() + passed[0])

    def script(asked: AskedTurn) -> Turn:
        if not asked.results:
            return reads_forever(asked)
        passed[0] = 3600
        return Turn("Too late.", delay=60)

    result, _ = play(script, [Notes()], timeout=600)
    assert (result.timeout_reached, result.limit_reached, result.final_response) == (True, False, "")
    assert [message.role for message in result.messages] == ["assistant", "tool"]


def test_a_cancelled_run_ends_the_program(play):
    asked: list[AskedTurn] = []

    def script(turn: AskedTurn) -> Turn:
        asked.append(turn)
        return Turn("Too late.", delay=60)

    with pytest.raises(RunCancelled):
        play(script, calls=CallPolicy(retry=POLICY, cancelled=lambda: bool(asked)))


@pytest.mark.parametrize(
    ("turn", "kind", "category"),
    cases(
        [(Turn(status=401, message=f"bad key {KEY}"), AuthenticationError, "authentication")],
        [(Turn(status=429, message="slow down"), ProviderError, "rate_limit")],
    ),
)
def test_what_the_provider_refuses_is_told_with_the_work_before_it(play, caplog, turn, kind, category):
    with caplog.at_level(logging.DEBUG), pytest.raises(kind) as caught:
        play(lambda asked: turn if asked.results else reads_forever(asked), [Notes()])
    assert caught.value.category == category
    assert [message.role for message in caught.value.messages] == ["assistant", "tool"]
    assert caught.value.usages[0].total_tokens == 26
    assert KEY not in str(caught.value) + caplog.text


def test_a_server_that_is_not_there_is_a_matter_of_the_connection(play):
    with pytest.raises(ProviderError, match=r"No server responds at 127\.0\.0\.1:9") as caught:
        play(reads_forever, address="http://127.0.0.1:9")
    assert (caught.value.category, caught.value.reached) == ("connection", False)


def test_a_failed_call_is_repeated_within_the_loop_and_counted(play):
    calls = CallPolicy(retry=POLICY.model_copy(update={"rate_limit": RetryBudget(max_attempts=1)}))
    result, _ = play(lambda asked: Turn("Here.") if asked.number > 1 else Turn(status=429), calls=calls)
    assert (result.final_response, result.retries) == ("Here.", {"rate_limit": 1})


@pytest.fixture(params=["bare", "with its own tools"])
def works(play, request, tmp_path):
    """The same as `play`, without and with tools of its own."""
    own = {"own_tools": OwnTools(), "workspace_path": tmp_path}
    return lambda script, tools: play(script, tools, **(own if request.param != "bare" else {}))


UNREADABLE = (
    *("[]", '{"path": "/a", "path": "/b"}', '{"path": "/a'),
    *("0", '["x"]', '{"path": "/a", "size": 1e999}', "six"),
)


def test_arguments_that_are_not_one_json_object_go_back_to_the_model_as_they_were_sent(works):
    tool = Notes()
    calls = [*(Call(READ.name, sent) for sent in UNREADABLE), READ]
    result, _ = works(lambda asked: Turn("Done.") if asked.results else Turn("I look.", calls), [tool])
    assert tool.asked == [READ.input]
    assert [(use.input, use.unreadable) for use in result.messages[0].tool_uses] == [
        *(({}, sent) for sent in UNREADABLE), (READ.input, None),
    ]  # fmt: skip
    results = {found.tool_use_id: found for found in result.messages[1].tool_results}
    for number, sent in enumerate(UNREADABLE):
        found = results.pop(f"toolu_1_{number}")
        assert found.is_error
        assert sent in found.content
    assert [(name, found.is_error) for name, found in results.items()] == [(f"toolu_1_{len(UNREADABLE)}", False)]
    assert result.final_response == "Done."


def test_a_call_of_a_reply_that_was_cut_off_is_shown_and_not_run(works):
    tool = Notes()
    result, _ = works(lambda asked: Turn("Done.") if asked.results else Turn("I", [READ], stop="max_tokens"), [tool])
    assert tool.asked == []
    assert [use.cut_off for use in result.messages[0].tool_uses] == [True]
    assert "cut off at the token limit" in result.messages[1].tool_results[0].content


def test_a_call_of_a_reply_that_the_provider_stopped_is_shown_and_not_run(works):
    tool = Notes()
    result, twin = works(lambda asked: Turn("I look.", [READ], stop="refusal"), [tool])
    assert (tool.asked, len(twin.requests)) == ([], 1)
    assert [use.refused for use in result.messages[0].tool_uses] == [True]


def test_a_refusal_of_the_provider_is_an_outcome(play):
    result, twin = play(lambda asked: Turn("", stop="refusal"))
    assert (result.stop_reason, len(twin.requests)) == ("refusal", 1)
    assert "refusal" in result.refusal


SERVER = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    reply = {}
    if asked["method"] == "initialize":
        reply = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                 "serverInfo": {"name": "s", "version": "1"}}
    elif asked["method"] == "tools/list":
        reply = {"tools": [{"name": name, "inputSchema": {"type": "object"},
                            "annotations": {"readOnlyHint": name == "env"}} for name in ("env", "die", "other")]}
    elif asked["method"] == "tools/call" and asked["params"]["name"] == "die":
        sys.exit(3)
    elif asked["method"] == "tools/call":
        reply = {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": reply}), flush=True)
"""


@pytest.fixture
def server(tmp_path: Path) -> ToolServer:
    (tmp_path / "server.py").write_text(SERVER)
    args = [str(tmp_path / "server.py")]
    return ToolServer(command=sys.executable, args=args, env={"PASSWORD": "${MINE}"}, tools=["env", "die"])


def test_an_mcp_server_gets_its_own_secret_alone_and_only_the_chosen_tools_work(play, server):
    def script(asked: AskedTurn) -> Turn:
        return Turn("Done.") if asked.results else Turn("", [Call("mcp__box__env", {}), Call("mcp__box__other", {})])

    result, _ = play(script, servers={"box": server})
    results = [each for message in result.messages for each in message.tool_results]
    assert [each.is_error for each in results] == [False, True]
    seen = json.loads(results[0].content)
    # It was given, and the trace does not have it.
    assert seen["PASSWORD"] == "[MINE]"
    assert "ANTHROPIC_API_KEY" not in seen
    assert KEY not in results[0].content


@pytest.mark.parametrize("tools", [None, ["env"]])
def test_a_tool_of_a_server_that_only_reads_runs_as_it_was_called_or_not_at_all(play, server, tools):
    calls = [Call("mcp__box__env", '{"a": 1, "a": 2}'), Call("mcp__box__env", {"a": 2})]
    served = server.model_copy(update={"tools": tools})
    result, _ = play(lambda asked: Turn("Done.") if asked.results else Turn("", calls), servers={"box": served})
    found = {each.tool_use_id: each.is_error for message in result.messages for each in message.tool_results}
    assert found == {"toolu_1_0": True, "toolu_1_1": False}


def test_its_own_tools_run_as_they_were_called_or_not_at_all(play, tmp_path):
    def write(name: str) -> str:
        return json.dumps({"file_path": str(tmp_path / name), "content": "x"})

    calls = [Call("Write", f'{{"content": "y", {write("bad")[1:]}'), Call("Write", write("good"))]
    result, _ = play(
        lambda asked: Turn("Done.") if asked.results else Turn("", calls), own_tools=OwnTools(), workspace_path=tmp_path
    )
    assert not (tmp_path / "bad").exists()
    assert (tmp_path / "good").read_text() == "x"
    assert [use.unreadable is None for use in result.messages[0].tool_uses] == [False, True]


def test_the_models_own_filter_holds_too_also_for_a_server_whose_name_has_other_signs(play, server):
    def script(asked: AskedTurn) -> Turn:
        return (
            Turn("Done.") if asked.results else Turn("", [Call("mcp__my_box__env", {}), Call("mcp__my_box__die", {})])
        )

    result, _ = play(script, servers={"my box": server}, settings={"mcp_tool_filter": ["env"]})
    results = [each for message in result.messages for each in message.tool_results]
    assert [each.is_error for each in results] == [False, True]


def test_an_mcp_server_that_dies_ends_the_loop_as_an_error_with_the_trace(play, server):
    script = lambda asked: Turn("Go on.") if asked.results else Turn("", [Call("mcp__box__die", {})])  # noqa: E731
    with pytest.raises(ToolServerError, match="“box”") as caught:
        play(script, servers={"box": server})
    assert caught.value.server == "box"
    assert caught.value.messages[0].tool_uses[0].name == "mcp__box__die"


def test_an_mcp_server_that_cannot_be_started_is_named(play):
    with pytest.raises(ToolServerError, match="Couldn’t use the MCP server “box”") as caught:
        play(reads_forever, servers={"box": ToolServer(command="/nowhere/at/all")})
    assert caught.value.server == "box"


def test_a_tool_whose_server_is_gone_ends_the_loop_with_the_trace(play):
    with pytest.raises(ToolServerError, match="gone") as caught:
        play(reads_forever, [Notes(fault=ToolServerError("It is gone.", server="notes"))])
    assert caught.value.messages[0].tool_uses[0].name == READ.name


def test_loops_run_beside_each_other_without_a_word_too_many(play):
    def one(number: int) -> str:
        with (
            ClaudeCodeTwin(lambda asked: Turn(f"Answer {number}.") if asked.results else reads_forever(asked)) as twin,
            AdapterFactory(environment={"TWIN_KEY": KEY}) as adapters,
        ):
            return adapters.agent(model_at(twin.address), CALLS).run(ASKED, [Notes()], {}, AgentConfig()).final_response

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(one, range(2))) == ["Answer 0.", "Answer 1."]


def test_as_a_judge_it_answers_over_the_messages_api(adapters):
    with Twin(in_turn(Reply(text="It is 42."), Reply(data={"value": 42, "unit": "kg"}))) as twin:
        model = model_at(twin.address)
        reply = adapters.llm(model, CALLS).invoke(question())
        judged = adapters.parser(model, CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (reply.content, judged.reply.values) == ("It is 42.", {"value": 42, "unit": "kg"})


def test_a_provider_that_does_not_answer_in_time_is_asked_again_and_that_is_counted(play):
    once = RetryBudget(max_attempts=1, backoff_min=0.001, backoff_max=0.002)
    policy = RetryPolicy(connection=NONE, timeout=once, rate_limit=NONE, server_error=NONE)
    with pytest.raises(ProviderError) as caught:
        play(lambda asked: Turn(delay=60), calls=CallPolicy(retry=policy, request_timeout=1))
    assert (caught.value.category, caught.value.retries) == ("timeout", {"timeout": 1})


def test_a_redirect_leads_it_to_no_other_server(play):
    with ClaudeCodeTwin(lambda asked: Turn("Done.")) as other:

        class Moved(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(307)
                self.send_header("location", f"{other.address}/v1/messages")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        with OnLoopback(Moved) as moved, pytest.raises(ProviderError) as caught:
            play(lambda asked: Turn(), address=moved.address)
    assert (caught.value.category, caught.value.status) == ("rejected", 307)
    assert other.requests == []


def test_a_missing_key_is_named_before_anything_is_started():
    model = ModelConfig(model_name="m", interface="claude_agent_sdk", api_key_env="NOT_SET")
    with AdapterFactory(environment={}) as adapters, pytest.raises(PortError, match="NOT_SET"):
        adapters.agent(model, CALLS)


def test_no_server_takes_the_name_of_our_own(play, server):
    with pytest.raises(ConfigurationError, match="“workspace”"):
        play(reads_forever, servers={"workspace": server})
