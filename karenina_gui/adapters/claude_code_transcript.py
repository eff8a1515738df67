"""Conversion of Claude Code's messages to our messages, token counts and outcomes.

It sends each block of a turn as it comes, and the turn's tokens after the last one; turns are reassembled by id. Text
that it writes in the model's name when a call fails is not part of the trace.

Tool calls run exactly as sent or not at all. The program itself runs `[]` and `0` as `{}`, of two values with one name
the last one, and calls of a truncated reply. It asks before each call (`PreToolUse`); the answer waits until the reply
is complete.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.claude_sdk_internals import kind_of
from karenina_gui.adapters.claude_wire import own_result
from karenina_gui.adapters.connections import Endpoint
from karenina_gui.adapters.error_mapping import fault_of_status, redact
from karenina_gui.adapters.ports import AgentConfig, CallUsage
from karenina_gui.adapters.tool_calls import convert_call, in_messages, mark_calls, unreadable_call_text
from karenina_gui.errors import AgentExecutionError, PortError, ProviderError, ToolServerError
from karenina_gui.schemas.messages import Block, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.stop_reasons import is_cut_off, refusal_sentence
from karenina_gui.schemas.usage import LONG_LIVED
from karenina_gui.text import quantity
from karenina_gui.text.secrets import without_secrets

if TYPE_CHECKING:
    from karenina_gui.adapters.key_relay import KeyRelay

OWN_SERVER = "workspace"
"""Name of the MCP server that serves our own tools; Claude Code calls them mcp__workspace__NAME."""

_LOST = ("Connection closed", "is not connected", "Not connected")
"""Claude Code's wordings of a call to a server that is gone."""
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
        return unreadable_call_text(use) if use.unreadable is not None else None


@dataclass
class _Turn:
    message_id: str | None
    role: str
    spoken_at: str
    """Time of its last block."""
    blocks: list[Block] = field(default_factory=list)
    results: list[ToolResultBlock] = field(default_factory=list)
    worked: str = ""
    """Time of the last of `results`."""


