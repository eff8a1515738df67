"""Code samples of `agentic-evaluation.md` and `agentic-rubric-evaluation.md`, run as printed with our import names.

Most are excerpts of methods, so a test gives them the real objects that they speak of, and holds our code beside them.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from karenina_gui import (
    AdapterRegistry,
    AgenticRubricTrait,
    ArtifactKeys,
    BaseAnswer,
    CallableRubricTrait,
    ExactMatch,
    LLMRubricTrait,
    MetricRubricTrait,
    ModelConfig,
    RegexRubricTrait,
    Rubric,
    StageOrchestrator,
    VerificationContext,
    VerifiedField,
)
from karenina_gui.adapters.run_ports import uses_agent
from karenina_gui.pipeline.agentic_parsing import AgenticParseTemplate as AgenticParseTemplateStage
from karenina_gui.pipeline.agentic_rubric import AgenticRubricEvaluation as AgenticRubricEvaluationStage
from karenina_gui.pipeline.finalization import close_workspace
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.template_evaluator import ParsedAnswer
from karenina_gui.pipeline.template_path import ParseTemplate as ParseTemplateStage
from karenina_gui.pipeline.verify_job import effective_mode
from karenina_gui.sandbox.workspace.workspace_copy import make_copy
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.result import ResultRubric, ResultTemplate as VerificationResultTemplate
from tests.pipeline.agentic_job import ANSWER, Stagehand

logger = logging.getLogger(__name__)

SERVERS = {"papers": "http://127.0.0.1:9/"}
INTERFACES = ("claude_agent_sdk", "langchain", "claude_tool", "openai_endpoint", "openrouter")


def job(**given: Any) -> VerificationContext:
    return VerificationContext("q", "t", "Mend calc.py.", "", ModelConfig(model_name="m"), **given)


def trait(name: str = "clean", **settings: Any) -> AgenticRubricTrait:
    fields = {"name": name, "description": f"About {name}.", "kind": "boolean", "higher_is_better": True}
    return AgenticRubricTrait.model_validate(fields | settings)


# ---------------------------------------------------------------- agentic-evaluation.md
@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("servers", [None, {}, SERVERS])
def test_agentic_section_1_which_port_answers(interface: str, servers: dict[str, str] | None) -> None:
    answering_model = ModelConfig(model_name="m", interface=interface, mcp_urls_dict=servers)
    spec = AdapterRegistry.get_spec(answering_model.interface)
    use_agent = bool(answering_model.mcp_urls_dict) or (spec is not None and spec.agent_tier == "deep_agent")
    assert uses_agent(answering_model) is use_agent


@pytest.mark.parametrize("replicate", [None, 3])
def test_agentic_section_2_the_suffix_of_a_copy(tmp_path: Path, replicate: int | None) -> None:
    context = job(job=Job("", "q", "m", replicate=replicate))
    timestamp = datetime.now().strftime("%Y%m%d")
    suffix = f"run_{timestamp}_pid{os.getpid()}"
    if context.replicate is not None:
        suffix += f"_rep{context.replicate}"
    name = make_copy(None, tmp_path, "task_01", context.replicate, 1).name
    day, rest = re.fullmatch(r"task_01_run_(\d{8})_\d{6}_(.*)", name).groups()  # type: ignore[union-attr]
    assert f"run_{day}_{rest.rpartition('_')[0]}" == suffix
    assert re.fullmatch("[0-9a-f]+", rest.rpartition("_")[2]), "a random end keeps jobs of one second apart"


@pytest.mark.parametrize("agentic_parsing", [True, False])
def test_agentic_section_3_one_of_two_stages(agentic_parsing: bool) -> None:
    stages: list[Stage] = []
    if agentic_parsing:
        stages.append(AgenticParseTemplateStage())
    else:
        stages.append(ParseTemplateStage())
    names = [stage.name for stage in StageOrchestrator.from_config(agentic_parsing=agentic_parsing).stages]
    assert [name for name in names if "ParseTemplate" in name] == [stage.name for stage in stages]


def test_agentic_section_3_result_storage_and_section_6_the_fields_of_the_result() -> None:
    context, parsed_answer = job(), ParsedAnswer({"target": "BCL2"})
    model_str, investigation_trace = "langchain:m", "target: BCL2 (calc.py, line 1)"
    context.set_artifact(ArtifactKeys.PARSED_ANSWER, parsed_answer)
    context.set_artifact(ArtifactKeys.PARSING_MODEL_STR, model_str)
    context.set_artifact(ArtifactKeys.INVESTIGATION_TRACE, investigation_trace)
    context.set_artifact(ArtifactKeys.AGENTIC_PARSING_PERFORMED, True)
    context.set_result_field(ArtifactKeys.INVESTIGATION_TRACE, investigation_trace)
    context.set_result_field(ArtifactKeys.AGENTIC_PARSING_PERFORMED, True)
    assert context.get_artifact(ArtifactKeys.PARSED_ANSWER) is parsed_answer
    template = VerificationResultTemplate(
        investigation_trace=context.get_result_field(ArtifactKeys.INVESTIGATION_TRACE),
        agentic_parsing_performed=context.get_result_field(ArtifactKeys.AGENTIC_PARSING_PERFORMED, False),
    )
    assert (template.investigation_trace, template.agentic_parsing_performed) == (investigation_trace, True)
    classic = job()
    template = VerificationResultTemplate(
        investigation_trace=classic.get_result_field(ArtifactKeys.INVESTIGATION_TRACE),
        agentic_parsing_performed=classic.get_result_field(ArtifactKeys.AGENTIC_PARSING_PERFORMED, False),
    )
    assert (template.investigation_trace, template.agentic_parsing_performed) == (None, False)


class Dose(BaseAnswer):
    drug: str = VerifiedField("Name of the drug", ground_truth="zanubrutinib", verify_with=ExactMatch())


def test_agentic_section_4_where_a_field_keeps_what_verifies_it() -> None:
    extra = Dose.model_fields["drug"].json_schema_extra
    assert isinstance(extra, dict)
    assert "zanubrutinib" in str(extra["__verification__"])


def test_agentic_section_4_stripping_what_verifies() -> None:
    class Answer(BaseAnswer):
        doses: list[Dose]
        by_name: dict[str, Dose]

        @classmethod
        def model_json_schema(cls, *args: Any, **kwargs: Any) -> Any:
            schema = super().model_json_schema(*args, **kwargs)

            def _strip_verification(obj: Any) -> None:
                if isinstance(obj, dict):
                    obj.pop("__verification__", None)
                    for value in obj.values():
                        _strip_verification(value)
                elif isinstance(obj, list):
                    for item in obj:
                        _strip_verification(item)

            _strip_verification(schema)
            return schema

    ours = super(Answer, Answer).model_json_schema()
    assert Answer.model_json_schema() == ours, "nothing was left to strip"
    assert "zanubrutinib" not in str(ours)
    assert "Name of the drug" in str(ours)


@pytest.mark.parametrize(("resolved", "cleanup", "is_copy"), list(product([True, False], repeat=3)))
@pytest.mark.parametrize("there", [True, False])
def test_agentic_section_5_the_triple_guard(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, resolved: bool, cleanup: bool, is_copy: bool, there: bool
) -> None:
    def printed(context: VerificationContext) -> None:
        if context.workspace_path and context.workspace_cleanup and context.workspace_is_copy:
            try:
                shutil.rmtree(context.workspace_path)
            except Exception:
                logger.warning("Failed to clean up workspace: %s", context.workspace_path, exc_info=True)

    outcomes = []
    for remove in (printed, close_workspace):
        caplog.clear()
        folder = tmp_path / remove.__name__
        if there:
            (folder / "sub").mkdir(parents=True)
            (folder / "sub" / "data.csv").write_text("gene,count\n")
        context = job(workspace_cleanup=cleanup)
        path = folder if there else folder / "no\0file has such a name"
        context.workspace_path, context.workspace_is_copy = path if resolved else None, is_copy
        remove(context)
        logged = [(each.levelno, each.message.partition(":")[0], bool(each.exc_info)) for each in caplog.records]
        outcomes.append((folder.exists(), logged))
    removes = resolved and cleanup and is_copy
    failed = [(logging.WARNING, "Failed to clean up workspace", True)]
    assert outcomes == [(there and not removes, failed if removes and not there else [])] * 2


def test_agentic_section_7_three_keys() -> None:
    INVESTIGATION_TRACE = "investigation_trace"
    WORKSPACE_PATH = "workspace_path"
    AGENTIC_PARSING_PERFORMED = "agentic_parsing_performed"
    assert ArtifactKeys.INVESTIGATION_TRACE == INVESTIGATION_TRACE
    assert ArtifactKeys.WORKSPACE_PATH == WORKSPACE_PATH
    assert ArtifactKeys.AGENTIC_PARSING_PERFORMED == AGENTIC_PARSING_PERFORMED


# ---------------------------------------------------------------- agentic-rubric-evaluation.md
WORDS = RegexRubricTrait(name="words", pattern="tests")
RUBRICS = [None, Rubric(), Rubric(regex_traits=[WORDS]), Rubric(agentic_traits=[trait()])]


@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("evaluation_mode", ["template_only", "template_and_rubric", "rubric_only"])
def test_rubric_section_1_when_the_stage_is_there(evaluation_mode: Any, rubric: Rubric | None) -> None:
    stages: list[Stage] = []
    if evaluation_mode == "template_and_rubric" and rubric and rubric.agentic_traits:
        stages.append(AgenticRubricEvaluationStage())
    if evaluation_mode == "rubric_only" and rubric and rubric.agentic_traits:  # without the guard, in that mode
        stages.append(AgenticRubricEvaluationStage())
    names = [stage.name for stage in StageOrchestrator.from_config(evaluation_mode, rubric).stages]
    assert ("AgenticRubricEvaluation" in names) is bool(stages)


@pytest.mark.parametrize("context_mode", ["workspace_only", "trace_and_workspace", "trace_only"])
@pytest.mark.parametrize("workspace", [True, False])
@pytest.mark.parametrize("answer", [ANSWER, ""])
def test_rubric_section_5_what_the_prompt_shows(
    hand: Stagehand, context_mode: str, workspace: bool, answer: str
) -> None:
    hand.answer = answer
    trait_ = trait(context_mode=context_mode)
    workspace_path, raw_llm_response, user_parts = (hand.workspace if workspace else None), answer, ["Mend calc.py."]

    def printed(trait: AgenticRubricTrait) -> None:
        if trait.context_mode in ("trace_and_workspace", "trace_only") and raw_llm_response:
            user_parts.append(f"\n--- ANSWERING AGENT TRACE ---\n{raw_llm_response}\n--- END TRACE ---")
        if workspace_path and trait.context_mode != "trace_only":
            user_parts.append(f"\nWorkspace directory: {workspace_path}")

    printed(trait_)
    text = "\n".join(user_parts)
    played = hand.play(
        template=None, rubric=Rubric(agentic_traits=[trait_]), evaluation_mode="rubric_only", workspace=workspace,
        values={"result": True},
    )  # fmt: skip
    if context_mode == "workspace_only" and not workspace:
        assert played.runs == []  # nothing could be looked at
        return
    ours = played.runs[0].messages[-1].text
    assert ("Mend calc.py." in ours, "<trace>" in ours, ANSWER in ours, "Workspace directory: " in ours) == (
        "Mend calc.py." in text, "AGENT TRACE" in text, ANSWER in text, "Workspace directory: " in text,
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["trace_and_workspace", "trace_only"])
def test_rubric_section_5_marks_and_the_path_of_the_workspace_are_our_own(hand: Stagehand, mode: str) -> None:
    played = hand.play(
        template=None, rubric=Rubric(agentic_traits=[trait(context_mode=mode)]), evaluation_mode="rubric_only",
        values={"result": True},
    )  # fmt: skip
    ours = played.runs[0].messages[-1].text
    assert f"<trace>\n{ANSWER}\n</trace>" in ours
    assert "--- ANSWERING AGENT TRACE ---" not in ours
    assert ("Workspace directory: /workspace" in ours) is (mode != "trace_only")
    assert str(hand.workspace) not in ours


@pytest.mark.parametrize("agentic", [True, False])
@pytest.mark.parametrize("rubric_evaluation_performed", [True, False])
def test_rubric_section_7_when_there_is_a_rubric_section(agentic: bool, rubric_evaluation_performed: bool) -> None:
    context = job()
    if agentic:
        context.set_artifact_and_result(ArtifactKeys.AGENTIC_RUBRIC_EVALUATION_PERFORMED, True)
        context.set_artifact_and_result(ArtifactKeys.AGENTIC_TRAIT_SCORES, {"clean": True})
        context.set_artifact_and_result(ArtifactKeys.AGENTIC_TRAIT_INVESTIGATION_TRACES, {"clean": "It is."})
    section = None
    agentic_evaluation_performed = context.get_result_field(ArtifactKeys.AGENTIC_RUBRIC_EVALUATION_PERFORMED, False)
    if rubric_evaluation_performed or agentic_evaluation_performed:
        section = ResultRubric(
            rubric_evaluation_performed=rubric_evaluation_performed,
            agentic_trait_scores=context.get_result_field(ArtifactKeys.AGENTIC_TRAIT_SCORES),
            agentic_trait_investigation_traces=context.get_result_field(
                ArtifactKeys.AGENTIC_TRAIT_INVESTIGATION_TRACES
            ),
        )
    assert (section is not None) is (agentic or rubric_evaluation_performed)
    if section is not None:
        assert section.agentic_trait_scores == ({"clean": True} if agentic else None)
        assert section.agentic_trait_investigation_traces == ({"clean": "It is."} if agentic else None)


EVERY_TYPE: list[Rubric | None] = [
    *RUBRICS,
    Rubric(llm_traits=[LLMRubricTrait(name="clear", kind="boolean")]),
    Rubric(callable_traits=[CallableRubricTrait(name="s", kind="boolean", source="def f(text):\n    return True\n")]),
    Rubric(metric_traits=[MetricRubricTrait(name="p", metrics=["precision"], tp_instructions=["It names BCL2"])]),
]


@pytest.mark.parametrize("rubric", EVERY_TYPE)
@pytest.mark.parametrize("evaluation_mode", ["template_only", "template_and_rubric", "rubric_only"])
def test_rubric_section_7_a_rubric_with_traits_upgrades_the_mode(evaluation_mode: Any, rubric: Rubric | None) -> None:
    asked = evaluation_mode
    if (
        rubric
        and (
            rubric.llm_traits
            or rubric.regex_traits
            or rubric.callable_traits
            or rubric.metric_traits
            or rubric.agentic_traits
        )
        and evaluation_mode == "template_only"
    ):
        evaluation_mode = "template_and_rubric"
    assert effective_mode(asked, rubric) == evaluation_mode


def test_rubric_section_8_the_file_in_place_of_the_trace(hand: Stagehand) -> None:
    played = hand.play(
        template=None, rubric=Rubric(agentic_traits=[trait(materialize_trace=True)]), evaluation_mode="rubric_only",
        values={"result": True},
    )  # fmt: skip
    assert (
        "The full agent trace is saved to: /workspace/.karenina/traces/trace_q_xyz.txt\n"
        "Use file tools (grep, search, read) to examine it."
    ) in played.runs[0].text
