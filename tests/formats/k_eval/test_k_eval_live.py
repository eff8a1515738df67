"""The published configuration of k-eval, unchanged, asked and judged over real connections to the twins: its summary,
and its lines beside the published ones, field by field."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from jsonschema import Draft7Validator

from karenina_gui.benchmark import Benchmark
from karenina_gui.commands.k_eval import run_and_write
from karenina_gui.formats.k_eval.config_reader import benchmark_of, read_k_eval
from karenina_gui.formats.k_eval.dataset_reader import read_dataset
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.rubric.methodology import METRICS
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.claude_code_twin import AskedTurn, Call as CodeCall, ClaudeCodeTwin, Turn
from tests.twin import Asked, Call, Reply, Twin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="The server of tools is started by a shell.")

SERVER = Path(__file__).parents[2] / "adapters" / "small_server.py"
ASKS = {"q": "venetoclax"}
Line = dict[str, Any]
Kinds = dict[str, set[str]]
"""{path of a field: kinds of its values}"""


def plays(asked: Asked) -> Reply:
    """The agent looks up what it can; the judge gives better scores to later questions, and not always the same."""
    if asked.schema is None or "Final:" not in asked.text:
        return acts(asked)
    better = int(asked.text.partition("(variant ")[2].partition(")")[0]) % 3
    return Reply(data={name: judged(name, 2 + better + asked.number % 2) for name in asked.schema["properties"]})


def judged(name: str, score: int) -> Any:
    return score if name in METRICS else ["FDA approval year 2016"] if name == "unverified_claims" else f"so {score}"


def acts(asked: Asked) -> Reply:
    if "Use the graph tool." not in asked.system or asked.results:
        return Reply("Final: BCL2")
    return Reply("Let me look that up.", calls=[Call(next(iter(asked.tools)), ASKS)])


def acts_in_claude_code(asked: AskedTurn) -> Turn:
    if "Use the graph tool." not in asked.system or asked.results:
        return Turn("Final: BCL2")
    return Turn("Let me look that up.", [CodeCall(asked.tools[0], ASKS)])


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    """On the path a `python` that is the server of the configuration; a key for everybody."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{SERVER}"\n')
    (folder / "python").chmod(0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(folder), prepend=":")
        patch.setenv("ANTHROPIC_API_KEY", "k")
        patch.setenv("OPENAI_API_KEY", "k")
        yield patch


def run(
    shared: Path,
    folder: Path,
    questions: int | None = None,
    changes: dict[str, Any] | None = None,
    **models: dict[str, Any],
) -> tuple[Any, list[Line]]:
    """Summary and lines; `models`: what is different for agent and judge, such as where they are asked."""
    found = read_k_eval(shared / "k-eval" / "config.yaml", {})
    assert found.dataset is not None
    data = read_dataset(found.dataset_path, found.dataset)[:questions]
    benchmark = Benchmark(benchmark_of(found, data, found.dataset_path, reviewed=True))
    config = played(found.run(), **models).model_copy(update=changes)
    assert run_and_write(benchmark, config, folder, None) == 0
    lines = (folder / "k-eval-demo.detailed.jsonl").read_text().splitlines()
    return json.loads((folder / "k-eval-demo.json").read_text()), [json.loads(line) for line in lines]


def played(config: VerificationConfig, agent: dict[str, Any], judge: dict[str, Any]) -> VerificationConfig:
    def each(models: list[ModelConfig], changes: dict[str, Any]) -> list[ModelConfig]:
        return [model.model_copy(update=changes) for model in models]

    answering, parsing = each(config.answering_models, agent), each(config.parsing_models, judge)
    return config.model_copy(update={"answering_models": answering, "parsing_models": parsing})


@pytest.fixture(scope="module")
def written(
    shared: Path, ready: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, list[Line]]:
    """All questions, three times under each condition, by an agent in this process."""
    with Twin(plays) as twin:
        here = {"interface": "openai_endpoint", "endpoint_base_url": twin.address}
        return run(shared, tmp_path_factory.mktemp("live"), agent=here, judge=here)


@pytest.fixture(scope="module")
def by_claude_code(
    shared: Path, ready: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, list[Line]]:
    """One question, once under each condition, by the agent that the configuration names."""
    pytest.importorskip("claude_agent_sdk", reason="needs the extra 'agent'")
    with Twin(plays) as judge, ClaudeCodeTwin(acts_in_claude_code) as agent:
        here = {"interface": "openai_endpoint", "endpoint_base_url": judge.address}
        there = {"anthropic_base_url": agent.address}
        return run(shared, tmp_path_factory.mktemp("code"), 1, {"replicate_count": 1}, agent=there, judge=here)


@pytest.fixture(scope="module")
def published(shared: Path) -> list[Line]:
    file = shared / "k-eval" / "example" / "example.detailed.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()]


