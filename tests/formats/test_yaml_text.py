"""YAML that would never end is refused at once, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.errors import ConfigurationError
from karenina_gui.formats import yaml_text
from karenina_gui.formats.yaml_text import read_mapping


def levels(first: str, many: str) -> str:
    """Each level repeats the one before nine times."""
    lines = [f"a0: &a0 {first}"]
    return "\n".join([*lines, *(f"a{n + 1}: &a{n + 1} {many % ','.join([f'*a{n}'] * 9)}" for n in range(40))])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (levels("[x]", "[%s]"), "more than 1,000 values"),
        (levels("{x: 1}", "{<<: [%s]}"), "more than 1,000 values"),
        ("a: [" + "x," * 1000 + "]", "more than 1,000 values"),
        ("a: &a [*a]", "a value contains itself"),
        ("a: &a {b: *a}", "a value contains itself"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("a: " + "1:" * 5000 + "1", "invalid number"),
        ("a: " + "1:" * 5000 + "1.5", "invalid number"),
        ("#" * 3_000_000, "too large"),
    ],
)
def test_what_would_never_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    monkeypatch.setattr(yaml_text, "MOST_VALUES", 1000)
    monkeypatch.setattr(yaml_text, "_TOO_MANY", "more than 1,000 values")
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=reason):
        read_mapping(path, "")


def test_an_alias_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("a: &a [1, 0x10]\nb: [*a, *a]\nc: {<<: {d: 1.5}}")
    assert read_mapping(path, "") == {"a": [1, 16], "b": [[1, 16], [1, 16]], "c": {"d": 1.5}}
