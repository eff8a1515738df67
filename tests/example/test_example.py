"""The example that ships: it is what its source builds, and its run shows everything that a run can show."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from karenina_gui import Benchmark, VerificationResult
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.example import ANSWERING_MODELS, BENCHMARK, RECORDING, run_configuration
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.outcome import outcome_of
from tests.example import questions
from tests.example.build import build
from tests.example.sample_models import INTERFACE


@pytest.fixture(scope="module")
def results(sandbox: Sandbox) -> list[VerificationResult]:
    return Benchmark.load(BENCHMARK).run_verification(run_configuration(), sandbox=sandbox)


def test_the_shipped_files_are_what_their_source_builds(tmp_path: Path, sandbox: Sandbox) -> None:
    """When this fails:  python -m tests.example.build"""
    build(tmp_path / "example.jsonld", tmp_path / "example.recording.json", sandbox)
    assert _without_identity(tmp_path / "example.jsonld") == _without_identity(BENCHMARK)
    assert (tmp_path / "example.recording.json").read_text() == RECORDING.read_text()


def test_nothing_of_the_run_is_missing_in_the_recording(results: list[VerificationResult]) -> None:
    assert len(results) == 12 * 2 * 3
    assert [r.error for r in results if r.metadata.failure and r.metadata.failure.category == "recording"] == []
    assert {r.recording_label for r in results} == {"sample recording"}


VERDICTS = {
    "aspirin": ("passed passed passed", "passed wrong passed"),
    "loading_dose": ("passed passed passed", "wrong passed wrong"),
    "statins": ("passed passed passed", "passed wrong passed"),
    "tuberculosis": ("passed passed passed", "wrong passed wrong"),
    "imatinib": ("passed passed passed", "wrong passed error"),
    "metformin": ("passed passed passed", "passed passed wrong"),
    "warfarin": ("passed passed passed", "wrong passed wrong"),
    "amiodarone": ("passed passed passed", "passed passed wrong"),
    "antidotes": ("passed passed passed", "passed wrong passed"),
    "grapefruit": ("passed wrong passed", "passed wrong passed"),
    "morphine": ("passed passed passed", "passed wrong wrong"),
    "paracetamol": ("passed passed passed", "passed abstained wrong"),
}
"""The three replicates of the careful model, and of the hasty one, as the recorded answers deserve them."""


def test_every_recorded_answer_has_its_verdict(results: list[VerificationResult]) -> None:
    names = {question.id: name for name, question in questions.questions().items()}
    found: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in VERDICTS}
    for result in results:
        found[names[result.metadata.question_id]][result.metadata.answering.label].append(outcome_of(result))
    said = {name: tuple(" ".join(models[label]) for label in ANSWERING_MODELS) for name, models in found.items()}
    assert said == VERDICTS


@pytest.mark.parametrize("changes", [{"replicate_count": 1}, {"replicate_count": 2}, {"abstention_enabled": False}])
def test_the_run_can_be_asked_for_otherwise(sandbox: Sandbox, changes: dict[str, object]) -> None:
    config = run_configuration().model_copy(update=changes)
    results = Benchmark.load(BENCHMARK).run_verification(config, sandbox=sandbox)
    assert {r.metadata.failure.category for r in results if r.metadata.failure} <= {"content", "parsing", "abstention"}


def test_it_has_passes_and_failures_a_refusal_and_a_malformed_judge_reply(results: list[VerificationResult]) -> None:
    outcomes = {r.metadata.failure.category if r.metadata.failure else "passed" for r in results}
    assert outcomes == {"passed", "content", "abstention", "parsing"}


def test_a_wrong_answer_differs_between_replicates_on_several_questions(results: list[VerificationResult]) -> None:
    verdicts = defaultdict(set)
    for result in results:
        verdicts[result.metadata.question_id, result.metadata.answering.label].add(result.passed)
    mixed = [key for key, seen in verdicts.items() if {True, False} <= seen]
    assert len(mixed) >= 8


def test_regex_traits_are_scored_both_ways(results: list[VerificationResult]) -> None:
    scores = defaultdict(set)
    for result in results:
        for name, score in ((result.rubric and result.rubric.regex_trait_scores) or {}).items():
            scores[name].add(score)
    assert {name: {True, False} for name in scores} == scores
    assert scores.keys() == {"starts with the answer", "sends to a professional", "states the unit", "code alone"}


def test_one_question_is_still_unfinished() -> None:
    benchmark = Benchmark.load(BENCHMARK)
    assert [q.question for q in benchmark if not benchmark.is_finished(q.id)] == [questions.unfinished().question]


@pytest.fixture(autouse=True)
def registry_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AdapterRegistry, "_specs", dict(AdapterRegistry._specs))
    assert AdapterRegistry.get_spec(INTERFACE) is None


def _without_identity(path: Path) -> dict[str, object]:
    """A file's own id holds the moment at which it was first written."""
    data: dict[str, object] = json.loads(path.read_text())
    return {key: value for key, value in data.items() if key != "@id"}
