"""The example of an agent task: it is what its source builds, and its run shows an investigation offline."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from karenina_gui import Benchmark, VerificationResult
from karenina_gui.example.agents import ANSWERING_MODELS, BENCHMARK, RECORDING, WORKSPACES, run_configuration
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.outcome import outcome_of
from tests.example.build import build_agents

pytestmark = pytest.mark.usefixtures("interfaces")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(WORKSPACES, tmp_path_factory.mktemp("example") / "workspaces"))


@pytest.fixture(scope="module")
def results(root: Path, sandbox: Sandbox) -> list[VerificationResult]:
    return Benchmark.load(BENCHMARK, workspace_root=root).run_verification(run_configuration(), sandbox=sandbox)


def test_the_shipped_files_are_what_their_source_builds(tmp_path: Path, sandbox: Sandbox) -> None:
    """When this fails:  python -m tests.example.build"""
    build_agents(tmp_path / "agents.jsonld", tmp_path / "agents.recording.json", sandbox)
    built, shipped = (json.loads(path.read_text()) for path in (tmp_path / "agents.jsonld", BENCHMARK))
    assert {**built, "@id": ""} == {**shipped, "@id": ""}
    assert (tmp_path / "agents.recording.json").read_text() == RECORDING.read_text()


def test_every_agent_has_its_verdict_offline(results: list[VerificationResult]) -> None:
    found: dict[str, list[str]] = {name: [] for name in ANSWERING_MODELS}
    for result in results:
        found[result.metadata.answering.label].append(outcome_of(result))
    assert [result.error for result in results if result.error] == []
    assert found == {
        "sample-agent": ["passed", "passed", "passed"],
        "sample-agent-hasty": ["wrong", "wrong", "passed"],
    }
    assert {result.recording_label for result in results} == {"sample recording"}


def test_every_result_has_both_traces_and_what_was_left(results: list[VerificationResult]) -> None:
    for result in results:
        assert result.template is not None
        assert result.template.agentic_parsing_performed
        assert "one_a_line:" in (result.template.investigation_trace or "")
        assert [found.subject for found in result.investigations or []] == ["template", "traits"]
        assert result.workspace is not None
    changed = [[change.path for change in result.workspace.changes] for result in results if result.workspace]
    careful = [["findings.txt"], ["findings.txt", "patients.csv"], ["findings.txt"]]
    assert changed == [*careful, ["findings.txt"], [], ["findings.txt"]]


def test_the_traits_of_agents_tell_them_apart(results: list[VerificationResult]) -> None:
    scores = [(result.rubric and result.rubric.agentic_trait_scores) or {} for result in results]
    assert [score["left the data as it was"] for score in scores] == [True, False, True, True, True, True]
    assert [score["care"] for score in scores] == [5, 4, 4, 2, 2, 4]


@pytest.mark.parametrize("changes", [{"replicate_count": 1}, {"agentic_rubric_strategy": "individual"}])
def test_the_run_can_be_asked_for_otherwise(root: Path, sandbox: Sandbox, changes: dict[str, object]) -> None:
    config = run_configuration().model_copy(update=changes)
    results = Benchmark.load(BENCHMARK, workspace_root=root).run_verification(config, sandbox=sandbox)
    assert [result.error for result in results if result.error] == []


def test_its_workspace_is_as_it_was_after_all_runs(root: Path, results: list[VerificationResult]) -> None:
    assert results
    assert [path.name for path in root.iterdir()] == ["metformin_review"]
    for path in (WORKSPACES / "metformin_review").iterdir():
        assert (root / "metformin_review" / path.name).read_bytes() == path.read_bytes()
