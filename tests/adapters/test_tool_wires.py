"""Tools, calls and results in the form that each provider has them."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import pytest
from anthropic.types import Message as AnthropicMessage

from karenina_gui.adapters import claude_code_transcript, claude_wire, openai_wire
from karenina_gui.adapters.error_mapping import explain_without_tools
from karenina_gui.adapters.ports import AgentConfig, LLMRequest
from karenina_gui.adapters.tool_calls import convert_call, tools_by_name
from karenina_gui.errors import ProviderError
from karenina_gui.schemas.messages import (
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    from_stored,
    render_trace,
    to_stored,
)
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.usage import LONG_LIVED
from tests.adapters.conftest import CALLS, question
from tests.adapters.tools import Worked, multiply
from tests.twin import Call, Reply, in_turn

ASKED = question().messages
CONVERSATION = (
    Message.of("user", "What is 6 x 7?"),
    Message(
        role="assistant",
        content=(
            ThinkingBlock(thinking="Hm.", signature="signed"),
            ThinkingBlock(thinking="", redacted="c2VjcmV0"),
            TextBlock(text="Let me see."),
            ToolUseBlock(id="one", name="multiply", input={"a": 6, "b": 7}),
            ToolUseBlock(id="two", name="multiply", input={}),
        ),
    ),
    Message(
        role="tool",
        content=(
            ToolResultBlock(tool_use_id="one", content="42"),
            ToolResultBlock(tool_use_id="two", content="a is missing", is_error=True),
        ),
    ),
)


def test_results_are_messages_of_their_own_for_openai():
    said, *results = openai_wire.wire_messages(CONVERSATION)[1:]
    assert [call["function"]["arguments"] for call in said["tool_calls"]] == ['{"a": 6, "b": 7}', "{}"]
    assert results == [
        {"role": "tool", "tool_call_id": "one", "content": "42"},
        {"role": "tool", "tool_call_id": "two", "content": "a is missing"},
    ]


def test_results_are_one_turn_of_the_user_for_anthropic():
    _, said, results = claude_wire.wire_messages(CONVERSATION)
    assert [part["type"] for part in said["content"]] == [
        "thinking", "redacted_thinking", "text", "tool_use", "tool_use",
    ]  # fmt: skip
    assert said["content"][1] == {"type": "redacted_thinking", "data": "c2VjcmV0"}
    assert said["content"][3] == {"type": "tool_use", "id": "one", "name": "multiply", "input": {"a": 6, "b": 7}}
    assert results["role"] == "user"
    assert results["content"][1] == {
        "type": "tool_result", "tool_use_id": "two", "content": "a is missing", "is_error": True,
    }  # fmt: skip


def test_a_reply_of_anthropic_keeps_its_order_and_what_is_encrypted():
    parts = [
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "thinking", "thinking": "Hm.", "signature": "signed"},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "one", "name": "reply", "input": {"a": 6}},
    ]
    message = SimpleNamespace(usage=None, model="m", stop_reason="tool_use")
    body = json.dumps({"content": parts})
    response = claude_wire.reply_of(message, body, LLMRequest(ASKED, tools=(multiply().spec,)))
    assert response.data is None  # a tool may be called like the one that is forced for structured output
    assert response.blocks == (
        ThinkingBlock(thinking="", redacted="c2VjcmV0"),
        ThinkingBlock(thinking="Hm.", signature="signed"),
        TextBlock(text="Let me see."),
        ToolUseBlock(id="one", name="reply", input={"a": 6}),
    )


def test_what_anthropic_wrote_to_its_cache_for_an_hour_is_told():
    written = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 5}
    usage = {"input_tokens": 2, "output_tokens": 1, "cache_creation_input_tokens": 8, "cache_creation": written}
    counts = claude_code_transcript.usage_of(usage)
    assert (counts.input_tokens, counts.input_token_details) == (10, {"cache_creation": 8, LONG_LIVED: 5})
    body = {"content": [{"type": "text", "text": "a"}], "usage": usage}
    message = AnthropicMessage.model_validate({"id": "m", "role": "assistant", "type": "message", "model": "m", **body})
    response = claude_wire.reply_of(message, json.dumps(body), LLMRequest(ASKED))
    assert (response.usage.input_tokens, response.usage.input_token_details) == (10, counts.input_token_details)


def test_a_conversation_with_tools_is_kept_and_read_again():
    assert tuple(from_stored(to_stored(CONVERSATION[1:]))) == CONVERSATION[1:]
    trace = render_trace(CONVERSATION)
    assert trace.count("--- Thinking ---") == 1
    assert "[ERROR] a is missing" in trace


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"a": 6}', {"a": 6}),
        ("", {}),
        (None, {}),
        ("null", {}),
        ({"a": 6}, {"a": 6}),
        (' {"a": 6}\n', {"a": 6}),
    ],
)
def test_arguments_that_are_a_json_object_are_read(text, read):
    use = convert_call("one", "multiply", text)
    assert (use.input, use.unreadable) == (read, None)


@pytest.mark.parametrize(
    "text",
    [
        "six times seven",
        "[1, 2]",
        "42",
        '{"a": NaN}',
        '{"a": 6,}',
        "{'a': 6}",
        '```json\n{"a": 6}\n```',
        '{"command": "cp data.csv keep.csv; rm -rf ./dat',
        '"{\\"a\\": 6}"',
        '{"command": "ls", "command": "rm -rf ."}',
        '{"list": [{"a": 1, "a": 2}]}',
    ],
)
def test_arguments_that_are_not_a_json_object_are_never_repaired(text):
    use = convert_call("one", "multiply", text)
    assert (use.input, use.unreadable) == ({}, text)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([], "[]"),
        (0, "0"),
        (False, "false"),
        (["rm"], '["rm"]'),
        ({"a": math.nan}, '{"a": NaN}'),
        ({"a": [math.inf]}, '{"a": [Infinity]}'),
    ],
)
def test_arguments_that_a_library_has_read_are_held_to_the_same(given, text):
    use = convert_call("one", "multiply", given)
    assert (use.input, use.unreadable) == ({}, text)


def test_ids_and_names_that_are_no_texts_become_some():
    assert convert_call(5, 7, "{}") == ToolUseBlock(id="5", name="7")
    assert convert_call(0, None, None) == ToolUseBlock(id="0", name="")


def test_what_cannot_be_read_as_arguments_is_told_to_the_model(play, adapters):
    twin = play(in_turn(Reply(calls=[Call("multiply", "six times seven")]), Reply(text="Well.")))
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
    tool = multiply()
    result = adapters.agent(model, CALLS).run(ASKED, [tool], {}, AgentConfig())
    assert tool.given == []
    (told,) = result.messages[1].tool_results
    assert told.is_error
    assert "not a JSON object" in told.content
    assert "six times seven" in told.content
    sent = twin.requests[1].body["messages"][-2]["tool_calls"]
    assert sent[0]["function"]["arguments"] == "{}"  # servers that read the conversation anew fail at anything else


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ({"id": "x", "type": "custom", "custom": {"name": "multiply", "input": "rm -rf ."}}, "multiply"),
        ({"id": "x", "type": "function", "function": "multiply"}, ""),
        ({"id": "x", "type": "function"}, ""),
        ("multiply", ""),
        (None, ""),
    ],
)
def test_no_call_is_lost_because_of_its_form(play, adapters, call, name):
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    reply = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    twin = play(in_turn(Reply(raw=json.dumps(reply).encode()), Reply(text="Well.")))
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
    tool = multiply()
    result = adapters.agent(model, CALLS).run(ASKED, [tool], {}, AgentConfig())
    assert tool.given == []
    assert [use.name for use in result.messages[0].tool_uses] == [name]
    assert [found.is_error for found in result.messages[1].tool_results] == [True]
    assert result.final_response == "Well."


def test_calls_without_ids_of_their_own_are_told_apart(play, adapters):
    same = [Call("multiply", {"a": 1, "b": 1}, id="x"), Call("multiply", {"a": 2, "b": 1}, id="x")]
    none = [Call("multiply", {"a": 3, "b": 1}, id=""), Call("multiply", {"a": 4, "b": 1}, id="x")]
    twin = play(in_turn(Reply(calls=same), Reply(calls=none), Reply(text="Well.")))
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
    adapters.agent(model, CALLS).run(ASKED, [multiply()], {}, AgentConfig())
    ids = [name for name, _ in twin.requests[-1].results]
    assert len(set(ids)) == 4
    assert [text for _, text in twin.requests[-1].results] == ["1", "2", "3", "4"]


def test_names_that_providers_refuse_are_replaced_on_the_way(play, model_at, adapters):
    tool = Worked("sums/multiply v1.0", lambda given: "42")
    twin = play(in_turn(Reply(calls=[Call("sums_multiply_v1_0")]), Reply(text="Well.")))
    result = adapters.agent(model_at(twin), CALLS).run(ASKED, [tool], {}, AgentConfig())
    assert list(twin.requests[0].tools) == ["sums_multiply_v1_0"]
    assert result.messages[1].tool_results[0].content == "42"


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("registry.ollama.ai/library/gemma does not support tools", True),
        ("No endpoints found that support tool use.", True),
        ('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', True),
        ("tools param requires --jinja flag", True),
        ("Unrecognized request argument supplied: tools", True),
        ("Unsupported parameter: 'tools'", True),
        ("The model does not support function calling.", True),
        ("tools: Extra inputs are not permitted", True),
        ("tools.0.custom.input_schema: Extra inputs are not permitted", False),
        ("unexpected `tool_use_id` found in `tool_result` blocks: x", False),
        ("Invalid schema for function 'multiply': object schema missing properties", False),
        ("Unsupported picture", False),
    ],
)
def test_only_a_refusal_of_all_tools_is_told_as_one(said, refused):
    fault = ProviderError(f"m at host: {said}", category="rejected", status=400)
    explain_without_tools(fault)
    assert ("doesn’t support tools. Choose another model" in str(fault)) is refused


def named(*names):
    return [Worked(name, str) for name in names]


def test_tools_of_one_name_are_called_after_their_servers():
    names = tools_by_name(named("read"), {"papers": named("read", "find"), "genes": named("find", "list")})
    assert list(names) == ["read", "papers__read", "papers__find", "genes__find", "list"]


def test_no_two_tools_get_one_name():
    names = tools_by_name(named("a.b", "a/b"), {"s": named("x" * 80, "x" * 90), "s2": named("s__a_b", "a_b")})
    assert len(names) == 6
    assert all(len(name) <= 64 for name in names)


def test_langchain_speaks_of_tools_as_the_provider_does(play, adapters):
    pytest.importorskip("langchain_openai")
    twin = play(in_turn(Reply(text="See:", calls=[Call("multiply", {"a": 6, "b": 7})]), Reply(text="It is 42.")))
    model = ModelConfig(
        model_name="m",
        model_provider="openai",
        interface="langchain",
        api_key_env="TWIN_KEY",
        endpoint_base_url=f"{twin.address}/v1",
    )
    tool = multiply()
    result = adapters.agent(model, CALLS).run(ASKED, [tool], {}, AgentConfig(timeout=4.0))
    assert tool.given == [{"a": 6, "b": 7}]
    assert (result.final_response, result.turns) == ("It is 42.", 2)
    assert twin.requests[0].tools["multiply"] == tool.spec.input_schema
    assert twin.requests[1].results == [("call_1_0", "42")]


def test_langchain_runs_no_call_of_a_reply_that_the_provider_stopped(play, adapters):
    pytest.importorskip("langchain_anthropic")
    twin = play(in_turn(Reply(calls=[Call("multiply", {"a": 6, "b": 7})], stop="refusal")))
    model = ModelConfig(
        model_name="m",
        model_provider="anthropic",
        interface="langchain",
        api_key_env="TWIN_KEY",
        endpoint_base_url=twin.address,
        temperature=None,
    )
    tool = multiply()
    result = adapters.agent(model, CALLS).run(ASKED, [tool], {}, AgentConfig())
    assert tool.given == []
    assert result.refusal == "The provider stopped the reply (stop reason: refusal)."


def test_langchain_runs_no_call_with_numbers_that_are_none(play, adapters):
    pytest.importorskip("langchain_openai")
    twin = play(in_turn(Reply(calls=[Call("multiply", '{"a": 1e999, "b": 1}')]), Reply(text="Well.")))
    model = ModelConfig(
        model_name="m",
        model_provider="openai",
        interface="langchain",
        api_key_env="TWIN_KEY",
        endpoint_base_url=f"{twin.address}/v1",
    )
    tool = multiply()
    result = adapters.agent(model, CALLS).run(ASKED, [tool], {}, AgentConfig())
    assert (tool.given, result.final_response) == ([], "Well.")


def test_langchain_hands_back_signed_thoughts_of_anthropic(play, adapters):
    pytest.importorskip("langchain_anthropic")
    thought = Reply(thinking="I need the product.", calls=[Call("multiply", {"a": 6, "b": 7})])
    twin = play(in_turn(thought, Reply(text="It is 42.")))
    model = ModelConfig(
        model_name="m",
        model_provider="anthropic",
        interface="langchain",
        api_key_env="TWIN_KEY",
        endpoint_base_url=twin.address,
        temperature=None,
    )
    result = adapters.agent(model, CALLS).run(ASKED, [multiply()], {}, AgentConfig())
    assert result.final_response == "It is 42."
    said = twin.requests[1].body["messages"][-2]["content"]
    assert [part["type"] for part in said] == ["thinking", "tool_use"]
    assert said[0]["signature"] == "signed"
    assert twin.requests[1].results == [("call_1_0", "42")]
