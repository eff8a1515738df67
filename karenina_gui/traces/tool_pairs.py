"""Matching of tool results with their calls.

Ids are not enough: some providers repeat ids in every turn, or give all calls the same one. So a result belongs to a
call of the latest turn with its id, and several with one id are matched in order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from karenina_gui.schemas.messages import Message, ToolResultBlock, ToolUseBlock


@dataclass(frozen=True)
class ToolPair:
    """A call with its result."""

    call: ToolUseBlock | None
    """None: the result answers no call of the conversation."""
    called_in: int | None
    """Index of the message with the call; None without a call."""
    result: ToolResultBlock | None
    """None: the call got no result."""
    found_in: int | None
    """Index of the message with the result; None without a result."""


def tool_pairs(messages: Sequence[Message]) -> Iterator[ToolPair]:
    """Yield all results in order, each with its call, and then the calls without a result."""
    waiting: dict[str, deque[tuple[int, ToolUseBlock]]] = {}
    unanswered: list[tuple[int, ToolUseBlock]] = []
    for at, message in enumerate(messages):
        # A later turn with the same id takes over: the earlier calls will get no result any more.
        for id_ in {use.id for use in message.tool_uses}:
            unanswered += waiting.pop(id_, ())
        for use in message.tool_uses:
            waiting.setdefault(use.id, deque()).append((at, use))
        for result in message.tool_results:
            called_in, call = waiting[result.tool_use_id].popleft() if waiting.get(result.tool_use_id) else (None, None)
            yield ToolPair(call, called_in, result, at)
    unanswered += [pair for calls in waiting.values() for pair in calls]
    for called_in, call in sorted(unanswered, key=lambda pair: pair[0]):
        yield ToolPair(call, called_in, None, None)
