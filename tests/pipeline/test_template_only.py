"""The eight stages of `template_only`, on recorded answers and templates that need no judge."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from karenina_gui import ModelConfig, Question, RegexRubricTrait, VerificationConfig
from karenina_gui.pipeline.verify_job import VerificationTask, verify
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import Rubric
from tests.pipeline.conftest import Judged
from tests.twin import Asked, Reply

MENTIONS_BCL2 = """
class Answer(BaseAnswer):
    mentions: bool = VerifiedField(description="t", ground_truth=True, verify_with=TraceContains(substring="BCL2"))
"""
PATTERN = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.correct = {}
        self.regex = {"gene": {"pattern": r"BCL-?2", "expected": "BCL2", "match_type": "contains"}}
"""
JUDGED = """
class Answer(BaseAnswer):
    target: str = VerifiedField(description="Protein", ground_truth="BCL2", verify_with=ExactMatch())
"""


def statuses(result: VerificationResult) -> dict[str, str]:
    return {stage.name: stage.status for stage in result.stages}


def reasons(result: VerificationResult) -> dict[str, str | None]:
    return {stage.name: stage.reason for stage in result.stages}


@pytest.mark.parametrize(
    ("template", "answer", "passed"),
    [
        (MENTIONS_BCL2, "It binds BCL2.", True),
        (MENTIONS_BCL2, "It binds MCL1.", False),
        (PATTERN, "BCL2, of course", True),
        (PATTERN, "BCL-2", False),
    ],
)
def test_a_template_without_judged_fields_needs_no_judge(check: Any, template: str, answer: str, passed: bool) -> None:
    result = check(template, answer)
    assert result.template.verify_result is passed
    assert result.completed_without_errors
    assert result.metadata.parsing is None
    assert (result.metadata.failure is None) is passed
    assert statuses(result)["ParseTemplate"] == "ran"


SHORT = f"""{MENTIONS_BCL2}
    other: bool = VerifiedField(description="t", ground_truth=False, verify_with=TraceContains(substring="MCL1"))
    short: bool = VerifiedField(description="t", ground_truth=True, verify_with=TraceLength(max=3, unit="words"))
"""
THOUGHT = "MCL1 comes to mind, but let me check."
CALLED = [{"id": "c", "function": {"name": "look_up", "arguments": "{}"}}]


@pytest.mark.parametrize(
    "answer",
    [
        f"<think>\n{THOUGHT}\n</think>\n\nIt binds BCL2.",
        f"{THOUGHT}\n</think>\n\nIt binds BCL2.",
        f"--- AI Message ---\n<think>{THOUGHT}</think>It binds BCL2.",
        [{"role": "assistant", "content": f"<think>{THOUGHT}</think>It binds BCL2."}],
        [{"role": "assistant", "content": "It binds BCL2.", "reasoning_content": THOUGHT}],
        {
            "messages": [
                {"role": "assistant", "content": [{"type": "text", "text": f"<think>{THOUGHT}</think>It binds BCL2."}]}
            ]
        },
    ],
    ids=["tags", "end tag", "trace", "messages", "member", "parts"],
)
def test_a_thought_before_a_recorded_answer_is_kept_but_not_judged(check: Any, answer: Any) -> None:
    result = check(
        SHORT, answer, rubric=Rubric(regex_traits=[RegexRubricTrait(name="alone", pattern=r"^It binds BCL2\.$")])
    )
    assert (result.template.verify_result, result.template.raw_llm_response) == (True, "It binds BCL2.")
    (message,) = result.template.trace_messages
    assert message["thinking"]["thinking"] == THOUGHT
    assert result.rubric.regex_trait_scores == {"alone": True}


@pytest.mark.parametrize(
    "answer",
    [
        f"<think>\n{THOUGHT} BCL2, hm",
        f"<think>{THOUGHT} BCL2</think>",
        f"{THOUGHT} BCL2\n</think>\n",
        [{"role": "assistant", "content": "", "reasoning_content": f"{THOUGHT} BCL2"}],
        [
            {"role": "assistant", "content": "", "tool_calls": CALLED},
            {"role": "tool", "tool_call_id": "c", "content": "BCL2"},
            {"role": "assistant", "content": f"<think>{THOUGHT}"},
        ],
    ],
    ids=["endless", "alone", "end tag", "member", "after a call"],
)
def test_a_thought_alone_is_no_answer(check: Any, answer: Any) -> None:
    traits = Rubric(regex_traits=[RegexRubricTrait(name="cites", pattern="BCL2")])
    result = check(MENTIONS_BCL2, answer, rubric=traits)
    assert (result.template.verify_result, result.template.field_results) == (False, None)
    assert result.metadata.failure is not None and "no answer to read" in result.metadata.failure.reason
    assert result.rubric.regex_trait_scores is None


