"""Tool calls of Claude Code as streamed, so that they run exactly as sent or not at all.

The program itself runs `[]` and `0` as `{}`, of two values with one name the last one, and calls of a truncated reply.
It asks before each call (`PreToolUse`); the answer waits until the reply is complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from karenina_gui.adapters.tool_calls import convert_call, told_unreadable
from karenina_gui.schemas.messages import ToolUseBlock
from karenina_gui.schemas.stop_reasons import is_cut_off, refusal_sentence

_GLANCE = 0.01
"""Polling interval in seconds for the end of a reply."""
_LONGEST_WAIT = 50.0
"""Seconds to wait for the rest of a reply; the program itself waits a minute for the answer."""


@dataclass
class _Sent:
    parts: list[str] = field(default_factory=list)
    """Chunks of the arguments from the stream; empty: they came parsed, in one piece."""
    stop_reason: str | None = None
    """None: the reply is not complete."""


@dataclass
class StreamedCalls:
    """Collects tool calls from the stream. `take` must get every event of it."""

    _calls: dict[str, _Sent] = field(default_factory=dict)
    """Latest call of each id."""
    _reply: dict[int, _Sent] = field(default_factory=dict)
    """Calls of the reply that is being streamed, by content block index."""

    def add(self, event: Mapping[str, Any]) -> None:
        match event.get("type"):
            case "message_start":
                self._reply = {}
            case "content_block_start":
                self._begin(event)
            case "content_block_delta":
                self._append(event)
            case "message_delta" | "message_stop":
                for sent in self._reply.values():
                    sent.stop_reason = (event.get("delta") or {}).get("stop_reason") or sent.stop_reason or ""

    def _begin(self, event: Mapping[str, Any]) -> None:
        block = event["content_block"]
        if block.get("type") == "tool_use":
            self._calls[str(block.get("id"))] = self._reply[event["index"]] = _Sent()

    def _append(self, event: Mapping[str, Any]) -> None:
        delta = event["delta"]
        if delta.get("type") == "input_json_delta" and (sent := self._reply.get(event["index"])) is not None:
            sent.parts.append(str(delta.get("partial_json") or ""))

    def as_sent(self, call: ToolUseBlock) -> ToolUseBlock:
        """Return the call with its arguments as they were sent, if those are not a JSON object."""
        sent = self._calls.get(call.id)
        if sent is None or not sent.parts:
            return call
        unreadable = convert_call(call.id, call.name, "".join(sent.parts)).unreadable
        return call if unreadable is None else call.model_copy(update={"input": {}, "unreadable": unreadable})

    async def why_not(self, call_id: str, name: str) -> str | None:
        """Message to the model if the call must not run; None if it may. Waits for the end of the reply."""
        import anyio

        sent = self._calls.get(call_id)
        until = monotonic() + _LONGEST_WAIT
        while sent is None or sent.stop_reason is None:
            if monotonic() > until:
                return f"The reply did not come to its end, so {name} was not called."
            await anyio.sleep(_GLANCE)
            sent = self._calls.get(call_id)
        if refusal_sentence(sent.stop_reason):
            # The loop ends here. After an answer the program might ask the provider once more before it is gone.
            await anyio.sleep(_LONGEST_WAIT)
            return f"The provider stopped the reply, so {name} was not called."
        if is_cut_off(sent.stop_reason):
            return f"The reply was cut off at the token limit, so {name} was not called."
        use = self.as_sent(ToolUseBlock(id=call_id, name=name))
        return told_unreadable(use) if use.unreadable is not None else None