def kinds(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Path and kind of everything in it, itself included."""
    if isinstance(value, dict):
        yield at, "object"
        for name, inner in value.items():
            yield from kinds(inner, f"{at}.{name}")
    elif isinstance(value, list):
        yield at, "list"
        for inner in value:
            yield from kinds(inner, f"{at}[]")
    else:
        known = {bool: "yes or no", int: "number", float: "number", str: "text"}
        yield at, "nothing" if value is None else known[type(value)]


def fields(lines: list[Line]) -> Kinds:
    found: Kinds = {}
    for line in lines:
        for path, kind in kinds(line):
            found.setdefault(path, set()).add(kind)
    return found


def alike(lines: list[Line], interaction: str) -> list[Line]:
    return [line for line in lines if line["interaction_type"] == interaction]


@pytest.mark.parametrize("interaction", ["single_turn", "agentic"])
def test_claude_codes_lines_have_every_field_of_the_published_ones_in_the_same_kind(
    by_claude_code: tuple[Any, list[Line]], published: list[Line], interaction: str
) -> None:
    wanted, found = (fields(alike(lines, interaction)) for lines in (published, by_claude_code[1]))
    assert len(wanted) > 50
    assert {path: found.get(path) for path in wanted} == wanted


def test_what_claude_code_says_of_time_and_cost_is_in_its_lines(by_claude_code: tuple[Any, list[Line]]) -> None:
    (plain,), (looked,) = (alike(by_claude_code[1], kind) for kind in ("single_turn", "agentic"))
    turn = (11 * 3 + 5 * 0.3 + 3 * 3.75 + 7 * 15) / 1e6
    """Dollars: input, read from the cache, written to it, and output, by the list of prices of this model."""
    assert [each["cost_usd"] for each in plain["run_details"]] == pytest.approx([turn])
    assert [each["cost_usd"] for each in looked["run_details"]] == pytest.approx([2 * turn])
    called = [each for each in looked["answer_attribution"] if each["source"] == "mcp_tool"]
    assert [each["tool_name"] for each in called] == ["mcp__graph__convert_time"]
    assert 0 < called[0]["duration_ms"] < looked["run_details"][0]["duration_ms"]


def test_every_line_has_every_field_that_all_published_lines_of_its_kind_have(
    written: tuple[Any, list[Line]], published: list[Line]
) -> None:
    _, lines = written
    assert len(lines) == len(published) == 24
    unknown = ".run_details[].cost_usd"
    """Only Claude Code says what it has cost; for others there are no prices here."""
    for line in lines:
        theirs = alike(published, line["interaction_type"])
        everywhere = set.intersection(*({path for path, _ in kinds(each)} for each in theirs))
        wanted, found = fields(theirs), fields([line])
        assert {path: found.get(path) for path in everywhere - {unknown}} == {
            path: wanted[path] for path in everywhere - {unknown}
        }
        assert unknown in found


def test_lines_are_those_of_the_published_run_and_hold_what_was_asked_and_done(
    written: tuple[Any, list[Line]], published: list[Line]
) -> None:
    def asked(line: Line) -> list[Any]:
        return [line[name] for name in ("sample_idx", "evaluation_name", "interaction_type", "input")]

    _, lines = written
    assert list(map(asked, lines)) == sorted(map(asked, published), key=lambda each: (int(each[0]), each[1]))
    for line in alike(lines, "agentic"):
        tools = [each for each in line["answer_attribution"] if each["source"] == "mcp_tool"]
        assert [(each["tool_input"], each["extracted_value"], each["tool_error"]) for each in tools] == [
            (ASKS, "2026-01-01T21:00:00+09:00", False)
        ] * 3
        assert line["output"] == {"raw": "Final: BCL2", "reasoning_trace": "Let me look that up."}


def test_the_summary_keeps_to_the_schema_with_the_uncertainty_of_its_own_lines(written: tuple[Any, list[Line]]) -> None:
    summary, lines = written
    schema = json.loads((files("karenina_gui.formats.results") / "every_eval_ever.schema.json").read_text())
    Draft7Validator(schema).validate(summary)
    entries = {each["evaluation_name"]: each["score_details"] for each in summary["evaluation_results"]}
    conditions = sorted({line["evaluation_name"] for line in lines})
    assert entries.keys() == {f"{condition}/{metric}" for condition in conditions for metric in METRICS}
    for condition in conditions:
        means = [
            {metric: fmean(run[metric] for run in line["run_details"]) for metric in METRICS}
            for line in lines
            if line["evaluation_name"] == condition
        ]
        for metric in METRICS:
            details, of = entries[f"{condition}/{metric}"], [each[metric] for each in means]
            told = details["uncertainty"]
            assert details["score"] == pytest.approx(fmean(of))
            assert told["num_samples"] == len(of) == 12
            assert told["standard_deviation"] == pytest.approx(stdev(of))
            assert told["standard_error"]["value"] == pytest.approx(stdev(of) / 12**0.5)
            between = told["confidence_interval"]
            assert 1 <= between["lower"] < fmean(of) < between["upper"] <= 5
            assert between["confidence_level"] == 0.95


def test_the_summary_names_the_data_set_as_the_published_one_does(
    written: tuple[Any, list[Line]], shared: Path
) -> None:
    theirs = json.loads((shared / "k-eval" / "example" / "example.json").read_text())["evaluation_results"][0]
    for each in written[0]["evaluation_results"]:
        told = each["source_data"]["additional_details"]
        assert told["dataset_sha256"] == theirs["source_data"]["dataset_sha256"]
        assert int(told["samples_number"]) == theirs["source_data"]["samples_number"]
        assert (
            float(each["generation_config"]["additional_details"]["judge_temperature"])
            == (theirs["generation_config"]["judge_temperature"])
        )