def test_an_answer_that_speaks_of_the_tags_is_judged_whole(check: Any) -> None:
    answer = "BCL2 is what it says after </think>, the end of its <think>…</think>."
    result = check(MENTIONS_BCL2, answer)
    assert (result.template.verify_result, result.template.raw_llm_response) == (True, answer)


FAILS_WITHOUT_BCL2 = f"""{MENTIONS_BCL2}
    def verify(self):
        return [True][0 if self.mentions else 1]
"""


@pytest.mark.parametrize(("answer", "way"), [("It binds BCL2.", "monty"), ("It binds MCL1.", "locked")])
def test_the_result_says_how_its_answer_was_judged(check: Any, answer: str, way: str) -> None:
    assert check(FAILS_WITHOUT_BCL2, answer).template.template_execution == way


def test_a_wrong_answer_is_a_content_failure_that_names_what_did_not_match(check: Any) -> None:
    failure = check(PATTERN, "MCL1").metadata.failure
    assert (failure.category, failure.group, failure.stage) == ("content", "content", "VerifyTemplate")
    assert "gene" in failure.reason


def test_the_result_keeps_identity_answer_and_stage_strip(check: Any) -> None:
    result = check(PATTERN, "BCL2")
    meta = result.metadata
    assert (meta.question_text, meta.raw_answer) == ("What does venetoclax bind?", "BCL2")
    assert (meta.answering.model_name, meta.answering.interface, meta.replicate) == ("recorded", "manual", None)
    assert len(meta.result_id) == 16
    assert meta.question_id == hashlib.md5(b"What does venetoclax bind?").hexdigest()
    assert meta.template_id == hashlib.md5(PATTERN.strip().encode()).hexdigest()
    assert meta.evaluation_mode == "template_only"
    assert result.template.raw_llm_response == "BCL2"
    assert result.template.trace_messages[-1]["content"] == "BCL2"
    assert result.stages[0].name == "ValidateTemplate"
    assert result.sandbox_level
    assert meta.execution_time > 0


def test_skipped_stages_name_the_rule_that_skipped_them(check: Any) -> None:
    why = reasons(check(PATTERN, "BCL2"))
    assert why["RecursionLimitAutoFail"] == "the turn limit was not reached"
    assert why["EmbeddingCheck"] == "no field was compared"


def test_a_broken_template_ends_in_an_error_at_its_line_and_still_gives_a_result(check: Any) -> None:
    result = check("class Answer(BaseAnswer):\n    x: int = Field(description='x'\n", "BCL2")
    assert not result.completed_without_errors
    assert result.passed is None
    assert result.metadata.failure.category == "template_validation"
    assert "ine 2" in result.error
    assert statuses(result)["ValidateTemplate"] == "failed"
    assert statuses(result)["GenerateAnswer"] == "skipped"
    assert reasons(result)["GenerateAnswer"] == "an earlier stage failed (ValidateTemplate)"
    assert statuses(result)["FinalizeResult"] == "ran"


def test_a_question_without_a_template_says_so(check: Any) -> None:
    assert "no answer template" in check(None, "BCL2").error


def test_a_judged_template_without_a_judge_says_so_and_counts_as_no_wrong_answer(check: Any) -> None:
    result = check(JUDGED, "BCL2")
    assert "the run has none" in result.error
    assert result.passed is None


def test_a_missing_recorded_answer_is_an_error_not_a_wrong_answer(check: Any) -> None:
    result = check(PATTERN, [])
    assert result.passed is None
    assert not result.completed_without_errors
    assert statuses(result)["GenerateAnswer"] == "failed"


def test_an_empty_answer_is_a_wrong_answer(check: Any) -> None:
    result = check(JUDGED, "   ")
    assert result.completed_without_errors
    assert result.template.verify_result is False
    assert "no answer to read" in result.metadata.failure.reason


def test_a_template_whose_verify_raises_fails_the_answer_and_names_the_line(check: Any) -> None:
    source = MENTIONS_BCL2 + "    def verify(self):\n        return 1 / 0\n"
    result = check(source, "BCL2")
    assert result.template.verify_result is False
    assert "Line 5" in result.template.field_verification_error
    assert result.metadata.failure.category == "content"
    assert (result.completed_without_errors, result.error) == (True, None)


