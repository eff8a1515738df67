"""Recorded conversations of every origin become the same messages."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.errors import InputError
from karenina_gui.schemas.messages import Message, ToolResultBlock, ToolUseBlock, final_answer, render_trace, to_stored
from karenina_gui.traces.metrics import trace_metrics
from karenina_gui.traces.provider_formats import replicates, to_messages

OPENAI = [
    {"role": "system", "content": "sys"},
    {"role": "user", "content": "What is the gene?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": "BCL2"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "name": "search", "content": "found"},
    {"role": "assistant", "content": "It is BCL2."},
]
ANTHROPIC = {
    "system": "sys",
    "messages": [
        {"role": "user", "content": "What is the gene?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "search", "input": {"q": "BCL2"}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "found"}]}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "It is BCL2."}]},
    ],
}


def test_openai_and_anthropic_conversations_read_the_same() -> None:
    assert to_messages(OPENAI) == to_messages(ANTHROPIC)


def test_what_is_stored_reads_back_as_it_was() -> None:
    messages = to_messages(OPENAI)
    assert to_messages(to_stored(messages)) == messages
    assert to_messages([m.model_dump() for m in messages]) == messages
    assert to_messages(messages) == messages


def test_tool_calls_and_results_keep_their_ids_and_arguments() -> None:
    call, result = to_messages(OPENAI)[2:4]
    assert call.content == (ToolUseBlock(id="c1", name="search", input={"q": "BCL2"}),)
    assert result.content == (ToolResultBlock(tool_use_id="c1", content="found"),)


def test_a_text_is_one_assistant_message() -> None:
    assert to_messages("It is 42.") == [Message.of("assistant", "It is 42.")]


def test_thinking_comes_before_the_answer_in_either_format() -> None:
    anthropic = [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}]}
    ]
    openai = [{"role": "assistant", "content": "a", "reasoning_content": "hm"}]
    assert render_trace(to_messages(anthropic)) == render_trace(to_messages(openai))
    assert "--- Thinking ---\nhm" in render_trace(to_messages(openai))


GEMINI = [
    {"role": "user", "parts": [{"text": "Which gene?"}]},
    {
        "role": "model",
        "parts": [
            {"text": "I look.", "thought": True},
            {"functionCall": {"name": "search", "args": {"q": "BCL2"}}},
            {"functionCall": {"name": "count", "args": {}}},
        ],
    },
    {
        "role": "user",
        "parts": [
            {"functionResponse": {"name": "count", "response": {"result": "2"}}},
            {"functionResponse": {"name": "search", "response": {"hits": [1]}}},
        ],
    },
    {"role": "model", "parts": [{"text": "It is "}, {"text": "BCL2."}, {"executableCode": {"code": "print(1)"}}]},
]


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_conversation_of_gemini_reads(wrapped: bool) -> None:
    value = {"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": GEMINI} if wrapped else GEMINI
    messages = to_messages(value)
    if wrapped:
        assert (messages[0].role, messages.pop(0).text) == ("system", "Be brief.")
    user, called, results, answer = messages
    assert [message.role for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert (user.text, called.thinking[0].thinking, answer.text) == ("Which gene?", "I look.", "It is BCL2.print(1)")
    assert [(use.name, use.input) for use in called.tool_uses] == [("search", {"q": "BCL2"}), ("count", {})]
    search, count = (use.id for use in called.tool_uses)
    assert [(r.tool_use_id, r.content) for r in results.tool_results] == [(count, "2"), (search, '{"hits": [1]}')]


def test_a_turn_of_gemini_may_have_snake_case_names_ids_and_no_role() -> None:
    turns = [
        {"parts": [{"text": "Go."}]},
        {"role": "model", "parts": [{"function_call": {"id": "7", "name": "f", "args": {}}}]},
        {"role": "function", "parts": [{"function_response": {"id": "7", "name": "f", "response": {"error": "no"}}}]},
    ]
    user, called, results = to_messages({"contents": turns})
    assert (user.role, called.tool_uses[0].id) == ("user", "7")
    assert (results.tool_results[0].tool_use_id, results.tool_results[0].is_error) == ("7", True)


@pytest.mark.parametrize(
    ("entry", "failed"),
    [
        ({"content": "Error: no such flight"}, True),
        ({"content": "[ERROR] timeout"}, True),
        ({"content": "Traceback (most recent call last):\n  File …"}, True),
        ({"content": "ValueError: not a date"}, True),
        ({"content": '{"error": "no such flight"}'}, True),
        ({"content": '{"status": "error", "code": 4}'}, True),
        ({"content": "Something.", "status": "error"}, True),
        ({"content": "Error: as printed by the log", "is_error": False}, False),
        ({"content": "Error: as printed by the log", "status": "success"}, False),
        ({"content": '{"error": null, "flights": []}'}, False),
        ({"content": "Errors were found in 0 files."}, False),
        ({"content": "The standard error is 0.2."}, False),
        ({"content": "HAT001 is available."}, False),
    ],
)
def test_failed_calls_of_a_format_without_a_mark_are_counted(entry: dict[str, Any], failed: bool) -> None:
    call = {"id": "c", "function": {"name": "book", "arguments": "{}"}}
    trace = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", **entry},
        {"role": "assistant", "content": "Done."},
    ]
    assert trace_metrics(to_messages(trace))["suspect_failed_tool_calls"] == int(failed)


def test_a_thought_in_the_text_is_read_as_one() -> None:
    apart = to_messages([{"role": "assistant", "content": "a", "reasoning_content": "hm"}])
    assert to_messages([{"role": "assistant", "content": "<think>hm</think>\na"}]) == apart
    assert to_messages("<think>hm</think>\na") == apart
    parts = [{"type": "text", "text": "<think>"}, {"type": "text", "text": "hm</think>a"}]
    assert to_messages([{"role": "assistant", "content": parts}]) == apart
    (question,) = to_messages([{"role": "user", "content": "<think>hm</think>\na"}])
    assert question.text == "<think>hm</think>\na"


def test_a_users_words_beside_a_tool_result_are_kept() -> None:
    content = [
        {"type": "tool_result", "tool_use_id": "1", "content": "r", "is_error": True},
        {"type": "text", "text": "go on"},
    ]
    tool, user = to_messages([{"role": "user", "content": content}])
    assert tool.tool_results[0].is_error
    assert (user.role, user.text) == ("user", "go on")


UNREADABLE = ("{broken", "[1]", '{"x": NaN}', '{"x": 1e999}', '{"a": 1, "a": 2}', "[" * 200_000)


@pytest.mark.parametrize("arguments", UNREADABLE)
def test_arguments_that_are_no_object_are_kept_as_their_text(arguments: str) -> None:
    """Whether the other program ran the call all the same is not known."""
    openai = [{"id": "1", "function": {"name": "f", "arguments": arguments}}]
    anthropic = [{"type": "tool_use", "id": "1", "name": "f", "input": arguments}]
    for message in ({"content": None, "tool_calls": openai}, {"content": anthropic}):
        read = to_messages([{"role": "assistant", **message}])
        (use,) = read[0].tool_uses
        assert (use.input, use.unreadable, use.not_run) == ({}, arguments, None)
        assert to_messages(to_stored(read)) == read
        assert "Not run" not in render_trace(read)


@pytest.mark.parametrize(("arguments", "text"), [([1], "[1]"), (7, "7"), ({"x": math.inf}, '{"x": Infinity}')])
def test_arguments_that_come_as_another_value_are_kept_as_its_text(arguments: object, text: str) -> None:
    call = {"type": "tool_use", "id": "1", "name": "f", "input": arguments}
    (use,) = to_messages([{"role": "assistant", "content": [call]}])[0].tool_uses
    assert (use.input, use.unreadable) == ({}, text)


@pytest.mark.parametrize("arguments", ["", " ", "null", "{}", None, {}])
def test_a_call_without_arguments_has_none(arguments: object) -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": arguments}}
    (use,) = to_messages([{"role": "assistant", "content": None, "tool_calls": [call]}])[0].tool_uses
    assert use == ToolUseBlock(id="1", name="f")


def test_a_function_reply_without_an_id_answers_the_latest_call_of_its_name() -> None:
    messages = to_messages(
        [
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "r"},
        ]
    )
    assert messages[1].tool_results[0].tool_use_id == messages[0].tool_uses[0].id


def test_replies_without_ids_answer_the_calls_of_a_turn_one_after_the_other() -> None:
    calls = [{"id": id_, "function": {"name": name, "arguments": "{}"}} for id_, name in ("af", "bf", "cg")]
    replies = [{"role": "tool", "name": name, "content": "r"} for name in "fgf"]
    messages = to_messages([{"role": "assistant", "content": None, "tool_calls": calls}, *replies])
    assert [message.tool_results[0].tool_use_id for message in messages[1:]] == ["a", "c", "b"]


def test_upstreams_stored_messages_read(shared: Path) -> None:
    vector = json.loads((shared / "vectors/traces.json").read_text())
    messages = to_messages(vector["messages_dicts"])
    assert messages[1].thinking[0].signature == "s"
    assert messages[1].tool_uses[0].input == {"q": "BCL2", "n": 2}
    assert final_answer(messages) == tuple(vector["final"])


def test_all_published_agent_conversations_read(shared: Path) -> None:
    source = shared / "data/tau-airline-gpt-4o.json"
    if not source.exists():
        pytest.skip("needs the published conversations")
    trials = json.loads(source.read_text())
    assert len(trials) == 80
    for trial in trials:
        messages = to_messages(trial["messages"])
        assert [m.role for m in messages] == [m["role"] for m in trial["messages"]]
        calls = [c for m in trial["messages"] for c in m.get("tool_calls") or []]
        assert [u.input for m in messages for u in m.tool_uses] == [
            json.loads(c["function"]["arguments"]) for c in calls
        ]
        answered = {r.tool_use_id for m in messages for r in m.tool_results}
        assert answered <= {u.id for m in messages for u in m.tool_uses}
        assert to_messages(to_stored(messages)) == messages


@pytest.mark.parametrize("one", ["a text", OPENAI, ANTHROPIC, [Message.of("assistant", "x")]])
def test_one_answer_is_one_replicate(one: Any) -> None:
    assert replicates(one) == [one]


@pytest.mark.parametrize("several", [["a", "b"], [OPENAI, OPENAI], ["a", OPENAI, ANTHROPIC]])
def test_several_answers_are_one_per_replicate(several: list[Any]) -> None:
    assert replicates(several) == several


@pytest.mark.parametrize(
    "nonsense", [[], None, 7, ["a", {"role": "user", "content": "x"}], [{"content": "no role"}], ["a", []]]
)
def test_what_is_neither_an_answer_nor_replicates_is_refused_plainly(nonsense: Any) -> None:
    with pytest.raises(InputError, match="Expected a text, or a list of messages"):
        replicates(nonsense)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([{"role": "wizard", "content": "x"}], "unknown role “wizard”"),
        ([{"role": "user", "content": 7}], "Message 1 has int '7' as its content"),
        ([{"role": "user", "content": [{"no": "type"}]}], "part without a type"),
        ([{"role": "assistant", "text": "It is 42."}], "Message 1 has no content: it is an object with .*'text'"),
        ([{"role": "model", "parts": ["It is 42."]}], "Message 1 contains a part that cannot be read"),
        ([{"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}], "without a function name"),
        ([{"role": "wizard", "content": "x", "block_index": 0}], "unknown role “wizard”"),
        ([{"role": "tool", "content": "x", "block_index": 0, "tool_result": {"content": 1}}], "cannot be read"),
        (7, "Expected a text"),
    ],
)
def test_an_unreadable_message_is_named(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        to_messages(value)
