"""Parts of the package `claude_agent_sdk` that it does not promise: as the installed version has them."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

import anyio
import pytest

from karenina_gui.adapters.claude_sdk_internals import bundled_program, kind_of, process_of

sdk = pytest.importorskip("claude_agent_sdk", reason="needs the extra 'agent'")

READ = {
    "StreamEvent": {"event", "parent_tool_use_id"},
    "AssistantMessage": {"content", "error", "message_id", "model", "parent_tool_use_id"},
    "UserMessage": {"content", "parent_tool_use_id"},
    "SystemMessage": {"data", "subtype"},
    "ResultMessage": {"errors", "is_error", "model_usage", "result", "subtype", "total_cost_usd"},
    "TextBlock": {"text"},
    "ThinkingBlock": {"signature", "thinking"},
    "ToolUseBlock": {"id", "input", "name"},
    "ServerToolUseBlock": {"id", "input", "name"},
    "ToolResultBlock": {"content", "is_error", "tool_use_id"},
    "ServerToolResultBlock": {"content", "tool_use_id"},
}
"""Kinds that a transcript dispatches on, with the fields that it reads."""

PROGRAM = f"""#!{sys.executable}
import json, sys
for line in sys.stdin:
    answer = {{"subtype": "success", "request_id": json.loads(line)["request_id"], "response": {{}}}}
    print(json.dumps({{"type": "control_response", "response": answer}}), flush=True)
"""


@pytest.mark.parametrize("kind", READ)
def test_messages_and_blocks_have_these_kinds_and_fields(kind: str) -> None:
    part = getattr(sdk, kind)
    assert READ[kind] <= {each.name for each in fields(part)}
    assert kind_of(object.__new__(part)) == kind


def test_the_process_of_a_client_can_be_ended_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK", "1")
    program = tmp_path / "program"
    program.write_text(PROGRAM)
    program.chmod(0o700)

    async def run() -> int:
        client = sdk.ClaudeSDKClient(sdk.ClaudeAgentOptions(cli_path=program))
        assert process_of(client) is None
        await client.connect()
        process = process_of(client)
        assert process is not None
        assert process.returncode is None
        process.kill()
        await client.disconnect()
        await process.aclose()
        return int(process.returncode)

    assert anyio.run(run) < 0


@pytest.mark.skipif(sys.platform != "linux", reason="a program is enclosed on Linux alone")
def test_the_package_brings_its_program() -> None:
    program = bundled_program()
    assert program is not None
    assert program.stat().st_mode & 0o100
