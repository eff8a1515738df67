"""Calls of tools run as they were sent or not at all, whichever way a provider is spoken to."""

from __future__ import annotations

import json

import pytest

from karenina_gui.adapters.langchain_wire import _calls
from karenina_gui.adapters.ports import AgentConfig
from karenina_gui.errors import ProviderError
from karenina_gui.schemas.messages import final_answer, from_stored, to_stored
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.traces.metrics import trace_metrics
from karenina_gui.traces.tool_pairs import tool_pairs
from tests.adapters.conftest import CALLS, question
from tests.adapters.tools import multiply
from tests.twin import Reply, in_turn

WAYS = {
    "openai": {"interface": "openai_endpoint"},
    "anthropic": {"interface": "claude_tool"},
    "openai through langchain": {"interface": "langchain", "model_provider": "openai"},
    "anthropic through langchain": {"interface": "langchain", "model_provider": "anthropic", "temperature": None},
    "responses through langchain": {
        "interface": "langchain",
        "model_provider": "openai",
        "extra_kwargs": {"use_responses_api": True},
    },
}
of_anthropic = pytest.mark.parametrize("way", [way for way in WAYS if "anthropic" in way], indirect=True)
of_openai = pytest.mark.parametrize("way", [way for way in WAYS if "anthropic" not in way], indirect=True)
GOOD = '{"a": 6, "b": 7}'
BAD = [
    "[]",
    "0",
    '"x"',
    "[1, 2]",
    "false",
    '{"a": 1, "a": 6, "b": 7}',
    '{"a": 1e999, "b": 1}',
    '{"a": [{"b": 1, "b": 2}]}',
]
ONLY_AS_TEXT = ["six times seven", '{"a": "x\ny", "b": 1}', '{"a": 6', '{"a": 6,}']
"""What Anthropic's protocol cannot carry."""


@pytest.fixture(params=WAYS)
def way(request):
    if request.param.endswith("langchain"):
        pytest.importorskip("langchain", reason="needs the extra 'langchain'")
    return request.param


@pytest.fixture
def run(play, adapters, way):
    """Plays replies to an agent that can multiply; the tool, the result and the requests."""

    def run(*replies, **settings):
        twin = play(in_turn(*replies))
        address = twin.address if "anthropic" in way or way == "openai" else f"{twin.address}/v1"
        where = "anthropic_base_url" if way == "anthropic" else "endpoint_base_url"
        model = ModelConfig(model_name="m", api_key_env="TWIN_KEY", **{where: address}, **{**WAYS[way], **settings})
        tool = multiply()
        return tool, adapters.agent(model, CALLS).run(question().messages, [tool], {}, AgentConfig()), twin.requests

    return run