@dataclass
class TranscriptBuilder:
    """Trace of one loop. `take` must get every message of the SDK."""

    endpoint: Endpoint
    folder: Path
    """Working folder of the program, shown as /workspace."""
    relay: KeyRelay
    """Relay through which the program asks its provider."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """{secret: sign in its place} of the program's MCP servers."""
    result: Any = None
    """The SDK's `ResultMessage`; None: the loop did not end by itself."""
    refusal: str | None = None
    stop_reason: str | None = None
    model: str | None = None
    lost_server: tuple[str, str] | None = None
    """Name of an MCP server that cannot be used, and the reason."""
    failure: str | None = None
    """Claude Code's term for the kind of a failed call; None: no call failed."""
    retries: Counter[str] = field(default_factory=Counter)
    calls: StreamedCalls = field(default_factory=StreamedCalls)
    _turns: list[_Turn] = field(default_factory=list)
    _stops: dict[str, str] = field(default_factory=dict)
    """Stop reason of each turn, by its id."""
    _streamed: str | None = None
    _usages: dict[str, CallUsage] = field(default_factory=dict)

    def add(self, message: Any) -> None:
        kind = kind_of(message)
        # Messages of a subagent: only its outcome, the result of the call that started it, belongs to the trace.
        if getattr(message, "parent_tool_use_id", None) is not None:
            return
        if kind == "StreamEvent":
            self._take_event(message.event)
        elif kind == "AssistantMessage":
            self._take_assistant(message)
        elif kind == "UserMessage":
            self._take_user(message.content)
        elif kind == "ResultMessage":
            self.result = message
        elif kind == "SystemMessage":
            self._take_system(message.subtype, message.data)

    def reached_limit(self, config: AgentConfig) -> str | None:
        """The limit that has been reached, in words; None if there is none."""
        if config.max_tokens is not None and (self.usage.total_tokens or 0) > config.max_tokens:
            return quantity(config.max_tokens, "token")
        if config.max_tool_calls is not None and self._calls > config.max_tool_calls:
            return quantity(config.max_tool_calls, "tool call")
        return None

    @property
    def turns(self) -> int:
        return sum(turn.role == "assistant" for turn in self._turns)

    @property
    def usage(self) -> CallUsage:
        """Sum over all turns."""
        return _sum(list(self._usages.values()))

    @property
    def dollars(self) -> float | None:
        """Cost of the loop by the list prices in Claude Code; None if it does not know the model."""
        by_model = getattr(self.result, "model_usage", None) or {}
        if not by_model or any(usage.get("costBasis", "unknown") == "unknown" for usage in by_model.values()):
            return None
        cost = self.result.total_cost_usd
        return float(cost) if isinstance(cost, int | float) else None

    def messages(self) -> tuple[Message, ...]:
        """The trace without the key and the path of the working folder."""
        return tuple(self._redact(message) for turn in self._turns for message in self._messages_of(turn))

    @property
    def cut_off(self) -> bool:
        """True if the program gave up because replies were too long."""
        return self.failure == "max_output_tokens" and bool(self._turns)

    @property
    def _calls(self) -> int:
        calls = [block for turn in self._turns for block in turn.blocks if isinstance(block, ToolUseBlock)]
        return sum(not call.by_provider for call in calls)

    def _take_event(self, event: Mapping[str, Any]) -> None:
        self.calls.add(event)
        if event.get("type") == "message_start":
            self._streamed = str(event["message"].get("id"))
            self._usages[self._streamed] = usage_of(event["message"].get("usage"))
        elif event.get("type") == "message_delta" and self._streamed is not None:
            self._usages[self._streamed] = usage_of(event.get("usage"))
            delta = event.get("delta") or {}
            self.stop_reason = delta.get("stop_reason") or self.stop_reason
            self._stops[self._streamed] = self.stop_reason or ""
            if why := refusal_sentence(self.stop_reason):
                details = delta.get("stop_details") or {}
                self.refusal = details.get("explanation") or why

    def _take_assistant(self, message: Any) -> None:
        if message.error is not None:
            self.failure = str(message.error)
            return
        self.model = message.model
        turn = next((turn for turn in self._turns if turn.message_id == message.message_id), None)
        if turn is None:
            turn = _Turn(message.message_id, "assistant", _now())
            self._turns.append(turn)
        if not turn.results:
            turn.spoken_at = _now()
        turn.blocks += [self._as_sent(block) for part in message.content if (block := _block(part)) is not None]

    def _as_sent(self, block: Block) -> Block:
        return self.calls.as_sent(block) if isinstance(block, ToolUseBlock) else block

    def _take_user(self, content: Any) -> None:
        """Take results of tools, or a note of Claude Code to the model."""
        if isinstance(content, str):
            self._turns.append(_Turn(None, "user", _now(), [TextBlock(text=content)]))
            return
        for part in content:
            kind = kind_of(part)
            if kind == "TextBlock":
                self._turns.append(_Turn(None, "user", _now(), [TextBlock(text=part.text)]))
            elif kind == "ToolResultBlock":
                result = ToolResultBlock(
                    tool_use_id=part.tool_use_id,
                    content=_text(part.content),
                    is_error=bool(part.is_error),
                )
                self._detect_lost_server(result)
                turn = self._turn_of(result.tool_use_id)
                turn.results.append(result)
                turn.worked = _now()

    def _turn_of(self, call: str) -> _Turn:
        """Latest turn that made a call of this id, or the last one. Ids may be reused."""
        for turn in reversed(self._turns):
            if any(isinstance(block, ToolUseBlock) and block.id == call for block in turn.blocks):
                return turn
        if not self._turns:
            self._turns.append(_Turn(None, "assistant", _now()))
        return self._turns[-1]

    def _detect_lost_server(self, result: ToolResultBlock) -> None:
        """Note if the server of a tool is gone."""
        if not result.is_error or not any(phrase in result.content for phrase in _LOST):
            return
        calls = [block for turn in self._turns for block in turn.blocks if isinstance(block, ToolUseBlock)]
        name = next((call.name for call in reversed(calls) if call.id == result.tool_use_id), "")
        if server := server_of(name):
            self.lost_server = (server, "its connection closed while the agent was working.")

    def _take_system(self, subtype: str, data: Mapping[str, Any]) -> None:
        if subtype == "api_retry":
            fault = self.relay.fault
            category = _category(data.get("error_status"), str(data.get("error") or ""))
            self.retries[fault.category if fault is not None else category] += 1
        elif subtype == "init":
            for server in data.get("mcp_servers") or ():
                if server.get("status") not in ("connected", "pending"):
                    self.lost_server = (str(server.get("name")), "it can’t be reached or isn’t an MCP server.")

    def _redact(self, message: Message) -> Message:
        text = plain = message.model_dump_json()
        hidden = {str(self.folder): "/workspace", self.relay.password: "[password]"}
        for secret, sign in hidden.items():
            text = text.replace(json.dumps(secret)[1:-1], sign)
        message = message if text == plain else Message.model_validate_json(text)
        return without_secrets(self.endpoint.without_key(message), self.secrets)

    def _messages_of(self, turn: _Turn) -> list[Message]:
        usage = self._usages.get(turn.message_id) if turn.message_id else None
        counted = usage is not None and usage.total_tokens is not None
        if turn.role == "user":
            messages = [Message(role="user", content=tuple(turn.blocks), timestamp=turn.spoken_at)]
        else:
            blocks = mark_calls(turn.blocks, self._stops.get(turn.message_id or ""))
            messages = [
                Message(role=role, content=some, timestamp=turn.spoken_at) for role, some in in_messages(blocks)
            ]
        metadata = _metadata(usage) if usage is not None and counted else None
        messages[-1] = messages[-1].model_copy(update={"usage_metadata": metadata})
        if not turn.results:
            return messages
        return [*messages, Message(role="tool", content=tuple(turn.results), timestamp=turn.worked)]


