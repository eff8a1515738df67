"""`agentic-rubric-evaluation.md`: stage 11b, its strategies and its surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from karenina_gui.adapters.adapter_spec import AdapterSpec
from karenina_gui.adapters.consents import Consents, accesses_of
from karenina_gui.adapters.ports import AgentResult, LLMRequest, LLMResponse
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.errors import ProviderError, RunCancelled
from karenina_gui.pipeline.agentic_rubric import AgenticRubricEvaluation
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.orchestrator import StageOrchestrator
from karenina_gui.pipeline.verify_job import effective_mode
from karenina_gui.pipeline.workspaces import JobWorkspaces
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.outcome import traits_worth_another_try
from karenina_gui.schemas.result import ResultRubric
from karenina_gui.schemas.rubric import (
    AgenticRubricTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import WorkspaceLimits
from tests.pipeline.agentic_job import ANSWER, REFERENCE, REPORT, TRUTH, Played, Stagehand, looked, reports, stagehand
from tests.pipeline.scripted_peer import AgentRun

FORM = {
    "type": "template",
    "schema": {"properties": {"bugs": {"type": "integer"}, "note": {"type": "string"}}},
}
VALUES = {"result": True, "score": 4, "bugs": 2, "note": "fine"}
WORDS = RegexRubricTrait(name="words", pattern="tests")


def trait(name: str = "clean", **settings: Any) -> AgenticRubricTrait:
    return AgenticRubricTrait.model_validate(
        {"name": name, "description": f"About {name}.", "kind": "boolean", "higher_is_better": True, **settings}
    )


def form(name: str = "form", **settings: Any) -> AgenticRubricTrait:
    return trait(name, kind=FORM, higher_is_better=None, **settings)


def rubric(*traits: AgenticRubricTrait, **others: Any) -> Rubric:
    return Rubric(agentic_traits=list(traits), **others)


@pytest.fixture
def hand(sandbox: Sandbox, tmp_path: Path) -> Iterator[Stagehand]:
    with stagehand(sandbox, tmp_path / "workspace") as hand:
        hand.values |= VALUES
        yield hand


def test_no_judge_sees_what_another_did_in_the_workspace(hand: Stagehand) -> None:
    seen = []

    def destroy(given: AgentRun) -> AgentResult:
        tools = {tool.spec.name: tool for tool in given.tools}
        seen.append(tools["read_file"].call({"path": "calc.py"}).text)
        if "run_command" in tools:
            tools["run_command"].call({"command": "echo forged > calc.py"})
        return reports()(given)

    def view(context: VerificationContext) -> None:
        context.tools = replace(
            context.world, judging_view=JobWorkspaces(CommandBox(WorkspaceLimits(disk_mb=8))).judging_view
        )

    hand.play(rubric=rubric(trait("a"), trait("b")), agent=destroy, change=view)
    assert seen == ["TARGET = 'BCL2'"] * 3
    assert (hand.workspace / "calc.py").read_text() == "TARGET = 'BCL2'\n"


def rate(hand: Stagehand, *traits: AgenticRubricTrait, others: dict[str, Any] | None = None, **settings: Any) -> Played:
    return hand.play(template=None, rubric=rubric(*traits, **(others or {})), evaluation_mode="rubric_only", **settings)


def found(played: Played) -> ResultRubric:
    assert played.result.rubric is not None
    return played.result.rubric


def traces(played: Played) -> dict[str, str | None]:
    return found(played).agentic_trait_investigation_traces or {}


def mute_model() -> dict[str, Any]:
    """A model of an interface without agents."""
    spec = AdapterRegistry.require("scripted-peer")
    AdapterRegistry.register(AdapterSpec("mute", "Mute", llm_factory=spec.llm_factory))
    return {"model_name": "reader", "interface": "mute"}


# ---------------------------------------------------------------- 1. pipeline position
@pytest.mark.parametrize("mode", ["template_only", "template_and_rubric", "rubric_only"])
def test_section_1_the_stage_is_there_where_the_rubric_has_agentic_traits(mode: Any) -> None:
    def there(chosen: Rubric | None) -> bool:
        stages = StageOrchestrator.from_config(mode, chosen).stages
        return "AgenticRubricEvaluation" in [stage.name for stage in stages]

    without = Rubric(regex_traits=[WORDS])
    assert [there(None), there(Rubric()), there(without)] == [False] * 3
    assert there(rubric(trait())) is (mode != "template_only")


# ---------------------------------------------------------------- 3. strategies
def test_section_3_the_strategy_is_individual_unless_another_is_chosen(hand: Stagehand) -> None:
    assert VerificationConfig().agentic_rubric_strategy == "individual"
    assert len(rate(hand, trait(), trait("quick")).runs) == 2


def test_section_3_individual_sends_one_agent_for_each_trait(hand: Stagehand) -> None:
    played = rate(hand, trait(), trait("quick", kind="score"))
    assert found(played).agentic_trait_scores == {"clean": True, "quick": 4}
    assert len(played.runs) == 2
    assert "About clean." in played.runs[0].text
    assert "About quick." not in played.runs[0].text
    assert [each.traits for each in played.result.investigations or []] == [["clean"], ["quick"]]
    assert list(traces(played)) == ["clean", "quick"]
    assert [(trace or "").endswith(REPORT) for trace in traces(played).values()] == [True, True]


def test_section_3_shared_sends_one_agent_for_all_and_reads_each_score(hand: Stagehand) -> None:
    played = rate(hand, trait(), trait("quick", kind="score"), agentic_rubric_strategy="shared")
    assert found(played).agentic_trait_scores == {"clean": True, "quick": 4}
    (run,) = played.runs
    assert "- clean: About clean." in run.text
    assert "- quick: About quick." in run.text
    assert "Report findings for each criterion clearly so scores can be extracted per trait" in run.text
    assert len(played.of("agentic_rubric_extraction")) == 2
    assert traces(played)["clean"] == traces(played)["quick"]
    (record,) = played.result.investigations or []
    assert (record.subject, record.traits) == ("traits", ["clean", "quick"])


def breaks(run: AgentRun) -> AgentResult:
    raise ProviderError("no luck", category="rate_limit")


def test_section_3_a_shared_investigation_that_breaks_falls_back_to_one_by_one(hand: Stagehand) -> None:
    tries: list[AgentRun] = []

    def once(run: AgentRun) -> AgentResult:
        tries.append(run)
        return breaks(run) if len(tries) == 1 else reports()(run)

    played = rate(hand, trait(), trait("quick", kind="score"), agent=once, agentic_rubric_strategy="shared")
    assert found(played).agentic_trait_scores == {"clean": True, "quick": 4}
    assert len(played.runs) == 3
    assert "their shared investigation failed" in played.problems
    assert [each.traits for each in played.result.investigations or []] == [["clean", "quick"], ["clean"], ["quick"]]
    assert found(played).trait_faults is None


def test_section_3_a_bug_in_an_adapter_falls_back_as_well_and_costs_no_more_than_scores(hand: Stagehand) -> None:
    def bug(run: AgentRun) -> AgentResult:
        raise ZeroDivisionError("a bug in an adapter")

    played = rate(hand, trait(), agent=bug, agentic_rubric_strategy="shared")
    assert found(played).trait_faults == {"clean": "unexpected_error"}
    assert played.result.error is None


@pytest.mark.parametrize(
    "other", [{"interface": "second-peer"}, {"model_provider": "another"}, {"model_name": "other"}]
)
def test_section_3_different_judges_fall_back_to_one_by_one(hand: Stagehand, other: dict[str, Any]) -> None:
    AdapterRegistry.register(replace(AdapterRegistry.require("scripted-peer"), name="second-peer"))
    own = hand.peer.config("judge").model_dump(mode="json") | {"id": "own", **other}
    played = rate(hand, trait(), trait("quick", model_override=own), agentic_rubric_strategy="shared")
    assert [run.model for run in played.runs] == ["judge", "own"]
    assert "their judges differ" in played.problems


def test_section_3_judges_of_one_interface_provider_and_name_are_one(hand: Stagehand) -> None:
    own = hand.peer.config("judge").model_dump(mode="json") | {"id": "own"}
    played = rate(hand, trait(), trait("quick", model_override=own), agentic_rubric_strategy="shared")
    assert len(played.runs) == 1
    assert found(played).agentic_trait_scores == {"clean": True, "quick": True}


def test_section_3_an_extraction_that_fails_costs_its_trait_alone_and_keeps_the_shared_trace(hand: Stagehand) -> None:
    def reply(request: LLMRequest) -> LLMResponse:
        asked = (request.json_schema or {}).get("properties", {})
        return LLMResponse("", {"result": True}) if "result" in asked else LLMResponse("neither fish nor fowl")

    played = rate(hand, trait(), trait("quick", kind="score"), reply=reply, agentic_rubric_strategy="shared")
    assert found(played).agentic_trait_scores == {"clean": True, "quick": None}
    assert traces(played)["quick"] == traces(played)["clean"] is not None
    assert found(played).trait_faults == {"quick": "parsing"}


def test_section_3_a_shared_investigation_that_is_cut_off_leaves_its_trace_to_all(hand: Stagehand) -> None:
    def cut_off(run: AgentRun) -> AgentResult:
        return AgentResult("", looked(run), limit_reached=True)

    played = rate(hand, trait(), trait("quick"), agent=cut_off, agentic_rubric_strategy="shared")
    assert found(played).agentic_trait_scores == {"clean": None, "quick": None}
    assert all("I look for myself." in (trace or "") for trace in traces(played).values())
    assert found(played).trait_faults == {"clean": "parsing", "quick": "parsing"}
    assert len(played.runs) == 1


# ---------------------------------------------------------------- 3.1 model resolution
def test_section_3_1_a_trait_of_its_own_model_is_judged_by_that(hand: Stagehand) -> None:
    own = hand.peer.config("own", system_prompt="Be stern.").model_dump(mode="json")
    played = rate(hand, trait(), trait("quick", kind="score", model_override=own))
    assert [run.model for run in played.runs] == ["judge", "own"]
    assert played.runs[1].text.startswith("Be stern.")
    assert [each.model for each in played.result.investigations or []] == ["judge", "own"]


def test_section_3_1_a_trait_of_its_own_model_needs_no_judge(hand: Stagehand) -> None:
    own = hand.peer.config("own").model_dump(mode="json")
    played = rate(hand, trait(model_override=own), trait("quick"), no_judge=True)
    assert found(played).agentic_trait_scores == {"clean": True, "quick": None}
    assert "The trait 'quick' has no score: an agent must investigate it, but the run has no judge" in played.problems


@pytest.mark.parametrize("strategy", ["individual", "shared"])
def test_section_3_1_a_judge_that_runs_no_agents_leaves_the_trait_out_and_says_what_to_do(
    hand: Stagehand, strategy: str
) -> None:
    mute = ModelConfig.model_validate(mute_model())
    own = hand.peer.config("own").model_dump(mode="json")
    played = rate(hand, trait(), trait("quick", model_override=own), judge=mute, agentic_rubric_strategy=strategy)
    assert found(played).agentic_trait_scores == {"clean": None, "quick": True}
    assert traces(played)["clean"] is None
    assert "The trait 'clean' has no score: reader can’t be used as an agent. Select" in played.problems


def test_section_3_1_an_interface_that_there_is_not_costs_its_trait_alone(hand: Stagehand) -> None:
    own = {"model_name": "m", "interface": "nowhere"}
    played = rate(hand, trait(model_override=own), trait("quick"))
    assert found(played).agentic_trait_scores == {"clean": None, "quick": True}
    assert "Unknown interface “nowhere”" in played.problems


# ---------------------------------------------------------------- 4. artifact contract
def test_section_4_the_artifact_contract(hand: Stagehand) -> None:
    stage = AgenticRubricEvaluation()
    assert stage.requires == ["raw_llm_response"]
    assert stage.produces == [
        "agentic_rubric_evaluation_performed", "agentic_trait_scores", "agentic_trait_investigation_traces",
    ]  # fmt: skip
    played = rate(hand, trait())
    artifacts = {key: played.context.artifacts[key] for key in stage.produces}
    assert artifacts == {key: played.context.get_result_field(key) for key in stage.produces}
    assert artifacts == {
        A.AGENTIC_RUBRIC_EVALUATION_PERFORMED: True,
        A.AGENTIC_TRAIT_SCORES: {"clean": True},
        A.AGENTIC_TRAIT_INVESTIGATION_TRACES: traces(played),
    }
    assert (traces(played)["clean"] or "").endswith(REPORT)


SKIPPED: list[tuple[Any, str]] = [
    (None, "the rubric has no agent traits"),
    (Rubric(regex_traits=[WORDS]), "the rubric has no agent traits"),
]


@pytest.mark.parametrize(("chosen", "rule"), SKIPPED)
def test_section_4_without_agentic_traits_the_stage_skips_itself(hand: Stagehand, chosen: Any, rule: str) -> None:
    context = rate(hand, trait()).context
    assert AgenticRubricEvaluation().should_run(context) is True
    context.rubric = chosen
    assert AgenticRubricEvaluation().why_not(context) == rule


def test_section_4_after_an_error_the_stage_skips_itself(hand: Stagehand) -> None:
    context = rate(hand, trait()).context
    context.mark_error("The connection broke.")
    assert AgenticRubricEvaluation().should_run(context) is False


def test_section_4_a_failed_evaluation_is_none(hand: Stagehand) -> None:
    played = rate(hand, trait(), agent=breaks)
    assert played.context.artifacts[A.AGENTIC_RUBRIC_EVALUATION_PERFORMED] is True
    assert played.context.artifacts[A.AGENTIC_TRAIT_SCORES] == {"clean": None}
    assert played.context.artifacts[A.AGENTIC_TRAIT_INVESTIGATION_TRACES] == {"clean": None}
    assert played.result.completed_without_errors
    assert played.result.error is None


def test_section_4_and_7_the_types_of_scores_and_traces() -> None:
    types = get_type_hints(ResultRubric)
    assert types["agentic_trait_scores"] == dict[str, Any] | None
    assert types["agentic_trait_investigation_traces"] == dict[str, str | None] | None


def test_section_4_a_field_of_a_form_may_have_a_text_or_a_list(hand: Stagehand) -> None:
    names = {"type": "array", "items": {"type": "string"}}
    kind = {"type": "template", "schema": {"properties": {"files": names, "note": {"type": "string"}}}}
    rated = trait("form", kind=kind, higher_is_better=None)
    played = rate(hand, rated, values={"files": ["a.py"]})
    assert found(played).agentic_trait_scores == {"form.files": ["a.py"], "form.note": "fine"}


def test_section_2_1_the_fields_of_a_form_have_dotted_keys(hand: Stagehand) -> None:
    for strategy in ("individual", "shared"):
        played = rate(hand, form(), trait(), agentic_rubric_strategy=strategy)
        assert found(played).agentic_trait_scores == {"form.bugs": 2, "form.note": "fine", "clean": True}
        assert list(traces(played)) == ["form", "clean"]


# ---------------------------------------------------------------- 6. merging
@pytest.mark.parametrize(
    ("name", "read"),
    [("max_turns", lambda run: run.config.max_turns), ("timeout_seconds", lambda run: run.config.timeout)],
)
def test_section_6_turns_and_seconds_are_the_most_of_all_traits(hand: Stagehand, name: str, read: Any) -> None:
    traits = (trait(**{name: 30}), trait("quick", **{name: 77}), trait("short", **{name: 10}))
    (run,) = rate(hand, *traits, agentic_rubric_strategy="shared").runs
    assert read(run) == 77


@pytest.mark.parametrize(
    ("name", "read"),
    [("max_turns", lambda run: run.config.max_turns), ("timeout_seconds", lambda run: run.config.timeout)],
)
def test_section_6_traits_that_no_agent_looks_into_grant_nothing(hand: Stagehand, name: str, read: Any) -> None:
    invalid = trait("mute", model_override=mute_model(), **{name: 99})
    blind = trait("blind", context_mode="workspace_only", **{name: 88})
    traits = (trait(**{name: 30}), invalid, trait("quick", **{name: 77}), blind)
    played = rate(hand, *traits, agentic_rubric_strategy="shared", workspace=False)
    assert [read(run) for run in played.runs] == [77]
    assert found(played).agentic_trait_scores == {"clean": True, "mute": None, "quick": True, "blind": None}


def test_section_6_the_prompt_lists_every_criterion_and_asks_for_findings_on_each(hand: Stagehand) -> None:
    (run,) = rate(hand, trait(), trait("quick"), agentic_rubric_strategy="shared").runs
    lines = run.text.splitlines()
    assert [line for line in lines if line.startswith("- ") and "About" in line] == [
        "- clean: About clean.", "- quick: About quick.",
    ]  # fmt: skip
    assert "report findings for each criterion clearly so scores can be extracted per trait" in run.text.lower()


MERGED = [
    (("workspace_only", "workspace_only"), False, True),
    (("trace_only", "trace_only"), True, False),
    (("trace_only", "workspace_only"), True, True),
    (("trace_and_workspace", "trace_only"), True, True),
    (("workspace_only", "trace_and_workspace"), True, True),
]


@pytest.mark.parametrize(("modes", "trace", "workspace"), MERGED)
def test_section_6_the_shared_agent_sees_whatever_any_trait_sees(
    hand: Stagehand, modes: tuple[str, str], trace: bool, workspace: bool
) -> None:
    one, other = trait(context_mode=modes[0]), trait("quick", context_mode=modes[1])
    (run,) = rate(hand, one, other, agentic_rubric_strategy="shared").runs
    assert (ANSWER in run.text, "Workspace directory: /workspace" in run.text) == (trace, workspace)
    assert bool(run.tools) is workspace


# ---------------------------------------------------------------- 7. interactions
def test_section_7_agentic_traits_alone_make_a_rubric_section(hand: Stagehand) -> None:
    played = rate(hand, trait(), change=lambda context: setattr(context, "trait_provenance", {"clean": "global"}))
    section = found(played)
    assert played.statuses["RubricEvaluation"] == "all traits are agent traits"
    assert section.rubric_evaluation_performed is False
    assert section.agentic_trait_scores == {"clean": True}
    assert section.trait_provenance == {"clean": "global"}
    assert section.trait_scales is not None
    assert section.trait_scales["clean"].kind == "boolean"
    assert section.llm_trait_scores is None


def test_section_7_other_traits_are_scored_beside_them(hand: Stagehand) -> None:
    judged = LLMRubricTrait(name="clear", kind="boolean")
    played = rate(hand, trait(), others={"llm_traits": [judged], "regex_traits": [WORDS]}, values={"clear": True})
    section = found(played)
    assert section.rubric_evaluation_performed is True
    assert (section.llm_trait_scores, section.regex_trait_scores) == ({"clear": True}, {"words": True})
    assert section.agentic_trait_scores == {"clean": True}
    assert set(section.trait_scales or ()) == {"clean", "clear", "words"}
    assert played.problems == ""


def test_section_7_faults_of_both_stages_stand_side_by_side(hand: Stagehand) -> None:
    def reply(request: LLMRequest) -> LLMResponse:
        if request.purpose == "rubric_evaluation":
            raise ProviderError("no luck", category="server_error")
        return LLMResponse("It binds BCL2.")

    judged = LLMRubricTrait(name="clear", kind="boolean")
    played = rate(hand, trait(), others={"llm_traits": [judged]}, reply=reply, agent=breaks)
    assert found(played).trait_faults == {"clear": "server_error", "clean": "rate_limit"}
    assert traits_worth_another_try(played.result) == 2
    assert played.result.error is None


@pytest.mark.parametrize(
    ("chosen", "agentic", "standard"),
    [
        (rubric(trait()), True, False),
        (Rubric(regex_traits=[WORDS]), False, True),
        (rubric(trait(), regex_traits=[WORDS]), True, True),
        (Rubric(), False, False),
    ],
)
def test_section_7_finalize_result_makes_a_section_where_either_evaluation_was_performed(
    hand: Stagehand, chosen: Rubric, agentic: bool, standard: bool
) -> None:
    section = hand.play(template=None, rubric=chosen, evaluation_mode="rubric_only").result.rubric
    assert (section is not None) is (agentic or standard)
    if section is not None:
        assert section.rubric_evaluation_performed is standard
        assert (section.agentic_trait_scores, section.regex_trait_scores) == (
            {"clean": True} if agentic else None, {"words": True} if standard else None,
        )  # fmt: skip
        assert (section.agentic_trait_investigation_traces is not None) is agentic


@pytest.mark.parametrize("strategy", ["individual", "shared"])
def test_section_5_without_a_workspace_no_agent_looks_into_traits_of_the_workspace_alone(
    hand: Stagehand, strategy: str
) -> None:
    alone = trait(context_mode="workspace_only")
    played = rate(hand, alone, workspace=False, agentic_rubric_strategy=strategy)
    assert (found(played).agentic_trait_scores, traces(played)) == ({"clean": None}, {"clean": None})
    assert "it needs a workspace, but there is none" in played.problems
    assert played.runs == []
    mixed = rate(hand, alone, trait("quick"), workspace=False, agentic_rubric_strategy=strategy)
    assert found(mixed).agentic_trait_scores == {"clean": None, "quick": True}
    assert ["About clean." in run.text for run in mixed.runs] == [False]


EVERY_KIND = [
    Rubric(llm_traits=[LLMRubricTrait(name="clear", kind="boolean")]),
    Rubric(regex_traits=[WORDS]),
    Rubric(
        callable_traits=[
            CallableRubricTrait(name="long", kind="boolean", source="def evaluate(text):\n    return True")
        ]
    ),
    Rubric(metric_traits=[MetricRubricTrait(name="parts", metrics=["precision"], tp_instructions=["It names BCL2"])]),
    rubric(trait()),
]


@pytest.mark.parametrize("chosen", EVERY_KIND)
def test_section_7_a_rubric_with_any_traits_upgrades_the_mode(chosen: Rubric) -> None:
    assert effective_mode("template_only", chosen) == "template_and_rubric"
    assert effective_mode("rubric_only", chosen) == "rubric_only"


@pytest.mark.parametrize("chosen", [Rubric(), None])
def test_section_7_without_traits_the_mode_stays(chosen: Rubric | None) -> None:
    assert effective_mode("template_only", chosen) == "template_only"


@pytest.mark.parametrize("mode", ["template_and_rubric", "rubric_only"])
def test_section_7_the_order_of_the_stages(mode: Any) -> None:
    """The full order printed in section 7, with 11b after 12. Section 1 puts it before, and is overruled."""
    names = [stage.name for stage in StageOrchestrator.from_config(mode, rubric(trait())).stages]
    assert names[-4:] == [
        "RubricEvaluation", "DeepJudgmentRubricAutoFail", "AgenticRubricEvaluation", "FinalizeResult",
    ]  # fmt: skip


def test_section_7_the_two_stages_of_traits_do_not_look_at_each_others(hand: Stagehand) -> None:
    judged = LLMRubricTrait(name="clear", description="Easy to follow.", kind="boolean")
    played = rate(hand, trait(), others={"llm_traits": [judged]}, values={"clear": True})
    (standard,) = played.of("rubric_evaluation")
    investigated = played.runs[0].text + played.of("agentic_rubric_extraction")[0].messages[-1].text
    assert "About clean." not in "".join(message.text for message in standard.messages)
    assert "Easy to follow." not in investigated


def test_section_7_deep_judgment_of_the_rubric_has_nothing_to_do_with_agentic_traits(hand: Stagehand) -> None:
    played = rate(hand, trait(), deep_judgment_rubric_mode="enable_all")
    assert played.statuses["DeepJudgmentRubricAutoFail"] == "no trait uses deep judgment"
    assert played.result.deep_judgment_rubric is None


def test_section_7_the_verdict_of_the_template_is_independent_of_agentic_traits(hand: Stagehand) -> None:
    judged = hand.play(rubric=rubric(trait()), agentic_parsing=False)
    assert (judged.result.passed, found(judged).agentic_trait_scores) == (True, {"clean": True})
    broken = hand.play(rubric=rubric(trait()), agentic_parsing=False, agent=breaks)
    assert (broken.result.passed, found(broken).agentic_trait_scores) == (True, {"clean": None})


def test_section_7_both_agentic_stages_stand_side_by_side(hand: Stagehand) -> None:
    played = hand.play(rubric=rubric(trait()))
    assert [each.subject for each in played.result.investigations or []] == ["template", "traits"]
    assert played.result.passed is True
    assert TRUTH not in played.sent
    assert REFERENCE not in played.sent


def test_section_7_only_the_chosen_traits_are_looked_into(hand: Stagehand) -> None:
    played = rate(hand, trait(), trait("quick"), rubric_trait_names=["quick", "nobody"])
    assert found(played).agentic_trait_scores == {"quick": True}
    assert played.problems == "The rubric has no trait named “nobody”."
    none = rate(hand, trait(), others={"regex_traits": [WORDS]}, rubric_trait_names=["words"])
    assert none.statuses["AgenticRubricEvaluation"] == "no selected trait is an agent trait"
    assert (none.runs, found(none).agentic_trait_scores) == ([], None)


def test_section_7_traits_that_are_not_chosen_ask_for_no_file_and_keep_none(hand: Stagehand) -> None:
    asks, keeps = trait("asks", materialize_trace=True), trait("keeps", persist_trace=True)
    unasked = rate(hand, trait(), asks, keeps, rubric_trait_names=["clean"])
    assert [ANSWER in run.text for run in unasked.runs] == [True]
    assert files(hand) == ["calc.py"]
    rate(hand, asks, keeps, rubric_trait_names=["asks"])
    assert files(hand) == ["calc.py"]
    rate(hand, asks, keeps)
    assert files(hand) == [".karenina/traces/trace_q_xyz.txt", "calc.py"]


def test_section_7_scores_and_traces_are_the_same_without_the_other_stage_of_traits(hand: Stagehand) -> None:
    judged = LLMRubricTrait(name="clear", kind="boolean")
    alone = rate(hand, trait(), rubric_trait_names=["clean"], others={"llm_traits": [judged]})
    beside = rate(hand, trait(), others={"llm_traits": [judged]}, values={"clear": True})
    assert (alone.statuses["RubricEvaluation"], beside.statuses["RubricEvaluation"]) == (
        "all traits are agent traits", "ran",
    )  # fmt: skip
    assert found(alone).agentic_trait_scores == found(beside).agentic_trait_scores == {"clean": True}
    assert traces(alone) == traces(beside)
    assert [run.text for run in alone.runs] == [run.text for run in beside.runs]


def test_section_7_a_name_that_no_trait_has_is_told_once(hand: Stagehand) -> None:
    played = rate(hand, trait(), others={"regex_traits": [WORDS]}, rubric_trait_names=["clean", "words", "nobody"])
    assert (played.statuses["RubricEvaluation"], played.statuses["AgenticRubricEvaluation"]) == ("ran", "ran")
    assert played.problems == "The rubric has no trait named “nobody”."


def test_section_7_what_the_user_adds_for_rubrics_reaches_both_steps(hand: Stagehand) -> None:
    played = rate(hand, trait(), prompt_config={"rubric_evaluation": "Mind the style."})
    assert played.runs[0].messages[0].text.endswith("Mind the style.")
    assert played.of("agentic_rubric_extraction")[0].messages[0].text.endswith("Mind the style.")


def test_section_7_what_it_costs_is_counted_by_purpose(hand: Stagehand) -> None:
    played = rate(hand, trait(), trait("quick"))
    assert played.result.template is not None
    usage = played.result.template.usage_metadata or {}
    assert usage["agentic_rubric_investigation"]["total_tokens"] == 220
    assert usage["agentic_rubric_extraction"]["total_tokens"] == 20


def test_section_7_a_cancelled_run_is_no_outcome(hand: Stagehand) -> None:
    def stop(run: AgentRun) -> AgentResult:
        raise RunCancelled("stop")

    for strategy in ("individual", "shared"):
        with pytest.raises(RunCancelled):
            rate(hand, trait(), agent=stop, agentic_rubric_strategy=strategy)


# ---------------------------------------------------------------- 8. the trace as a file
def files(hand: Stagehand) -> list[str]:
    return sorted(path.relative_to(hand.workspace).as_posix() for path in hand.workspace.rglob("*") if path.is_file())


@pytest.mark.parametrize("strategy", ["individual", "shared"])
def test_section_8_the_file_is_written_once_and_removed_after_all_traits(hand: Stagehand, strategy: str) -> None:
    seen: list[list[str]] = []

    def look(run: AgentRun) -> AgentResult:
        seen.append(files(hand))
        return AgentResult("fine", (Message.of("assistant", "fine"),))

    played = rate(hand, trait(materialize_trace=True), trait("quick"), agent=look, agentic_rubric_strategy=strategy)
    assert seen == [[".karenina/traces/trace_q_xyz.txt", "calc.py"]] * len(played.runs)
    assert files(hand) == ["calc.py"]
    assert "saved to: /workspace/.karenina/traces/trace_q_xyz.txt" in played.runs[0].text
    assert ANSWER not in played.runs[0].text


def test_section_8_all_traits_read_the_one_file_that_was_written(hand: Stagehand) -> None:
    read: list[str] = []

    def mark(run: AgentRun) -> AgentResult:
        (file,) = (hand.workspace / ".karenina" / "traces").iterdir()
        read.append(file.read_text())
        file.write_text(f"read by {len(read)}")
        return AgentResult("fine", (Message.of("assistant", "fine"),))

    rate(hand, trait(materialize_trace=True), trait("quick", materialize_trace=True), trait("short"), agent=mark)
    assert read == [ANSWER, "read by 1", "read by 2"]


def test_section_8_the_wish_of_any_trait_counts_also_of_one_that_no_agent_looks_into(hand: Stagehand) -> None:
    mute = {"model_override": mute_model()}
    played = rate(
        hand, trait(), trait("asks", materialize_trace=True, **mute), trait("keeps", persist_trace=True, **mute)
    )
    assert found(played).agentic_trait_scores == {"clean": True, "asks": None, "keeps": None}
    assert files(hand) == [".karenina/traces/trace_q_xyz.txt", "calc.py"]


def test_section_8_a_trait_that_asks_for_it_keeps_the_file(hand: Stagehand) -> None:
    rate(hand, trait(materialize_trace=True), trait("quick", persist_trace=True))
    assert files(hand) == [".karenina/traces/trace_q_xyz.txt", "calc.py"]


def test_section_8_a_file_that_cannot_be_written_leaves_the_trace_in_the_prompt(hand: Stagehand) -> None:
    (hand.workspace / ".karenina").write_text("in the way")
    played = rate(hand, trait(materialize_trace=True))
    assert (ANSWER in played.runs[0].text, "saved to" in played.runs[0].text) == (True, False)
    assert "Couldn’t save the trace as a file, so the prompt contains it" in played.problems
    assert found(played).agentic_trait_scores == {"clean": True}


def test_section_8_without_a_workspace_a_kept_file_stays_in_its_temporary_folder(
    hand: Stagehand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rate(hand, trait(materialize_trace=True, persist_trace=True, context_mode="trace_only"), workspace=False)
    (file,) = tmp_path.rglob("trace_q_xyz.txt")
    assert file.read_text() == ANSWER


def test_section_8_a_working_copy_that_is_removed_takes_the_kept_file_along(hand: Stagehand) -> None:
    def copied(made: VerificationContext) -> None:
        made.workspace_is_copy = True

    played = rate(hand, trait(materialize_trace=True, persist_trace=True), change=copied)
    assert not hand.workspace.exists()
    assert "is deleted with the working copy. To save it, keep working copies after the job." in played.problems


def test_section_8_without_a_trait_that_asks_for_it_there_is_no_file(hand: Stagehand) -> None:
    rate(hand, trait(persist_trace=True))
    assert files(hand) == ["calc.py"]


def test_section_8_the_file_goes_after_an_investigation_that_broke_too(hand: Stagehand) -> None:
    rate(hand, trait(materialize_trace=True), agent=breaks)
    assert files(hand) == ["calc.py"]


def test_section_8_without_a_workspace_the_file_stands_in_a_temporary_folder(
    hand: Stagehand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    read: list[str] = []

    def look(run: AgentRun) -> AgentResult:
        read.append(run.tools[0].call({"path": "/workspace/trace_q_xyz.txt"}).text)
        return AgentResult("fine", (Message.of("assistant", "fine"),))

    alone = trait(materialize_trace=True, context_mode="trace_only")
    before = set(tmp_path.iterdir())
    played = rate(hand, alone, agent=look, workspace=False)
    assert read == [ANSWER]
    assert "The full agent trace is saved to: /workspace/trace_q_xyz.txt\n" in played.runs[0].text
    assert set(tmp_path.iterdir()) == before


def test_section_8_the_name_has_the_question_and_the_turn(tmp_path: Path) -> None:
    write = AgenticRubricEvaluation._write_trace_file
    assert write(ANSWER, tmp_path, "q_xyz") == tmp_path / ".karenina" / "traces" / "trace_q_xyz.txt"
    assert write(ANSWER, tmp_path, "q/../xyz", 2).name == "trace_q-..-xyz_turn2.txt"
    assert write(ANSWER, tmp_path, "q" * 300, 2).name == f"trace_{'q' * 100}_turn2.txt"


def test_section_8_a_file_needs_a_trace() -> None:
    with pytest.raises(ValueError, match="materialize_trace=True requires a trace"):
        trait(materialize_trace=True, context_mode="workspace_only")


# ---------------------------------------------------------------- what comes with a benchmark
@pytest.mark.parametrize(
    ("brought", "would"),
    [
        ({"mcp_servers": {"t": {"command": "evil", "args": ["a b"]}}}, "start the program evil 'a b'"),
        ({"mcp_urls_dict": {"t": "https://evil.example/mcp"}}, "send requests to https://evil.example"),
        ({"anthropic_base_url": "https://evil.example:8/v1"}, "send requests to https://evil.example:8"),
        ({"extra_kwargs": {"base_url": "https://evil.example"}}, "send requests to https://evil.example"),
        (
            {"endpoint_base_url": "http://127.0.0.1:9/v1", "api_key_env": "A"},
            "send requests and A to http://127.0.0.1:9",
        ),
    ],
)
def test_what_a_trait_brings_along_is_neither_started_nor_called_without_consent(
    hand: Stagehand, brought: dict[str, Any], would: str
) -> None:
    own = hand.peer.config("own").model_dump(mode="json", exclude_defaults=True) | brought
    hand.adapters.consents = Consents()
    refused = rate(hand, trait(model_override=own), trait("quick"))
    assert found(refused).agentic_trait_scores == {"clean": None, "quick": True}
    assert found(refused).trait_faults == {"clean": "rejected"}
    assert would in refused.problems
    assert [run.model for run in refused.runs] == ["judge"]
    hand.adapters.consents.agree(accesses_of(ModelConfig.model_validate(own)))
    assert [run.model for run in rate(hand, trait(model_override=own)).runs] == ["own"]


def test_an_own_model_at_a_server_of_the_runs_models_needs_no_consent(hand: Stagehand) -> None:
    own = hand.peer.config("own", endpoint_base_url="https://ours.example/v1")
    hand.adapters.consents = Consents.for_models_of(
        VerificationConfig(parsing_models=[hand.peer.config("j", endpoint_base_url="https://ours.example/")])
    )
    played = rate(hand, trait(model_override=own.model_dump(mode="json")))
    assert found(played).agentic_trait_scores == {"clean": True}
