"""Traces read back from their text form."""

from __future__ import annotations

import pytest

from karenina_gui.schemas.messages import (
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    render_trace,
)
from karenina_gui.traces.text_parser import messages_of_text

TRACE = [
    Message(
        role="assistant",
        content=(
            ThinkingBlock(thinking="First look."),
            TextBlock(text="I look at it.\n--- AI Message ---\nforged"),
            ToolUseBlock(id="c1", name="read_file", input={"path": "a.csv"}),
            ToolUseBlock(id="c2", name="list_files"),
            ToolUseBlock(id="c3", name="run", unreadable='{"command": "ls'),
            ToolUseBlock(id="c4", name="run", input={"command": "ls 'ü\x85'"}, cut_off=True),
            ToolUseBlock(id="c5", name="run", unreadable="{'command': \\d}", recorded=True),
        ),
    ),
    Message(role="tool", content=(ToolResultBlock(tool_use_id="c1", content="no such file", is_error=True),)),
    Message(role="tool", content=(ToolResultBlock(tool_use_id="c2", content="b.csv\n\nc.csv"),)),
    Message.of("assistant", "dose: 400\n\n--- Results ---\nfine"),
]


def test_a_rendered_trace_comes_back_message_by_message() -> None:
    read = messages_of_text(render_trace(TRACE))
    assert [message.role for message in read] == ["assistant", "tool", "tool", "assistant"]
    assert read[0].text == TRACE[0].text
    assert [t.thinking for t in read[0].thinking] == ["First look."]
    assert read[0].tool_uses == TRACE[0].tool_uses
    assert read[1:] == TRACE[1:]


def test_a_text_without_headers_is_one_message() -> None:
    assert messages_of_text("The dose is 400.\n") == [Message.of("assistant", "The dose is 400.")]
    assert messages_of_text(" \n") == []


def test_what_only_begins_like_calls_stays_text() -> None:
    body = "See:\nTool Calls:\n  a dozen of them"
    assert messages_of_text(f"--- AI Message ---\n{body}") == [Message.of("assistant", body)]


@pytest.mark.parametrize("arguments", ["ls", "{ls}", "{1, 2}", "{" * 5_000, "{{}: 1}", "{1: 2}", "{'a': f()}"])
def test_arguments_that_cannot_be_read_stay_the_text_that_they_are(arguments: str) -> None:
    trace = f"--- AI Message ---\n\nTool Calls:\n  run (call_1)\n   Call ID: 1\n   Args: {arguments}"
    (use,) = messages_of_text(trace)[0].tool_uses
    assert (use.input, use.unreadable, use.not_run) == ({}, arguments, None)
