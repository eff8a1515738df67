"""Claude Code with its own tools in its sandbox, against a twin of Anthropic's API: what they touch and reach."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentConfig, AgentResult, OwnTools
from karenina_gui.errors import AgentExecutionError, AuthenticationError, ProviderError, RunCancelled, ToolServerError
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.workspace import WorkspaceLimits
from tests.adapters.conftest import KEY
from tests.adapters.test_claude_agent_sdk import ASKED, CALLS, POLICY, READ, SERVER, Notes
from tests.claude_code_twin import AskedTurn, Call, ClaudeCodeTwin, Turn
from tests.processes import running
from tests.until import comes

pytest.importorskip("claude_agent_sdk", reason="needs the extra 'agent'")

Play = Callable[..., tuple[AgentResult, ClaudeCodeTwin]]
_serial = count()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    made.mkdir()
    (made / "notes.txt").write_text("The dose is 40 mg.\n")
    CommandBox(WorkspaceLimits()).admit(made)
    return made


@pytest.fixture
def play(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    """Plays one loop in the sandbox; nothing may be left of it: no file, no thread, no process."""
    box = CommandBox(WorkspaceLimits()).program_box
    if box is None:
        pytest.skip("no program can be sandboxed here")
    scratch = tmp_path / "temporary"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    threads = set(threading.enumerate())
    name = f"m-{os.getpid()}-{next(_serial)}"

    def run(script, *names, tools=(), servers=None, calls=CALLS, address=None, limits=None, settings=None, **config):
        around = CommandBox(limits).program_box if limits else box
        own = OwnTools(names or OwnTools().names, around)
        with (
            ClaudeCodeTwin(script) as twin,
            AdapterFactory(environment={"TWIN_KEY": KEY, "MINE": "open sesame"}) as adapters,
        ):
            model = ModelConfig(
                model_name=name,
                interface="claude_agent_sdk",
                api_key_env="TWIN_KEY",
                anthropic_base_url=address or twin.address,
                **(settings or {}),
            )
            told = AgentConfig(workspace_path=folder, own_tools=own, **config)
            return adapters.agent(model, calls).run(ASKED, tools, servers or {}, told), twin

    yield run
    assert list(scratch.iterdir()) == []
    assert comes(lambda: all(thread.daemon for thread in set(threading.enumerate()) - threads))
    assert running(name) == []


def calls_then_answers(*calls: Call) -> Callable[[AskedTurn], Turn]:
    return lambda asked: Turn("Done.") if asked.results else Turn("I work.", calls)


def told(result: AgentResult) -> list[tuple[bool, str]]:
    return [(each.is_error, each.content) for message in result.messages for each in message.tool_results]


def test_only_the_chosen_tools_are_offered_and_ours_beside_them(play):
    result, twin = play(calls_then_answers(READ, Call("Write", {"file_path": "x"})), "Read", "Bash", tools=[Notes()])
    assert twin.requests[0].tools == ["Bash", "Read", READ.name]
    (failed, said), (refused, _) = told(result)
    assert (failed, said, refused) == (False, "The dose is 40 mg.", True)


def test_every_one_of_them_works_in_the_workspace_which_is_its_folder(play, folder):
    calls = [
        Call("Bash", {"command": "pwd; cat notes.txt; echo made > made.txt"}),
        Call("Read", {"file_path": "/workspace/notes.txt"}),
        Call("Edit", {"file_path": "/workspace/notes.txt", "old_string": "40", "new_string": "80"}),
        Call("Write", {"file_path": "/workspace/w.txt", "content": "written"}),
        Call("Glob", {"pattern": "*.txt"}),
        Call("Grep", {"pattern": "dose", "output_mode": "content"}),
    ]
    result, twin = play(calls_then_answers(*calls))
    assert twin.requests[0].tools == ["Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"]
    assert [failed for failed, _ in told(result)] == [False] * len(calls)
    assert told(result)[0][1] == "/workspace\nThe dose is 40 mg."
    assert {each.name: each.read_text() for each in folder.iterdir()} == {
        "notes.txt": "The dose is 80 mg.\n", "made.txt": "made\n", "w.txt": "written",
    }  # fmt: skip
    assert result.final_response == "Done."


def test_nothing_outside_the_workspace_is_read_or_written(play, tmp_path, folder):
    data = tmp_path / "data"
    data.mkdir(mode=0o777)
    (data / "secret.txt").write_text("hidden words")
    mark = f"planted-{os.getpid()}"
    places = [str(data), str(Path.home()), str(Path.cwd()), "/etc", "/usr", "/var", "/workspace/..", "/opt/program"]
    calls = [
        Call("Bash", {"command": f"cat {data}/secret.txt; " + "; ".join(f"touch {each}/{mark}" for each in places)}),
        Call("Bash", {"command": f"touch /tmp/{mark} ~/{mark} && ls / && echo private"}),
        Call("Write", {"file_path": f"/etc/{mark}", "content": "x"}),
        Call("Read", {"file_path": f"{data}/secret.txt"}),
        Call("Bash", {"command": f"ln -s {data} link; cat link/secret.txt; touch link/{mark}"}),
        Call("Bash", {"command": "ls /proc | grep -c '^[0-9]'; ls /work /root /home"}),
    ]
    result, _ = play(calls_then_answers(*calls))
    assert [failed for failed, _ in told(result)] == [True, False, True, True, True, True]
    assert "hidden" not in str(told(result))
    for place in [*places[:-2], "/tmp", tempfile.gettempdir()]:
        assert not (Path(place) / mark).exists()
    assert [each.name for each in data.iterdir()] == ["secret.txt"]
    assert not (folder.parent / mark).exists()


def test_it_reaches_its_provider_and_nothing_else(play):
    with ClaudeCodeTwin(lambda asked: Turn()) as other:
        port = other.address.rpartition(":")[2]
        reach = f"exec 3<>/dev/tcp/127.0.0.1/{port} && printf 'HEAD / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"
        calls = [
            Call("Bash", {"command": reach}),
            Call("Bash", {"command": "exec 3<>/dev/tcp/1.1.1.1/53 && echo through"}),
            Call("Bash", {"command": "grep -c : /proc/net/dev; cat /etc/resolv.conf"}),
        ]
        result, twin = play(calls_then_answers(*calls))
    assert [failed for failed, _ in told(result)] == [True, True, True]
    assert "Connection refused" in told(result)[0][1]
    assert "200" not in told(result)[0][1]
    assert "unreachable" in told(result)[1][1]
    assert told(result)[2][1].startswith("Exit code 1\n1\n")
    assert (len(twin.requests), result.final_response) == (2, "Done.")


def test_nothing_of_the_application_is_in_its_environment(play, monkeypatch):
    monkeypatch.setenv("OUR_OTHER_KEY", "sk-another-secret-123456")
    look = "env; for each in /proc/[0-9]*; do tr '\\0' '\\n' < $each/environ; tr '\\0' ' ' < $each/cmdline; done"
    result, twin = play(calls_then_answers(Call("Bash", {"command": look})))
    text = str(told(result))
    assert "HOME=/tmp/home" in text
    assert not [
        secret for secret in ("sk-another", KEY, "[key]", "karenina-claude-", str(Path.cwd())) if secret in text
    ]
    sent = json.dumps([each.body for each in twin.requests])
    assert not [secret for secret in ("sk-another", "karenina-claude-", str(Path.cwd())) if secret in sent]


def test_the_key_of_its_model_is_nowhere_that_its_commands_can_look(play, folder):
    look = """
    env > found.txt
    cat /proc/*/environ /proc/*/cmdline >> found.txt
    grep -rs . /tmp /etc /workspace ~ --binary-files=text >> found.txt
    echo looked
    """
    result, twin = play(calls_then_answers(Call("Bash", {"command": look})))
    assert "looked" in told(result)[0][1]
    found = (folder / "found.txt").read_bytes()
    assert b"ANTHROPIC_API_KEY=not-a-key-" in found
    assert KEY.encode() not in found
    assert {each.key for each in twin.requests} == {KEY}


def test_a_key_that_the_provider_repeats_does_not_come_to_it(play):
    with pytest.raises(AuthenticationError) as caught:
        play(lambda asked: Turn(status=401, message=f"bad key {KEY}"))
    assert "bad key" in str(caught.value)


def test_a_cancelled_run_leaves_nothing_behind_within_two_seconds(play):
    seconds = f"600{time.monotonic_ns() % 10**6}"
    cancelled_at = []

    def cancelled() -> bool:
        if not cancelled_at and running(seconds):
            cancelled_at.append(time.monotonic())
        return bool(cancelled_at)

    command = Call("Bash", {"command": f"setsid sleep {seconds} & sleep {seconds}"})
    with pytest.raises(RunCancelled):
        play(calls_then_answers(command), calls=CallPolicy(retry=POLICY, cancelled=cancelled))
    assert time.monotonic() - cancelled_at[0] < 2
    assert running(seconds) == []


def test_what_a_command_left_running_ends_with_the_loop(play):
    seconds = f"600{time.monotonic_ns() % 10**6}"
    command = f"setsid sleep {seconds} > /dev/null 2>&1 < /dev/null & disown; echo left"
    result, _ = play(calls_then_answers(Call("Bash", {"command": command})))
    assert (told(result)[0][1], running(seconds)) == ("left", [])


def test_its_time_ends_it_with_what_it_had_done(play):
    result, _ = play(calls_then_answers(Call("Bash", {"command": "sleep 600"})), timeout=3)
    assert (result.timeout_reached, result.messages[0].text) == (True, "I work.")


def test_a_workspace_that_grows_too_large_ends_it(play):
    fill = Call("Bash", {"command": "for i in 1 2 3 4; do head -c 3M /dev/zero > $i; done; sleep 60"})
    with pytest.raises(AgentExecutionError, match="would hold more than 8 MB") as caught:
        play(calls_then_answers(fill), limits=WorkspaceLimits(disk_mb=8))
    assert caught.value.messages[0].tool_uses[0].name == "Bash"


def test_a_command_has_no_more_time_than_the_runs_limits_give_it(play):
    result, _ = play(
        calls_then_answers(Call("Bash", {"command": "echo before; sleep 600", "timeout": 600_000})),
        limits=WorkspaceLimits(command_seconds=1),
    )
    ((failed, said),) = told(result)
    assert failed
    assert "timed out" in said


@pytest.mark.parametrize(
    ("turn", "kind", "category"),
    [
        (Turn(status=401, message=f"bad key {KEY}"), AuthenticationError, "authentication"),
        (Turn(status=429, message="slow down"), ProviderError, "rate_limit"),
    ],
)
def test_what_the_provider_refuses_is_told(play, turn, kind, category):
    with pytest.raises(kind) as caught:
        play(lambda asked: turn)
    assert caught.value.category == category
    assert KEY not in str(caught.value)


def test_a_provider_that_is_not_there_is_a_matter_of_the_connection(play):
    with pytest.raises(ProviderError, match=r"No server responds at 127\.0\.0\.1:9") as caught:
        play(calls_then_answers(), address="http://127.0.0.1:9")
    assert (caught.value.category, caught.value.reached) == ("connection", False)


def test_a_provider_that_hangs_up_in_the_middle_of_a_reply_is_a_matter_of_the_connection(play):
    with pytest.raises(ProviderError) as caught:
        play(lambda asked: Turn("Here.", hangs_up=True))
    assert caught.value.category == "connection"


@pytest.fixture
def server(tmp_path: Path) -> ToolServer:
    (tmp_path / "server.py").write_text(SERVER)
    args = [str(tmp_path / "server.py")]
    return ToolServer(command=sys.executable, args=args, env={"PASSWORD": "${MINE}"}, tools=["env", "die"])


def test_mcp_servers_work_outside_the_sandbox_and_keep_their_secrets(play, server):
    calls = [Call("mcp__my_box__env", {}), Call("mcp__my_box__other", {}), Call("Bash", {"command": "env"})]
    result, twin = play(calls_then_answers(*calls), servers={"my box": server}, settings={"mcp_tool_filter": ["env"]})
    (failed, seen), (refused, _), (_, environment) = told(result)
    assert (failed, refused) == (False, True), seen
    assert json.loads(seen)["PASSWORD"] == "[MINE]"
    assert "open sesame" not in environment
    assert [name for name in twin.requests[0].tools if name.startswith("mcp__")] == ["mcp__my_box__env"]


def test_an_mcp_server_that_dies_ends_the_loop_with_the_trace(play, server):
    with pytest.raises(ToolServerError, match="“box”") as caught:
        play(calls_then_answers(Call("mcp__box__die", {})), servers={"box": server})
    assert caught.value.server == "box"
    assert caught.value.messages[0].tool_uses[0].name == "mcp__box__die"


def test_an_mcp_server_that_cannot_be_started_is_named(play):
    with pytest.raises(ToolServerError, match="“box”: Couldn’t find"):
        play(calls_then_answers(), servers={"box": ToolServer(command="/nowhere/at/all")})


def test_a_call_runs_as_it_was_sent_or_not_at_all(play, folder):
    def write(name: str) -> str:
        return json.dumps({"file_path": f"/workspace/{name}", "content": "x"})

    calls = [Call("Write", f'{{"content": "y", {write("bad")[1:]}'), Call("Write", write("good"))]
    result, _ = play(calls_then_answers(*calls))
    assert {each.name for each in folder.iterdir()} == {"notes.txt", "good"}
    assert [use.unreadable is None for use in result.messages[0].tool_uses] == [False, True]


def test_without_a_workspace_it_has_no_tools_of_its_own(play):
    with ClaudeCodeTwin(calls_then_answers()) as twin, AdapterFactory(environment={"TWIN_KEY": KEY}) as adapters:
        model = ModelConfig(
            model_name="m", interface="claude_agent_sdk", api_key_env="TWIN_KEY", anthropic_base_url=twin.address
        )
        adapters.agent(model, CALLS).run(ASKED, [], {}, AgentConfig(own_tools=OwnTools()))
    assert twin.requests[0].tools == []
