"""Tools required by a condition (`Condition.require_mcp_tool_use`).

An answer without them is not scored, and not retried either: scoring only the answers that happened to use tools would
measure the model when it uses them, not the model under the condition (`variance.md`, section 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.result import FailureCategory
from karenina_gui.traces.tool_pairs import tool_pairs


@dataclass(frozen=True)
class MissingToolFailure:
    """Reason why an answer is not scored."""

    category: FailureCategory
    told: str


def without_tools(condition: Condition | None, messages: Sequence[Message]) -> MissingToolFailure | None:
    """Violated tool requirement of the condition; None: nothing is required, or the trace fulfills it.

    Only tools of MCP servers count; built-in workspace tools do not.
    """
    if condition is None:
        return None
    failures = _call_failures(messages)
    if condition.require_mcp_tool_use and not failures:
        return MissingToolFailure(
            "tools_unused",
            f"The condition “{condition.name}” requires an MCP tool call, but the model made none. "
            "The answer is not scored.",
        )
    if condition.require_mcp_tool_success and failures and all(failures):
        many = f"all {len(failures)} calls" if len(failures) > 1 else "the only call"
        return MissingToolFailure(
            "tools_failed",
            f"The condition “{condition.name}” requires a successful MCP tool call, but {many} failed. "
            "The answer is not scored.",
        )
    return None


def _call_failures(messages: Sequence[Message]) -> list[bool]:
    """Executed calls to tools of MCP servers: True if the call failed."""
    pairs = [pair for pair in tool_pairs(messages) if pair.call and pair.call.server is not None]
    return [bool(pair.result and pair.result.is_error) for pair in pairs if pair.call and not pair.call.dropped]
