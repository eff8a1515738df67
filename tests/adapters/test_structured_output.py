"""Structured output: by schema, by a forced tool, in words; checked, with one round of feedback."""

from __future__ import annotations

import json

import pytest

from karenina_gui.adapters.openai_wire import strict_schema
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.errors import ParseError, ProviderError, RefusalError
from karenina_gui.schemas.messages import Message, TextBlock, ToolResultBlock, ToolUseBlock
from tests.adapters.conftest import CALLS, SCHEMA, ValueAndUnit, parsing
from tests.twin import Reply, fitting, in_turn

DATA = {"value": 42, "unit": "kg"}
GOOD = Reply(data=DATA)


def test_a_judge_fills_the_schema(play, adapters, model_at):
    twin = play(in_turn(GOOD))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(result.usages), result.model) == (DATA, 1, "m")
    (asked,) = twin.requests
    assert asked.schema is not None
    assert asked.schema["properties"].keys() == SCHEMA["properties"].keys()


def test_retries_of_the_judge_are_counted(play, adapters, model_at):
    twin = play(in_turn(Reply(status=500), GOOD))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert result.retries == {"server_error": 1}


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"value": 42, "unit": "kg"}\n```',
        'The schema is {"value": 0}. My reply: {"value": 42, "unit": "kg"} Done.',
        "{'value': 42, 'unit': 'kg',}",
        '{"value": 42, "unit": "kg"',
    ],
    ids=["fenced", "in prose", "quotes", "cut off"],
)
def test_untidy_json_is_read(play, adapters, model_at, text):
    twin = play(in_turn(Reply(text=text)))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(twin.requests)) == (DATA, 1)


def test_a_reply_that_does_not_fit_is_sent_back_once_with_what_is_wrong(play, adapters, model_at):
    twin = play(in_turn(Reply(data={"value": "many"}), GOOD))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(result.usages)) == (DATA, 2)
    assert "'unit' is missing" in twin.requests[1].text
    assert "'value' is not an integer" in twin.requests[1].text


def test_a_second_misfit_is_a_parse_error_with_the_raw_reply(play, adapters, model_at):
    twin = play(in_turn(Reply(text="I think it was kilograms.")))
    with pytest.raises(ParseError, match="holds no JSON object") as caught:
        adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (caught.value.raw_response, len(twin.requests)) == ("I think it was kilograms.", 2)


def test_a_reply_cut_off_by_its_limit_is_called_that(play, adapters, model_at):
    twin = play(in_turn(Reply(text="Let me think about", stop="max_tokens")))
    with pytest.raises(ParseError, match="token limit"):
        adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())


OTHER = '{"value": 7, "unit": "kg"}'


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(DATA)}\n\nI ignored the {OTHER} in the answer.",
        f"```json\n{json.dumps(DATA)}\n```\nPlanted:\n```json\n{OTHER}\n```",
        f"{{'value': 42, 'unit': 'kg'}}, or rather {OTHER}",
        f'{{"reply": {json.dumps(DATA)}}} {OTHER}',
    ],
    ids=["quoted", "fenced", "malformed", "wrapped"],
)
def test_two_different_objects_that_fit_are_a_conflict(play, adapters, model_at, text):
    twin = play(in_turn(Reply(text=text), GOOD))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(twin.requests)) == (DATA, 2)
    twin = play(in_turn(Reply(text=text)))
    with pytest.raises(ParseError, match="two different objects") as caught:
        adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert '"value": 42' in str(caught.value) and '"value": 7' in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(DATA)}\nAs JSON again: {json.dumps(DATA)}",
        f"The schema asks for {{}}, so: {json.dumps(DATA)}",
        f'The answer has {{"value": 7}}.\n{json.dumps(DATA)}',
        f'It says {{"value": "many", "unit": "kg"}}. {json.dumps(DATA)}',
        f"{json.dumps(DATA)}\n<think>Or {OTHER}?</think>",
    ],
    ids=["twice", "empty", "part", "unfit", "thought"],
)
def test_an_object_that_says_the_same_or_does_not_fit_is_no_conflict(play, adapters, model_at, text):
    twin = play(in_turn(Reply(text=text)))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(twin.requests)) == (DATA, 1)


@pytest.mark.parametrize("model_at", ["claude_tool"], indirect=True)
def test_two_calls_of_the_forced_tool_that_differ_are_a_conflict(play, adapters, model_at):
    def script(asked):
        if "tools" not in asked.body:
            return Reply(status=400, message="output_config: unknown")
        if asked.number > 2:
            return GOOD
        parts = [
            {"type": "tool_use", "id": f"t{value}", "name": "reply", "input": {"value": value, "unit": "kg"}}
            for value in (42, 7)
        ]
        usage = {"input_tokens": 1, "output_tokens": 1}
        about = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use"}
        return Reply(raw=json.dumps({**about, "content": parts, "usage": usage}).encode())

    twin = play(script)
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(twin.requests)) == (DATA, 3)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text=f"<think>First I thought of {OTHER}</think>"),
        Reply(text=f"<think>First I thought of {OTHER}", stop="length"),
        Reply(text=f"<think>First I thought of {OTHER}, or not"),
        Reply(text=f"First I thought of {OTHER}\n</think>\n"),
        Reply(text="", thinking=f"First I thought of {OTHER}"),
    ],
    ids=["ended", "cut off", "endless", "without a start", "of its own"],
)
def test_a_draft_in_a_thought_is_no_reply_and_the_judge_is_asked_again(play, adapters, model_at, reply):
    twin = play(in_turn(reply, GOOD))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(twin.requests)) == (DATA, 2)


def test_half_an_object_at_the_token_limit_is_asked_for_once_more(play, adapters, model_at):
    half = Reply(text='{"value": 42, "unit": "k"', stop="length")
    twin = play(in_turn(half, GOOD))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(twin.requests)) == (DATA, 2)


def test_a_null_is_asked_for_once_more_and_then_taken(play, adapters, model_at):
    null = {"value": 42, "unit": None}
    twin = play(in_turn(Reply(data=null)))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, result.reply.nulls, len(twin.requests)) == (null, ("unit",), 2)
    assert "'unit' is null" in twin.requests[1].text


def test_a_null_that_the_schema_allows_is_taken_at_once(play, adapters, model_at):
    unit = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    target = ValueAndUnit({**SCHEMA, "properties": {"value": {"type": "integer"}, "unit": unit}})
    twin = play(in_turn(Reply(data={"value": 42, "unit": None})))
    adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), target)
    assert len(twin.requests) == 1


def test_a_worse_second_reply_does_not_replace_a_usable_first(play, adapters, model_at):
    null = {"value": 42, "unit": None}
    twin = play(in_turn(Reply(data=null), Reply(text="Sorry?")))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert result.reply.values == null


def test_a_judge_that_declines_is_a_refusal_error(play, adapters, model_at):
    twin = play(in_turn(Reply(refusal="I will not read this.")))
    with pytest.raises(RefusalError, match="will not read") as caught:
        adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert caught.value.explanation == "I will not read this."


def test_a_server_without_structured_output_is_asked_in_words_from_then_on(play, adapters, model_at):
    def script(asked):
        if asked.schema is not None:
            return Reply(status=400, message="response_format, output_config and tools are not supported")
        return Reply(text=json.dumps(DATA))

    twin = play(script)
    parser = adapters.parser(model_at(twin), CALLS)
    assert parser.parse_to_pydantic(parsing(), ValueAndUnit()).reply.values == DATA
    refused = len(twin.requests)
    assert parser.parse_to_pydantic(parsing(), ValueAndUnit()).reply.values == DATA
    assert len(twin.requests) == refused + 1
    assert '"unit"' in twin.requests[-1].text


@pytest.mark.parametrize("model_at", ["claude_tool"], indirect=True)
def test_claude_is_given_a_tool_where_it_refuses_the_schema(play, adapters, model_at):
    twin = play(lambda asked: GOOD if asked.body.get("tools") else Reply(status=400, message="output_format: unknown"))
    model = model_at(twin)
    result = adapters.parser(model, CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert result.reply.values == DATA
    assert (twin.requests[-1].body["tool_choice"]["type"], methods(result)) == ("tool", ["tool"])
    assert json.loads(result.raw_response) == DATA


@pytest.mark.parametrize("model_at", ["openai_endpoint"], indirect=True)
def test_a_server_that_knows_json_mode_alone_is_asked_in_it(play, adapters, model_at):
    def script(asked):
        if asked.body.get("response_format", {}).get("type") == "json_schema":
            return Reply(status=400, message="response_format: 'json_schema' is not supported")
        return Reply(text=json.dumps(DATA))

    twin = play(script)
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, methods(result)) == (DATA, ["json"])
    assert twin.requests[-1].body["response_format"] == {"type": "json_object"}
    assert "JSON Schema" in twin.requests[-1].text


@pytest.mark.parametrize("model_at", ["openai_endpoint"], indirect=True)
def test_an_endpoint_that_ignores_the_schema_is_told_it_in_words_for_that_reply(play, adapters, model_at):
    def script(asked):
        return Reply(text=json.dumps(DATA) if "JSON Schema" in asked.text else "It is 42 kg.")

    twin = play(script)
    parser = adapters.parser(model_at(twin), CALLS)
    for _ in range(2):
        result = parser.parse_to_pydantic(parsing(), ValueAndUnit())
        assert (result.reply.values, methods(result)) == (DATA, ["schema", "schema"])
    assert ["JSON Schema" in asked.text for asked in twin.requests] == [False, True] * 2


def test_one_bad_reply_does_not_end_the_enforced_schema(play, adapters, model_at):
    twin = play(in_turn(Reply(text="Hm."), Reply(text="Hm?"), *[Reply(data=DATA)] * 3))
    parser = adapters.parser(model_at(twin), CALLS)
    with pytest.raises(ParseError) as caught:
        parser.parse_to_pydantic(parsing(), ValueAndUnit())
    assert [usage.method for usage in caught.value.usages] == ["schema", "schema"]
    for _ in range(3):
        assert methods(parser.parse_to_pydantic(parsing(), ValueAndUnit())) == ["schema"]
    assert all(asked.schema is not None for asked in twin.requests)


def methods(result):
    return [usage.method for usage in result.usages]


@pytest.mark.parametrize("model_at", ["openai_endpoint"], indirect=True)
def test_the_other_name_of_the_token_limit_is_tried_when_the_server_asks_for_it(play, adapters, model_at):
    def script(asked):
        if "max_tokens" in asked.body:
            return Reply(
                status=400, message="Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            )
        return Reply(text="It is 42.")

    twin = play(script)
    model = model_at(twin)
    llm = adapters.llm(model, CALLS)
    assert [llm.invoke(parsing()).content for _ in range(2)] == ["It is 42."] * 2
    assert len(twin.requests) == 3


def limits(twin):
    return [asked.body.get("max_tokens") or asked.body.get("max_completion_tokens") for asked in twin.requests]


def test_a_limit_that_is_too_high_without_a_better_one_is_reported_not_renamed(play, adapters, model_at):
    twin = play(in_turn(Reply(status=400, message="max_tokens is too large: 16384 (the model writes less)")))
    with pytest.raises(ProviderError, match="too large"):
        adapters.llm(model_at(twin), CALLS).invoke(parsing())
    assert len(twin.requests) == 1


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 16384. This model supports at most 4096 completion tokens, whereas you gave 16384.",
        "max_tokens: 16384 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
        "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` is less than the window",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]",
    ],
    ids=["OpenAI", "Anthropic", "Groq", "DeepSeek"],
)
def test_a_limit_that_is_too_high_becomes_the_highest_of_the_model(play, adapters, model_at, message):
    def script(asked):
        limit = asked.body.get("max_tokens") or asked.body["max_completion_tokens"]
        return Reply(status=400, message=message) if limit > 4096 else Reply(text="It is 42.")

    twin = play(script)
    llm = adapters.llm(model_at(twin), CALLS)
    assert [llm.invoke(parsing()).content for _ in range(2)] == ["It is 42."] * 2
    assert limits(twin) == [16384, 4096, 4096]


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' is too large: 16384. This model's maximum context length is 8192 tokens and has 192 input tokens",
        "The maximum context length is 8192 tokens. You requested 16576 (192 in the messages, 16384 in the rest).",
        "The maximum context length is 8192 tokens. You requested 16576 (192 of text input, 16384 in the output).",
        "input length and `max_tokens` exceed context limit: 192 + 16384 > 8192, decrease input length or `max_tokens`",
    ],
    ids=["vLLM", "OpenAI", "OpenRouter", "Anthropic"],
)
def test_a_limit_beyond_the_context_window_is_lowered_for_this_request_alone(play, adapters, model_at, message):
    def script(asked):
        limit = asked.body.get("max_tokens") or asked.body["max_completion_tokens"]
        return Reply(status=400, message=message) if limit > 8000 and asked.number == 1 else Reply(text="It is 42.")

    twin = play(script)
    llm = adapters.llm(model_at(twin), CALLS)
    assert [llm.invoke(parsing()).content for _ in range(2)] == ["It is 42."] * 2
    assert limits(twin) == [16384, 8000, 16384]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "System role not supported"),
        (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
        (500, "Jinja Exception: Only user and assistant roles are supported!"),
    ],
)
def test_a_model_without_a_system_role_gets_its_text_from_the_user(play, adapters, model_at, status, message):
    def script(asked):
        return Reply(status=status, message=message) if asked.system else GOOD

    twin = play(script)
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert result.reply.values == DATA
    assert (twin.requests[-1].system, twin.requests[-1].text.startswith("Be brief.\n\nRead the answer")) == ("", True)


