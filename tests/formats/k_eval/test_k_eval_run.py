"""A configuration of k-eval, opened and run on the twin: both of k-eval's files come out of it."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from karenina_gui.__main__ import main
from karenina_gui.benchmark import Benchmark
from karenina_gui.commands.k_eval import run_and_write
from karenina_gui.commands.outcome import BAD_INPUT, DONE, PARTLY
from karenina_gui.formats.k_eval.config_reader import benchmark_of, read_k_eval
from karenina_gui.formats.k_eval.dataset_reader import read_dataset
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.twin import Asked, Reply, Script, Twin

CONFIG = {
    "name": "demo",
    "version": "1",
    "dataset": {"path": "q.jsonl", "question_key": "q", "answer_key": "a"},
    "agent": {"type": "claude_code_sdk", "model": "agent"},
    "judge": {"model": "anthropic/judge"},
    "conditions": {"plain": {"system_prompt": "Guess."}, "careful": {"system_prompt": "Think first."}},
    "execution": {"num_repetitions": 2, "max_concurrent": 4},
}
SCORE = {"It is BCL2.": 5, "No idea.": 1}


def script(asked: Asked) -> Reply:
    """The agent knows more when it is to think; the judge goes by what it said."""
    if asked.model == "agent":
        return Reply("It is BCL2." if "Think first." in asked.system else "No idea.")
    score = next(score for answer, score in SCORE.items() if answer in asked.text)
    assert asked.schema is not None
    return Reply(
        data={
            name: score if field_is_score(name) else ["a claim"] if name == "unverified_claims" else f"so {score}"
            for name in asked.schema["properties"]
        }
    )


def field_is_score(name: str) -> bool:
    return name in ("factual_adherence", "completeness", "helpfulness_and_clarity")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Summary and lines of a run of the configuration."""
    code, summary, lines = played_run(tmp_path_factory.mktemp("k-eval"), script)
    assert code == DONE
    return summary, lines


def played_run(
    folder: Path, script: Script, results: str | None = None
) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    """Exit code, summary and lines."""
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG, sort_keys=False))
    (folder / "q.jsonl").write_text(
        '{"q": "Target of venetoclax?", "a": "BCL2"}\n{"q": "And of navitoclax?", "a": "BCL"}'
    )
    found = read_k_eval(folder / "config.yaml", {})
    assert found.dataset is not None
    questions = read_dataset(found.dataset_path, found.dataset)
    benchmark = Benchmark(benchmark_of(found, questions, found.dataset_path, reviewed=True))
    with Twin(script) as twin, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWIN_KEY", "k")
        code = run_and_write(
            benchmark, played_by(twin, found.run()), folder / "out", folder / results if results else None
        )
    lines = (folder / "out" / "demo.detailed.jsonl").read_text().splitlines()
    return code, json.loads((folder / "out" / "demo.json").read_text()), [json.loads(line) for line in lines]


def played_by(twin: Twin, config: VerificationConfig) -> VerificationConfig:
    def played(model: ModelConfig) -> ModelConfig:
        changes = {"interface": "openai_endpoint", "endpoint_base_url": twin.address, "api_key_env": "TWIN_KEY"}
        return model.model_copy(update=changes)

    return config.model_copy(
        update={
            "answering_models": [played(each) for each in config.answering_models],
            "parsing_models": [played(each) for each in config.parsing_models],
        }
    )


Written = tuple[dict[str, Any], list[dict[str, Any]]]


def test_the_summary_keeps_to_the_schema_and_tells_the_conditions_apart(written: Written) -> None:
    read, _ = written
    schema = json.loads((files("karenina_gui.formats.results") / "every_eval_ever.schema.json").read_text())
    Draft7Validator(schema).validate(read)
    scores = {each["evaluation_name"]: each["score_details"]["score"] for each in read["evaluation_results"]}
    assert (scores["demo/plain/completeness"], scores["demo/careful/completeness"]) == (1, 5)
    assert len(scores) == 6


def test_the_progress_tells_what_was_judged_where_nothing_can_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert played_run(tmp_path, script)[0] == DONE
    said = capsys.readouterr().err
    assert "8/8 8 scored, 0 errors" in said
    assert "passed" not in said


def test_every_repetition_is_in_the_lines_with_answer_scores_and_reasons(written: Written) -> None:
    _, lines = written
    assert [(line["sample_idx"], line["evaluation_name"]) for line in lines] == [
        ("0", "demo/plain"), ("0", "demo/careful"), ("1", "demo/plain"), ("1", "demo/careful"),
    ]  # fmt: skip
    careful = lines[1]
    assert [run["agent_response"] for run in careful["run_details"]] == ["It is BCL2."] * 2
    assert [run["factual_adherence"] for run in careful["run_details"]] == [5, 5]
    assert careful["evaluation"]["details"]["completeness_reasonings"] == ["so 5", "so 5"]
    assert careful["input"] == {"raw": "Target of venetoclax?", "reference": "BCL2"}
    assert careful["run_details"][0]["duration_ms"] is not None


