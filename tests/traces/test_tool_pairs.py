"""Results find their calls also where ids repeat."""

from __future__ import annotations

from karenina_gui.schemas.messages import Message, ToolResultBlock, ToolUseBlock
from karenina_gui.traces.tool_pairs import tool_pairs


def calls(*uses: tuple[str, str]) -> Message:
    return Message(role="assistant", content=tuple(ToolUseBlock(id=id_, name=name) for id_, name in uses))


def results(*found: tuple[str, str]) -> Message:
    return Message(role="tool", content=tuple(ToolResultBlock(tool_use_id=id_, content=text) for id_, text in found))


def paired(*messages: Message) -> list[tuple[str | None, int | None, str | None, int | None]]:
    return [
        (
            pair.call.name if pair.call else None,
            pair.called_in,
            pair.result.content if pair.result else None,
            pair.found_in,
        )
        for pair in tool_pairs(messages)
    ]


def test_an_id_that_every_turn_uses_belongs_to_the_latest_turn() -> None:
    turns = (calls(("1", "look")), results(("1", "a")), calls(("1", "book")), results(("1", "b")))
    assert paired(*turns) == [("look", 0, "a", 1), ("book", 2, "b", 3)]


def test_calls_of_one_id_in_one_turn_are_answered_in_order() -> None:
    turns = (calls(("x", "first"), ("x", "second")), results(("x", "a"), ("x", "b")))
    assert paired(*turns) == [("first", 0, "a", 1), ("second", 0, "b", 1)]


def test_results_may_come_in_another_order_than_their_calls() -> None:
    turns = (calls(("1", "look"), ("2", "book")), results(("2", "b")), results(("1", "a")))
    assert paired(*turns) == [("book", 0, "b", 1), ("look", 0, "a", 2)]


def test_a_call_without_a_result_keeps_none_of_a_later_turn() -> None:
    turns = (calls(("1", "lost")), calls(("1", "book")), results(("1", "b"), ("2", "c")))
    assert paired(*turns) == [("book", 1, "b", 2), (None, None, "c", 2), ("lost", 0, None, None)]
