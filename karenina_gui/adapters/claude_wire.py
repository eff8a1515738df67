"""Messages and replies in the form that Anthropic's Messages API has them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from karenina_gui.adapters.ports import LLMRequest, LLMResponse, Usage
from karenina_gui.adapters.tool_calls import called, taken
from karenina_gui.schemas.messages import Block, Message, TextBlock, ThinkingBlock, ToolUseBlock
from karenina_gui.schemas.stop_reasons import is_cut_off
from karenina_gui.schemas.tools import ToolSpec

TOOL = "reply"
"""Name of the tool whose input is the structured reply, where a tool is forced."""


def split_system(messages: Iterable[Message]) -> tuple[str, list[Message]]:
    """System prompt and the rest; the API takes the prompt apart from the turns."""
    messages = list(messages)
    system = "\n\n".join(m.text for m in messages if m.role == "system" and m.text)
    return system, [m for m in messages if m.role != "system"]


def wire_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Turns with content; tool results are the user's turn there."""
    wires = [
        {
            "role": "assistant" if message.role == "assistant" else "user",
            "content": [wire for block in message.content if (wire := _wire(block)) is not None],
        }
        for message in messages
    ]
    return [wire for wire in wires if wire["content"]]


def wire_tools(tools: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": {"type": "object", **tool.input_schema}}
        for tool in tools
    ]


def reply_of(message: Any, request: LLMRequest) -> LLMResponse:
    """A `Message` of the SDK as our reply."""
    texts = [block.text for block in message.content if block.type == "text"]
    thoughts = [block.thinking for block in message.content if block.type == "thinking"]
    uses = [] if request.tools else [block for block in message.content if block.type == "tool_use"]
    forced = [use.input for use in uses if use.name == TOOL]
    whole = forced and isinstance(forced[-1], dict) and not is_cut_off(message.stop_reason)
    data = forced[-1] if whole else None
    content = "".join(texts)
    return LLMResponse(
        content=json.dumps(data, ensure_ascii=False) if data is not None and not content else content,
        data=data,
        usage=_usage(message.usage),
        model=message.model,
        stop_reason=message.stop_reason,
        refusal=_refusal(message),
        thinking="\n\n".join(thoughts) or None,
        blocks=tuple(_blocks(message.content)) if request.tools else (),
    )


def _wire(block: Block) -> dict[str, Any] | None:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text} if block.text else None
    if isinstance(block, ThinkingBlock):
        if block.redacted is not None:
            return {"type": "redacted_thinking", "data": block.redacted}
        # Without the provider's signature a thought is not taken back.
        return block.model_dump() if block.signature else None
    if isinstance(block, ToolUseBlock):
        return {"type": "tool_use", "id": block.id, "name": taken(block.name), "input": block.input}
    return block.model_dump()


def _blocks(content: Iterable[Any]) -> Iterator[Block]:
    """Thoughts keep their signatures: the provider takes a call's result only together with the thought behind it."""
    for block in content:
        if block.type == "thinking":
            yield ThinkingBlock(thinking=block.thinking, signature=block.signature)
        elif block.type == "redacted_thinking":
            yield ThinkingBlock(thinking="", redacted=block.data)
        elif block.type == "text" and block.text:
            yield TextBlock(text=block.text)
        elif block.type == "tool_use":
            yield called(block.id, block.name, block.input)


def _refusal(message: Any) -> str | None:
    if message.stop_reason != "refusal":
        return None
    explanation = message.stop_details.explanation if message.stop_details else None
    return explanation or "The provider stopped the reply (stop reason: refusal)."


def _usage(usage: Any) -> Usage:
    """Input includes what was read from and written to the prompt cache; the API counts those apart."""
    if usage is None:
        return Usage()
    cached = {"cache_read": usage.cache_read_input_tokens, "cache_creation": usage.cache_creation_input_tokens}
    details = {name: count for name, count in cached.items() if count}
    return Usage(
        input_tokens=(usage.input_tokens or 0) + sum(details.values()),
        output_tokens=usage.output_tokens,
        input_token_details=details,
    )