@pytest.mark.parametrize(
    "source",
    [
        (
            "class Answer(BaseAnswer):\n    v: float = VerifiedField(description='v', ground_truth='4,64', "
            "verify_with=NumericExact())\n"
        ),
        (
            "class Answer(BaseAnswer):\n    v: float = Field(description='v')\n"
            "    def ground_truth(self):\n        self.correct = {'v': '4,64'}\n"
            "    def verify(self):\n        return self.v == float(self.correct['v'])\n"
        ),
    ],
)
def test_a_template_that_fails_its_own_expected_values_is_an_error(check: Any, source: str) -> None:
    result = check(source, "It is 4.64.")
    assert (result.passed, result.metadata.failure.category) == (None, "template_validation")
    assert "could not convert string to float: '4,64'" in result.error


def test_a_date_of_two_meanings_is_asked_for_again_and_then_an_error(judged: Judged) -> None:
    template = (
        "class Answer(BaseAnswer):\n    day: str = VerifiedField(description='Day', ground_truth='2024-03-05', "
        "verify_with=DateMatch())\n"
    )
    for second, passed in [("5. März 2024", True), ("03/05/2024", None)]:
        requests: list[Asked] = []

        def judge(asked: Asked, requests: list[Asked] = requests, second: str = second) -> Reply:
            requests.append(asked)
            return Reply(data={"day": "03/05/2024" if len(requests) == 1 else second})

        result = judged(lambda _: Reply(text="It was on 03/05/2024."), judge, template=template)
        assert (result.passed, result.completed_without_errors) == (passed, passed is True)
        assert len(requests) == 2
        assert "Write it as YYYY-MM-DD" in requests[1].text
    assert result.metadata.failure is not None
    assert "more than one way (given: '03/05/2024')" in result.metadata.failure.reason


def test_an_endless_template_is_stopped_and_is_no_wrong_answer(check: Any) -> None:
    result = check(MENTIONS_BCL2 + "    def verify(self):\n        while True: pass\n", "BCL2")
    assert result.passed is None
    assert result.metadata.failure.category == "template_validation"
    assert "stopped" in result.error.lower()


def test_a_conversation_is_judged_by_its_final_message_and_kept_as_messages(check: Any) -> None:
    conversation = [
        {"role": "user", "content": "What does venetoclax bind?"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"q": "venetoclax"}'}}]},
        {"role": "tool", "tool_call_id": "1", "content": "BCL2 inhibitor"},
        {"role": "assistant", "content": "It binds BCL2."},
    ]  # fmt: skip
    result = check(PATTERN, [conversation])
    assert result.template.verify_result is True
    assert [m["role"] for m in result.template.trace_messages][-2:] == ["tool", "assistant"]
    assert "--- Tool Message (call_id: 1) ---" in result.template.raw_llm_response
    assert result.template.agent_metrics["tool_call_counts"] == {"search": 1}


WHOLE = """
class Answer(BaseAnswer):
    bare: bool = VerifiedField(description="t", ground_truth=True, verify_with=TraceRegex(pattern=r"^42$"))
"""


@pytest.mark.parametrize(
    "answer",
    [
        "42",
        [[{"role": "assistant", "content": "42"}]],
        [[{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "42"}]],
        [
            [
                {"role": "system", "content": "S"},
                {"role": "user", "content": "Q?"},
                {"role": "assistant", "content": "42"},
            ]
        ],
    ],
    ids=["text", "one message", "with the question", "with instructions"],
)
def test_the_written_form_of_a_recorded_answer_does_not_change_its_verdict(check: Any, answer: Any) -> None:
    result = check(WHOLE, answer)
    assert result.template.raw_llm_response == "42"
    assert result.passed is True


def test_a_judge_that_is_not_needed_cannot_break_the_result(tools: Any) -> None:
    question = Question(question="q", raw_answer="a", answer_template=PATTERN)
    model = ModelConfig(id="recorded", interface="manual", manual_traces={question.id: "BCL2"})
    judge = ModelConfig(model_name="judge", interface="replay", recording="/nowhere/recording.json")
    config = VerificationConfig(answering_models=[model], parsing_models=[judge])
    result, _ = verify(VerificationTask(question, config, model, judge), tools)
    assert result.passed is True
    assert any("/nowhere" in warning for warning in result.metadata.warnings)


def test_a_failed_generation_is_shared_and_nobody_is_asked_again(tools: Any) -> None:
    question = Question(question="q", raw_answer="a", answer_template=PATTERN)
    model = ModelConfig(id="recorded", interface="manual", manual_traces={})
    config = VerificationConfig(answering_models=[model])
    first, failure = verify(VerificationTask(question, config, model), tools)
    answered = model.model_copy(update={"manual_traces": {question.id: "BCL2"}})
    second, again = verify(VerificationTask(question, config, answered), tools, answer=failure)
    assert failure is again
    assert first.error == second.error
    assert second.passed is None
