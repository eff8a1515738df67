"""Tests of the trace view's messages from stored results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.gui.pages.results.conversation import conversation, tool_calls
from karenina_gui.gui.pages.results.judged_text import judged_text
from karenina_gui.schemas.messages import Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, to_stored
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult

SENT = [Message.of("system", "Be brief."), Message.of("user", "Which gene?")]
TRACE = [
    Message(
        role="assistant",
        content=(
            ThinkingBlock(thinking="I should look it up."),
            ToolUseBlock(id="c1", name="search", input={"q": "TP53"}),
        ),
    ),
    Message(role="tool", content=(ToolResultBlock(tool_use_id="c1", content='{"hit":1}', is_error=False),)),
    Message(role="assistant", content=(TextBlock(text="It is TP53."),)),
]


def test_what_was_sent_stands_before_what_the_model_did() -> None:
    items = conversation(result(TRACE, read="It is TP53."))
    assert [(i["number"], i["role"], i["sent"]) for i in items] == [
        (1, "system", True),
        (2, "user", True),
        (3, "assistant", False),
        (4, "tool", False),
        (5, "assistant", False),
    ]
    assert [i["number"] for i in items if i["final"]] == [5]


def test_a_trace_that_repeats_what_was_sent_shows_it_once() -> None:
    assert conversation(result([*SENT, *TRACE])) == conversation(result(TRACE))


def test_a_tool_result_knows_its_tool_and_the_message_that_called_it() -> None:
    (found,) = conversation(result(TRACE))[3]["results"]
    assert (found["name"], found["call"], found["size"]) == ("search", 3, 9)
    assert json.loads(found["text"]) == {"hit": 1}


def test_arguments_are_indented_json() -> None:
    assert conversation(result(TRACE))[2]["calls"] == [
        {"id": "c1", "name": "search", "arguments": '{\n  "q": "TP53"\n}', "not_run": "", "marks": []}
    ]


@pytest.mark.parametrize(
    "given",
    [
        "[" * 20_000,
        '{"half": "\\ud83d"}',
        '{"a": 1, "a": 2}',
        '{"x": 0.12345678901234567890}',
        '{"x": 1e400}',
        '{"x": 1.50}',
        '{"x": NaN}',
    ],
)
def test_a_result_that_would_read_differently_indented_stays_as_it_came(given: str) -> None:
    trace = [
        Message(role="assistant", content=(ToolUseBlock(id="1", name="look"),)),
        Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content=given),)),
    ]
    shown = conversation(result(trace))[-1]["results"][0]["text"]
    assert shown == given
    shown.encode()


def test_a_plain_answer_is_one_message_without_its_header() -> None:
    plain = result(
        [], read="42\n--- Results ---\nfine", raw_llm_response="--- AI Message ---\n42\n--- Results ---\nfine"
    )
    assert [i["text"] for i in conversation(plain) if not i["sent"]] == ["42\n--- Results ---\nfine"]
    assert judged_text(plain).text.startswith("42") and not judged_text(plain).whole


def test_a_result_without_an_answer_has_an_empty_answer_and_only_what_was_sent() -> None:
    assert judged_text(result([])).text == ""
    assert [i["sent"] for i in conversation(result([]))] == [True, True]
    assert not any(i["final"] for i in conversation(result([])))


def test_a_call_that_was_not_run_shows_its_text_as_sent_and_why() -> None:
    half = '{"command": "cp data.csv keep.csv; rm -rf ./dat'
    blocks = (
        ToolUseBlock(id="1", name="run_command", unreadable=half),
        ToolUseBlock(id="2", name="run_command", input={"command": "ls"}, cut_off=True),
    )
    items = conversation(result([Message(role="assistant", content=blocks)]))
    assert [(each["arguments"], each["not_run"]) for each in items[-1]["calls"]] == [
        (half, "not run: arguments are not a JSON object"),
        ('{\n  "command": "ls"\n}', "not run: cut off at the token limit"),
    ]
    assert tool_calls(items) == 2


def test_a_recorded_call_with_unreadable_arguments_shows_their_text_and_a_mark_but_no_failure() -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": "{broken"}}
    reply = {"role": "tool", "tool_call_id": "1", "content": "it ran"}
    recorded = read_openai([{"role": "assistant", "content": None, "tool_calls": [call]}, reply])
    (shown,) = conversation(result(recorded))[-2]["calls"]
    assert (shown["arguments"], shown["marks"], shown["not_run"]) == (
        "{broken",
        ["arguments are not a JSON object"],
        "",
    )


def test_results_of_all_published_conversations_name_their_tool_and_the_call_before_them(shared: Path) -> None:
    trials = json.loads((shared / "data" / "tau-airline-gpt-4o.json").read_text())
    repeating = 0
    for trial in trials:
        messages = trial["messages"]
        ids = [call["id"] for message in messages for call in message.get("tool_calls") or []]
        repeating += len(ids) != len(set(ids))
        items = [item for item in conversation(result(read_openai(messages))) if not item["sent"]]
        assert len(items) == len(messages)
        for at, (message, item) in enumerate(zip(messages, items, strict=True)):
            for found in item["results"]:
                assert found["name"] == message["name"]
                before = max(n for n in range(at) if messages[n].get("tool_calls"))
                assert found["call"] == items[before]["number"]
    assert repeating == 23


def test_a_long_published_conversation_keeps_every_message_and_call(shared: Path) -> None:
    trials = json.loads((shared / "data" / "tau-airline-gpt-4o.json").read_text())
    longest = max(trials, key=lambda trial: len(trial["messages"]))["messages"]
    items = conversation(result(read_openai(longest)))
    assert len([i for i in items if not i["sent"]]) == len(longest)
    assert tool_calls(items) == sum(len(m.get("tool_calls") or []) for m in longest)
    assert all(r["name"] for i in items for r in i["results"])


def read_openai(messages: list[dict[str, Any]]) -> list[Message]:
    from karenina_gui.traces.provider_formats import to_messages

    return to_messages(messages)


def result(trace: list[Message], *, read: str | None = None, **template: Any) -> VerificationResult:
    """Build a result; `read`: the final message as given to a judge."""
    return VerificationResult(
        evaluation_input=read,
        used_full_trace=False,
        metadata=ResultMetadata(
            question_id="q", template_id="t", answering=ModelIdentity(interface="openai_endpoint", model_name="m")
        ),
        template=ResultTemplate(trace_messages=to_stored(trace), conversation_context=to_stored(SENT), **template),
    )
