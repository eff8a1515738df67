"""Tests of the judged text: as recorded by the stages, or none."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.pages.results import sections
from karenina_gui.gui.pages.results.conversation import conversation, final_label
from karenina_gui.gui.pages.results.judged_text import judged_text
from karenina_gui.schemas.messages import Message, ToolResultBlock, ToolUseBlock, render_trace, to_stored
from karenina_gui.schemas.result import (
    Failure,
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    StageRecord,
    VerificationResult,
)
from karenina_gui.schemas.result_evidence import Investigation

CALL = Message(role="assistant", content=(ToolUseBlock(id="1", name="look", input={}),))
GIVEN = Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content="7"),))
EARLY = Message.of("assistant", "I think it is 6.")
TRACE = [EARLY, CALL, GIVEN, Message.of("assistant", "It is 7.")]
WHOLE = render_trace(TRACE)
STAGES = [StageRecord(name="ParseTemplate", status="skipped", reason="for the test")]


def test_the_final_message_that_a_judge_read_is_the_answer() -> None:
    found = judged_text(result(evaluation_input="It is 7.", used_full_trace=False))
    assert (found.text, found.whole, found.note) == ("It is 7.", False, "")


def test_of_a_whole_trace_the_page_shows_the_final_message_and_all_of_it() -> None:
    read = result(evaluation_input=WHOLE, used_full_trace=True)
    assert (judged_text(read).text, judged_text(read).whole, judged_text(read).final) == (WHOLE, True, "It is 7.")
    page = sections.answer(read)
    assert "Final message. The full trace was judged." in page
    assert "I think it is 6." in page and "Full trace as judged" in page
    assert final_label(read) == "judged with the full trace"


def test_a_trace_that_is_too_long_for_the_page_is_told_of() -> None:
    long = result(evaluation_input=WHOLE + "x" * 200_000, used_full_trace=True)
    page = sections.answer(long)
    assert "is 200 kB long. Read it on the right, message by message" in page and len(page) < 1000


def test_a_template_without_judged_fields_reads_the_whole_trace() -> None:
    compared = result(stages=[StageRecord(name="VerifyTemplate", status="ran")], used_full_trace=False)
    assert (judged_text(compared).text, judged_text(compared).whole) == (WHOLE, True)


@pytest.mark.parametrize(("read", "text"), [("trace", WHOLE), ("message", "It is 7."), (None, "")])
def test_where_only_traits_were_scored_that_is_said(read: str | None, text: str) -> None:
    found = judged_text(result(traits_read=read, error="The template broke.", completed_without_errors=False))
    assert found.text == text
    assert ("Only traits were scored" in found.note) == bool(text)
    assert found.note.startswith("The job failed before the template was evaluated.")


def test_without_a_template_the_traits_are_what_is_judged() -> None:
    found = judged_text(result(traits_read="message", evaluation_mode="rubric_only"))
    assert (found.text, found.note) == ("It is 7.", "")


def test_results_of_earlier_versions_tell_by_their_scores_that_traits_were_read() -> None:
    assert judged_text(result(rubric=ResultRubric(rubric_evaluation_performed=True))).text == WHOLE


def test_what_another_program_judged_is_the_final_message_as_far_as_anybody_knows() -> None:
    assert judged_text(result(stages=[], verdict=False)).text == "It is 7."
    assert judged_text(result(stages=[])).text == ""


def test_an_agent_that_looked_for_itself_was_shown_what_its_investigation_says() -> None:
    alone = result(investigations=[Investigation(subject="template")], used_full_trace=False)
    assert judged_text(alone).text == ""
    assert judged_text(alone).note == ("An agent judged this result: see Investigation.")
    assert "It is 7." in sections.answer(alone)
    assert judged_text(result(investigations=[Investigation(subject="template")], used_full_trace=True)).text == WHOLE


@pytest.mark.parametrize(
    ("trace", "why"),
    [
        ([EARLY, Message(role="assistant", content=())], "The last message is empty."),
        ([EARLY, CALL, GIVEN], "The trace does not end with a message from the model."),
    ],
)
def test_a_trace_without_an_answer_has_none_and_says_why(trace: list[Message], why: str) -> None:
    none = result(trace=trace, verdict=False)
    page = sections.answer(none)
    assert f"{why} Nothing was judged." in page and "I think" not in page
    assert not any(item["final"] for item in conversation(none))


def test_a_refusal_of_the_provider_is_no_answer() -> None:
    refused = result(failure=Failure(category="refusal", stage="GenerateAnswer", reason="No."), verdict=False)
    assert judged_text(refused).note.startswith("The provider blocked the request or reply. Nothing was judged.")


def test_of_recorded_answers_nothing_was_sent_whatever_the_file_says() -> None:
    recorded = result(interface="manual", asked=[Message.of("user", "Which?")], evaluation_input="It is 7.")
    assert [(item["number"], item["sent"]) for item in conversation(recorded)] == [(n, False) for n in (1, 2, 3, 4)]


def result(
    *,
    trace: list[Message] = TRACE,
    asked: list[Message] | None = None,
    verdict: bool | None = None,
    interface: str = "openai_endpoint",
    evaluation_mode: str | None = None,
    failure: Failure | None = None,
    **changes: Any,
) -> VerificationResult:
    return VerificationResult(
        metadata=ResultMetadata(
            question_id="q",
            template_id="t",
            answering=ModelIdentity(interface=interface, model_name="m"),
            evaluation_mode=evaluation_mode,
            failure=failure,
        ),
        template=ResultTemplate(
            raw_llm_response=render_trace(trace),
            trace_messages=to_stored(trace),
            conversation_context=to_stored(asked or []),
            verify_result=verdict,
        ),
        **{"stages": STAGES, **changes},
    )
