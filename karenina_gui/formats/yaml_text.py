"""YAML that people have written, read without executing anything and refused without quoting what may be a key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from karenina_gui.errors import ConfigurationError

_QUOTED = re.compile(r"""(['"])(.*?)\1""")


class _Loader(yaml.SafeLoader):
    """Refuses a name that stands twice in one mapping: the later one would silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        taken: set[str] = set()
        for key, _ in node.value:
            # A merge (`<<`) may stand there twice.
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in taken:
                    raise yaml.constructor.ConstructorError(None, None, "duplicate name", key.start_mark)
                taken.add(key.value)
        return super().construct_mapping(node, deep=deep)


def read_mapping(path: Path, expected: str) -> dict[str, Any]:
    """The mapping that a file holds; `expected` says how it should begin.

    Raises `ConfigurationError`, which quotes no value, since any may be a key.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # Without the cause, which quotes the line.
        raise ConfigurationError(f"{path} cannot be read as YAML: {_fault(error)}.") from None
    if not isinstance(data, dict):
        raise ConfigurationError(f"{path} contains no configuration: {expected}")
    return data


def _fault(error: Exception) -> str:
    """The fault and its place, without the line itself or a word of it, since either may hold a key."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem and error.problem_mark:
        mark = error.problem_mark
        return f"{_QUOTED.sub(_unless_long, error.problem)} (line {mark.line + 1}, column {mark.column + 1})"
    if isinstance(error, ReaderError):
        return f"character {error.position + 1} is not allowed in text"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return "it is nested too deeply" if isinstance(error, RecursionError) else "it contains an invalid number or date"


def _unless_long(quoted: re.Match[str]) -> str:
    """The sign, or the parser's word for what it met (`'<scalar>'`), may be shown; a word of the file may not."""
    return quoted[0] if len(quoted[2]) <= 4 or quoted[2].startswith("<") else "'…'"
