"""Tests of the table of checks of a result."""

from __future__ import annotations

import pytest

from karenina_gui.gui.pages.results import sections
from karenina_gui.gui.pages.results.page import CAUTION, checks
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, StageRecord, VerificationResult

ALIKE = {"embedding_check_performed": True, "embedding_similarity_score": 0.914, "embedding_model_used": "MiniLM"}


def test_an_answer_that_was_never_read_still_says_why() -> None:
    refused = result(ResultTemplate(abstention_check_performed=True, abstention_detected=True,
                                    abstention_reasoning="It says <that> it cannot."))  # fmt: skip
    assert sections.fields(refused) is None
    assert "refusal" in str(checks(refused)) and "It says &lt;that&gt; it cannot." in str(checks(refused))
    short = result(ResultTemplate(sufficiency_check_performed=True, sufficiency_detected=False,
                                  sufficiency_reasoning="No dose."))  # fmt: skip
    assert "insufficient" in str(checks(short)) and "No dose." in str(checks(short))


def test_checks_that_found_nothing_say_so() -> None:
    fine = str(checks(result(ResultTemplate(abstention_check_performed=True, abstention_detected=False,
                                            sufficiency_check_performed=True, sufficiency_detected=True))))  # fmt: skip
    assert "no refusal" in fine and "sufficient" in fine and CAUTION not in fine


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"embedding_override_applied": True}, "mean the same"),
        ({"usage_metadata": {"embedding_check": {}}}, "did not confirm"),
        ({"usage_metadata": {"parsing": {}}}, "too low to ask the judge"),
        ({"usage_metadata": {"parsing": {}}, "embedding_check_performed": False}, "No judge could be asked"),
        ({}, "did not change"),
    ],
)
def test_the_similarity_is_shown_with_what_the_judge_made_of_it(more: dict[str, object], told: str) -> None:
    shown = str(checks(result(ResultTemplate.model_validate({**ALIKE, **more}))))
    assert "similarity 0.91 (MiniLM)" in shown and told in shown and CAUTION in shown


def test_an_override_was_decided_by_the_check_and_an_idle_check_says_that_it_is() -> None:
    passed = result(ResultTemplate.model_validate({**ALIKE, "embedding_override_applied": True}))
    strip = str(sections.steps(passed))
    assert "Embedding check ran in 1.00 s. Checks failed fields" in strip
    assert strip.partition("stage-decided")[2].startswith('" type="button" title="Embedding check')
    idle = str(sections.steps(result(ResultTemplate(verify_result=False))))
    assert "turned off, or nothing to compare" in idle
    unasked = str(sections.steps(result(ResultTemplate.model_validate({**ALIKE, "embedding_check_performed": False}))))
    assert "nothing to compare" not in unasked


def test_no_check_no_part() -> None:
    assert checks(result(ResultTemplate(verify_result=True))) is None


def result(template: ResultTemplate) -> VerificationResult:
    model = ModelIdentity(interface="openai_endpoint", model_name="m")
    metadata = ResultMetadata(
        question_id="q", template_id="t", question_text="?", answering=model, parsing=model,
        execution_time=1.0, timestamp="2026-11-22 12:00:00", result_id="r",
    )  # fmt: skip
    stages = [StageRecord(name=name, status="ran", seconds=1.0) for name in ("VerifyTemplate", "EmbeddingCheck")]
    return VerificationResult(metadata=metadata, template=template, stages=stages)
