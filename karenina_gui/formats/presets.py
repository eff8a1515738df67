"""Presets in files, in upstream's shape: one JSON object around a run configuration."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.json_text import read_json, to_json_bytes
from karenina_gui.schemas.model_config import MASK, ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.problems import as_sentence, closest_field, first_problem
from karenina_gui.schemas.verification_config import VerificationConfig

_KEYS = ("endpoint_api_key", "anthropic_api_key")
_ALWAYS = {
    "id",
    "model_provider",
    "model_name",
    "temperature",
    "interface",
    "system_prompt",
    "max_tokens",
    "max_retries",
}
_MODELS = ("answering_models", "parsing_models")


def read_preset(path: str | Path) -> tuple[Preset, list[str]]:
    """The preset in a file, and one sentence for each part of it that is not taken over.

    A key in the file is never kept, a masked one (`**********`) is none; settings that only another version knows are
    left out.

    Raises `FileFormatError` if the file is no preset.
    """
    path = Path(path)
    data = read_json(path)
    if not isinstance(data, dict) or not isinstance(data.get("config"), dict):
        problem = (
            f"{path.name} is not a preset: it has no 'config' with run settings. Choose a file that was exported on "
            "the Presets page."
        )
        raise FileFormatError(problem, path=str(path))
    notes: list[str] = []
    config = _without_unknown(dict(data["config"]), VerificationConfig, "The run", notes)
    for key in _MODELS:
        models = config.get(key)
        if isinstance(models, list):
            config[key] = [_model(model, notes) if isinstance(model, dict) else model for model in models]
    fields = {name: data[name] for name in Preset.model_fields if data.get(name) is not None} | {"config": config}
    fields.setdefault("name", path.stem)
    try:
        return Preset.model_validate(fields), notes
    except ValidationError as fault:
        # Without the cause: pydantic quotes the input, which may hold a key.
        problem = f"{path.name} cannot be used: {as_sentence(first_problem(fault))}"
        raise FileFormatError(problem, path=str(path)) from None


def preset_bytes(preset: Preset) -> bytes:
    """The file's content, never with a key.

    A setting at its default is there all the same, as upstream has it.
    """
    config = {**preset.config.model_dump(mode="json"), "rubric_enabled": preset.config.rubric_enabled}
    for key in _MODELS:
        config[key] = [_plain(model) for model in config[key]]
    return to_json_bytes({**preset.model_dump(mode="json", exclude={"config"}), "config": config})


def file_name(preset: Preset) -> str:
    """Name of the preset's file: “Preset One” becomes “preset-one.json”."""
    slug = re.sub(r"[^a-z0-9]+", "-", preset.name.lower()).strip("-")
    return f"{slug or 'preset'}.json"


def _model(model: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    name = str(model.get("id") or model.get("model_name") or "A model")
    settings = _without_unknown(model, ModelConfig, name, notes)
    for key in _KEYS:
        secret = settings.pop(key, None)
        if isinstance(secret, str) and secret.strip("*").strip() and secret != MASK:
            notes.append(
                f"{name}: the API key in the file was not imported. Add it on the API keys page, or set its variable."
            )
    return settings


def _without_unknown(data: dict[str, Any], noun: type[BaseModel], name: str, notes: list[str]) -> dict[str, Any]:
    """The data without names that `noun` would refuse."""
    computed = {"rubric_enabled", "deep_judgment_enabled"}
    unknown = [key for key in data if key not in noun.model_fields and key not in computed]
    # An empty value under an unknown name changes nothing, so nobody has to be told.
    if reported := [key for key in unknown if data[key] not in (None, "", [], {})]:
        notes.append(
            f"{name}: unknown settings were skipped: {', '.join(_with_likely(noun, key) for key in reported)}."
        )
    return {key: value for key, value in data.items() if key not in unknown}


def _with_likely(noun: type[BaseModel], key: str) -> str:
    near = closest_field(noun, [key])
    return f"{key} (did you mean {near}?)" if near else key


def _plain(model: dict[str, Any]) -> dict[str, Any]:
    """The settings that the model needs, as upstream reduces them; its reader refuses names that it does not know."""
    defaults = ModelConfig.model_construct().model_dump(mode="json")
    return {key: value for key, value in model.items() if key in _ALWAYS or value != defaults.get(key)}
