"""Conversations as structured blocks, and their two serialized forms.

Messages are kept as blocks. The text form (`--- AI Message ---` headers) is a rendering for people and regexes, never
parsed if blocks are available. The flat stored form has one dict per message, as in result files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from karenina_gui.text.thoughts import split_thought

Role = Literal["system", "user", "assistant", "tool"]


class _Block(BaseModel):
    model_config = ConfigDict(frozen=True)


class TextBlock(_Block):
    type: Literal["text"] = "text"
    text: str


class ThinkingBlock(_Block):
    type: Literal["thinking"] = "thinking"
    thinking: str
    signature: str | None = None
    redacted: str | None = Field(default=None, exclude_if=lambda redacted: redacted is None)
    """Encrypted part of the thought, sent back to the provider unchanged."""


class ToolUseBlock(_Block):
    type: Literal["tool_use"] = "tool_use"
    id: str
    name: str
    input: dict[str, Any] = Field(default_factory=dict)
    unreadable: str | None = Field(default=None, exclude_if=lambda text: text is None)
    """The arguments as the model wrote them, if they are not a JSON object; None: `input` has them."""
    cut_off: bool = Field(default=False, exclude_if=lambda cut: not cut)
    """True: the reply was truncated before the call was complete, so it was not run."""
    refused: bool = Field(default=False, exclude_if=lambda refused: not refused)
    """True: the provider stopped the reply because of its content, so the call was not run."""
    by_provider: bool = Field(default=False, exclude_if=lambda by_provider: not by_provider)
    """True: the provider ran it while replying, such as a web search."""
    server: str | None = Field(default=None, exclude_if=lambda server: server is None)
    """MCP server of the tool; None: a built-in tool, or one that does not exist."""
    recorded: bool = Field(default=False, exclude_if=lambda recorded: not recorded)
    """True: another program's call, which may have been run although its arguments are unreadable here."""

    @property
    def dropped(self) -> bool:
        """True if the way in which its reply ended kept it from being run."""
        return self.cut_off or self.refused

    @property
    def not_run(self) -> str | None:
        """Reason why it was not run, as far as the call tells; None: no known reason."""
        if self.cut_off:
            return CUT_OFF
        if self.refused:
            return STOPPED
        unreadable = self.unreadable is not None and not self.recorded and not self.by_provider
        return UNREADABLE if unreadable else None


CUT_OFF = "cut off at the token limit"
STOPPED = "the provider stopped the reply"
UNREADABLE = "arguments are not a JSON object"


class ToolResultBlock(_Block):
    type: Literal["tool_result"] = "tool_result"
    tool_use_id: str
    content: str
    is_error: bool = False


Block = Annotated[TextBlock | ThinkingBlock | ToolUseBlock | ToolResultBlock, Field(discriminator="type")]


class Message(BaseModel):
    """One turn. `content` is a list of blocks; a plain text becomes one text block."""

    model_config = ConfigDict(frozen=True)

    role: Role
    content: tuple[Block, ...]
    usage_metadata: dict[str, Any] | None = None
    """Tokens of this turn, under upstream's names; None: unknown, or not a model's turn."""
    timestamp: str | None = None
    """Time of the message (ISO 8601, UTC); None: unknown."""

    @classmethod
    def of(cls, role: Role, text: str) -> Message:
        return cls(role=role, content=(TextBlock(text=text),) if text else ())

    @property
    def text(self) -> str:
        return "".join(b.text for b in self.content if isinstance(b, TextBlock))

    @property
    def tool_uses(self) -> list[ToolUseBlock]:
        return [b for b in self.content if isinstance(b, ToolUseBlock)]

    @property
    def tool_results(self) -> list[ToolResultBlock]:
        return [b for b in self.content if isinstance(b, ToolResultBlock)]

    @property
    def thinking(self) -> list[ThinkingBlock]:
        return [b for b in self.content if isinstance(b, ThinkingBlock)]


