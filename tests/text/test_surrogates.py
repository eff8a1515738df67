"""Halves of surrogate pairs."""

from __future__ import annotations

from hypothesis import given, strategies as st

from karenina_gui.schemas.messages import Message
from karenina_gui.text.surrogates import without_surrogates
from karenina_gui.traces.provider_formats import to_messages

HALF = "42 \ud83d"
WHOLE = "42 \ufffd"


def test_a_half_pair_is_replaced_wherever_it_stands():
    value = {HALF: [1, (HALF, None)], "m": Message.of("user", HALF)}
    assert without_surrogates(value) == {WHOLE: [1, (WHOLE, None)], "m": Message.of("user", WHOLE)}


def test_what_is_whole_stays_the_same_object():
    value = {"emoji": "\U0001f600", "list": [1.5, None, Message.of("user", "ö")]}
    assert without_surrogates(value) is value


def test_depth_does_not_matter_where_nothing_is_broken():
    value: list[object] = []
    for _ in range(50_000):
        value = [value]
    assert without_surrogates(value) is value


@given(st.text(st.characters() | st.characters(categories=["Cs"])))
def test_every_text_can_be_encoded_and_keeps_its_length(text):
    whole = without_surrogates(text)
    assert len(whole.encode().decode()) == len(text)


def test_recorded_conversations_can_be_stored():
    call = {"id": "t", "function": {"name": "f", "arguments": '{"a": "\\ud83d"}'}}
    given = [
        {"role": "assistant", "content": HALF, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t", "content": HALF},
        Message.of("assistant", HALF),
    ]
    called, result, said = to_messages(given)
    assert (called.text, result.tool_results[0].content, said.text) == (WHOLE, WHOLE, WHOLE)
    assert called.tool_uses[0].input == {"a": "\ufffd"}
    assert to_messages(HALF) == [Message.of("assistant", WHOLE)]
    for message in (called, result, said):
        assert message.model_dump_json()
