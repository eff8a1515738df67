"""Models that cannot do their part in a run are found before it starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.models import fault_of, lacking_keys, missing_packages, obstacles
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig


def model(interface: str, name: str = "ada", **fields: Any) -> ModelConfig:
    return ModelConfig(id=name, interface=interface, model_name="m", **fields)


def without_key(variable: str) -> str:
    return (
        f"no API key. Enter {variable} on the API keys page, or set the environment variable and restart the "
        "application."
    )


RECORDED = {"manual_traces": {"q": "an answer"}}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(
    ("checked", "fault"),
    [
        (model("replay"), "no recording. Enter the path of one under Recording on the Models page."),
        (model("manual"), "no recorded answers. Import them on the Models page."),
        (model("manual", **RECORDED), None),
        (model("claude_tool"), without_key("ANTHROPIC_API_KEY")),
        (model("claude_tool", api_key_env="MY_KEY"), without_key("MY_KEY")),
        (model("openai_endpoint", endpoint_base_url="http://127.0.0.1:9/v1"), None),
    ],
)
def test_a_model_that_cannot_be_reached_is_found(
    catalog: ModelCatalog, checked: ModelConfig, fault: str | None
) -> None:
    assert fault_of(checked, catalog) == fault


def test_messages_of_adapters_are_passed_on(catalog: ModelCatalog, tmp_path: Path) -> None:
    for checked, part in (
        (model("carrier_pigeon"), "carrier_pigeon"),
        (model("langchain"), "LangChain provider"),
        (model("replay", recording=str(tmp_path / "none.json")), "none.json"),
    ):
        assert part in str(fault_of(checked, catalog))


def test_packages_are_missing_once_and_only_where_the_interface_exists() -> None:
    without = model("langchain")
    config = VerificationConfig(answering_models=[without, model("carrier_pigeon", "bird")], parsing_models=[without])
    (found,) = missing_packages(config)
    assert found.startswith("ada: ")


def test_a_model_that_answers_and_judges_is_named_once(catalog: ModelCatalog) -> None:
    both = model("claude_tool")
    config = VerificationConfig(answering_models=[both], parsing_models=[both])
    assert obstacles(config, catalog) == [f"ada: {without_key('ANTHROPIC_API_KEY')}"]
    assert lacking_keys(config, catalog) == ["ANTHROPIC_API_KEY"]


def test_recorded_answers_cannot_judge(catalog: ModelCatalog) -> None:
    config = VerificationConfig(parsing_models=[model("manual", **RECORDED)])
    assert obstacles(config, catalog) == ["ada: recorded answers only, so it can’t judge. Select another judge."]


def test_tools_in_vain_are_found_unless_conditions_replace_them(catalog: ModelCatalog) -> None:
    config = VerificationConfig(answering_models=[model("manual", workspace_tools=["read_file"], **RECORDED)])
    (obstacle,) = obstacles(config, catalog)
    assert obstacle.startswith("ada: its interface can’t use tools (read_file).")
    assert obstacles(config.model_copy(update={"conditions": [Condition(name="plain")]}), catalog) == []
