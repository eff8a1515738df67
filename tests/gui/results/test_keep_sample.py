"""Answer of a result as a sample of its question."""

from __future__ import annotations

import pytest

from karenina_gui.gui.pages.results.page import sample_from
from karenina_gui.schemas.messages import Message, ToolResultBlock, ToolUseBlock, render_trace
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult

BOOKED = Message.of("assistant", "Booked.")
HANDED_OVER = (
    Message(role="assistant", content=(ToolUseBlock(id="1", name="hand_over"),)),
    Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content="done"),)),
)


@pytest.mark.parametrize(
    ("messages", "text"), [([BOOKED], render_trace([BOOKED])), ([BOOKED, *HANDED_OVER], "Booked.")]
)
def test_a_dialogue_that_ends_with_a_tool_is_kept_by_its_judged_message(messages: list[Message], text: str) -> None:
    result = VerificationResult(
        metadata=ResultMetadata(
            question_id="q", template_id="t", answering=ModelIdentity(interface="manual", model_name="ada")
        ),
        template=ResultTemplate(raw_llm_response=render_trace(messages), verify_result=True),
        evaluation_input="Booked.",
    )
    assert sample_from(result, "Run").text == text
