"""What can be installed beside the application is named where people look: in the README, the guide and at hand."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from karenina_gui.adapters.langchain import NOT_INSTALLED
from karenina_gui.gui.frame.guide import TEXT
from karenina_gui.runs.aids import EMBEDDING_COMMAND

ROOT = Path(__file__).resolve().parents[1]
_ROW = re.compile(r"^\| `([\w-]+)` \| (\S.*?) \| `(pip install .+?)` \|$", re.MULTILINE)


def extras() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return dict(project["optional-dependencies"])


@pytest.mark.parametrize("place", [ROOT / "README.md", TEXT], ids=["README", "guide"])
def test_every_extra_is_named_with_the_command_that_installs_it(place: Path) -> None:
    rows = _ROW.findall(place.read_text(encoding="utf-8"))
    assert {name: command for name, _, command in rows} == {
        name: f"pip install 'karenina-gui[{name}]'" for name in extras()
    }


def test_the_application_names_the_same_commands_where_an_extra_is_missing() -> None:
    commands = {name: f"pip install 'karenina-gui[{name}]'" for name in extras()}
    assert commands["embedding"] == EMBEDDING_COMMAND
    assert commands["langchain"] in NOT_INSTALLED


def test_the_providers_whose_packages_come_along_are_those_that_the_guide_says() -> None:
    providers = {re.split(r"[<>=]", each)[0] for each in extras()["langchain"]} - {"langchain"}
    assert providers == {"langchain-openai", "langchain-anthropic"}
    assert "OpenAI's and Anthropic's packages come along" in TEXT.read_text(encoding="utf-8")
