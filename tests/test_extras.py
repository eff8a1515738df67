"""Optional packages are named in the README, the guide and the application."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from karenina_gui.adapters import claude_agent_sdk, langchain
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.cluster import address as cluster_address
from karenina_gui.errors import ConfigurationError, InputError
from karenina_gui.formats.results import parquet_writer
from karenina_gui.gui.pages.guide.chapters import FOLDER
from karenina_gui.runs.aids import EMBEDDING_COMMAND
from karenina_gui.schemas.model_config import ModelConfig

ROOT = Path(__file__).resolve().parents[1]
_ROW = re.compile(r"^\| `([\w-]+)` \| (\S.*?) \| `(pip install .+?)` \|$", re.MULTILINE)


def extras() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return dict(project["optional-dependencies"])


@pytest.mark.parametrize("place", [ROOT / "README.md", FOLDER / "packages.md"], ids=["README", "guide"])
def test_every_extra_is_named_with_the_command_that_installs_it(place: Path) -> None:
    rows = _ROW.findall(place.read_text(encoding="utf-8"))
    assert {name: command for name, _, command in rows} == {
        name: f"pip install 'karenina-gui[{name}]'" for name in extras()
    }


def test_the_application_names_the_same_commands_where_an_extra_is_missing() -> None:
    commands = {name: f"pip install 'karenina-gui[{name}]'" for name in extras()}
    assert commands["embedding"] == EMBEDDING_COMMAND
    assert commands["langchain"] in langchain.NOT_INSTALLED
    assert commands["agent"] in claude_agent_sdk.NOT_INSTALLED
    assert commands["parquet"] in parquet_writer.NOT_INSTALLED
    assert commands["cluster"] in cluster_address.NOT_INSTALLED


def test_a_cluster_without_its_package_is_refused_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karenina_gui.cluster.address.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"karenina-gui\[cluster\]"):
        cluster_address.ClusterAddress("tcp://127.0.0.1:8786").check()


def test_claude_code_that_is_not_installed_is_named_before_anything_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karenina_gui.adapters.claude_agent_sdk.find_spec", lambda name: None)
    model = ModelConfig(model_name="m", interface="claude_agent_sdk", anthropic_base_url="http://127.0.0.1:9")
    assert claude_agent_sdk.lacking(model) == claude_agent_sdk.NOT_INSTALLED
    with AdapterFactory(environment={}) as adapters, pytest.raises(ConfigurationError, match="not installed"):
        adapters.agent(model)


def test_the_providers_whose_packages_come_along_are_those_that_the_guide_says() -> None:
    providers = {re.split(r"[<>=]", each)[0] for each in extras()["langchain"]} - {"langchain"}
    assert providers == {"langchain-openai", "langchain-anthropic"}
    assert "Packages for OpenAI and Anthropic are included" in (FOLDER / "packages.md").read_text(encoding="utf-8")
