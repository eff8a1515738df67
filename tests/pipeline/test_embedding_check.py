"""The embedding check after a failed field check, with the real model."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui import VerificationResult
from karenina_gui.adapters.embedding import embedder
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import Embedder
from karenina_gui.errors import ConfigurationError
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.pipeline.conftest import Judged
from tests.twin import Asked, Reply

TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.correct = {"finding": "The tumour became smaller"}
        %s
    finding: str = Field(description="What happened to the tumour")
    def verify(self):
        return self.finding == self.correct["finding"]
"""
PATTERN = 'self.regex = {"cites": {"pattern": "[0-9]+", "expected": 0, "match_type": "count"}}'


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    pytest.importorskip("onnxruntime", reason="needs the extra 'embedding'")
    return embedder("all-MiniLM-L6-v2")


class Judge:
    def __init__(self, finding: str, equivalent: bool | None) -> None:
        self.finding, self.equivalent = finding, equivalent
        self.confirmations: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        if "equivalent" not in str(asked.schema):
            return Reply(data={"finding": self.finding})
        self.confirmations.append(asked.text)
        if self.equivalent is None:
            return Reply(status=500, message="down")
        return Reply(data={"reasoning": "Shrank is smaller.", "equivalent": self.equivalent})


def run(
    judged: Judged, model: Embedder | None, judge: Judge, *, answer: str = "It shrank.", regex: str = "pass",
    **settings: Any,
) -> VerificationResult:  # fmt: skip
    settings.setdefault("embedding_check_threshold", 0.7)
    return judged(lambda _: Reply(text=answer), judge, template=TEMPLATE % regex, embedder=model, **settings)


def stage(result: VerificationResult) -> tuple[str, str | None]:
    (record,) = [each for each in result.stages if each.name == "EmbeddingCheck"]
    return record.status, record.reason


def test_alike_and_confirmed_passes_with_a_caveat(judged: Judged, minilm: Embedder) -> None:
    judge = Judge("The tumour got smaller", equivalent=True)
    result = run(judged, minilm, judge)
    template = result.template
    assert template is not None
    assert result.passed is True
    assert result.metadata.failure is None
    assert "embedding_override" in result.metadata.caveats
    assert template.embedding_check_performed
    assert template.embedding_override_applied
    assert template.embedding_model_used == "all-MiniLM-L6-v2"
    assert template.embedding_similarity_score is not None
    assert 0.9 < template.embedding_similarity_score < 1
    assert len(judge.confirmations) == 1
    assert template.usage_metadata is not None
    assert template.usage_metadata["embedding_check"]["total_tokens"] == 18


def test_alike_but_not_confirmed_stays_wrong(judged: Judged, minilm: Embedder) -> None:
    """Embeddings hardly react to a negation; the judge does."""
    judge = Judge("The tumour did not become smaller", equivalent=False)
    result = run(judged, minilm, judge)
    assert result.passed is False
    assert result.template is not None
    assert (result.template.embedding_similarity_score or 0) > 0.7
    assert not result.template.embedding_override_applied
    assert result.metadata.failure is not None
    assert result.metadata.failure.category == "content"


def test_unlike_values_are_not_even_asked_about(judged: Judged, minilm: Embedder) -> None:
    judge = Judge("Photosynthesis needs light", equivalent=True)
    result = run(judged, minilm, judge)
    assert result.passed is False
    assert judge.confirmations == []


def test_a_failed_pattern_stays_failed(judged: Judged, minilm: Embedder) -> None:
    judge = Judge("The tumour got smaller", equivalent=True)
    result = run(judged, minilm, judge, answer="It shrank by 3 cm.", regex=PATTERN)
    assert result.passed is False
    assert result.template is not None
    assert result.template.embedding_override_applied
    assert result.metadata.failure is not None


BROKEN = """
    def verify_regex(self, raw_llm_response):
        raise ValueError("no pattern at all")
"""
UNNAMED = """
    def verify_regex(self, raw_llm_response):
        return {"success": False, "results": {}, "details": {}}
"""


@pytest.mark.parametrize("method", [BROKEN, UNNAMED], ids=["broken", "without names"])
def test_a_pattern_check_of_ones_own_that_fails_stays_failed(judged: Judged, method: str) -> None:
    judge = Judge("The tumour got smaller", equivalent=True)
    template = TEMPLATE % "pass" + method
    result = judged(lambda _: Reply(text="It shrank."), judge, template=template, embedder=Alike())
    assert result.template is not None
    assert result.template.embedding_override_applied
    assert result.passed is False
    assert result.metadata.failure is not None


