"""Results as k-eval's files: the summary keeps to the schema, the lines have every field that k-eval's have."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from jsonschema import Draft7Validator

from karenina_gui.analysis.methodology import figures
from karenina_gui.formats.k_eval.results_writer import k_eval_files, write_k_eval_zip
from karenina_gui.formats.results.every_eval_ever_writer import name_of
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.rubric.scales import scales
from karenina_gui.schemas.condition import AnsweringSettings, Condition, combined_name
from karenina_gui.schemas.messages import Message, TextBlock, ToolResultBlock, ToolUseBlock, to_stored
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.outcome import judged_count
from karenina_gui.schemas.prices import Price
from karenina_gui.schemas.result import (
    Failure,
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    StageRecord,
    VerificationResult,
)
from karenina_gui.schemas.rubric import AgenticRubricTrait, RegexRubricTrait, Rubric, methodology_judge
from karenina_gui.schemas.rubric.methodology import METRICS
from karenina_gui.schemas.run_name import by_date
from karenina_gui.schemas.verification_config import VerificationConfig

SCHEMA = json.loads((files("karenina_gui.formats.results") / "every_eval_ever.schema.json").read_text())
FIELDS = [
    "answer_attribution", "answer_attribution[].duration_ms", "answer_attribution[].extracted_value",
    "answer_attribution[].extraction_method", "answer_attribution[].is_terminal",
    "answer_attribution[].repetition_index", "answer_attribution[].source", "answer_attribution[].tool_error",
    "answer_attribution[].tool_input", "answer_attribution[].tool_name", "answer_attribution[].turn_idx",
    "evaluation", "evaluation.details", "evaluation.details.completeness_mean",
    "evaluation.details.completeness_reasonings", "evaluation.details.completeness_stddev",
    "evaluation.details.elapsed_seconds", "evaluation.details.evaluation_timestamp",
    "evaluation.details.factual_adherence_mean", "evaluation.details.factual_adherence_reasonings",
    "evaluation.details.factual_adherence_stddev", "evaluation.details.helpfulness_and_clarity_mean",
    "evaluation.details.helpfulness_and_clarity_reasonings", "evaluation.details.helpfulness_and_clarity_stddev",
    "evaluation.details.reasoning_traces", "evaluation.details.reasoning_traces[].reasoning_trace",
    "evaluation.details.reasoning_traces[].repetition_index", "evaluation.details.unverified_claims",
    "evaluation.score", "evaluation_id", "evaluation_name", "input", "input.raw", "input.reference",
    "interaction_type", "model_id", "output", "output.raw", "output.reasoning_trace", "run_details",
    "run_details[].agent_response", "run_details[].completeness", "run_details[].cost_usd",
    "run_details[].duration_ms", "run_details[].factual_adherence", "run_details[].helpfulness_and_clarity",
    "run_details[].num_turns", "run_details[].reasoning_trace", "run_details[].repetition_index", "sample_idx",
    "schema_version", "token_usage", "token_usage.input_tokens", "token_usage.output_tokens",
]  # fmt: skip
"""Of a line of k-eval's own detailed file."""

RUBRIC = Rubric(llm_traits=[methodology_judge()], regex_traits=[RegexRubricTrait(name="cites", pattern="BCL")])
PRICE = Price(model="claude_tool:agent", input=1, output=10)
SCORES = {"base": {"a": [3, 4, 4], "b": [2, 2, 5]}, "graph": {"a": [5, 5, 4], "b": [4, None, 3]}}
"""{condition: {question: factual adherence of each repetition}}; None: the judge gave nothing."""


