"""The example that ships: it is what its source builds, and its run shows everything that a run can show."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from karenina_gui import Benchmark, VerificationConfig, VerificationResult
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.example import ANSWERING_MODELS, BENCHMARK, CONDITIONS, JUDGES, RECORDING, run_configuration
from karenina_gui.formats.checkpoints.checkpoint import save_checkpoint
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.outcome import outcome_of
from tests.example import questions
from tests.example.build import example_benchmark, record_example
from tests.example.drafts import PURPOSES
from tests.example.plain_run import plain_run
from tests.example.sample_models import INTERFACE, SampleModel


@pytest.fixture(scope="module")
def results(sandbox: Sandbox) -> list[VerificationResult]:
    return Benchmark.load(BENCHMARK).run_verification(run_configuration(), sandbox=sandbox)


FEW = ("aspirin", "metformin", "paracetamol")
"""One that is judged, one that nobody judges, and one that a model refuses to answer."""


def test_the_shipped_benchmark_is_what_its_source_builds(tmp_path: Path) -> None:
    """When this or the next fails:  python -m tests.example.build"""
    save_checkpoint(example_benchmark().document, tmp_path / "example.jsonld")
    assert _without_identity(tmp_path / "example.jsonld") == _without_identity(BENCHMARK)


def test_the_shipped_exchanges_are_those_that_its_source_records(tmp_path: Path, sandbox: Sandbox) -> None:
    """Recorded anew for a few questions, to stay quick; the next test looks at what is said to the others."""
    record_example(tmp_path / "few.json", sandbox, only=FEW)
    texts = [questions.questions()[name].question for name in FEW]
    shipped = [
        each
        for each in exchanges(RECORDING)
        if each["purpose"] in PURPOSES or any(text in json.dumps(each) for text in texts)
    ]
    assert exchanges(tmp_path / "few.json") == shipped


def test_every_shipped_reply_is_the_one_that_the_source_gives_to_its_request() -> None:
    names = {question.id: name for name, question in questions.questions().items()}
    ids = {question.question: question.id for question in questions.questions().values()}
    for exchange in exchanges(RECORDING):
        request = exchange["request"]
        messages = tuple(Message.model_validate(each) for each in request["messages"])
        found = [ids[text] for text in ids if any(text in message.text for message in messages)]
        # Traits are suggested for all questions, and the template is that of the unfinished one.
        (question_id,) = [None] if exchange["purpose"] in PURPOSES else found
        asked = LLMRequest(
            messages, exchange["purpose"], request["json_schema"], exchange["replicate"], question_id=question_id
        )
        assert SampleModel(exchange["model"], names).invoke(asked).content == exchange["response"]["content"]


def test_nothing_of_the_run_is_missing_in_the_recording(results: list[VerificationResult]) -> None:
    assert len(results) == 12 * 2 * 2 * 3 * 2
    assert [r.error for r in results if r.metadata.failure and r.metadata.failure.category == "recording"] == []
    assert {r.recording_label for r in results} == {"sample recording"}


VERDICTS = {
    "aspirin": ("ppp pwp", "ppp ppp"),
    "loading_dose": ("ppp wpw", "ppw pww"),
    "statins": ("ppp pwp", "ppp ppw"),
    "tuberculosis": ("ppp wpw", "ppp pwp"),
    "imatinib": ("ppp wpe", "ppw pww"),
    "metformin": ("ppp ppw", "ppp ppp"),
    "warfarin": ("ppp wpw", "ppp pwp"),
    "amiodarone": ("ppp ppw", "ppp ppp"),
    "antidotes": ("ppp pwp", "ppp wwp"),
    "grapefruit": ("pwp pwp", "ppp wpw"),
    "morphine": ("ppp pww", "ppp ppw"),
    "paracetamol": ("ppp paw", "ppp ppa"),
}
"""Three replicates of the careful model and of the hasty one, as the recorded answers deserve them: as they are, and in
one sentence; by the first letters of passed, wrong, error and abstained."""
STRICTER = {
    "aspirin": ("ppp pwp", "ppp pwp"),
    "loading_dose": ("ppp www", "ppw pww"),
    "tuberculosis": ("ppp wpw", "ppp pww"),
    "imatinib": ("ppp wpw", "ppw pww"),
    "warfarin": ("ppw wpw", "ppw pww"),
    "antidotes": ("ppp wwp", "ppp wwp"),
    "morphine": ("ppw pww", "ppw pww"),
}
"""Where the strict judge finds otherwise."""


def test_every_recorded_answer_has_its_verdict(results: list[VerificationResult]) -> None:
    assert verdicts(results, JUDGES[0]) == VERDICTS
    assert verdicts(results, JUDGES[1]) == VERDICTS | STRICTER


def test_the_judges_mostly_agree(results: list[VerificationResult]) -> None:
    first, second = (
        [r.passed for r in results if r.metadata.parsing and r.metadata.parsing.label == j] for j in JUDGES
    )
    assert len(first) == len(second) == 144
    assert 0.9 < sum(one == other for one, other in zip(first, second, strict=True)) / 144 < 1


def test_the_hasty_model_is_a_little_better_in_one_sentence_but_not_on_every_question(
    results: list[VerificationResult],
) -> None:
    shares: dict[tuple[str, str | None], list[bool]] = defaultdict(list)
    for result in results:
        if result.passed is not None and "hasty" in result.metadata.answering.label:
            shares[result.metadata.question_id, result.condition].append(result.passed)
    names = [condition.name for condition in CONDITIONS]
    means = {place: sum(passed) / len(passed) for place, passed in shares.items()}
    gains = [means[question, names[1]] - means[question, names[0]] for question in {question for question, _ in means}]
    assert min(gains) < 0 < max(gains)
    assert 0.05 < sum(gains) / len(gains) < 0.15


@pytest.mark.parametrize(
    ("config", "changes"),
    [
        (run_configuration(), {"replicate_count": 1}),
        (plain_run(), {"replicate_count": 2}),
        (plain_run(), {"replicate_count": 1, "abstention_enabled": False}),
        (plain_run(), {"replicate_count": 1, "sufficiency_enabled": True}),
    ],
    ids=["each once", "twice", "without the check", "with both checks"],
)
def test_the_run_can_be_asked_for_otherwise(
    sandbox: Sandbox, config: VerificationConfig, changes: dict[str, object]
) -> None:
    config = config.model_copy(update=changes)
    results = Benchmark.load(BENCHMARK).run_verification(config, sandbox=sandbox)
    assert {r.metadata.failure.category for r in results if r.metadata.failure} <= {
        "content", "parsing", "abstention", "sufficiency",
    }  # fmt: skip


def test_it_has_passes_and_failures_a_refusal_and_a_malformed_judge_reply(results: list[VerificationResult]) -> None:
    outcomes = {r.metadata.failure.category if r.metadata.failure else "passed" for r in results}
    assert outcomes == {"passed", "content", "abstention", "parsing"}


def test_a_wrong_answer_differs_between_replicates_on_several_questions(results: list[VerificationResult]) -> None:
    seen = defaultdict(set)
    for result in results:
        seen[result.metadata.question_id, result.metadata.answering.label].add(result.passed)
    mixed = [key for key, verdicts in seen.items() if {True, False} <= verdicts]
    assert len(mixed) >= 16


def test_regex_traits_are_scored_both_ways(results: list[VerificationResult]) -> None:
    scores = defaultdict(set)
    for result in results:
        for name, score in ((result.rubric and result.rubric.regex_trait_scores) or {}).items():
            scores[name].add(score)
    assert {name: {True, False} for name in scores} == scores
    assert scores.keys() == {"starts with the answer", "sends to a professional", "states the unit", "code alone"}


def test_a_score_of_the_judges_spreads_and_falls_with_briefness(results: list[VerificationResult]) -> None:
    scores: dict[str | None, list[int]] = defaultdict(list)
    for result in results:
        for score in ((result.rubric and result.rubric.llm_trait_scores) or {}).values():
            scores[result.condition].append(score)
    told, briefly = (scores[condition.name] for condition in CONDITIONS)
    assert len(told) == len(briefly) == 6 * 2 * 3 * 2
    assert set(told) == {2, 3, 4, 5}
    assert sum(briefly) / len(briefly) < sum(told) / len(told) - 0.3


def test_one_question_is_still_unfinished() -> None:
    benchmark = Benchmark.load(BENCHMARK)
    assert [q.question for q in benchmark if not benchmark.is_finished(q.id)] == [questions.unfinished().question]


def verdicts(results: list[VerificationResult], judge: str) -> dict[str, tuple[str, str]]:
    """By question: the first letters of the outcomes, in the order of models and replicates; for each condition."""
    names = {question.id: name for name, question in questions.questions().items()}
    found: dict[tuple[str, str | None], dict[str, str]] = defaultdict(lambda: dict.fromkeys(ANSWERING_MODELS, ""))
    for result in results:
        meta = result.metadata
        if meta.parsing and meta.parsing.label == judge:
            found[names[meta.question_id], result.condition][str(meta.answering.model_name)] += outcome_of(result)[0]
    before, after = (condition.name for condition in CONDITIONS)
    return {name: (" ".join(found[name, before].values()), " ".join(found[name, after].values())) for name in VERDICTS}


def exchanges(recording: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(recording.read_text(encoding="utf-8"))["exchanges"]
    return found


@pytest.fixture(autouse=True)
def registry_as_it_was(interfaces: None) -> None:
    assert AdapterRegistry.get_spec(INTERFACE) is None


def _without_identity(path: Path) -> dict[str, object]:
    """A file's own id holds the moment at which it was first written."""
    data: dict[str, object] = json.loads(path.read_text())
    return {key: value for key, value in data.items() if key != "@id"}
