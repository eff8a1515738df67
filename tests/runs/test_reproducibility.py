"""Reproducibility record: written at the start, saved, exported, and equal for equal content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.errors import InputError
from karenina_gui.formats.checkpoints.checkpoint import checkpoint_bytes, parse_checkpoint
from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.runs.reproducibility import record_of
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.results_import import ResultsImporter, questions_of
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.canonical import benchmark_hash, question_hash, questions_hash, rubric_hash
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.rubric import LLMRubricTrait, Rubric
from karenina_gui.schemas.template_identity import template_id
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library

SERVER = ToolServer(url="http://graph.internal:8000/mcp", headers={"Authorization": "Bearer ${GRAPH_KEY}"})
LIVE = ModelConfig.model_validate(
    {
        "id": "ada",
        "model_name": "ada-1",
        "interface": "openai_endpoint",
        "endpoint_base_url": "http://secret.internal/v1",
        "endpoint_api_key": "sk-secret-9",
        "api_key_env": "ADA_KEY",
        "extra_kwargs": {"seed": 7},
    }
)
JUDGE = ModelConfig(id="umpire", model_name="u", interface="claude_tool", temperature=0)
CONDITIONS = [
    Condition(name="baseline"),
    Condition(name="with graph", system_prompt="Look it up.", mcp_servers={"graph": SERVER}, require_mcp_tool_use=True),
]
RUBRIC = Rubric(llm_traits=[LLMRubricTrait(name="cites", kind="boolean", description="Names a source.")])
OWN = Rubric(llm_traits=[LLMRubricTrait(name="brief", kind="boolean", description="Is brief.")])
STARTED = "2026-01-01T00:00:00.000+00:00"


def tasks() -> BenchmarkDocument:
    document = BenchmarkDocument(name="tasks", version="1.2.0", rubric=RUBRIC)
    for number in range(3):
        rubric = OWN.model_dump(mode="json") if number else None
        document.add(
            Question(
                question=f"Text {number}?", raw_answer="42", keywords=["a"], question_rubric=rubric,
                answer_template="class Answer(BaseAnswer):\n    pass\n" if number else None,
            )
        )  # fmt: skip
    return document


def record(document: BenchmarkDocument, **settings: Any) -> Reproducibility:
    config = VerificationConfig(answering_models=[LIVE], parsing_models=[JUDGE], **settings)
    return record_of(RunRequest(document, config, [entry.id for entry in document.entries[1:]]), STARTED, "seccomp")


def test_a_record_tells_how_judges_were_really_asked() -> None:
    warm = ModelConfig(id="warm", model_name="w", interface="openai_endpoint", temperature=0.5)
    config = VerificationConfig(answering_models=[LIVE], parsing_models=[warm, JUDGE], fixed_judges=True)
    document = tasks()
    made = record_of(RunRequest(document, config, [document.entries[1].id]), STARTED, "seccomp")
    assert [(each.settings["temperature"], each.seed) for each in made.judges] == [(0, 1), (0, None)]
    assert "Judgments of warm (temperature 0, seed 1): providers don’t guarantee identical replies." in (
        made.best_effort
    )
    assert made.answering[0].settings["temperature"] == LIVE.temperature
    assert made.settings["fixed_judges"] is True


def test_a_record_names_questions_templates_models_and_software_by_what_they_were() -> None:
    document = tasks()
    made = record(document, conditions=CONDITIONS, replicate_count=3)
    chosen = [entry.question for entry in document.entries[1:]]
    assert made.benchmark.sha256 == benchmark_hash(document)
    assert (made.benchmark.name, made.benchmark.version, made.benchmark.questions) == ("tasks", "1.2.0", 3)
    assert made.benchmark.rubric_sha256 == rubric_hash(RUBRIC)
    assert list(made.benchmark.traits) == ["cites"]
    assert made.questions_sha256 == questions_hash(chosen) == questions_hash(reversed(chosen))
    assert list(made.questions) == [question.id for question in chosen]
    version = made.questions[chosen[0].id]
    assert (version.sha256, version.template_id) == (
        question_hash(chosen[0]), template_id(chosen[0].answer_template),
    )  # fmt: skip
    assert set(version.fields) == {"question", "raw_answer", "keywords", "answer_template", "question_rubric"}
    assert (made.started, made.sandbox_level, made.settings["replicate_count"]) == (STARTED, "seccomp", 3)
    assert {"python", "system", "pydantic", "openai", "anthropic", "mcp", "nicegui"} <= set(made.software)


def test_models_are_recorded_as_they_are_asked_under_each_condition() -> None:
    made = record(tasks(), conditions=CONDITIONS)
    assert [(m.label, m.condition, m.settings["system_prompt"], m.tool_servers) for m in made.answering] == [
        ("ada", "baseline", None, []), ("ada", "with graph", "Look it up.", ["graph"]),
    ]  # fmt: skip
    assert [m.seed for m in made.answering] == [7, 7]
    assert [(m.label, m.settings["temperature"]) for m in made.judges] == [("umpire", 0)]
    assert [(c.name, c.require_mcp_tool_use) for c in made.conditions] == [("baseline", False), ("with graph", True)]


def test_a_record_says_what_is_fixed_what_only_as_far_as_possible_and_what_not_at_all() -> None:
    made = record(tasks(), conditions=CONDITIONS)
    assert made.fixed == ["Questions, templates, and rubric (by SHA-256)."]
    assert made.best_effort == [
        "Judgments of umpire (temperature 0, no seed): providers don’t guarantee identical replies.",
        "Answers of ada under “baseline” (temperature 0.1, seed 7): providers don’t guarantee identical replies.",
        "Replies of the MCP server graph: outside the control of this application.",
    ]
    assert made.uncontrolled == ["Answers of the agent ada under “with graph”: every step depends on the steps before."]


def test_replies_that_are_played_back_are_the_same_for_certain() -> None:
    played = ModelConfig(id="old", model_name="o", interface="replay", recording="/home/somebody/exchanges.json")
    config = VerificationConfig(answering_models=[played], parsing_models=[JUDGE])
    document = tasks()
    made = record_of(RunRequest(document, config, [document.entries[1].id]), STARTED, "")
    assert made.fixed[1:] == ["Replies of old, replayed from a recording."]
    assert made.uncontrolled == []
    assert made.answering[0].settings["recording"] == "exchanges.json"


def test_a_record_holds_no_key_and_no_address() -> None:
    written = record(tasks(), conditions=CONDITIONS).model_dump_json()
    assert not [word for word in ("sk-secret-9", "internal", "GRAPH_KEY", "ADA_KEY") if word in written]


def test_a_benchmark_that_was_saved_and_read_again_has_the_same_hash() -> None:
    document = tasks()
    again, _ = parse_checkpoint(json.loads(checkpoint_bytes(document)), path=Path("b.jsonld"))
    assert again != document  # it carries its file along
    assert benchmark_hash(again) == benchmark_hash(document)


def test_marks_and_dates_are_no_content_and_everything_else_is() -> None:
    document, edited = tasks(), tasks()
    edited.date_modified = "2020-01-01"
    edited.entries[1].finished = False
    edited.entries[1].question.date_modified = "2020-01-01"
    assert benchmark_hash(edited) == benchmark_hash(document)
    for field, value in (
        ("raw_answer", "43"), ("answer_template", None), ("keywords", []), ("custom_metadata", {"a": 1}),
        ("answer_notes", "x"), ("workspace_path", "w"), ("few_shot_examples", [{"question": "a", "answer": "b"}]),
    ):  # fmt: skip
        other = tasks()
        setattr(other.entries[1].question, field, value)
        assert benchmark_hash(other) != benchmark_hash(document), field
        assert record(other).questions_sha256 != record(document).questions_sha256, field
    unasked = tasks()
    unasked.entries[0].question.raw_answer = "43"
    assert record(unasked).questions_sha256 == record(document).questions_sha256
    assert record(unasked).benchmark.sha256 != record(document).benchmark.sha256


def test_a_run_keeps_its_record_and_its_file_gives_it_back(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any, tmp_path: Path
) -> None:
    benchmark = library.benchmarks.create(document)
    number = service.start(RunOrder(benchmark, VerificationConfig(answering_models=[model.config()])))
    assert service.wait(number, 20)
    kept = library.runs.reproducibility(number)
    assert kept is not None
    run = library.runs.summary(number)
    assert kept.benchmark.sha256 == run.benchmark_hash == benchmark_hash(library.benchmarks.document(benchmark))
    info = RunInfo.of_run(run, library.runs.config(number), None, record=kept)
    file = SavedResults(export_results(library.results.each(number), tmp_path / "r.json", run=info))
    found = file.look()
    assert found.reproducibility == kept
    opened = ResultsImporter(library, lambda _: None).open(
        found, file.each(), library.benchmarks.create(questions_of(found, "again"))
    )
    assert library.runs.reproducibility(opened[0]) == kept
    assert library.runs.summary(opened[0]).benchmark_hash == ""


@pytest.mark.parametrize("damaged", [None, 3, {"started": 1}, {"started": "x", "benchmark": {}}])
def test_a_record_that_cannot_be_read_keeps_no_file_from_opening(damaged: Any, tmp_path: Path) -> None:
    row = {"metadata": {"question_id": "q", "template_id": "", "answering": {"interface": "i", "model_name": "m"}}}
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"metadata": {"reproducibility": damaged}, "results": [row]}))
    found = SavedResults(path).look()
    assert (found.results, found.reproducibility) == (1, None)


def test_a_condition_that_cannot_be_is_said_before_the_run_begins(service: RunService, library: Library) -> None:
    benchmark = library.benchmarks.create(tasks())
    manual = ModelConfig(id="old", interface="manual", manual_traces={})
    config = VerificationConfig(answering_models=[manual], parsing_models=[JUDGE], conditions=[Condition(name="a")])
    with pytest.raises(InputError, match=r"old .*recorded answers, which conditions can’t change"):
        service.start(RunOrder(benchmark, config))
    assert library.runs.all() == []