def result(condition: str | None, question: str, number: int, score: float | None, **more: Any) -> VerificationResult:
    judge = {} if score is None else {
        f"answer_quality.{name}": value
        for metric in METRICS
        for name, value in ((metric, score), (f"{metric}_reasoning", f"because {score}"))
    } | {"answer_quality.unverified_claims": ["approved in 2016"]}  # fmt: skip
    trace = [
        Message(role="assistant", timestamp="2026-01-01T10:00:00+00:00", content=(
            TextBlock(text="Let me look."), ToolUseBlock(id="1", name="query", input={"q": "x"}))),
        Message(role="tool", timestamp="2026-01-01T10:00:02+00:00", content=(
            ToolResultBlock(tool_use_id="1", content="BCL2"),)),
        Message.of("assistant", "Final: BCL2"),
    ]  # fmt: skip
    return VerificationResult(
        metadata=ResultMetadata(
            question_id=question,
            template_id="t",
            question_text=f"Question {question}?",
            raw_answer="BCL2",
            answering=ModelIdentity(
                interface="claude_tool",
                model_name="agent",
                config_id=combined_name(more.pop("model", "agent"), condition),
            ),
            parsing=ModelIdentity(interface="claude_tool", model_name="judge"),
            execution_time=2.5,
            timestamp="2026-01-01 10:00:00",
            replicate=number,
        ),
        template=ResultTemplate(
            trace_messages=to_stored(trace if condition == "graph" else trace[-1:]),
            usage_metadata=more.pop("usage", {"answer_generation": used()}),
        ),
        rubric=ResultRubric(
            llm_trait_scores=judge, regex_trait_scores={"cites": True}, trait_scales=scales(RUBRIC), **more
        ),
        condition=condition,
        stages=[StageRecord(name="GenerateAnswer", status="ran", seconds=1.25)],
    )


def used() -> dict[str, Any]:
    return {"model": "claude_tool:agent", "input_tokens": 1000, "output_tokens": 100}


def results(scores: dict[str, Any] = SCORES) -> list[VerificationResult]:
    return [
        result(condition, question, number, score)
        for question in ("a", "b")
        for condition, of in scores.items()
        for number, score in enumerate(of[question], 1)
    ]


def run(**changes: Any) -> RunInfo:
    config = VerificationConfig(
        answering_models=[ModelConfig(id="agent", model_name="agent", interface="claude_tool")],
        parsing_models=[ModelConfig(id="judge", model_name="claude-judge", interface="claude_tool", temperature=0)],
        conditions=[Condition(name="base"), Condition(name="graph")],
        replicate_count=3,
    )
    told: dict[str, Any] = {"config": config, "rubric": RUBRIC, "benchmark": "Targets", "benchmark_hash": "ab" * 32,
                            "figures": figures({PRICE.model: PRICE})}  # fmt: skip
    return RunInfo("1", "demo", started=1_795_292_748.0, **{**told, **changes})


def written(found: Sequence[VerificationResult] | None = None, **changes: Any) -> dict[str, bytes]:
    return {file.name: file.content for file in k_eval_files(results() if found is None else found, run(**changes))}


def summary(found: Sequence[VerificationResult] | None = None, **changes: Any) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(written(found, **changes)["demo.json"])
    return read


def lines(found: Sequence[VerificationResult] | None = None, **changes: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written(found, **changes)["demo.detailed.jsonl"].splitlines()]


def entry(of: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (each for each in of["evaluation_results"] if each["evaluation_name"] == name)
    return dict(found)


def names(value: Any, before: str = "") -> set[str]:
    if isinstance(value, dict):
        return {name for key, each in value.items() for name in {before + key, *names(each, f"{before}{key}.")}}
    if isinstance(value, list):
        return {name for each in value for name in names(each, f"{before[:-1]}[].")}
    return set()


def test_the_schema_is_one_and_the_summary_keeps_to_it() -> None:
    Draft7Validator.check_schema(SCHEMA)
    Draft7Validator(SCHEMA).validate(summary())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("source_metadata", "evaluator_relationship"), "self"),
        (("evaluation_results", 0, "metric_config", "score_type"), "composite"),
        (("evaluation_results", 0, "score_details", "score"), None),
        (("evaluation_results", 0, "score_details", "details", "x"), 1.5),
        (("unknown",), 1),
    ],
)
def test_the_schema_refuses_what_is_wrong_with_k_evals_own_summary(path: tuple[Any, ...], value: Any) -> None:
    wrong = summary()
    inner: Any = wrong
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert not Draft7Validator(SCHEMA).is_valid(wrong)