def test_the_command_says_everything_that_is_wrong_before_it_asks_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {**CONFIG, "judge": {"modell": "gpt-4o", "model": "${JUDGE_OF_NOBODY}"}}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(wrong))
    assert main(["k-eval", str(tmp_path / "config.yaml"), "--output", str(tmp_path / "out")]) == BAD_INPUT
    said = capsys.readouterr().err
    assert "judge.model: ${JUDGE_OF_NOBODY} can’t be used here." in said
    assert "judge.modell: unknown setting. Did you mean model?" in said
    assert not (tmp_path / "out").exists()


def test_the_command_names_the_lines_of_a_data_set_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    (tmp_path / "other.jsonl").write_text('{"q": "A?"}\n')
    command = ["k-eval", str(tmp_path / "config.yaml"), "--output", str(tmp_path / "out")]
    assert main([*command, "--dataset", str(tmp_path / "other.jsonl")]) == BAD_INPUT
    assert "line 1: it has no “a” (its names: q)" in capsys.readouterr().err
    assert main(command) == BAD_INPUT
    assert "The dataset q.jsonl cannot be read" in capsys.readouterr().err


def test_the_command_asks_nothing_without_the_keys_of_agent_and_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    (tmp_path / "q.jsonl").write_text('{"q": "A?", "a": "B"}\n')
    command = ["k-eval", str(tmp_path / "config.yaml"), "--output", str(tmp_path / "out")]
    assert main(command) == BAD_INPUT
    said = capsys.readouterr().err
    assert "Missing API keys. Set these environment variables: ANTHROPIC_API_KEY (for agent" in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_the_command_asks_nothing_while_a_package_of_agent_or_judge_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karenina_gui.adapters.langchain.find_spec", lambda name: name == "langchain" or None)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({**CONFIG, "judge": {"model": "vertex_ai/claude-opus-4-5"}}))
    (tmp_path / "q.jsonl").write_text('{"q": "A?", "a": "B"}\n')
    command = ["k-eval", str(tmp_path / "config.yaml"), "--output", str(tmp_path / "out")]
    assert main(command) == BAD_INPUT
    said = capsys.readouterr().err
    assert "Packages are missing" in said
    assert "vertex_ai/claude-opus-4-5: The package for google_anthropic_vertex isn’t installed." in said
    assert "pip install langchain-google-vertexai" in said
    assert "choose the interface Anthropic (claude_tool)" in said  # the way out, beside what is missing
    assert not (tmp_path / "out").exists()


def test_answers_that_a_judge_gave_no_score_are_counted_and_their_fields_are_empty_not_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def judges_one_condition(asked: Asked) -> Reply:
        reply = script(asked)
        if asked.model == "judge" and "No idea." in asked.text and reply.data:
            return Reply(data=dict.fromkeys(reply.data, "cannot say"))
        return reply

    code, summary, lines = played_run(tmp_path, judges_one_condition)
    assert code == PARTLY
    said = capsys.readouterr()
    assert "plain: 0 of 4 answers fully judged\n" in said.out
    assert "careful: 4 of 4 answers fully judged, factual adherence 5.00, completeness 5.00" in said.out
    assert "Not fully judged (4 answers): The trait 'answer_quality.factual_adherence' has no score" in said.err
    assert "8/8 4 scored, 0 errors" in said.err
    assert {each["evaluation_name"].split("/")[1] for each in summary["evaluation_results"]} == {"careful"}
    assert (lines[0]["evaluation_name"], lines[0]["run_details"][0]["completeness"]) == ("demo/plain", None)


def test_the_lines_have_all_scores_as_fields_even_if_no_answer_was_judged(tmp_path: Path) -> None:
    _, _, judged = played_run(tmp_path / "judged", script)
    code, summary, lines = played_run(
        tmp_path / "not", lambda asked: script(asked) if asked.model == "agent" else Reply(status=401, message="no")
    )
    assert (code, summary["evaluation_results"]) == (PARTLY, [])
    schema = json.loads((files("karenina_gui.formats.results") / "every_eval_ever.schema.json").read_text())
    Draft7Validator(schema).validate(summary)
    for line, other in zip(lines, judged, strict=True):
        assert line["evaluation"]["details"].keys() == other["evaluation"]["details"].keys()
        assert line["run_details"][0].keys() == other["run_details"][0].keys()
        assert line["evaluation"]["details"]["completeness_mean"] is None


def test_verify_says_which_command_runs_such_a_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    command = ["verify", "mine.jsonld", "--config", str(tmp_path / "config.yaml"), "--output", str(tmp_path / "r.json")]
    assert main(command) == BAD_INPUT
    assert "karenina-gui k-eval" in capsys.readouterr().err


def test_all_results_carry_the_data_set_s_hash_and_the_record(tmp_path: Path) -> None:
    assert played_run(tmp_path, script, results="all.json")[0] == DONE
    metadata = json.loads((tmp_path / "all.json").read_text())["metadata"]
    assert metadata["dataset_sha256"] == hashlib.sha256((tmp_path / "q.jsonl").read_bytes()).hexdigest()
    record = Reproducibility.model_validate(metadata["reproducibility"])
    assert (record.benchmark.name, len(record.questions)) == ("demo", 2)
    assert [each.condition for each in record.answering] == ["plain", "careful"]
    assert record.fixed and record.best_effort