def with_thoughts(messages: Iterable[Message]) -> list[Message]:
    """The messages, with thoughts at the head of a model's text (`<think>`) as blocks of their own."""
    return [
        message.model_copy(update={"content": thoughts_apart(message.content)})
        if message.role == "assistant"
        else message
        for message in messages
    ]


def thoughts_apart(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks of a model's message, with a thought at the head of its text as a block before it."""
    first = next((at for at, block in enumerate(blocks) if isinstance(block, TextBlock)), len(blocks))
    end = next((at for at in range(first, len(blocks)) if not isinstance(blocks[at], TextBlock)), len(blocks))
    # Some servers send one text in several parts.
    whole = "".join(block.text for block in blocks[first:end] if isinstance(block, TextBlock))
    has_thought = any(isinstance(block, ThinkingBlock) for block in blocks[:first])
    thought, text = split_thought(whole, has_thought=has_thought)
    if text == whole:
        return tuple(blocks)
    apart: list[Block] = [ThinkingBlock(thinking=thought)] if thought else []
    return (*blocks[:first], *apart, *([TextBlock(text=text)] if text else []), *blocks[end:])


def to_stored(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Flat dicts, as in `trace_messages` of a result: role, content, block_index, and further keys.

    A tool message with several results becomes one dict per result; `block_index` numbers the dicts of one message.
    """
    return [entry for message in messages for entry in _flatten(message)]


def from_stored(entries: Iterable[dict[str, Any]]) -> list[Message]:
    """The inverse of `to_stored`; unknown keys are ignored."""
    messages: list[Message] = []
    for entry in entries:
        message = Message(
            role=entry["role"],
            content=tuple(_stored_blocks(entry)),
            usage_metadata=entry.get("usage_metadata"),
            timestamp=entry.get("timestamp"),
        )
        # Results of one message were stored as several entries, numbered from 0.
        goes_on = entry.get("tool_result") and entry.get("block_index")
        if goes_on and messages and messages[-1].role == "tool":
            messages[-1] = messages[-1].model_copy(update={"content": messages[-1].content + message.content})
        else:
            messages.append(message)
    return messages


def _stored_blocks(entry: Mapping[str, Any]) -> Iterator[Block]:
    if thinking := entry.get("thinking"):
        for thought in thinking if isinstance(thinking, list) else [thinking]:
            yield ThinkingBlock.model_validate(thought)
    if result := entry.get("tool_result"):
        yield ToolResultBlock.model_validate(result)
    elif entry.get("content"):
        yield TextBlock(text=str(entry["content"]))
    for call in entry.get("tool_calls") or []:
        yield ToolUseBlock.model_validate(call)


def render_trace(messages: Sequence[Message], *, with_user: bool = False) -> str:
    """Text form of a trace: headed blocks separated by blank lines, without system and user messages.

    A line inside a block that looks like a header gets the prefix `> `, so that messages cannot be forged. `with_user`:
    include user messages, for a dialogue.
    """
    parts: list[str] = []
    for message in messages:
        if with_user and message.role == "user":
            parts.append(f"{USER_HEADER}\n{_quote(message.text)}")
        if message.role == "assistant":
            parts += [f"--- Thinking ---\n{_quote(t.thinking)}" for t in message.thinking if t.thinking]
            parts.append(_render_assistant(message))
        for result in message.tool_results:
            error = "[ERROR] " if result.is_error else ""
            call = _without_breaks(result.tool_use_id)
            parts.append(f"--- Tool Message (call_id: {call}) ---\n{error}{_quote(result.content)}")
    return "\n\n".join(parts)


def final_answer(messages: Sequence[Message]) -> tuple[str | None, str | None]:
    """Text of the last message and None, or None and the reason why the trace has no final answer."""
    if not messages:
        return None, "Empty or whitespace-only trace"
    last = messages[-1]
    if last.role != "assistant":
        return None, "Last message in trace is not an AI message"
    text = split_thought(last.text, has_thought=bool(last.thinking))[1].strip()
    return (text, None) if text else (None, "Final AI message has no text content")


def is_dialogue(messages: Sequence[Message]) -> bool:
    """True if a user writes after the model did."""
    first = next((i for i, message in enumerate(messages) if message.role == "assistant"), len(messages))
    return any(message.role == "user" for message in messages[first:])


def last_answer(messages: Sequence[Message]) -> str | None:
    """Text of the model's last message that has one; None: none has."""
    texts = (message.text.strip() for message in reversed(messages) if message.role == "assistant")
    return next((text for text in texts if text), None)


def final_answer_of_text(trace: str) -> tuple[str | None, str | None]:
    """The same for a recorded trace that exists only as text.

    Only the three headers that `render_trace` writes count, so that an answer's own `--- Results ---` line stays part
    of the answer.
    """
    if not trace.strip():
        return None, "Empty or whitespace-only trace"
    lines = trace.split("\n")
    headers = [i for i, line in enumerate(lines) if is_header(line)]
    if not headers:
        text = split_thought(trace)[1].strip()
        return (text, None) if text else (None, "Empty or whitespace-only trace")
    if lines[headers[-1]].strip() != "--- AI Message ---":
        return None, "Last message in trace is not an AI message"
    body = "\n".join(lines[headers[-1] + 1 :])
    text = split_thought(f"\n{body}".split(f"\n{CALLS}\n", 1)[0])[1].strip()
    return (text, None) if text else (None, "Final AI message has no text content")


def _flatten(message: Message) -> list[dict[str, Any]]:
    # Left out if unknown, so that results from before it was saved stay equal.
    timestamp = {"timestamp": message.timestamp} if message.timestamp else {}
    if message.tool_results:
        return [
            {
                "role": "tool",
                "content": r.content,
                "block_index": i,
                "tool_result": r.model_dump(exclude={"type"}),
                **timestamp,
            }
            for i, r in enumerate(message.tool_results)
        ]
    entry: dict[str, Any] = {"role": message.role, "content": message.text, "block_index": 0, **timestamp}
    if message.tool_uses:
        entry["tool_calls"] = [use.model_dump(exclude={"type"}) for use in message.tool_uses]
    if message.thinking:
        dumped = [t.model_dump(exclude={"type"}) for t in message.thinking]
        entry["thinking"] = dumped[0] if len(dumped) == 1 else dumped
    if message.usage_metadata:
        entry["usage_metadata"] = message.usage_metadata
    return [entry]


def _render_assistant(message: Message) -> str:
    lines = ["--- AI Message ---", _quote(message.text)]
    if message.tool_uses:
        lines.append(CALLS)
        for use in message.tool_uses:
            call = _without_breaks(use.id)
            lines += [f"  {_without_breaks(use.name)} (call_{call})", f"   Call ID: {call}"]
            if use.input or use.unreadable:
                lines.append(f"   Args: {use.input or _without_breaks(use.unreadable or '')}")
            if use.not_run:
                lines.append(f"   Not run: {use.not_run}")
    return "\n".join(lines)


USER_HEADER = "--- User Message ---"
"""Line before a user message in the text form of a whole dialogue. Not a header in other text forms."""
CALLS = "Tool Calls:"
"""Line of the text form that precedes the calls of a message."""


_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Characters that a program or a model may take for a line break."""
_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_LINE = re.compile(f"[^{_BREAKS}]+")


def _without_breaks(name: str) -> str:
    """Names and ids come from a model or server, and could contain forged lines."""
    return re.sub(f"[{_BREAKS}]+", " ", name)


def _quote(text: str) -> str:
    if "---" not in text and CALLS not in text:
        return text
    return _LINE.sub(lambda line: f"> {line[0]}" if _looks_structural(line[0]) else line[0], text)


def _looks_structural(line: str) -> bool:
    # Invisible characters around a forged header would hide it from an exact comparison, not from a model.
    seen = line.strip(_UNSEEN + " \t")
    return is_header(seen) or seen.strip() in (CALLS, USER_HEADER)


def is_header(line: str) -> bool:
    """True if the line starts a block of the text form."""
    line = line.strip()
    return line in ("--- AI Message ---", "--- Thinking ---") or (
        line.startswith("--- Tool Message (call_id: ") and line.endswith(") ---")
    )
