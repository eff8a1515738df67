"""A run's configuration from a YAML or JSON file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from yaml.reader import ReaderError

from karenina_gui.errors import ConfigurationError
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.problems import all_problems

_QUOTED = re.compile(r"""(['"])(.*?)\1""")


def read_configuration(path: Path) -> VerificationConfig:
    """The configuration in a file; a saved preset, which wraps it in `config`, is read as well.

    A `recording` that is named by a relative path is looked for beside the file. ConfigurationError: says where.
    """
    data = _mapping(path)
    data = data["config"] if isinstance(data.get("config"), dict) else data
    for model in [*_models(data, "answering_models"), *_models(data, "parsing_models")]:
        recording = model.get("recording")
        if isinstance(recording, str) and (path.parent / recording).is_file():
            model["recording"] = str((path.parent / recording).resolve())
    try:
        return VerificationConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigurationError(_complaints(path, error)) from None


def _mapping(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read as YAML: {_fault(error)}.") from None
    if not isinstance(data, dict):
        raise ConfigurationError(f"{path} holds no configuration: it should begin with  answering_models:")
    return data


def _fault(error: Exception) -> str:
    """What is wrong and where, without the line itself or a word of it, since either may hold a key."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem and error.problem_mark:
        mark = error.problem_mark
        return f"{_QUOTED.sub(_unless_long, error.problem)} in line {mark.line + 1}, column {mark.column + 1}"
    if isinstance(error, ReaderError):
        return f"the character number {error.position + 1} has no place in a text"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return "it is nested too deeply" if isinstance(error, RecursionError) else "a number or a date in it is none"


def _unless_long(quoted: re.Match[str]) -> str:
    """A sign, or the parser's word for what it met (`'<scalar>'`), may be shown; a word of the file may not."""
    return quoted[0] if len(quoted[2]) <= 4 or quoted[2].startswith("<") else "'…'"


def _models(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    models = data.get(key)
    return [model for model in models if isinstance(model, dict)] if isinstance(models, list) else []


def _complaints(path: Path, error: ValidationError) -> str:
    """One line a setting, without the values, since a value may be a key."""
    lines = [f"  {place or 'as a whole'}: {message}" for place, message in all_problems(error)]
    return "\n".join([f"{path} cannot be used as a configuration:", *lines])
