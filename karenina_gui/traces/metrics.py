"""Statistics of an agent's loop from its messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from karenina_gui.schemas.messages import Message
from karenina_gui.traces.tool_pairs import ToolPair, tool_pairs


def trace_metrics(messages: Sequence[Message], *, limit_reached: bool = False) -> dict[str, Any]:
    """Statistics under upstream's names (`agent_metrics`); a truncated or refused call counts as failed."""
    counts = Counter(use.name for message in messages for use in message.tool_uses)
    failed = [pair.call.name if pair.call else "unknown" for pair in tool_pairs(messages) if _has_failed(pair)]
    return {
        "iterations": sum(message.role == "assistant" for message in messages),
        "tool_calls": counts.total(),
        "tools_used": sorted(counts),
        "tool_call_counts": dict(counts),
        "suspect_failed_tool_calls": len(failed),
        "suspect_failed_tools": sorted(set(failed)),
        "limit_reached": limit_reached,
    }


def _has_failed(pair: ToolPair) -> bool:
    if pair.result is not None:
        return pair.result.is_error
    return pair.call is not None and pair.call.dropped
