"""Two providers through LangChain, against the twin that speaks their protocols."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.langchain import _PACKAGES, lacking
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.errors import AuthenticationError, ConfigurationError, ProviderError
from karenina_gui.schemas.messages import TextBlock
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tools import ToolSpec
from tests.adapters.conftest import CALLS, KEY, SCHEMA, ValueAndUnit, parsing, question
from tests.twin import Reply, in_turn

pytest.importorskip("langchain", reason="needs the extra 'langchain'")


@pytest.fixture(params=["openai", "anthropic"])
def model_at(request):
    def model(twin, **settings):
        address = f"{twin.address}/v1" if request.param == "openai" else twin.address
        given = {"model_name": "m", "interface": "langchain", "model_provider": request.param}
        return ModelConfig.model_validate(
            {**given, "api_key_env": "TWIN_KEY", "endpoint_base_url": address, **settings}
        )

    return model


def test_a_good_reply_brings_text_tokens_and_model(play, adapters, model_at):
    twin = play(in_turn(Reply(text="It is 42.")))
    reply = adapters.llm(model_at(twin, temperature=0.5, max_tokens=99), CALLS).invoke(question())
    assert (reply.content, reply.model, reply.refusal) == ("It is 42.", "m", None)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)
    (asked,) = twin.requests
    assert (asked.system, asked.text, asked.key) == ("Be brief.", "What is 6 x 7?", KEY)
    assert asked.body["temperature"] == 0.5
    assert 99 in (asked.body.get("max_tokens"), asked.body.get("max_completion_tokens"))


def test_a_seed_reaches_a_provider_that_takes_one_and_no_other(play, adapters, model_at):
    twin = play(lambda asked: Reply(text="It is 42."))
    model = model_at(twin)
    llm = adapters.llm(model, CALLS)
    for seed in (1, 2, None):
        llm.invoke(replace(question(), seed=seed))
    takes = AdapterRegistry.require("langchain").takes_seed(model)
    assert takes is (model.model_provider == "openai")
    assert [asked.body.get("seed") for asked in twin.requests] == ([1, 2, None] if takes else [None] * 3)


def test_a_judge_fills_the_schema(play, adapters, model_at):
    twin = play(in_turn(Reply(data={"value": 42, "unit": "kg"})))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert result.reply.values == {"value": 42, "unit": "kg"}
    assert result.usages[0].total_tokens == 18
    assert twin.requests[0].schema["properties"].keys() == SCHEMA["properties"].keys()


def test_a_draft_in_a_thought_is_no_reply(play, adapters, model_at):
    draft = '```json\n{"value": 7, "unit": "kg"}\n```'
    twin = play(in_turn(Reply(text=f"<think>Perhaps {draft}</think>"), Reply(data={"value": 42, "unit": "kg"})))
    result = adapters.parser(model_at(twin), CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, len(twin.requests)) == ({"value": 42, "unit": "kg"}, 2)


def test_a_thought_in_the_text_is_kept_apart(play, adapters, model_at):
    twin = play(in_turn(Reply(text="<think>6 x 7 ...</think>\n\nIt is 42.")))
    llm = adapters.llm(model_at(twin), CALLS)
    for asked in (question(), question(tools=(ToolSpec("f", "", {"type": "object"}),))):
        reply = llm.invoke(asked)
        assert (reply.content, reply.thinking) == ("It is 42.", "6 x 7 ...")
        texts = [block.text for block in reply.blocks if isinstance(block, TextBlock)]
        assert texts == (["It is 42."] if asked.tools else [])


@pytest.mark.parametrize("model_at", ["openai"], indirect=True)
@pytest.mark.parametrize(
    "failure", [{"finish_reason": "error"}, {"error": {"code": 502, "message": "Upstream is gone"}}]
)
def test_a_failure_in_a_choice_is_tried_again(play, adapters, model_at, failure):
    def failed(asked):
        if asked.number % 2 == 0:
            return Reply(data={"value": 42, "unit": "kg"}) if asked.schema else Reply(text="It is 42.")
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": "It does"},
            "finish_reason": "stop",
            **failure,
        }
        whole = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        return Reply(raw=json.dumps(whole).encode())

    twin = play(failed)
    model = model_at(twin)
    reply = adapters.llm(model, CALLS).invoke(question())
    assert (reply.content, reply.retries) == ("It is 42.", {"server_error": 1})
    result = adapters.parser(model, CALLS).parse_to_pydantic(parsing(), ValueAndUnit())
    assert (result.reply.values, result.retries) == ({"value": 42, "unit": "kg"}, {"server_error": 1})


def test_a_model_that_refuses_a_setting_is_asked_without(play, adapters, model_at):
    def script(asked):
        if "temperature" in asked.body:
            return Reply(status=400, message="`temperature` may only be set to 1 when thinking is enabled.")
        if 16384 in asked.body.values():
            return Reply(status=400, message="max_tokens: 16384 > 4096, which is the maximum allowed number")
        return Reply(text="It is 42.")

    assert adapters.llm(model_at(play(script), temperature=0.5), CALLS).invoke(question()).content == "It is 42."


def test_a_server_without_structured_output_is_asked_in_words_from_then_on(play, adapters, model_at):
    def script(asked):
        if asked.schema is not None:
            return Reply(status=400, message="response_format and tools are unsupported here")
        return Reply(text='{"value": 42, "unit": "kg"}')

    twin = play(script)
    parser = adapters.parser(model_at(twin), CALLS)
    for _ in range(2):
        assert parser.parse_to_pydantic(parsing(), ValueAndUnit()).reply.values["value"] == 42
    assert [asked.schema is None for asked in twin.requests] == [False, True, True]


@pytest.mark.parametrize(
    ("fault", "category"),
    [
        (Reply(status=429, message="slow down"), "rate_limit"),
        (Reply(status=500, message="broken"), "server_error"),
        (Reply(text="cut in half " * 20, cut=True), "connection"),
        (Reply(text="late", delay=1.0), "timeout"),
    ],
)
def test_a_passing_fault_is_tried_again_and_counted(play, adapters, model_at, fault, category):
    twin = play(in_turn(fault, Reply(text="It is 42.")))
    llm = adapters.llm(model_at(twin, request_timeout=0.5), CALLS)
    reply = llm.invoke(question())
    assert (reply.content, reply.retries) == ("It is 42.", {category: 1})


def test_a_refused_key_fails_at_once_and_is_not_shown(play, adapters, model_at, caplog):
    twin = play(in_turn(Reply(status=401, message=f"bad key {KEY}")))
    with caplog.at_level(logging.DEBUG), pytest.raises(AuthenticationError, match="TWIN_KEY") as caught:
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert KEY not in str(caught.value)
    assert KEY not in caplog.text
    assert len(twin.requests) == 1


def test_a_wrong_model_name_is_refused_in_the_providers_words(play, adapters, model_at):
    twin = play(in_turn(Reply(status=404, message="no such model: m")))
    with pytest.raises(ProviderError, match="no such model") as caught:
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert caught.value.category == "rejected"


def test_calls_of_one_model_share_what_was_opened_for_it(play, adapters, model_at):
    twin = play(in_turn(Reply(text="It is 42.")))
    for _ in range(3):
        adapters.llm(model_at(twin), CALLS).invoke(question())
    assert twin.connections == 1


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model_provider": None}, "needs a LangChain provider"),
        ({"model_provider": "nonsense"}, "Unsupported provider"),
        ({"model_provider": "mistralai"}, "langchain-mistralai"),
    ],
)
def test_what_cannot_be_opened_says_why(adapters, settings, says):
    model = ModelConfig(model_name="m", interface="langchain", **settings)
    with pytest.raises(ConfigurationError, match=says):
        adapters.llm(model, CALLS)


def test_a_missing_key_is_named_before_any_call():
    model = ModelConfig(model_name="m", interface="langchain", model_provider="openai", api_key_env="NOT_SET")
    with AdapterFactory(environment={}) as adapters, pytest.raises(AuthenticationError, match="NOT_SET"):
        adapters.llm(model, CALLS)


def test_packages_are_those_in_which_langchain_looks_for_its_providers():
    from langchain.chat_models.base import _BUILTIN_PROVIDERS

    modules = {name: entry[0].partition(".")[0] for name, entry in _BUILTIN_PROVIDERS.items()}
    assert {name: modules[name] for name in _PACKAGES} == {
        name: package.replace("-", "_") for name, package in _PACKAGES.items()
    }


def test_what_has_to_be_installed_first_is_known_without_a_call(monkeypatch):
    def said(**settings):
        return lacking(ModelConfig(model_name="m", interface="langchain", **settings))

    assert said(model_provider="openai") is None
    assert said(model_provider="somebody_else") is None  # only LangChain knows its package
    assert "needs a LangChain provider" in said()
    monkeypatch.setattr("karenina_gui.adapters.langchain.find_spec", lambda name: name == "langchain" or None)
    assert said(model_provider="google_genai").endswith("pip install langchain-google-genai")
    assert said(model_provider="google_anthropic_vertex").endswith("pip install langchain-google-vertexai")
    monkeypatch.setattr("karenina_gui.adapters.langchain.find_spec", lambda name: None)
    assert said(model_provider="openai").startswith("LangChain isn’t installed.")


def test_a_server_on_this_computer_needs_no_key(play, model_at):
    twin = play(in_turn(Reply(text="It is 42.")))
    with AdapterFactory(environment={}) as adapters:
        assert adapters.llm(model_at(twin, api_key_env=None), CALLS).invoke(question()).content == "It is 42."
    assert twin.requests[0].key == "not-needed"
