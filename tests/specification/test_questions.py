"""Statements of `questions.md` that no other test holds."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from karenina_gui import Benchmark, LLMRubricTrait, ModelConfig, Question, RegexRubricTrait, Rubric, VerificationConfig
from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.runs.reproducibility import record_of
from karenina_gui.runs.request import RunRequest
from karenina_gui.sandbox import Sandbox
from tests.pipeline.agentic_job import ReadFile, Stagehand
from tests.pipeline.conftest import Judged, Verify
from tests.pipeline.obliging_judge import Judge, says
from tests.template_texts import TARGET
from tests.twin import Asked, Reply, Twin

QUESTION, ANSWER = "What does venetoclax bind?", "It binds BCL2."
CLEAR = LLMRubricTrait(name="clear", description="Is it easy to follow?", kind="boolean")
MENTIONS = """
class Answer(BaseAnswer):
    says: bool = VerifiedField(description="t", ground_truth=True, verify_with=TraceContains(substring="42"))
"""


def test_section_0_a_benchmark_is_saved_with_its_order_and_version(tmp_path: Path) -> None:
    benchmark = Benchmark.create("b", version="2.1.0")
    ids = [benchmark.add_question(f"Question {number}?", "a") for number in (3, 1, 2)]
    again = Benchmark.load(benchmark.save(tmp_path / "b.jsonld"))
    assert (again.document.version, again.get_question_ids()) == ("2.1.0", ids)


def test_section_1_1_judge_and_trait_evaluators_get_the_question_with_instructions_of_their_own(
    judged: Judged,
) -> None:
    judge = Judge(clear=True)
    judged(says(ANSWER), judge, template=TARGET, rubric=Rubric(llm_traits=[CLEAR]))
    parsing, rating = judge.asked
    for asked in (parsing, rating):
        assert QUESTION in asked.text
        assert ANSWER in asked.text
        assert asked.system
    assert parsing.system != rating.system
    assert parsing.schema is not None
    assert parsing.schema["properties"]["target"]["description"] == "Protein that it binds"


@pytest.mark.parametrize("chosen", [None, [], ["clear"]])
def test_section_2_trait_evaluators_are_asked_where_there_are_traits_to_evaluate(
    judged: Judged, chosen: list[str] | None
) -> None:
    judge = Judge(clear=True)
    rubric = None if chosen is None else Rubric(llm_traits=[CLEAR])
    result = judged(says(ANSWER), judge, template=TARGET, rubric=rubric, rubric_trait_names=chosen)
    assert result.passed is True
    assert len(judge.asked) == (2 if chosen else 1)
    assert (result.rubric.llm_trait_scores if result.rubric else None) == ({"clear": True} if chosen else None)


def test_section_1_1_a_system_prompt_of_the_model_is_all_that_is_added(hand: Stagehand) -> None:
    played = hand.play(agentic_parsing=False, answering={"system_prompt": "Be brief."})
    (request,) = played.of("answer_generation")
    assert [(each.role, each.text) for each in request.messages] == [("system", "Be brief."), ("user", "Mend calc.py.")]


def test_section_1_1_workspace_tools_and_the_users_instructions_add_to_the_system_prompt_alone(
    hand: Stagehand,
) -> None:
    def give_tools(context: VerificationContext) -> None:
        context.tools = replace(context.world, answering_tools=lambda folder, names: [ReadFile(folder)])

    def give_files(context: VerificationContext) -> None:
        give_tools(context)
        context.question_workspace_path = "calc"

    told = {"prompt_config": {"generation": "Answer in French."}}
    (single,) = hand.play(agentic_parsing=False, **told).of("answer_generation")
    tools = {"agentic_parsing": False, "answering": {"workspace_tools": ["read_file"]}, **told}
    (agent,) = hand.play(change=give_files, **tools).runs
    (without_files,) = hand.play(change=give_tools, **tools).runs
    assert without_files.messages[0].text == "Answer in French."
    for messages in (single.messages, agent.messages):
        assert [each.role for each in messages] == ["system", "user"]
        assert messages[0].text.startswith("Answer in French.")
        assert messages[1].text == "Mend calc.py."
    assert ("/workspace" in single.messages[0].text, "/workspace" in agent.messages[0].text) == (False, True)


@pytest.mark.parametrize("kind", ["json", "csv", "xlsx"])
def test_section_1_2_the_reference_answer_is_in_results_and_in_their_files(
    check: Verify, tmp_path: Path, kind: str
) -> None:
    result = check(MENTIONS, "42")
    assert result.metadata.raw_answer == "BCL2"
    run = RunInfo("job", None, VerificationConfig(), started=1.0, finished=2.0)
    path = export_results([result], tmp_path / f"results.{kind}", run=run)
    (read,) = [read for _, read in SavedResults(path).each()]
    assert read.metadata.raw_answer == "BCL2"


def test_section_1_3_questions_of_one_run_have_templates_of_different_kinds(sandbox: Sandbox) -> None:
    field = (
        "class Answer(BaseAnswer):\n    value: {} = VerifiedField(description='v', ground_truth={}, verify_with={})\n"
    )
    kinds: list[tuple[str, Any, str]] = [("bool", True, "BooleanMatch()"), ("float", 2.5, "NumericExact()"),
                                         ("str", "BCL2", "ExactMatch()")]  # fmt: skip
    benchmark = Benchmark.create("mixed")
    values = {
        benchmark.add_question(f"Question of a {name}?", "a", field.format(name, repr(truth), compared)): truth
        for name, truth, compared in kinds
    }

    def judge(asked: Asked) -> Reply:
        return Reply(data={"value": next(truth for name, truth, _ in kinds if f"a {name}?" in asked.text)})

    with Twin(judge) as twin:
        reader = ModelConfig(
            model_name="judge", interface="openai_endpoint", endpoint_base_url=twin.address, endpoint_api_key="x"
        )
        recorded = ModelConfig(id="m", interface="manual", manual_traces=dict.fromkeys(values, "So it is."))
        config = VerificationConfig(answering_models=[recorded], parsing_models=[reader])
        results = benchmark.run_verification(config, sandbox=sandbox)
    assert [result.passed for result in results] == [True] * 3
    assert [(result.template.parsed_llm_response or {})["value"] for result in results if result.template] == [
        True, 2.5, "BCL2",
    ]  # fmt: skip


def test_section_1_4_traits_of_a_question_are_scored_for_it_alone(sandbox: Sandbox) -> None:
    benchmark = Benchmark.create("traits")
    plain, special = (benchmark.add_question(text, "42", MENTIONS) for text in ("One?", "Two?"))
    benchmark.add_global_rubric_trait(RegexRubricTrait(name="cites", pattern=r"\[\d+\]"))
    benchmark.add_question_rubric_trait(special, RegexRubricTrait(name="number", pattern="42"))
    recorded = ModelConfig(id="m", interface="manual", manual_traces={plain: "42", special: "42"})
    results = benchmark.run_verification(VerificationConfig(answering_models=[recorded]), sandbox=sandbox)
    assert [result.rubric.regex_trait_scores for result in results if result.rubric] == [
        {"cites": False}, {"cites": False, "number": True},
    ]  # fmt: skip


def test_section_2_3_a_checkpoint_has_the_path_of_a_workspace_and_never_its_root(tmp_path: Path) -> None:
    benchmark = Benchmark.create("tasks", workspace_root=tmp_path / "here")
    qid = benchmark.add_question(Question(question="Mend it.", raw_answer="", workspace_path="task_01"))
    path = benchmark.save(tmp_path / "tasks.jsonld")
    assert "task_01" in path.read_text()
    assert "here" not in path.read_text()
    again = Benchmark.load(path, workspace_root=tmp_path / "there")
    assert (again.workspace_root, again.get_question(qid).workspace_path) == (tmp_path / "there", "task_01")
    assert Benchmark.load(path).workspace_root is None


def test_section_3_1_finished_is_of_the_benchmark_and_true_from_python() -> None:
    assert "finished" not in Question.model_fields
    benchmark = Benchmark.create("b")
    assert benchmark.is_finished(benchmark.add_question("One?", "1"))
    assert benchmark.is_finished(benchmark.add_question(Question(question="Two?", raw_answer="2")))


def test_section_3_2_a_question_has_one_id_in_every_benchmark_and_run(sandbox: Sandbox) -> None:
    ids, of_results = set(), []
    for name, reference in ("ax", "by"):
        benchmark = Benchmark.create(name)
        ids.add(benchmark.add_question("What is 6 x 7?", reference, MENTIONS))
        recorded = ModelConfig(id=name, interface="manual", manual_traces=dict.fromkeys(ids, "42"))
        for _ in range(2):
            of_results += benchmark.run_verification(VerificationConfig(answering_models=[recorded]), sandbox=sandbox)
    assert ids == {hashlib.md5(b"What is 6 x 7?").hexdigest()}
    assert [result.metadata.question_id for result in of_results] == list(ids) * 4


METADATA: dict[str, Any] = {
    "keywords": ["oncology-word"],
    "author": {"name": "ada-word"},
    "sources": [{"url": "https://example.org/source-word"}],
    "custom_metadata": {"difficulty": "metadata-word"},
    "answer_notes": "notes-word",
}


def test_section_5_1_metadata_reaches_no_model_and_changes_no_stage(sandbox: Sandbox) -> None:
    judge = Judge(clear=True, sufficient=True)

    def play(**fields: Any) -> tuple[list[tuple[str, str, str | None]], list[dict[str, Any]]]:
        with Twin(lambda asked: says(ANSWER)(asked) if asked.model == "answerer" else judge(asked)) as twin:
            answerer, reader = (
                ModelConfig(
                    model_name=name, interface="openai_endpoint", endpoint_base_url=twin.address, endpoint_api_key="x"
                )
                for name in ("answerer", "judge")
            )
            benchmark = Benchmark.create("metadata")
            benchmark.add_question(QUESTION, "the reference", TARGET, **fields)
            benchmark.add_global_rubric_trait(CLEAR)
            config = VerificationConfig(
                answering_models=[answerer], parsing_models=[reader], abstention_enabled=True, sufficiency_enabled=True
            )
            (result,) = benchmark.run_verification(config, sandbox=sandbox)
            assert result.metadata.keywords == fields.get("keywords")
            stages = [(each.name, each.status, each.reason) for each in result.stages]
            return stages, [asked.body for asked in twin.requests]

    plain, rich = play(), play(**METADATA)
    assert plain == rich
    assert "-word" not in json.dumps(rich)


def test_section_2_a_result_has_the_metadata_by_which_it_leads_to_its_question(sandbox: Sandbox) -> None:
    benchmark = Benchmark.create("metadata")
    qid = benchmark.add_question("What is 6 x 7?", "42", MENTIONS, **METADATA)
    recorded = ModelConfig(id="m", interface="manual", manual_traces={qid: "42"})
    config = VerificationConfig(answering_models=[recorded])
    (result,) = benchmark.run_verification(config, sandbox=sandbox)
    of_question = result.metadata
    assert (of_question.question_id, of_question.question_text, of_question.raw_answer, of_question.keywords) == (
        qid, "What is 6 x 7?", "42", METADATA["keywords"],
    )  # fmt: skip
    assert result.passed is True
    written = result.model_dump_json()
    assert [word for word in ("ada-word", "source-word", "metadata-word", "notes-word") if word in written] == []
    record = record_of(RunRequest(benchmark.document, config, [qid]), "2026-01-01T00:00:00.000+00:00", "")
    assert set(METADATA) <= set(record.questions[qid].fields)


def test_section_5_1_metadata_is_preserved_in_checkpoints(tmp_path: Path) -> None:
    benchmark = Benchmark.create("metadata")
    qid = benchmark.add_question(QUESTION, "BCL2", **METADATA)
    again = Benchmark.load(benchmark.save(tmp_path / "m.jsonld")).get_question(qid)
    assert {name: getattr(again, name) for name in METADATA} == METADATA


@pytest.mark.parametrize("enabled", [True, False])
def test_section_5_2_examples_stand_before_the_question_where_the_run_enables_them(
    sandbox: Sandbox, enabled: bool
) -> None:
    benchmark = Benchmark.create("examples")
    examples = [{"question": "What does imatinib bind?", "answer": "BCR-ABL"}]
    benchmark.add_question(QUESTION, "BCL2", TARGET, few_shot_examples=examples)
    judge = Judge()
    with Twin(lambda asked: says(ANSWER)(asked) if asked.model == "answerer" else judge(asked)) as twin:
        answerer, reader = (
            ModelConfig(
                model_name=name, interface="openai_endpoint", endpoint_base_url=twin.address, endpoint_api_key="x"
            )
            for name in ("answerer", "judge")
        )
        settings = {"few_shot_config": {"source": "question_pool"}} if enabled else {}
        config = VerificationConfig.model_validate(
            {"answering_models": [answerer], "parsing_models": [reader], **settings}
        )
        benchmark.run_verification(config, sandbox=sandbox)
        asked, parsed = twin.requests
    assert ("imatinib" in asked.text) is enabled
    assert "imatinib" not in json.dumps(parsed.body)