def usage_of(usage: Any) -> CallUsage:
    """Convert token counts. Input includes the prompt cache, which the API counts separately."""
    if not usage:
        return CallUsage()
    cached = {
        "cache_read": usage.get("cache_read_input_tokens"),
        "cache_creation": usage.get("cache_creation_input_tokens"),
    }
    details = {name: count for name, count in cached.items() if count}
    long_lived = (usage.get("cache_creation") or {}).get(LONG_LIVED)
    return CallUsage(
        (usage.get("input_tokens") or 0) + sum(details.values()),
        usage.get("output_tokens"),
        details | ({LONG_LIVED: long_lived} if long_lived else {}),
    )


def fault_of_loop(
    trace: TranscriptBuilder, error: Exception | None, stderr: list[str], model: str, endpoint: Endpoint
) -> PortError:
    """Error of a broken loop: the provider's answer if known, else the program's last words."""
    where = f"{model} at {endpoint.host}"
    result = trace.result
    message = without_secrets(redact(_error_text(result, error), endpoint), trace.secrets)
    status = getattr(result, "api_error_status", None)
    if isinstance(status, int):
        fault: PortError = fault_of_status(status, {"error": {"message": message}}, {}, where, endpoint)
    elif "timed out" in message.lower():
        fault = ProviderError(f"{where} didn’t reply in time. Try again, or increase the timeout.", category="timeout")
    elif trace.failure is not None and ("connect" in message.lower() or "ECONN" in message):
        refused = "ECONNREFUSED" in message
        unreached = f"No server responds at {endpoint.host}. Check that it is running."
        fault = ProviderError(
            unreached if refused else f"The connection to {where} failed: {message}",
            category="connection",
            reached=not refused,
        )
    elif trace.failure in _KINDS:
        fault = fault_of_status(_KINDS[trace.failure], {"error": {"message": message}}, {}, where, endpoint)
    else:
        last = without_secrets(redact("; ".join(stderr[-3:]), endpoint), trace.secrets)
        fault = AgentExecutionError(f"Claude Code failed: {message}{last and f' Last output: {last}'}")
    return with_trace(fault, trace)


def server_fault(trace: TranscriptBuilder) -> ToolServerError:
    server, why = trace.lost_server or ("", "")
    return ToolServerError(f"Couldn’t use the MCP server “{server}”: {why}", server=server)


def with_trace(fault: PortError, trace: TranscriptBuilder) -> PortError:
    """The error with the trace so far, and its token counts."""
    fault.messages = trace.messages()
    fault.retries = dict(trace.retries)
    fault.model = trace.model
    fault.usages = (trace.usage,) if trace.usage.total_tokens is not None else ()
    return fault


_KINDS = {"authentication_failed": 401, "rate_limit": 429, "server_error": 500, "invalid_request": 400}
"""Claude Code's terms for failed calls, with the equivalent HTTP status."""


def _error_text(result: Any, error: Exception | None) -> str:
    if result is not None:
        return str(result.result or "; ".join(result.errors or ()) or result.subtype)
    return str(error).strip() or type(error).__name__


def _category(status: Any, word: str) -> str:
    if status == 429 or word == "rate_limit":
        return "rate_limit"
    if status in (408, 504) or "timeout" in word:
        return "timeout"
    return "connection" if status is None else "server_error"


def _block(block: Any) -> Block | None:
    kind = kind_of(block)
    if kind == "TextBlock":
        return TextBlock(text=block.text)
    if kind == "ThinkingBlock":
        return ThinkingBlock(thinking=block.thinking, signature=block.signature or None)
    if kind in ("ToolUseBlock", "ServerToolUseBlock"):
        own = kind == "ServerToolUseBlock"
        about = {"by_provider": True} if own else {"server": server_of(block.name)}
        return convert_call(block.id, block.name, block.input).model_copy(update=about)
    if kind == "ServerToolResultBlock":
        return own_result(block.tool_use_id, block.content)
    return None


def server_of(tool: str) -> str | None:
    """MCP server of a tool of Claude Code (`mcp__<server>__<name>`); None for its own tools and ours."""
    server = tool.removeprefix("mcp__").partition("__")[0]
    return server if tool.startswith("mcp__") and server != OWN_SERVER else None


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part.get("text") or f"[{part.get('type', 'content')}]") for part in content)


def _metadata(usage: CallUsage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
        "total_tokens": usage.total_tokens or 0,
    }


def _sum(usages: list[CallUsage]) -> CallUsage:
    counted = [usage for usage in usages if usage.total_tokens is not None]
    if not counted:
        return CallUsage()
    details: Counter[str] = Counter()
    for usage in counted:
        details.update(usage.input_token_details)
    return CallUsage(
        sum(usage.input_tokens or 0 for usage in counted),
        sum(usage.output_tokens or 0 for usage in counted),
        dict(details),
        requests=tuple(counted),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
