"""Agents that cannot work, or work without a sandbox, are found before a run starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karenina_gui.runs.agent_safety import ConfinementSummary
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.agents import doubts, lacks_root, obstacles, unset_variables
from karenina_gui.runs.problems.cases import (
    AgenticJudgingUnavailable,
    AgentTraitsUnavailable,
    Doubt,
    InvalidTraitModel,
    MissingRoot,
    NoRootForAgents,
    NoRootForJudging,
    TraitModelWithoutAgent,
    TraitModelWithoutKey,
    UnreachableTraitModel,
    UnsandboxedOwnTools,
    UnsetVariables,
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


def about(trait: AgenticRubricTrait, catalog: ModelCatalog, judge: ModelConfig = PLAIN) -> list[Doubt]:
    config = VerificationConfig(answering_models=[PLAIN], parsing_models=[judge])
    return doubts(config, Selection(agentic_traits={"clean": trait}), catalog, CONFINED)


def test_judging_agents_need_a_root_and_models_that_can_be_agents(catalog: ModelCatalog, tmp_path: Path) -> None:
    config = VerificationConfig(parsing_models=[PLAIN, RECORDED], agentic_parsing=True)
    unable = AgenticJudgingUnavailable(("old",))
    assert obstacles(config, None, catalog, lacking_root=True) == [NoRootForJudging(), unable]
    gone = tmp_path / "gone"
    assert obstacles(config, gone, catalog, lacking_root=True) == [MissingRoot(gone), unable]
    assert obstacles(config, tmp_path, catalog, lacking_root=False) == [unable]
    answering = VerificationConfig(answering_models=[PLAIN])
    assert obstacles(answering, None, catalog, lacking_root=True) == [NoRootForAgents()]


def test_a_root_is_lacking_where_a_job_would_need_it(tmp_path: Path) -> None:
    config = VerificationConfig()
    assert [lacks_root(config, None, worked_in=worked, named=True) for worked in (True, False)] == [True, False]
    assert not lacks_root(config, None, worked_in=True, named=False)
    assert lacks_root(config, tmp_path / "gone", worked_in=True, named=False)
    assert not lacks_root(config, tmp_path, worked_in=True, named=True)


@pytest.mark.parametrize(
    ("override", "doubt"),
    [
        ({"interface": "manual", "model_name": "m"}, TraitModelWithoutAgent("clean", "m")),
        ({"interface": "claude_tool", "model_name": "m"}, TraitModelWithoutKey("clean", "m", "ANTHROPIC_API_KEY")),
        ({**LIVE, "temperature": 99}, InvalidTraitModel("clean", "temperature: must be at most 2.0")),
    ],
)
def test_traits_whose_own_model_cannot_score_are_found(
    catalog: ModelCatalog, monkeypatch: pytest.MonkeyPatch, override: dict[str, Any], doubt: Doubt
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert about(trait(**override), catalog) == [doubt]


def test_the_reason_why_a_model_of_a_trait_is_unreachable_is_passed_on(catalog: ModelCatalog) -> None:
    (doubt,) = about(trait(interface="carrier_pigeon", model_name="m"), catalog)
    assert isinstance(doubt, UnreachableTraitModel)
    assert "carrier_pigeon" in doubt.message


def test_judges_that_are_no_agents_cannot_score_agent_traits(catalog: ModelCatalog) -> None:
    assert about(trait(), catalog, RECORDED) == [AgentTraitsUnavailable("old")]
    assert about(trait(**LIVE), catalog, RECORDED) == []


def test_claude_code_without_a_choice_of_tools_gets_all_of_them_where_nothing_confines_it(
    catalog: ModelCatalog,
) -> None:
    code = ModelConfig(id="code", interface="claude_agent_sdk", model_name="c")
    config = VerificationConfig(answering_models=[code], allow_unconfined_commands=True)
    assert UnsandboxedOwnTools(("code",)) in doubts(config, Selection(), catalog, OPEN)
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
    assert unset_variables(config, Selection(), catalog) == [UnsetVariables("served", ("B_TOKEN", "A_TOKEN"))]
