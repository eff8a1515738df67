"""Run configuration from a YAML or JSON file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from karenina_gui.errors import ConfigurationError
from karenina_gui.schemas.problems import all_problems
from karenina_gui.schemas.sendable import unsendable
from karenina_gui.schemas.verification_config import VerificationConfig


def read_configuration(path: Path) -> VerificationConfig:
    """Read a configuration. A saved preset, which wraps it in `config`, is accepted too.

    A relative path in `recording` is resolved next to the file. Raises `ConfigurationError` with the position of each
    problem.
    """
    from karenina_gui.formats.yaml_text import read_mapping

    data = read_mapping(path, "it should begin with  answering_models:")
    if {"dataset", "conditions"} <= data.keys():
        raise ConfigurationError(
            f"{path} is a k-eval configuration with its own questions. Run it with  karenina-gui k-eval {path} "
            "--output FOLDER"
        )
    data = data["config"] if isinstance(data.get("config"), dict) else data
    for model in [*_models(data, "answering_models"), *_models(data, "parsing_models")]:
        recording = model.get("recording")
        if isinstance(recording, str) and (path.parent / recording).is_file():
            model["recording"] = str((path.parent / recording).resolve())
    try:
        config = VerificationConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigurationError(_complaints(path, all_problems(error, VerificationConfig))) from None
    if problems := list(_unsendable(config)):
        raise ConfigurationError(_complaints(path, problems))
    return config


def _unsendable(config: VerificationConfig) -> Iterator[tuple[str, str]]:
    for name, models in (("answering_models", config.answering_models), ("parsing_models", config.parsing_models)):
        for place, model in enumerate(models):
            if (why := unsendable(model)) is not None:
                yield f"{name}.{place}", why


def _models(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    models = data.get(key)
    return [model for model in models if isinstance(model, dict)] if isinstance(models, list) else []


def _complaints(path: Path, problems: Iterable[tuple[str, str]]) -> str:
    # Without the values, because a value may be a key.
    lines = [f"  {place or 'as a whole'}: {message}" for place, message in problems]
    return "\n".join([f"Invalid configuration {path}:", *lines])
