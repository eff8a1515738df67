"""Preset files: upstream's load, nothing of a key ever goes in or out, and what is unknown is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.presets import file_name, preset_bytes, read_preset
from karenina_gui.schemas.condition import AnsweringSettings, Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig

MODEL = {"id": "a", "model_name": "gpt", "interface": "openai_endpoint", "endpoint_base_url": "http://127.0.0.1:1/v1"}


def write(folder: Path, **changes: Any) -> Path:
    config = {"answering_models": [MODEL], "parsing_models": [MODEL], **changes.pop("config", {})}
    file = folder / "some.json"
    file.write_text(json.dumps({"id": "1", "name": "Some", "config": config, **changes}))
    return file


def test_upstreams_preset_loads_and_its_masked_keys_are_none(shared: Path) -> None:
    """Loss 13: upstream loads its own mask back as a key."""
    preset, notes = read_preset(shared / "results" / "preset-example.json")
    assert (preset.name, preset.description) == ("Preset One", "d")
    models = [*preset.config.answering_models, *preset.config.parsing_models]
    assert [(model.id, model.endpoint_api_key) for model in models] == [("a", None), ("j", None)]
    assert notes == []


def test_upstreams_preset_goes_out_as_it_came_but_for_the_masks(shared: Path) -> None:
    file = shared / "results" / "preset-example.json"
    original = json.loads(file.read_bytes())
    for model in [*original["config"]["answering_models"], *original["config"]["parsing_models"]]:
        del model["endpoint_api_key"]
    assert json.loads(preset_bytes(read_preset(file)[0])) == original


def test_settings_of_agents_come_back_whole(tmp_path: Path) -> None:
    agent = MODEL | {
        "mcp_urls_dict": {"db": "http://127.0.0.1:1/mcp"},
        "mcp_servers": {"papers": {"command": "uvx", "args": ["papers"], "env": {"API_KEY": "${PAPERS}"}}},
        "mcp_tool_filter": ["find"],
        "mcp_tool_description_overrides": {"find": "Find papers."},
        "mcp_http_timeout": 5.0,
        "workspace_tools": ["read_file", "run_command"],
        "agent_middleware": {"limits": {"model_call_limit": 7, "exit_behavior": "end"}},
        "agent_timeout": 60.0,
    }
    settings = {
        "agentic_parsing": True,
        "agentic_judge_context": "trace_only",
        "agentic_rubric_strategy": "shared",
        "workspace_copy": False,
        "workspace_limits": {"network": True, "memory_mb": 512},
        "allow_unconfined_commands": True,
    }
    config = VerificationConfig.model_validate({"answering_models": [agent], "parsing_models": [MODEL], **settings})
    file = tmp_path / "agents.json"
    file.write_bytes(preset_bytes(Preset(name="Agents", config=config)))
    preset, notes = read_preset(file)
    assert (preset.config, notes) == (config, [])


def test_conditions_come_back_whole(tmp_path: Path) -> None:
    server = ToolServer(type="stdio", command="uvx", args=["graph"], tools=["look"])
    settings = AnsweringSettings(temperature=None, workspace_tools=["read_file"])
    made = [
        Condition(name="plain", system_prompt="", mcp_servers={}),
        Condition(name="graph", mcp_servers={"graph": server}, settings=settings, require_mcp_tool_use=True),
    ]
    preset = Preset(name="Both", config=VerificationConfig(conditions=made, judge_replicates=2))
    path = tmp_path / "both.json"
    path.write_bytes(preset_bytes(preset))
    again, left_out = read_preset(path)
    assert (again.config, left_out) == (preset.config, [])
    assert again.config.conditions[1].settings.explicit == {"temperature": None, "workspace_tools": ["read_file"]}


def test_a_real_key_in_a_file_is_left_there_and_told(tmp_path: Path) -> None:
    secret = "sk-very-secret-1234"
    preset, notes = read_preset(write(tmp_path, config={"answering_models": [{**MODEL, "endpoint_api_key": secret}]}))
    assert preset.config.answering_models[0].endpoint_api_key is None
    assert len(notes) == 1
    assert "key" in notes[0]
    assert secret not in notes[0]
    assert secret.encode() not in preset_bytes(preset)


def test_a_preset_made_here_forgets_the_key_of_its_models() -> None:
    model = ModelConfig(id="a", model_name="a", interface="openai_endpoint", endpoint_api_key="sk-secret")  # type: ignore[arg-type]
    preset = Preset(name="p", config=VerificationConfig(answering_models=[model]))
    assert preset.config.answering_models[0].endpoint_api_key is None


def test_settings_of_another_version_are_left_out_and_told(tmp_path: Path) -> None:
    model = {**MODEL, "mood": "good", "temprature": 1}
    config = {"answering_models": [model], "time_travel": True, "nothing": None}
    preset, notes = read_preset(write(tmp_path, config=config))
    assert preset.config.answering_models[0].id == "a"
    assert notes == [
        "The run: unknown settings were skipped: time_travel.",
        "a: unknown settings were skipped: mood, temprature (did you mean temperature?).",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "is not a preset"),
        ('{"name": "x"}', "is not a preset"),
        ('{"name": "x", "config": {"replicate_count": 0}}', "replicate_count"),
        ("{", "JSON"),
    ],
)
def test_a_file_that_is_no_preset_is_refused_plainly(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)
    with pytest.raises(FileFormatError, match=message):
        read_preset(file)


def test_names_become_file_names() -> None:
    config = VerificationConfig()
    assert file_name(Preset(name="Preset One", config=config)) == "preset-one.json"
    assert file_name(Preset(name="…", config=config)) == "preset.json"
