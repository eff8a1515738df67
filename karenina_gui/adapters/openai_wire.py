"""Messages, schemas and replies in the format of OpenAI's chat completions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from karenina_gui.adapters.error_mapping import error_in
from karenina_gui.adapters.json_parts import items, members, value
from karenina_gui.adapters.ports import CallUsage, LLMRequest, LLMResponse
from karenina_gui.adapters.tool_calls import convert_call, not_readable, safe_name
from karenina_gui.schemas.messages import Block, Message, TextBlock, ThinkingBlock, ToolUseBlock
from karenina_gui.schemas.stop_reasons import refusal_sentence
from karenina_gui.schemas.tools import ToolSpec

_NOT_STRICT = frozenset(
    ("allOf", "oneOf", "not", "if", "then", "else", "patternProperties", "prefixItems", "dependentRequired")
)
"""JSON Schema keywords that strict mode rejects."""


def wire_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """One dict per message; a tool message with several results becomes one dict per result.

    Thinking is sent back only with the calls that it led to; servers that show their thinking expect it there.
    """
    return [wire for message in messages for wire in _wire(message)]


def wire_tools(tools: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
        }
        for tool in tools
    ]


def reply_of(completion: Any, body: str, request: LLMRequest) -> LLMResponse | None:
    """Convert a chat completion, with its calls read from the body. None: it holds no answer."""
    choice = _first_choice(completion)
    message = choice.get("message")
    if not isinstance(message, dict) or error_in(completion):
        return None
    content, reason = _text(message.get("content")), _only_text(choice.get("finish_reason"))
    refusal = _only_text(message.get("refusal"))
    # With text there is the beginning of an answer, which counts as cut off rather than refused.
    if refusal is None and (not content or message.get("tool_calls")):
        refusal = refusal_sentence(reason)
    # vLLM and DeepSeek call it `reasoning_content`, OpenRouter `reasoning`.
    thinking = _only_text(message.get("reasoning_content")) or _only_text(message.get("reasoning"))
    return LLMResponse(
        content=content,
        blocks=tuple(_blocks(content, thinking, calls_of(body))) if request.tools else (),
        usage=_usage(completion.get("usage")),
        model=_only_text(completion.get("model")),
        stop_reason=reason,
        refusal=refusal,
        thinking=thinking,
    )


def _first_choice(completion: Any) -> dict[str, Any]:
    """The first choice of a completion; empty if it has none."""
    choices = completion.get("choices") if isinstance(completion, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else {}


def strict_schema(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Equivalent schema in the form that strict mode requires; None if it cannot be expressed."""
    try:
        strict: dict[str, Any] = _strict(schema)
        return strict
    except _NotStrictError:
        return None


class _NotStrictError(Exception):
    pass


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if _NOT_STRICT & node.keys():
        raise _NotStrictError
    # Strict mode rejects `default`, which changes nothing for a field that is required.
    strict = {key: _strict_entry(key, value) for key, value in node.items() if key != "default"}
    if node.get("type") == "object" or "properties" in node:
        if not _is_strict_object(node):
            raise _NotStrictError
        strict["additionalProperties"] = False
    return strict


def _is_strict_object(node: dict[str, Any]) -> bool:
    """Strict mode requires every field and forbids others; a schema that differs would change its meaning."""
    names = list(node.get("properties", {}))
    return bool(names) and set(names) == set(node.get("required", [])) and not node.get("additionalProperties")


def _strict_entry(key: str, value: Any) -> Any:
    if key in ("properties", "$defs") and isinstance(value, dict):
        return {name: _strict(schema) for name, schema in value.items()}
    return value if key in ("enum", "const", "required", "examples") else _strict(value)


def _wire(message: Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        for result in message.tool_results:
            yield {"role": "tool", "tool_call_id": result.tool_use_id, "content": result.content}
        return
    wire: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_uses:
        wire["tool_calls"] = [
            {
                "id": use.id,
                "type": "function",
                "function": {"name": safe_name(use.name), "arguments": json.dumps(use.input)},
            }
            for use in message.tool_uses
        ]
        if message.thinking:
            wire["reasoning_content"] = "\n\n".join(thought.thinking for thought in message.thinking)
    yield wire


def calls_of(body: str) -> list[ToolUseBlock]:
    """Calls of a chat completion, as they were sent."""
    choice = next(items(members(body).get("choices", "")), "")
    calls = members(members(choice).get("message", "")).get("tool_calls", "null")
    return [call_of(call) for call in (items(calls) if calls.startswith("[") else [calls] if calls != "null" else [])]


def calls_of_output(body: str) -> list[ToolUseBlock]:
    """Calls of a Responses API reply, as they were sent."""
    calls = [members(item) for item in items(members(body).get("output", ""))]
    return [called_as for call in calls if (called_as := _output_call(call)) is not None]


def _output_call(call: dict[str, str]) -> ToolUseBlock | None:
    kind, call_id, name = (value(call.get(part)) for part in ("type", "call_id", "name"))
    if kind == "custom_tool_call":
        return not_readable(call_id, name, value(call.get("input")) or "")
    return convert_call(call_id, name, _arguments(call)) if kind == "function_call" else None


def _blocks(content: str, thinking: str | None, calls: Iterable[Block]) -> Iterator[Block]:
    if thinking:
        yield ThinkingBlock(thinking=thinking)
    if content:
        yield TextBlock(text=content)
    yield from calls


def call_of(call: str) -> ToolUseBlock:
    """Convert a call. One in another format than agreed becomes unreadable: it is shown, and the model is told."""
    parts = members(call)
    called_id = value(parts.get("id"))
    if custom := members(parts.get("custom", "")):
        return not_readable(called_id, value(custom.get("name")), value(custom.get("input")) or "")
    function = members(parts.get("function", ""))
    if "name" not in function:
        return not_readable(called_id, None, value(parts.get("function")) or call)
    return convert_call(called_id, value(function["name"]), _arguments(function))


def _arguments(call: dict[str, str]) -> str:
    """Arguments as JSON text; some servers send the JSON itself instead of a string."""
    arguments = call.get("arguments", "null")
    return str(value(arguments)) if arguments.startswith('"') else arguments


def _text(content: Any) -> str:
    """Text of a message; some servers send the content as a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def _only_text(value: Any) -> str | None:
    """The text; None if it is empty or of another type."""
    return value if isinstance(value, str) and value else None


def _only_count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _usage(usage: Any) -> CallUsage:
    if not isinstance(usage, dict):
        return CallUsage()
    return CallUsage(
        input_tokens=_only_count(usage.get("prompt_tokens")),
        output_tokens=_only_count(usage.get("completion_tokens")),
        input_token_details=_counts(usage.get("prompt_tokens_details")),
        output_token_details=_counts(usage.get("completion_tokens_details")),
    )


def _counts(details: Any) -> dict[str, int]:
    return {k: v for k, v in details.items() if _only_count(v)} if isinstance(details, dict) else {}
