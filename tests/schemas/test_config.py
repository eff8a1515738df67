"""Run configurations: defaults, spellings, and keys that never leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from karenina_gui import ModelConfig, VerificationConfig
from karenina_gui.schemas.model_config import MASK


def test_an_upstream_preset_loads_and_gives_the_same_settings_back(shared: Path) -> None:
    preset = json.loads((shared / "results" / "preset-example.json").read_text())["config"]
    config = VerificationConfig.model_validate(preset)
    dumped = json.loads(config.model_dump_json())
    for name, value in preset.items():
        if name not in ("answering_models", "parsing_models", "rubric_enabled"):
            assert dumped[name] == value, name
    assert config.answering_models[0].endpoint_api_key is None, "a mask is no key"


def test_a_key_is_never_written() -> None:
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_api_key="sk-secret-1")
    assert model.endpoint_api_key is not None
    assert model.endpoint_api_key.get_secret_value() == "sk-secret-1"
    config = VerificationConfig(answering_models=[model])
    for written in (model.model_dump_json(), str(model.model_dump()), repr(model), repr(config), str(config)):
        assert "secret" not in written


@pytest.mark.parametrize("mask", [MASK, "***", "", None])
def test_a_masked_key_is_no_key(mask: str | None) -> None:
    assert ModelConfig(model_name="m", anthropic_api_key=mask).anthropic_api_key is None


def test_recorded_answers_are_not_written_with_the_configuration() -> None:
    model = ModelConfig(id="a", interface="manual", manual_traces={"q": "42"})
    assert "manual_traces" not in model.model_dump()


def test_the_two_spellings_of_deep_judgment() -> None:
    assert VerificationConfig.model_validate({"deep_judgment_enabled": True}).deep_judgment_mode == "full"
    assert VerificationConfig.model_validate({"deep_judgment_enabled": False}).deep_judgment_enabled is False


def test_a_model_needs_a_name_and_takes_it_as_id() -> None:
    with pytest.raises(ValidationError, match="needs a name"):
        ModelConfig(interface="openai_endpoint")
    assert ModelConfig(model_name="gpt").id == "gpt"
    assert ModelConfig(id="careful", model_name="gpt").id == "careful"
    assert ModelConfig(id="recorded", interface="manual").model_name == "recorded"


@pytest.mark.parametrize(
    "settings",
    [
        {"replicate_count": 0},
        {"async_max_workers": 0},
        {"evaluation_mode": "both"},
        {"replicats": 3},
        {"batch_timeout_seconds": -1},
        {"provider_wait_seconds": -1},
        {"answerer_concurrency_limits": 0},
        {"answerer_concurrency_limits": {"m": -1}},
        {"deep_judgment_rubric_mode": "custom"},
        {"deep_judgment_enabled": "perhaps"},
    ],
)
def test_what_cannot_work_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        VerificationConfig.model_validate(settings)


def test_recorded_answers_cannot_use_mcp() -> None:
    with pytest.raises(ValidationError, match="MCP"):
        ModelConfig(id="a", interface="manual", mcp_urls_dict={"s": "http://127.0.0.1"})


@pytest.mark.parametrize(
    "extra", [{"api_key": "sk-1"}, {"extra_headers": {"Authorization": "Bearer x"}}, {"body": [{"password": "x"}]}]
)
def test_a_key_among_the_extra_parameters_is_refused_and_not_repeated(extra: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="api_key_env") as caught:
        ModelConfig.model_validate({"model_name": "m", "extra_kwargs": extra})
    assert "sk-1" not in str(caught.value)
    assert "Bearer x" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-ab\ncd", "sk-\u0301abcd"])
@pytest.mark.parametrize("field", ["endpoint_api_key", "anthropic_api_key"])
def test_a_key_that_no_request_can_carry_is_refused_and_not_repeated(field: str, key: str) -> None:
    with pytest.raises(ValidationError, match="contains a line break") as caught:
        ModelConfig.model_validate({"model_name": "m", field: key})
    assert "sk-" not in str(caught.value)


def test_what_surrounds_a_key_or_an_address_is_no_part_of_it() -> None:
    model = ModelConfig(model_name="m", endpoint_api_key=SecretStr("sk-1\n"), endpoint_base_url="http://here/v1\n")
    assert model.endpoint_api_key == SecretStr("sk-1")
    assert model.endpoint_base_url == "http://here/v1"


def test_ordinary_extra_parameters_are_kept() -> None:
    extra = {"top_p": 0.9, "max_completion_tokens": 5, "stop": ["x"]}
    assert ModelConfig(model_name="m", extra_kwargs=extra).extra_kwargs == extra


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValidationError, match="password") as caught:
        ModelConfig(model_name="m", endpoint_base_url="https://bob:hunter2@example.org/v1")
    assert "hunter2" not in str(caught.value)


def test_a_wrong_configuration_does_not_repeat_its_key() -> None:
    with pytest.raises(ValidationError) as caught:
        ModelConfig(interface="openai_endpoint", endpoint_api_key="sk-hidden")
    assert "sk-hidden" not in str(caught.value)


def test_replicates_have_an_upper_bound_far_beyond_what_the_run_page_offers() -> None:
    assert VerificationConfig(replicate_count=10_000).replicate_count == 10_000
    with pytest.raises(ValidationError, match="10000"):
        VerificationConfig(replicate_count=10_001)