def test_each_metric_under_each_condition_has_an_entry_with_its_uncertainty() -> None:
    read = summary()
    assert {each["evaluation_name"] for each in read["evaluation_results"]} == {
        f"demo/{condition}/{metric}" for condition in SCORES for metric in (*METRICS, "cites")
    }
    found = entry(read, "demo/base/factual_adherence")
    means = [fmean([3, 4, 4]), fmean([2, 2, 5])]
    assert found["score_details"]["score"] == pytest.approx(fmean(means))
    uncertainty = found["score_details"]["uncertainty"]
    assert uncertainty["standard_deviation"] == pytest.approx(stdev(means))
    assert uncertainty["standard_error"]["value"] == pytest.approx(stdev(means) / 2**0.5)
    assert uncertainty["num_samples"] == 2
    interval = uncertainty["confidence_interval"]
    assert 1 <= interval["lower"] < fmean(means) < interval["upper"] <= 5
    assert (interval["confidence_level"], interval["method"].startswith("Wilson interval of the effective number")) == (
        0.95,
        True,
    )


def test_a_missing_score_is_counted_and_never_zero() -> None:
    details = entry(summary(), "demo/graph/factual_adherence")["score_details"]["details"]
    assert (details["answers_scored"], details["answers"], details["questions"]) == ("5", "6", "2")
    assert entry(summary(), "demo/graph/factual_adherence")["score_details"]["score"] == pytest.approx(
        fmean([fmean([5, 5, 4]), fmean([4, 3])])
    )


def test_the_judge_is_named_with_its_prompt_where_one_gives_the_score() -> None:
    config = entry(summary(), "demo/base/completeness")["metric_config"]
    assert (config["score_type"], config["min_score"], config["max_score"]) == ("continuous", 1, 5)
    scoring = config["llm_scoring"]
    assert scoring["judges"][0]["model_info"]["id"] == "anthropic/claude-judge"
    assert scoring["judges"][0]["temperature"] == 0
    assert "reference answer" in scoring["input_prompt"] and "all that is essential" in scoring["input_prompt"]
    assert "llm_scoring" not in entry(summary(), "demo/base/cites")["metric_config"]


def test_a_judge_of_single_questions_has_no_instructions_for_all() -> None:
    scoring = entry(summary(rubric=None), "demo/base/completeness")["metric_config"]["llm_scoring"]
    told = "The judge sees the question and answer, with the instructions of each question’s own trait."
    assert scoring["input_prompt"] == told


def test_an_agent_that_judges_is_named_with_what_it_investigates() -> None:
    agent = AgenticRubricTrait(
        name="answer_quality",
        description="Did it look?",
        kind="boolean",
        higher_is_better=True,
        context_mode="trace_only",
    )
    rubric = Rubric(agentic_traits=[agent])
    scoring = entry(summary(rubric=rubric), "demo/base/completeness")["metric_config"]["llm_scoring"]
    told = "A judging agent investigates the trace, with these instructions:\n\nDid it look?"
    assert scoring["input_prompt"] == told


def test_one_answer_to_each_question_has_no_spread_within() -> None:
    once = {condition: {key: each[:1] for key, each in of.items()} for condition, of in SCORES.items()}
    read = summary(results(once))
    Draft7Validator(SCHEMA).validate(read)
    details = entry(read, "demo/base/completeness")["score_details"]["details"]
    assert "pooled_stddev_within_questions" not in details
    assert lines(results(once))[0]["evaluation"]["details"]["completeness_stddev"] == 0.0


def test_one_question_has_no_interval_rather_than_one_of_no_width() -> None:
    only = [each for each in results() if each.metadata.question_id == "a"]
    uncertainty = entry(summary(only), "demo/base/completeness")["score_details"]["uncertainty"]
    assert uncertainty == {"num_samples": 1}


def test_the_data_set_and_the_benchmark_made_of_it_are_told_apart_by_their_hashes() -> None:
    told = entry(summary(dataset_hash="cd" * 32), "demo/base/cites")["source_data"]["additional_details"]
    assert (told["dataset_sha256"], told["benchmark_sha256"]) == ("cd" * 32, "ab" * 32)
    assert "dataset_sha256" not in entry(summary(), "demo/base/cites")["source_data"]["additional_details"]


def test_the_checksum_is_that_of_the_lines() -> None:
    # One export: the time of another one may differ by a second.
    files = written()
    content, told = files["demo.detailed.jsonl"], json.loads(files["demo.json"])["detailed_evaluation_results"]
    assert told["checksum"] == hashlib.sha256(content).hexdigest()
    assert (told["file_path"], told["total_rows"]) == ("demo.detailed.jsonl", 4)


