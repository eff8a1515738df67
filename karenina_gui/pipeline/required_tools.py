"""Tools that a condition requires: an answer that came without them is not scored (`Condition.require_mcp_tool_use`).

Nor is it asked for again: scoring only the answers that happened to use tools would say what the model does when it
uses them, not what it does under the condition (`variance.md`, section 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.result import FailureCategory
from karenina_gui.schemas.tool_pairs import tool_pairs


@dataclass(frozen=True)
class Lack:
    """Why an answer is not scored."""

    category: FailureCategory
    told: str


def without_tools(condition: Condition | None, messages: Sequence[Message]) -> Lack | None:
    """What the condition requires of the trace and did not get; None: nothing is required, or it is all there.

    Only tools of MCP servers count; built-in tools of the workspace do not.
    """
    if condition is None:
        return None
    pairs = [pair for pair in tool_pairs(messages) if pair.call is not None and pair.call.server is not None]
    calls = [pair for pair in pairs if pair.call is not None and not pair.call.dropped]
    if condition.require_mcp_tool_use and not calls:
        return Lack(
            "tools_unused",
            f"The condition '{condition.name}' wants its tools used, and the model called none. "
            "The sample is not scored.",
        )
    if condition.require_mcp_tool_success and calls and all(pair.result and pair.result.is_error for pair in calls):
        many = f"all {len(calls)} calls" if len(calls) > 1 else "the only call"
        return Lack(
            "tools_failed",
            f"The condition '{condition.name}' wants a tool of its servers to work, and {many} failed. "
            "The sample is not scored.",
        )
    return None
