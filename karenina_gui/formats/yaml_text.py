"""YAML that people have written, read without executing anything and refused without quoting what may be a key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from karenina_gui.errors import ConfigurationError
from karenina_gui.formats.reader_process import read_apart

LARGEST = 2_000_000
"""Characters of a file; it is read by Python itself, a million in some seconds."""
MOST_VALUES = 100_000
"""Values of a file, with those behind each alias: a few lines of aliases can stand for more than a computer holds."""
LONGEST_NUMBER = 4300
"""Characters; as for Python’s own numbers, since the time to read one grows with the square of its length."""

_QUOTED = re.compile(r"""(['"])(.*?)\1""")


class _Loader(yaml.SafeLoader):
    """Refuses a name that stands twice in one mapping: the later one would silently win. Limits values and aliases."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._composed = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._composed += 1
        if self._composed > MOST_VALUES:
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, _TOO_MANY, mark)
        return super().compose_node(parent, index)

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        if len(node.value) > LONGEST_NUMBER:
            raise ValueError
        as_int = node.tag == "tag:yaml.org,2002:int"
        return self.construct_yaml_int(node) if as_int else self.construct_yaml_float(node)

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        if node is not None:
            _count_values(node, {})
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        taken: set[str] = set()
        for key, _ in node.value:
            # A merge (`<<`) may stand there twice.
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in taken:
                    raise yaml.constructor.ConstructorError(None, None, "duplicate name", key.start_mark)
                taken.add(key.value)
        return super().construct_mapping(node, deep=deep)


for _tag in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _Loader.construct_number)
_TOO_MANY = f"the file has more than {MOST_VALUES:,} values, those behind aliases included"


def read_mapping(path: Path, expected: str) -> dict[str, Any]:
    """The mapping that a file holds; `expected` says how it should begin.

    Raises `ConfigurationError`, which quotes no value, since any may be a key, and `FileFormatError` for a file that
    takes too much memory or time.
    """
    data = read_apart(_load, path)
    if not isinstance(data, dict):
        raise ConfigurationError(f"{path} contains no configuration: {expected}")
    return data


def _load(path: Path) -> Any:
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise ConfigurationError(f"{path} is too large: a configuration has at most {LARGEST:,} characters.")
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # Without the cause, which quotes the line.
        raise ConfigurationError(f"{path} cannot be read as YAML: {_fault(error)}.") from None


def _count_values(node: yaml.Node, counts: dict[int, int]) -> int:
    """Number of values that a node stands for, aliases written out; `counts`: those of nodes by id, 0 within itself.

    Raises `ConstructorError` above `MOST_VALUES` and for a node that contains itself.
    """
    if (counted := counts.get(id(node))) is not None:
        if counted == 0:
            raise yaml.constructor.ConstructorError(None, None, "a value contains itself", node.start_mark)
        return counted
    counts[id(node)] = 0
    parts = node.value if isinstance(node, yaml.CollectionNode) else []
    flat = [part for pair in parts for part in pair] if isinstance(node, yaml.MappingNode) else parts
    count = 1 + sum(_count_values(part, counts) for part in flat)
    if count > MOST_VALUES:
        raise yaml.constructor.ConstructorError(None, None, _TOO_MANY, node.start_mark)
    counts[id(node)] = count
    return count


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