def test_a_line_has_every_field_that_k_eval_has() -> None:
    found = {name for line in lines() for name in names(line)}
    assert set(FIELDS) <= found


def test_no_field_of_the_published_example_is_missing(shared: Path) -> None:
    theirs = (shared / "k-eval" / "example" / "example.detailed.jsonl").read_text().splitlines()
    wanted = {name for line in theirs for name in names(json.loads(line))} - {"answer_attribution[].tool_input.q"}
    assert wanted == set(FIELDS)


def test_lines_stand_question_by_question_with_each_repetition() -> None:
    found = lines()
    assert [(line["sample_idx"], line["evaluation_name"]) for line in found] == [
        ("0", "demo/base"), ("0", "demo/graph"), ("1", "demo/base"), ("1", "demo/graph"),
    ]  # fmt: skip
    last = found[-1]
    assert [each["factual_adherence"] for each in last["run_details"]] == [4, None, 3]
    assert last["evaluation"]["details"]["factual_adherence_mean"] == 3.5
    assert last["evaluation"]["details"]["unverified_claims"] == ["approved in 2016"]
    assert last["evaluation"]["details"]["factual_adherence_reasonings"] == ["because 4", "because 3"]


def test_tools_and_their_answers_are_attributed_turn_by_turn() -> None:
    graph, base = lines()[1], lines()[0]
    assert (graph["interaction_type"], base["interaction_type"]) == ("agentic", "single_turn")
    said, tool, final = graph["answer_attribution"][:3]
    assert (said["extracted_value"], said["is_terminal"]) == ("Let me look.", False)
    assert (tool["tool_name"], tool["tool_input"], tool["duration_ms"]) == ("query", {"q": "x"}, 2000)
    assert (final["extracted_value"], final["is_terminal"], final["turn_idx"]) == ("Final: BCL2", True, 2)
    assert graph["output"] == {"raw": "Final: BCL2", "reasoning_trace": "Let me look."}
    assert (graph["run_details"][0]["num_turns"], graph["run_details"][0]["duration_ms"]) == (2, 1250)


def test_the_response_of_a_dialogue_is_the_last_message_of_the_model() -> None:
    found = results()
    template = found[0].template
    assert template is not None
    thanks = [Message.of("user", "And?"), Message.of("assistant", "BCL2."), Message.of("user", "Thanks.")]
    template.trace_messages = to_stored(thanks)
    assert lines(found)[0]["run_details"][0]["agent_response"] == "BCL2."


def test_arguments_that_are_no_object_are_written_as_their_text() -> None:
    trace = [
        Message(role="assistant", content=(ToolUseBlock(id="1", name="query", unreadable="{half"),)),
        Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content="no JSON"),)),
        Message.of("assistant", "BCL2"),
    ]
    first = result("base", "a", 1, 4)
    assert first.template is not None
    first.template.trace_messages = to_stored(trace)
    assert lines([first])[0]["answer_attribution"][0]["tool_input"] == {"arguments": "{half"}


def test_costs_come_from_prices_else_from_the_agent_itself_and_are_otherwise_unknown() -> None:
    assert lines()[0]["run_details"][0]["cost_usd"] == pytest.approx(0.002)
    assert lines(figures=figures({}))[0]["run_details"][0]["cost_usd"] is None
    told = [result("base", "a", 1, 4, usage={"answer_generation": {**used(), "cost_usd": 0.0123}})]
    assert lines(told, figures=figures({}))[0]["run_details"][0]["cost_usd"] == 0.0123
    assert lines(told)[0]["run_details"][0]["cost_usd"] == pytest.approx(0.002)  # the price that a person entered
    assert lines()[0]["token_usage"] == {"input_tokens": 3000, "output_tokens": 300, "total_tokens": 3300}
    untold = [*results()[:1], result("base", "a", 2, 4, usage={})]
    assert lines(untold)[0]["token_usage"] is None


def test_two_judgments_of_one_answer_are_averaged_first() -> None:
    twice = [result("base", "a", 1, 2), result("base", "a", 1, 4), result("base", "a", 2, 5)]
    details = lines(twice)[0]["evaluation"]["details"]
    assert details["completeness_mean"] == 4
    assert [each["completeness"] for each in lines(twice)[0]["run_details"]] == [3, 5]


