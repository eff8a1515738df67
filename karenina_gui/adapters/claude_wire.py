"""Messages and replies in the format of Anthropic's Messages API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from karenina_gui.adapters.json_parts import items, members, value
from karenina_gui.adapters.ports import CallUsage, LLMRequest, LLMResponse
from karenina_gui.adapters.tool_calls import convert_call, safe_name
from karenina_gui.schemas.messages import Block, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.stop_reasons import is_cut_off, refusal_sentence
from karenina_gui.schemas.tools import ToolSpec
from karenina_gui.schemas.usage import LONG_LIVED
from karenina_gui.text.surrogates import without_surrogates

_OWN = ("server_tool_use", "mcp_tool_use")
"""Block types of calls that the provider runs itself."""
TOOL = "reply"
"""Name of the tool whose input is the structured reply, if a tool is forced."""


def split_system(messages: Iterable[Message]) -> tuple[str, list[Message]]:
    """Separate the system prompt, which the API takes apart from the turns."""
    messages = list(messages)
    system = "\n\n".join(m.text for m in messages if m.role == "system" and m.text)
    return system, [m for m in messages if m.role != "system"]


def wire_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Turns with content. Tool results belong to the user's turn in this API."""
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


def reply_of(message: Any, body: str, request: LLMRequest) -> LLMResponse | None:
    """Convert a `Message` of the SDK, with its content read from the body; None if it has no content."""
    parts = _parts(body)
    if parts is None:
        return None
    # Cut off, half of a list or text would be taken for the whole.
    inputs = [] if request.tools or is_cut_off(message.stop_reason) else _forced_inputs(parts)
    # With all calls in the text, its reader notices that they contradict each other.
    calls = "\n".join(json.dumps(data, ensure_ascii=False) for data in inputs)
    return LLMResponse(
        content="".join(_texts(parts, "text", "text")) or calls,
        data=inputs[-1] if inputs else None,
        usage=_usage(message.usage),
        model=message.model,
        stop_reason=message.stop_reason,
        refusal=_refusal(message),
        thinking="\n\n".join(_texts(parts, "thinking", "thinking")) or None,
        blocks=blocks_of(body) if request.tools or _has_own(parts) else (),
    )


def _wire(block: Block) -> dict[str, Any] | None:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text} if block.text else None
    if isinstance(block, ThinkingBlock):
        if block.redacted is not None:
            return {"type": "redacted_thinking", "data": block.redacted}
        # The API rejects a thought without its signature.
        return block.model_dump() if block.signature else None
    if isinstance(block, ToolUseBlock):
        return {"type": "tool_use", "id": block.id, "name": safe_name(block.name), "input": block.input}
    return block.model_dump()


def blocks_of(body: str) -> tuple[Block, ...]:
    """Content of a reply.

    Thoughts keep their signatures: the API accepts a call's result only after its signed thought.
    """
    return tuple(block for part, text in _parts(body) or () if (block := _block(part, text)) is not None)


def _texts(parts: list[tuple[dict[str, Any], str]], kind: str, member: str) -> list[str]:
    """This member of all parts of one kind."""
    return [str(part.get(member) or "") for part, _ in parts if part.get("type") == kind]


def _parts(body: str) -> list[tuple[dict[str, Any], str]] | None:
    """Content parts, each with its JSON text; None if there is no content.

    Some servers send a string instead of a list.
    """
    content = members(body).get("content", "")
    if content.startswith('"'):
        return [({"type": "text", "text": value(content)}, content)]
    parts = [(value(text), text) for text in items(content)]
    return parts if content.startswith("[") and all(isinstance(part, dict) for part, _ in parts) else None


def _forced_inputs(parts: list[tuple[dict[str, Any], str]]) -> list[dict[str, Any]]:
    """Inputs of all calls of the tool that the model had to call for a structured reply."""
    uses = [part for part, _ in parts if part.get("type") == "tool_use" and part.get("name") == TOOL]
    return [use["input"] for use in uses if isinstance(use.get("input"), dict)]


def _has_own(parts: list[tuple[dict[str, Any], str]]) -> bool:
    return any(part.get("type") in _OWN for part, _ in parts)


def _block(part: dict[str, Any], text: str) -> Block | None:
    kind = part.get("type")
    if kind == "thinking":
        return ThinkingBlock(thinking=str(part.get("thinking") or ""), signature=part.get("signature"))
    if kind == "redacted_thinking":
        return ThinkingBlock(thinking="", redacted=part.get("data"))
    if kind == "text" and part.get("text"):
        return TextBlock(text=str(part["text"]))
    if kind == "tool_use":
        return convert_call(part.get("id"), part.get("name"), members(text).get("input"))
    if kind in _OWN:
        use = convert_call(part.get("id"), part.get("name"), members(text).get("input"))
        return use.model_copy(update={"by_provider": True, "server": part.get("server_name")})
    if str(kind).endswith("_tool_result"):
        return own_result(str(part.get("tool_use_id")), part.get("content"), is_error=bool(part.get("is_error")))
    return None


def own_result(call_id: str, content: Any, *, is_error: bool = False) -> ToolResultBlock:
    """Result of a tool that the provider ran itself: its text or JSON, without encrypted parts."""
    is_error = is_error or (isinstance(content, dict) and str(content.get("type")).endswith("_error"))
    if isinstance(content, list) and content and all(_is_text(part) for part in content):
        content = "\n".join(str(part["text"]) for part in content)
    elif not isinstance(content, str):
        content = json.dumps(_without_encrypted(content), ensure_ascii=False)
    return ToolResultBlock(tool_use_id=call_id, content=without_surrogates(content), is_error=is_error)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and "text" in part


def _without_encrypted(content: Any) -> Any:
    if isinstance(content, list):
        return [_without_encrypted(part) for part in content]
    if isinstance(content, dict):
        return {name: _without_encrypted(part) for name, part in content.items() if not name.startswith("encrypted_")}
    return content


def _refusal(message: Any) -> str | None:
    if message.stop_reason != "refusal":
        return None
    explanation = message.stop_details.explanation if message.stop_details else None
    return explanation or refusal_sentence(message.stop_reason)


def _usage(usage: Any) -> CallUsage:
    """Convert token counts. Input includes the prompt cache, which the API counts separately."""
    if usage is None:
        return CallUsage()
    cached = {"cache_read": usage.cache_read_input_tokens, "cache_creation": usage.cache_creation_input_tokens}
    details = {name: count for name, count in cached.items() if count}
    long_lived = usage.cache_creation.ephemeral_1h_input_tokens if usage.cache_creation else 0
    return CallUsage(
        input_tokens=(usage.input_tokens or 0) + sum(details.values()),
        output_tokens=usage.output_tokens,
        input_token_details=details | ({LONG_LIVED: long_lived} if long_lived else {}),
    )
