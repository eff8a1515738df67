"""The fields of a model: what is not right is said at its field, and nothing that a field does not own is lost."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.pages.models.agent_fields import AGENT_FIELDS
from karenina_gui.gui.pages.models.fields import (
    FIELDS,
    FIELDS_OF_INTERFACE,
    RETRIES,
    SUGGESTED_MODELS,
    changed_model,
    switch_interface,
)
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.saved_model import with_name

MODEL = ModelConfig(
    id="gpt",
    model_name="gpt-5",
    interface="openai_endpoint",
    endpoint_base_url="https://example.org/v1",
    api_key_env="MY_KEY",
    temperature=None,
    extra_kwargs={"seed": 7, "endpoint_base_url_mode": "raw", "stop": ["\n"]},
    mcp_urls_dict={"db": "http://localhost:1"},
    recording="example",
)


@pytest.mark.parametrize("name", FIELDS)
def test_writing_what_was_read_changes_nothing(name: str) -> None:
    assert FIELDS[name].apply(MODEL, FIELDS[name].value_of(MODEL)) == MODEL


def test_a_change_of_one_field_leaves_the_others() -> None:
    changed = FIELDS["system_prompt"].apply(MODEL, " Be brief. ")
    assert changed == MODEL.model_copy(update={"system_prompt": "Be brief."})


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("model_name", " ", "name of the model"),
        ("endpoint_base_url", "localhost:8000", "with http://"),
        ("endpoint_base_url", "http://me:secret@localhost", "user name or password"),
        ("endpoint_base_url", "https://example.org/v1?api-key=abc", "The URL contains an API key"),
        ("anthropic_base_url", "example.org", "with http://"),
        ("api_key_env", "sk-123 456", "not the key itself"),
        ("api_key_env", "a8Xk29dkslf93kdlsfk2", "not the key itself"),
        ("temperature", 3.0, "a number from 0 to 2"),
        ("temperature", float("inf"), "a number from 0 to 2"),
        ("max_tokens", float("inf"), "1 or more"),
        ("max_tokens", 0, "1 or more"),
        ("request_timeout", -1.0, "more than 0 seconds"),
    ],
)
def test_each_mistake_is_told_at_its_field(field: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        FIELDS[field].apply(MODEL, value)


def test_empty_numbers_mean_what_their_hints_say() -> None:
    assert FIELDS["temperature"].apply(MODEL, None).temperature is None
    assert FIELDS["max_tokens"].apply(MODEL, None).max_tokens == 16384
    assert FIELDS["request_timeout"].apply(MODEL, None).request_timeout is None


def test_further_parameters_are_rows_of_a_name_and_json() -> None:
    field = FIELDS["extra_kwargs"]
    assert field.value_of(MODEL) == [{"name": "seed", "value": "7"}, {"name": "stop", "value": '["\\n"]'}]
    rows = [
        {"name": "top_p", "value": "0.9"},
        {"name": "reasoning", "value": '{"effort": "high"}'},
        {"name": "user", "value": '"me"'},
    ]
    assert field.apply(MODEL, rows).extra_kwargs == {
        "endpoint_base_url_mode": "raw",
        "top_p": 0.9,
        "reasoning": {"effort": "high"},
        "user": "me",
    }


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"name": "effort", "value": "high"}], r'quoted text \("high"\)'),
        ([{"name": "top_p", "value": "NaN"}], "must be JSON"),
        ([{"name": "top_p", "value": "[1e999]"}], "must be JSON"),
        ([{"name": "top_p"}], "Enter a value for top_p"),
        ([{"value": "1"}], "a name"),
        ([{"name": "a", "value": "1"}, {"name": "a", "value": "2"}], "a is already listed"),
        ([{"name": "temperature", "value": "1"}], "Use the Temperature field"),
        ([{"name": "stream", "value": "true"}], "Replies are not streamed"),
        ([{"name": "api_key", "value": '"abc"'}], "enter the key on the API keys page"),
        ([{"name": "headers", "value": '{"Authorization": "Bearer x"}'}], "enter the key on the API keys page"),
        ([{"name": "user", "value": '"sk-0123456789"'}], "looks like an API key"),
    ],
)
def test_a_parameter_that_cannot_be_sent_says_why(rows: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        FIELDS["extra_kwargs"].apply(MODEL, rows)


def test_the_switch_of_the_address_stands_apart_from_the_parameters() -> None:
    assert FIELDS["raw_address"].value_of(MODEL) is True
    assert FIELDS["raw_address"].apply(MODEL, False).extra_kwargs == {"seed": 7, "stop": ["\n"]}


def test_own_retries_begin_with_the_usual_ones_and_change_number_by_number() -> None:
    own = FIELDS["retry_policy"].apply(MODEL, True)
    assert own.retry_policy == RetryPolicy()
    fewer = changed_model(own, RETRIES["rate_limit", "max_attempts"].changes(own, 1))
    assert fewer.retry_policy is not None
    assert (fewer.retry_policy.rate_limit.max_attempts, fewer.retry_policy.timeout) == (1, RetryPolicy().timeout)
    assert FIELDS["retry_policy"].apply(fewer, False).retry_policy is None


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ("max_attempts", -1, "0 or more"),
        ("max_attempts", None, "a whole number"),
        ("max_attempts", 1.5, "a whole number"),
        ("backoff_min", -1, "0 seconds or more"),
        ("backoff_max", 1, "at least the initial delay"),
        ("backoff_multiplier", 0.5, "1 or more"),
    ],
)
def test_a_retry_that_cannot_be_says_why(part: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RETRIES["timeout", part].changes(MODEL, value)


def test_another_interface_leaves_behind_what_it_does_not_know_and_finds_it_again() -> None:
    memory: dict[str, Any] = {}
    there = switch_interface(MODEL, "claude_tool", memory)
    assert (there.endpoint_base_url, there.api_key_env) == (None, "MY_KEY")
    assert switch_interface(there, "openai_endpoint", memory).endpoint_base_url == "https://example.org/v1"


def test_recorded_answers_are_found_again_after_a_change_of_mind() -> None:
    recorded = ModelConfig(id="r", interface="manual", manual_traces={"q": "42"})
    memory: dict[str, Any] = {}
    there = switch_interface(recorded, "claude_tool", memory)
    assert there.manual_traces is None
    assert switch_interface(there, "manual", memory).manual_traces == {"q": "42"}


def test_every_interface_has_its_fields_and_every_field_an_interface() -> None:
    from karenina_gui.adapters.registry import AdapterRegistry

    assert set(AdapterRegistry.names()) == FIELDS_OF_INTERFACE.keys()
    of_agents = {"mcp_urls_dict", "mcp_servers", *(name.partition(".")[0] for name in AGENT_FIELDS)} - {"tool_servers"}
    assert {name for names in FIELDS_OF_INTERFACE.values() for name in names} == FIELDS.keys() | of_agents


def test_the_shelf_says_where_each_key_comes_from_and_who_asks_for_it(tmp_path: Any) -> None:
    from karenina_gui.adapters.factory import AdapterFactory
    from karenina_gui.adapters.keys import KeyRing
    from karenina_gui.store.library import Library

    with Library.open(tmp_path) as library, AdapterFactory(KeyRing({"MY_KEY": "x"})) as adapters:
        catalog = ModelCatalog(library.models, adapters)
        library.models.save("gpt", MODEL)
        library.models.save("local", ModelConfig(model_name="l", interface="openai_endpoint",
                                             endpoint_base_url="http://localhost:1"))  # fmt: skip
        catalog.keys.enter("OPENAI_API_KEY", "sk-entered")
        uses = {use.variable: (use.origin, use.interfaces, use.models) for use in catalog.key_uses()}
        assert uses["MY_KEY"] == ("environment", (), ("gpt",))
        assert uses["OPENAI_API_KEY"] == ("session", ("OpenAI or a compatible server",), ())
        assert uses["ANTHROPIC_API_KEY"][0] is None
        assert catalog.key(library.models.all()["local"]) is None


def test_recorded_answers_are_called_by_their_own_name_alone() -> None:
    memory: dict[str, Any] = {}
    recorded = switch_interface(MODEL.model_copy(update={"id": "airline"}), "manual", memory)
    assert (recorded.id, recorded.model_name) == ("airline", "airline")
    renamed = with_name(recorded, "desk")
    assert (renamed.id, renamed.model_name) == ("desk", "desk")
    assert switch_interface(renamed, "claude_tool", memory).model_name == MODEL.model_name
    assert with_name(MODEL, "other").model_name == MODEL.model_name


def test_a_name_that_was_offered_goes_with_its_provider() -> None:
    offered = ModelConfig(id="new model", model_name=SUGGESTED_MODELS["openai_endpoint"], interface="openai_endpoint")
    memory: dict[str, Any] = {}
    there = switch_interface(offered, "claude_tool", memory)
    assert there.model_name == SUGGESTED_MODELS["claude_tool"]
    assert switch_interface(there, "openrouter", memory).model_name == SUGGESTED_MODELS["openrouter"]
    entered = offered.model_copy(update={"model_name": "my-model"})
    assert switch_interface(entered, "claude_tool", {}).model_name == "my-model"


def test_a_model_with_recorded_answers_does_not_become_a_name_of_a_provider() -> None:
    recorded = ModelConfig(id="new model", model_name="new model", interface="manual")
    assert switch_interface(recorded, "langchain", {}).model_name == SUGGESTED_MODELS["langchain"]
