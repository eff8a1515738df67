"""What Claude Code tells, put together again, without the program."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from karenina_gui.adapters.claude_code_transcript import TranscriptBuilder
from karenina_gui.adapters.connections import Endpoint
from karenina_gui.adapters.key_relay import KeyRelay
from karenina_gui.schemas.messages import final_answer
from karenina_gui.traces.tool_pairs import tool_pairs

sdk = pytest.importorskip("claude_agent_sdk", reason="needs the extra 'agent'")


@pytest.fixture
def trace() -> Iterator[TranscriptBuilder]:
    endpoint = Endpoint("http://127.0.0.1", "key", "KEY")
    with closing(KeyRelay("m", endpoint, ssl.create_default_context(), 1)) as relay:
        yield TranscriptBuilder(endpoint, Path("/nowhere"), relay)


def test_results_stand_behind_the_latest_turn_with_a_call_of_their_id(trace: TranscriptBuilder) -> None:
    for turn in (1, 2):
        call = sdk.ToolUseBlock(id="call_0", name=f"tool{turn}", input={})
        trace.add(sdk.AssistantMessage(content=[call], model="m", message_id=f"message{turn}"))
        trace.add(sdk.UserMessage(content=[sdk.ToolResultBlock(tool_use_id="call_0", content=f"result{turn}")]))
    messages = trace.messages()
    assert [message.role for message in messages] == ["assistant", "tool"] * 2
    pairs = [(pair.call and pair.call.name, pair.result and pair.result.content) for pair in tool_pairs(messages)]
    assert pairs == [("tool1", "result1"), ("tool2", "result2")]


def test_tools_that_the_provider_runs_itself_are_shown_with_their_results_and_before_the_answer(
    trace: TranscriptBuilder,
) -> None:
    searched = [
        sdk.ServerToolUseBlock(id="s1", name="web_search", input={"query": "6 x 7"}),
        sdk.ServerToolResultBlock(tool_use_id="s1", content={"type": "web_search_tool_result_error"}),
    ]
    trace.add(sdk.AssistantMessage(content=[*searched, sdk.TextBlock(text="It is 42.")], model="m", message_id="one"))
    messages = trace.messages()
    assert [message.role for message in messages] == ["assistant", "tool", "assistant"]
    ((call, result),) = [(pair.call, pair.result) for pair in tool_pairs(messages)]
    assert call is not None and result is not None
    assert (call.name, call.by_provider, result.is_error) == ("web_search", True, True)
    assert final_answer(messages) == ("It is 42.", None)