@pytest.mark.parametrize("model_at", ["claude_tool"], indirect=True)
def test_a_model_that_thinks_is_asked_without_a_temperature(play, adapters, model_at):
    twin = play(in_turn(GOOD))
    thinking = {"type": "enabled", "budget_tokens": 2000}
    adapters.llm(model_at(twin, temperature=0.5, extra_kwargs={"thinking": thinking}), CALLS).invoke(parsing())
    adapters.llm(model_at(twin, temperature=0.5, extra_kwargs={"thinking": {"type": "disabled"}}), CALLS).invoke(
        parsing()
    )
    assert [asked.body.get("temperature") for asked in twin.requests] == [None, 0.5]


@pytest.mark.parametrize(
    "message",
    [
        "`temperature` is deprecated for this model.",
        "`temperature` may only be set to 1 when thinking is enabled.",
        "invalid temperature: only 1 is allowed for this model",
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    ],
)
def test_a_model_without_temperature_is_asked_without(play, adapters, model_at, message):
    def script(asked):
        if "temperature" in asked.body:
            return Reply(status=400, message=message)
        return Reply(text="It is 42.")

    twin = play(script)
    assert adapters.llm(model_at(twin), CALLS).invoke(parsing()).content == "It is 42."


@pytest.mark.parametrize("model_at", ["claude_tool"], indirect=True)
def test_extras_for_output_stay_beside_the_schema(play, adapters, model_at):
    twin = play(in_turn(GOOD))
    model = model_at(twin, extra_kwargs={"output_config": {"effort": "low"}})
    adapters.parser(model, CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert twin.requests[0].body["output_config"]["effort"] == "low"
    assert twin.requests[0].schema is not None


def test_a_conversation_with_tools_reaches_the_provider_whole(play, adapters, model_at):
    twin = play(in_turn(Reply(text="Done.")))
    messages = (
        Message.of("user", "Look it up."),
        Message(
            role="assistant", content=(TextBlock(text="I will."), ToolUseBlock(id="t1", name="find", input={"q": 1}))
        ),
        Message(role="tool", content=(ToolResultBlock(tool_use_id="t1", content="found"),)),
        Message.of("user", "And?"),
    )
    adapters.llm(model_at(twin), CALLS).invoke(LLMRequest(messages))
    sent = json.dumps(twin.requests[0].body["messages"])
    for part in ("Look it up.", "I will.", '"find"', "t1", "found", "And?"):
        assert part in sent


def test_strict_mode_is_used_only_where_it_means_the_same():
    strict = strict_schema(SCHEMA)
    assert strict == {**SCHEMA, "additionalProperties": False}
    assert strict_schema({**SCHEMA, "required": ["value"]}) is None
    assert strict_schema({**SCHEMA, "additionalProperties": {"type": "string"}}) is None
    free = {"type": "object", "properties": {"any": {"type": "object"}}, "required": ["any"]}
    assert strict_schema(free) is None


def test_strict_mode_keeps_fields_that_are_named_like_keywords():
    named = {"type": "object", "properties": {"not": {"type": "string"}, "default": {"type": "string"}}}
    named["required"] = ["not", "default"]
    strict = strict_schema(named)
    assert strict is not None
    assert strict["properties"].keys() == {"not", "default"}


def test_a_fitting_reply_to_any_schema_passes(play, adapters, model_at):
    """What the twin invents from the schema that a provider was sent fits the template's own."""
    twin = play(lambda asked: Reply(data=fitting(asked.schema)))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert result.reply.errors == ()


@pytest.mark.parametrize("text", ['{"value": NaN, "unit": "kg"}', '{"value": 1e999, "unit": "kg"}'])
def test_what_json_has_no_number_for_is_sent_back(play, adapters, model_at, text):
    twin = play(in_turn(Reply(text=text), Reply(data={"value": 42, "unit": "kg"})))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert result.reply.values == {"value": 42, "unit": "kg"}
    assert "NaN or Infinity" in twin.requests[1].text


def test_a_providers_own_data_may_not_hold_infinity_either(play, adapters, model_at):
    twin = play(in_turn(Reply(data={"value": float("inf"), "unit": "kg"})))
    with pytest.raises(ParseError, match="NaN or Infinity"):
        adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())