TRACED = """
class Answer(BaseAnswer):
    finding: str = VerifiedField(description="?", ground_truth="It became smaller", verify_with=ExactMatch())
    cites: bool = VerifiedField(description="?", ground_truth=True, verify_with=TraceContains(substring=%r))
"""


def test_a_pattern_of_a_trace_field_that_is_not_found_stays_failed(judged: Judged) -> None:
    judge = Judge("It got smaller", equivalent=True)
    result = judged(lambda _: Reply(text="It shrank."), judge, template=TRACED % "[1]", embedder=Alike())
    assert result.passed is False
    assert judge.confirmations == []
    assert result.template is not None
    assert not result.template.embedding_check_performed


@pytest.mark.parametrize(
    "verify",
    [
        "def verify(self):\n        return bool(1 / (self.finding == 'smaller'))",
        "def verify(self):\n        return False",
    ],
    ids=["it breaks", "without ground truth"],
)
def test_nothing_is_compared_where_verify_breaks_or_nothing_is_expected(judged: Judged, verify: str) -> None:
    expected = 'def ground_truth(self):\n        self.correct = {"finding": "smaller"}' if "1 / " in verify else ""
    template = f"""
class Answer(BaseAnswer):
    finding: str = Field(description="What happened to the tumour")
    {expected}
    {verify}
"""
    judge = Judge("It got smaller", equivalent=True)
    result = judged(lambda _: Reply(text="It shrank."), judge, template=template, embedder=Alike())
    assert result.passed is False
    assert stage(result)[0] == "ran"
    assert result.template is not None
    assert not result.template.embedding_check_performed
    assert judge.confirmations == []


def test_only_what_the_judge_has_read_is_compared(judged: Judged) -> None:
    judge = Judge("It got smaller", equivalent=True)
    result = judged(lambda _: Reply(text="It shrank [1]."), judge, template=TRACED % "[1]", embedder=Alike())
    assert result.passed is True
    assert "It became smaller" in judge.confirmations[0]
    assert "cites" not in judge.confirmations[0]


class Alike:
    name = "all alike"

    def similarity(self, one: str, other: str) -> float:
        return 1.0


def test_a_right_field_needs_no_second_look(judged: Judged, minilm: Embedder) -> None:
    result = run(judged, minilm, Judge("The tumour became smaller", equivalent=False))
    assert result.passed is True
    assert stage(result) == ("skipped", "the comparison did not fail")


def test_switched_off_it_records_that_it_was_not_performed(judged: Judged) -> None:
    judge = Judge("The tumour got smaller", equivalent=True)
    result = run(judged, None, judge)
    assert stage(result)[0] == "ran"
    assert result.passed is False
    assert result.template is not None
    assert not result.template.embedding_check_performed
    assert result.template.embedding_similarity_score is None
    assert judge.confirmations == []
    assert not any("embedding" in warning for warning in result.metadata.warnings)


def test_a_judge_that_fails_leaves_the_verdict_and_says_so(judged: Judged, minilm: Embedder) -> None:
    result = run(judged, minilm, Judge("The tumour got smaller", equivalent=None))
    assert result.passed is False
    assert result.completed_without_errors
    assert result.template is not None
    assert not result.template.embedding_check_performed
    assert (result.template.embedding_similarity_score or 0) > 0.7
    assert any("couldn’t confirm the embedding check" in warning for warning in result.metadata.warnings)


class Missing:
    name = "all-MiniLM-L6-v2"

    def similarity(self, one: str, other: str) -> float:
        raise ConfigurationError("The embedding model isn’t installed. Install it with: pip install ...")


def test_a_missing_model_is_named_and_costs_no_verdict(judged: Judged) -> None:
    result = run(judged, Missing(), Judge("The tumour got smaller", equivalent=True))
    assert result.passed is False
    assert any("The embedding model isn’t installed" in warning for warning in result.metadata.warnings)


@pytest.mark.parametrize(
    ("settings", "environment", "expected"),
    [
        ({}, {}, False),
        ({"embedding_check_enabled": True}, {}, True),
        ({}, {"EMBEDDING_CHECK": "true"}, True),
        ({}, {"EMBEDDING_CHECK": "0"}, False),
    ],
)
def test_the_run_or_the_environment_switches_it_on(
    settings: dict[str, Any], environment: dict[str, str], expected: bool
) -> None:
    with AdapterFactory(environment=environment) as adapters:
        assert (adapters.embedder(VerificationConfig(**settings)) is not None) is expected


def test_an_unknown_model_names_those_there_are() -> None:
    with pytest.raises(ConfigurationError, match="Choose one of: all-MiniLM-L6-v2"):
        embedder("text-embedding-3-large")