def calling(way, *arguments, text="", stop=None):
    """A reply that calls `multiply` with each of the arguments, as they stand."""
    if "anthropic" in way:
        calls = [
            f'{{"type": "tool_use", "id": "c{n}", "name": "multiply", "input": {a}}}' for n, a in enumerate(arguments)
        ]
        parts = ", ".join([json.dumps({"type": "text", "text": text}), *calls] if text else calls)
        end = json.dumps(stop or ("tool_use" if calls else "end_turn"))
        return raw(
            f'{{"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [{parts}], '
            f'"stop_reason": {end}, "stop_sequence": null, "usage": {{"input_tokens": 11, "output_tokens": 7}}}}'
        )
    if "responses" in way:
        said = [{"type": "output_text", "text": text, "annotations": []}]
        message = {"type": "message", "id": "t", "role": "assistant", "status": "completed", "content": said}
        calls = [
            {"type": "function_call", "id": f"f{n}", "call_id": f"c{n}", "name": "multiply", "arguments": given}
            for n, given in enumerate(arguments)
        ]
        reply = {
            "id": "r",
            "object": "response",
            "created_at": 0,
            "model": "m",
            "output": [*[message] * bool(text), *calls],
        }
        ended = {"status": "incomplete", "incomplete_details": {"reason": stop}} if stop else {"status": "completed"}
        more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None}
        return raw(json.dumps({**reply, **ended, **more}))
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": "multiply", "arguments": given}}
        for n, given in enumerate(arguments)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": stop or ("tool_calls" if calls else "stop")}
    return raw(json.dumps({"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}))


def raw(body):
    return Reply(raw=body.encode())


def done(way):
    return calling(way, text="It is 42.")


def test_arguments_that_are_not_one_json_object_go_back_to_the_model_as_they_were_sent(run, way):
    sent = BAD if "anthropic" in way else [*BAD, *ONLY_AS_TEXT]
    tool, result, requests = run(calling(way, *sent), done(way))
    assert tool.given == []
    uses, results = result.messages[0].tool_uses, result.messages[1].tool_results
    assert [(use.name, use.input, use.unreadable) for use in uses] == [("multiply", {}, text) for text in sent]
    assert [(told.is_error, text in told.content) for told, text in zip(results, sent, strict=True)] == [
        (True, True)
    ] * len(sent)
    assert len(requests) == 2
    assert (result.final_response, result.turns) == ("It is 42.", 2)
    assert trace_metrics(result.messages)["suspect_failed_tool_calls"] == len(sent)


def test_calls_stay_in_the_order_in_which_they_were_sent(run, way):
    tool, result, _ = run(calling(way, GOOD, "[]", '{"a": 2, "b": 3}', text="See:"), done(way))
    assert sorted(given["a"] for given in tool.given) == [2, 6]
    assert result.messages[0].text == "See:"
    assert [use.id for use in result.messages[0].tool_uses] == ["c0", "c1", "c2"]
    assert [use.unreadable for use in result.messages[0].tool_uses] == [None, "[]", None]
    assert [found.is_error for found in result.messages[1].tool_results] == [False, True, False]
    assert result.usage.total_tokens in (None, 36)


def test_a_call_cut_off_at_the_token_limit_is_shown_and_not_run(run, way):
    stop = {"anthropic": "max_tokens", "responses": "max_output_tokens"}.get(way.partition(" ")[0], "length")
    tool, result, _ = run(calling(way, GOOD, text="I shall", stop=stop), done(way))
    assert (tool.given, result.turns, result.final_response) == ([], 1, "I shall")
    assert [use.cut_off for use in result.messages[-1].tool_uses] == [True]


@pytest.mark.parametrize("text", ["", "I shall"])
def test_calls_in_a_reply_that_the_provider_stopped_are_shown_and_not_run(run, way, text):
    stop = "refusal" if "anthropic" in way else "content_filter"
    tool, result, requests = run(calling(way, GOOD, "[]", text=text, stop=stop), done(way))
    assert (tool.given, result.turns, len(requests)) == ([], 1, 1)
    assert result.refusal.startswith("The provider")
    uses = result.messages[-1].tool_uses
    assert [(use.refused, use.not_run) for use in uses] == [(True, "the provider stopped the reply")] * 2
    assert [(use.input, use.unreadable) for use in uses] == [({"a": 6, "b": 7}, None), ({}, "[]")]
    assert trace_metrics(result.messages)["suspect_failed_tool_calls"] == 2


@of_openai
def test_calls_beside_the_models_own_refusal_are_shown_and_not_run(run, way):
    body = json.loads(calling(way, GOOD, text="?").raw)
    if "responses" in way:
        body["output"][0]["content"] = [{"type": "refusal", "refusal": "I will not."}]
    else:
        body["choices"][0]["message"].update(content=None, refusal="I will not.")
    tool, result, _ = run(raw(json.dumps(body)), done(way))
    assert (tool.given, result.refusal, result.final_response) == ([], "I will not.", "I will not.")
    assert [use.refused for use in result.messages[-1].tool_uses] == [True]


@pytest.mark.parametrize("way", [way for way in WAYS if way.endswith("langchain")], indirect=True)
def test_calls_that_come_through_a_proxy_run_as_they_were_sent(run, way, play):
    proxy = play(in_turn(calling(way, '{"a": 1, "a": 6, "b": 7}', GOOD), done(way)))
    setting = {("anthropic_proxy" if "anthropic" in way else "openai_proxy"): proxy.address}
    more = {**WAYS[way].get("extra_kwargs", {}), **setting}
    tool, result, requests = run(done(way), extra_kwargs=more)
    assert (tool.given, result.final_response) == ([{"a": 6, "b": 7}], "It is 42.")
    assert (len(proxy.requests), requests) == (2, [])


def test_langchain_waits_for_the_whole_reply_also_where_a_model_is_set_to_stream(play, adapters):
    pytest.importorskip("langchain", reason="needs the extra 'langchain'")
    twin = play(in_turn(calling("openai", '{"a": 6'), done("openai")))
    where = {"endpoint_base_url": f"{twin.address}/v1", "api_key_env": "TWIN_KEY"}
    way = {**WAYS["openai through langchain"], "extra_kwargs": {"streaming": True}}
    result = adapters.agent(ModelConfig(model_name="m", **where, **way), CALLS).run(
        question().messages, [multiply()], {}, AgentConfig()
    )
    assert [use.unreadable for use in result.messages[0].tool_uses] == ['{"a": 6']
    assert not any(asked.body.get("stream") for asked in twin.requests)


@of_openai
def test_arguments_that_a_server_sends_as_an_object_are_held_to_the_same(run, way):
    double = '{"a": 1, "a": 6, "b": 7}'
    sent = calling(way, "DOUBLE", GOOD).raw.decode().replace('"DOUBLE"', double).replace(json.dumps(GOOD), GOOD)
    tool, result, _ = run(raw(sent), done(way))
    assert tool.given == [{"a": 6, "b": 7}]
    assert [use.unreadable for use in result.messages[0].tool_uses] == [double, None]


@of_anthropic
def test_a_content_that_is_one_text_is_read_as_that(run, way):
    body = done(way).raw.decode().replace('[{"type": "text", "text": "It is 42."}]', '"It is 42."')
    _, result, _ = run(raw(body))
    assert result.final_response == "It is 42."


@pytest.mark.parametrize("content", ["null", "42", "[null]", '["It is 42."]', '{"text": "It is 42."}'])
def test_a_content_of_any_other_form_cannot_be_read(play, adapters, content):
    twin = play(
        in_turn(raw(done("anthropic").raw.decode().replace('[{"type": "text", "text": "It is 42."}]', content)))
    )
    model = ModelConfig(model_name="m", interface="claude_tool", anthropic_base_url=twin.address)
    with pytest.raises(ProviderError, match="an unreadable reply"):
        adapters.llm(model, CALLS).invoke(question())


@pytest.mark.parametrize(
    ("fault", "category"),
    [
        (Reply(status=500, message="broken"), "server_error"),
        (Reply(text="cut in half " * 20, cut=True), "connection"),
        (Reply(text="late", delay=1.0), "timeout"),
        (Reply(raw=b"<html>"), "server_error"),
    ],
)
def test_a_fault_of_a_request_with_tools_is_known_and_tried_again(run, way, fault, category):
    tool, result, _ = run(calling(way, GOOD), fault, done(way), request_timeout=0.5)
    assert (len(tool.given), result.final_response, result.retries) == (1, "It is 42.", {category: 1})


SEARCHED = [
    {"type": "text", "text": "I search."},
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "6 x 7"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [{"type": "web_search_result", "title": "Tables", "url": "http://x", "encrypted_content": "Zm9v"}],
    },
    {"type": "server_tool_use", "id": "s2", "name": "web_search", "input": {"query": "7 x 6"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "s2",
        "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    },
]
BOTH = [
    {"type": "text", "text": "See:"},
    {"type": "tool_use", "id": "c1", "name": "multiply", "input": {"a": 6, "b": 7}},
]


def saying(*parts):
    body = json.loads(done("anthropic").raw)
    return raw(json.dumps({**body, "content": parts}))


@of_anthropic
def test_tools_that_the_provider_runs_itself_are_shown_and_not_run(run, way):
    tool, result, requests = run(saying(*SEARCHED, *BOTH), done(way))
    assert tool.given == [{"a": 6, "b": 7}]
    assert (result.final_response, result.turns, len(requests)) == ("It is 42.", 2, 2)
    assert [message.role for message in result.messages] == [
        *("assistant", "tool") * 3, "assistant",
    ]  # fmt: skip
    pairs = [(pair.call.name, pair.call.by_provider, pair.result.is_error) for pair in tool_pairs(result.messages)]
    assert pairs == [("web_search", True, False), ("web_search", True, True), ("multiply", False, False)]
    assert result.messages[1].tool_results[0].content == (
        '[{"type": "web_search_result", "title": "Tables", "url": "http://x"}]'
    )
    assert requests[1].results == [("c1", "42")]
    assert "server_tool_use" not in json.dumps(requests[1].body)
    assert tuple(from_stored(to_stored(result.messages))) == result.messages
    assert sum(message.usage_metadata is not None for message in result.messages) == 2


@of_anthropic
def test_an_answer_after_a_search_of_the_provider_is_the_answer(run, way):
    tool, result, _ = run(saying(*SEARCHED, {"type": "text", "text": "It is 42."}))
    assert (tool.given, result.final_response, result.turns) == ([], "It is 42.", 1)
    assert final_answer(result.messages) == ("It is 42.", None)


@pytest.mark.parametrize(
    "choices", ["[]", "null", "[null]", '[{"index": 0, "message": null, "finish_reason": "stop"}]']
)
def test_a_reply_without_a_message_cannot_be_read(play, adapters, choices):
    body = f'{{"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": {choices}}}'
    twin = play(in_turn(raw(body)))
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
    with pytest.raises(ProviderError, match="an unreadable reply"):
        adapters.llm(model, CALLS).invoke(question())


def test_calls_of_other_packages_of_langchain_are_read_as_they_say_they_were_sent():
    messages = pytest.importorskip("langchain_core.messages", reason="needs the extra 'langchain'")
    sent = ["[]", GOOD, '{"a": 1, "a": 6, "b": 7}', "six"]
    texts = [{"id": f"c{n}", "function": {"name": "multiply", "arguments": text}} for n, text in enumerate(sent)]
    valid = [
        {"id": f"c{n}", "name": "multiply", "args": args} for n, args in enumerate(({}, {"a": 6, "b": 7}, {"a": 6}))
    ]
    invalid = [{"id": "c3", "name": "multiply", "args": "six", "error": None}]
    told = messages.AIMessage(
        content="", tool_calls=valid, invalid_tool_calls=invalid, additional_kwargs={"tool_calls": texts}
    )
    assert [use.unreadable for use in _calls(told)] == ["[]", None, sent[2], "six"]
    silent = messages.AIMessage(content="", tool_calls=valid[1:2], invalid_tool_calls=invalid)
    assert [(use.id, use.unreadable) for use in _calls(silent)] == [("c1", None), ("c3", "six")]