def test_each_model_has_a_pair_of_files() -> None:
    found = [*results(), result("base", "a", 1, 3, model="other")]
    assert set(written(found)) == {
        "demo.agent.json", "demo.agent.detailed.jsonl", "demo.other.json", "demo.other.detailed.jsonl",
    }  # fmt: skip


def test_both_files_come_in_one_archive_and_hold_no_key() -> None:
    file = io.BytesIO()
    write_k_eval_zip([result("base", "a", 1, 3, request={"api_key": "sk-secret"})], file, run=run())
    archive = zipfile.ZipFile(file)
    assert archive.namelist() == ["demo.json", "demo.detailed.jsonl"]
    assert all(b"sk-secret" not in archive.read(name) for name in archive.namelist())


def verdict(question: str, *, passed: bool | None, failure: Failure | None = None) -> VerificationResult:
    made = result("base", question, 1, None)
    assert made.template is not None
    template = made.template.model_copy(update={"verify_result": passed, "template_verification_performed": True})
    metadata = made.metadata.model_copy(update={"failure": failure})
    return made.model_copy(update={"template": template, "metadata": metadata})


def test_verdicts_count_as_they_do_on_the_screen_a_refusal_as_not_passed() -> None:
    refused = Failure(category="abstention", stage="AbstentionCheck", reason="It declined.")
    found = [verdict("a", passed=True), verdict("b", passed=None, failure=refused)]
    passed = entry(summary(found), "demo/base/passed")
    assert (passed["score_details"]["score"], passed["metric_config"]["score_type"]) == (0.5, "binary")
    assert "Wilson" in passed["score_details"]["uncertainty"]["confidence_interval"]["method"]
    alone = summary([verdict("b", passed=None, failure=refused)])
    assert entry(alone, "demo/base/passed")["score_details"]["score"] == 0
    assert judged_count({"abstained": 1}) == 1
    without = verdict("a", passed=None)
    mixed = summary([verdict("b", passed=None, failure=refused), without])
    assert judged_count({"abstained": 1, "unscored": 1}) == 0
    assert {each["evaluation_name"] for each in mixed["evaluation_results"]} == {"demo/base/cites"}


def test_a_run_without_conditions_goes_by_its_own_name() -> None:
    found = [result(None, "a", 1, 3), result(None, "b", 1, 4)]
    assert {line["evaluation_name"] for line in lines(found)} == {"demo"}
    Draft7Validator(SCHEMA).validate(summary(found, exported=datetime(2026, 1, 1, tzinfo=UTC)))


def test_a_run_to_which_nobody_gave_a_name_goes_by_that_of_its_benchmark() -> None:
    info = replace(run(), run_name=by_date(datetime(2026, 11, 2, 23, 43)))
    assert [file.name for file in k_eval_files(results(), info)] == ["Targets.json", "Targets.detailed.jsonl"]
    assert name_of(info) == "Targets"
    assert name_of(replace(info, run_name="Night shift")) == "Night shift"
    assert name_of(replace(info, benchmark="")) == "Nov 2, 2026, 23:43"


def test_settings_are_those_of_the_model_as_it_was_asked_under_the_condition() -> None:
    agents = [
        ModelConfig(id=name, model_name="agent", interface="claude_tool", temperature=warmth, max_tokens=100)
        for name, warmth in (("cold", 0), ("agent", 0.5))
    ]
    conditions = [Condition(name="base"), Condition(name="graph", settings=AnsweringSettings(max_tokens=200))]
    read = summary(config=run().config.model_copy(update={"answering_models": agents, "conditions": conditions}))
    asked = {name: entry(read, f"demo/{name}/cites")["generation_config"]["generation_args"] for name in SCORES}
    assert asked == {
        "base": {"temperature": 0.5, "max_tokens": 100},
        "graph": {"temperature": 0.5, "max_tokens": 200},
    }


def test_settings_that_a_file_of_results_does_not_tell_are_not_made_up() -> None:
    config = run().config.model_copy(update={"replicate_count": 1})
    told = entry(summary(settings_known=False, config=config), "demo/base/cites")["generation_config"]
    assert told["generation_args"] == {"temperature": config.answering_models[0].temperature}
    assert told["additional_details"]["replicates"] == "3"
