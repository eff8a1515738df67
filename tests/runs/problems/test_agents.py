"""Agents that cannot work, or work without a sandbox, are found before a run starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karenina_gui.runs.agent_safety import ConfinementSummary
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.agents import (
    UNSANDBOXED_CLAUDE_CODE,
    doubts,
    lacks_root,
    obstacles,
    unset_variables,
    variable_doubts,
)
from karenina_gui.runs.selection import Selection
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.rubric import AgenticRubricTrait
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig

LIVE = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
PLAIN = ModelConfig(id="plain", **LIVE)
RECORDED = ModelConfig(id="old", interface="manual", manual_traces={"q": "an answer"})
CONFINED = ConfinementSummary(True, "Confined.", programs=True)
OPEN = ConfinementSummary(False, "Nothing confines commands here.")


def trait(**override: Any) -> AgenticRubricTrait:
    # Constructed without checks, because a plug-in or an older version may have left an override that is invalid now.
    return AgenticRubricTrait.model_construct(name="clean", context_mode="trace_only", model_override=override or None)


def about(trait: AgenticRubricTrait, catalog: ModelCatalog, judge: ModelConfig = PLAIN) -> list[str]:
    config = VerificationConfig(answering_models=[PLAIN], parsing_models=[judge])
    return doubts(config, Selection(agentic_traits={"clean": trait}), catalog, CONFINED)


def test_judging_agents_need_a_root_and_models_that_can_be_agents(catalog: ModelCatalog, tmp_path: Path) -> None:
    config = VerificationConfig(parsing_models=[PLAIN, RECORDED], agentic_parsing=True)
    (unable,) = obstacles(config, tmp_path, catalog, lacking_root=False)
    assert unable.startswith("old can’t be used as an agent, so agentic judging isn’t possible.")
    without = "Agentic judging needs a workspace root. Set it in Benchmark details."
    assert obstacles(config, None, catalog, lacking_root=True) == [without, unable]
    gone, *rest = obstacles(config, tmp_path / "gone", catalog, lacking_root=True)
    assert gone.startswith(f"The workspace root {tmp_path / 'gone'} doesn’t exist.")
    assert rest == [unable]
    answering = VerificationConfig(answering_models=[PLAIN])
    (obstacle,) = obstacles(answering, None, catalog, lacking_root=True)
    assert obstacle.startswith("Agents need a workspace root.")


def test_a_root_is_lacking_where_a_job_would_need_it(tmp_path: Path) -> None:
    config = VerificationConfig()
    assert [lacks_root(config, None, worked_in=worked, named=True) for worked in (True, False)] == [True, False]
    assert not lacks_root(config, None, worked_in=True, named=False)
    assert lacks_root(config, tmp_path / "gone", worked_in=True, named=False)
    assert not lacks_root(config, tmp_path, worked_in=True, named=True)


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        ({"interface": "manual", "model_name": "m"}, "m can’t be used as an agent."),
        (
            {"interface": "claude_tool", "model_name": "m"},
            "m has no API key. Enter ANTHROPIC_API_KEY on the API keys page.",
        ),
        (
            {**LIVE, "temperature": 99},
            "has an invalid setting (temperature: must be at most 2.0). Select another model in the rubric.",
        ),
        ({"interface": "carrier_pigeon", "model_name": "m"}, "m can’t be reached: Unknown interface “carrier_pigeon”."),
    ],
)
def test_traits_whose_own_model_cannot_score_are_found(
    catalog: ModelCatalog, monkeypatch: pytest.MonkeyPatch, override: dict[str, Any], reason: str
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (doubt,) = about(trait(**override), catalog)
    assert doubt.startswith(f"The trait “clean” gets no score: its own model {reason}")


def test_judges_that_are_no_agents_cannot_score_agent_traits(catalog: ModelCatalog) -> None:
    (doubt,) = about(trait(), catalog, RECORDED)
    assert doubt.startswith("old can’t be used as an agent, so it can’t score agent traits.")
    assert about(trait(**LIVE), catalog, RECORDED) == []


def test_claude_code_without_a_choice_of_tools_gets_all_of_them_where_nothing_confines_it(
    catalog: ModelCatalog,
) -> None:
    code = ModelConfig(id="code", interface="claude_agent_sdk", model_name="c")
    config = VerificationConfig(answering_models=[code], allow_unconfined_commands=True)
    assert f"code: {UNSANDBOXED_CLAUDE_CODE}" in doubts(config, Selection(), catalog, OPEN)
    assert doubts(config, Selection(), catalog, ConfinementSummary(True, "Only commands.")) == []


def test_variables_of_servers_are_named_once_for_all_conditions(
    catalog: ModelCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("A_TOKEN", "B_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    papers, graph = (ToolServer(type="stdio", command="x", env={"T": f"${{{name}_TOKEN}}"}) for name in "BA")
    served = ModelConfig(id="served", mcp_servers={"papers": papers}, **LIVE)
    both = Condition(name="both", mcp_servers={"papers": papers, "graph": graph})
    config = VerificationConfig(answering_models=[served], conditions=[Condition(name="own"), both])
    variables = unset_variables(config, Selection(), catalog)
    assert variables == {"served": ["B_TOKEN", "A_TOKEN"]}
    (doubt,) = variable_doubts(variables)
    assert doubt == (
        "served: its MCP servers need B_TOKEN and A_TOKEN. Enter them on the API keys page, or set the environment "
        "variables."
    )