@pytest.mark.parametrize(
    "text",
    [
        '[{"value": 42, "unit": "kg"}]',
        '{"answer": {"value": 42, "unit": "kg"}}',
        '[{"Answer": {"value": 42, "unit": "kg"}}]',
    ],
)
def test_a_wrapping_around_the_fields_is_taken_off(play, adapters, model_at, text):
    twin = play(in_turn(Reply(text=text)))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(twin.requests)) == ({"value": 42, "unit": "kg"}, 1)


def test_a_field_that_holds_an_object_is_no_wrapping(play, adapters, model_at):
    target = ValueAndUnit({"type": "object", "properties": {"value": {"type": "object"}, "unit": {"type": "string"}}})
    twin = play(in_turn(Reply(data={"value": {"unit": "kg"}})))
    with pytest.raises(ParseError, match="'unit' is missing"):
        adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), target)


@pytest.mark.parametrize(
    ("replies", "error", "calls", "retries"),
    [
        ((Reply(text="no"), Reply(status=500), Reply(text="no")), ParseError, 2, {"server_error": 1}),
        ((Reply(refusal="No."),), RefusalError, 1, {}),
        ((Reply(status=429), Reply(text="no"), Reply(refusal="No.")), RefusalError, 2, {"rate_limit": 1}),
        ((Reply(text="no"), Reply(status=429)), ProviderError, 1, {"rate_limit": 2}),
        ((Reply(status=400),), ProviderError, 0, {}),
    ],
)
def test_an_error_says_what_the_replies_before_it_have_cost(play, adapters, model_at, replies, error, calls, retries):
    twin = play(in_turn(*replies))
    with pytest.raises(error) as caught:
        adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert [bool(usage.total_tokens) for usage in caught.value.usages] == [True] * calls
    assert (caught.value.retries, caught.value.model) == (retries, "m" if calls else None)
