"""Messages, schemas and replies in the form that OpenAI's chat completions have them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from karenina_gui.adapters.ports import LLMRequest, LLMResponse, Usage
from karenina_gui.adapters.tool_calls import called, taken
from karenina_gui.schemas.messages import Block, Message, TextBlock, ThinkingBlock, ToolUseBlock
from karenina_gui.schemas.tools import ToolSpec

_NOT_STRICT = frozenset(
    ("allOf", "oneOf", "not", "if", "then", "else", "patternProperties", "prefixItems", "dependentRequired")
)
"""Keywords that strict mode refuses."""


def wire_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """One dict a message; a tool message with several results becomes one a result.

    Thinking goes back only with the calls that it led to; servers that show theirs want it there.
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


def reply_of(completion: Any, request: LLMRequest) -> LLMResponse:
    """A `ChatCompletion` as our reply."""
    choice = completion.choices[0]
    message = choice.message
    refusal = message.refusal
    content = _text(message.content)
    if refusal is None and choice.finish_reason == "content_filter" and not content:
        refusal = "The provider's content filter stopped the reply."
    extras = message.model_extra or {}
    thinking = extras.get("reasoning_content") or extras.get("reasoning")
    return LLMResponse(
        content=content,
        blocks=tuple(_blocks(content, thinking, message.tool_calls or ())) if request.tools else (),
        usage=_usage(completion.usage),
        model=completion.model,
        stop_reason=choice.finish_reason,
        refusal=refusal,
        thinking=thinking,
    )


def strict_schema(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The schema in the form that strict mode wants, meaning the same; None: it cannot be said that way."""
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
    strict = {key: _strict_entry(key, value) for key, value in node.items() if key != "default"}
    if node.get("type") == "object" or "properties" in node:
        names = list(node.get("properties", {}))
        # Strict mode makes every field required and allows no other; a schema that says otherwise means otherwise.
        if not names or set(names) != set(node.get("required", [])) or node.get("additionalProperties"):
            raise _NotStrictError
        strict["additionalProperties"] = False
    return strict


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
                "function": {"name": taken(use.name), "arguments": json.dumps(use.input)},
            }
            for use in message.tool_uses
        ]
        if message.thinking:
            wire["reasoning_content"] = "\n\n".join(thought.thinking for thought in message.thinking)
    yield wire


def _blocks(content: str, thinking: Any, calls: Iterable[Any]) -> Iterator[Block]:
    if thinking:
        yield ThinkingBlock(thinking=str(thinking))
    if content:
        yield TextBlock(text=content)
    for call in calls if isinstance(calls, list | tuple) else [calls]:
        yield _call(call)


def _call(call: Any) -> ToolUseBlock:
    """Of a call that has another form than agreed, what there is of it: it is shown, and the model is told."""
    called_id = getattr(call, "id", None)
    if (custom := getattr(call, "custom", None)) is not None:
        name, given = getattr(custom, "name", None), getattr(custom, "input", None)
        return called(called_id, name, []).model_copy(update={"unreadable": str(given or "")})
    function = getattr(call, "function", None)
    if function is None or not hasattr(function, "name"):
        return called(called_id, None, function or str(call))
    return called(called_id, function.name, getattr(function, "arguments", None))


def _text(content: Any) -> str:
    """Some servers send the content as a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def _usage(usage: Any) -> Usage:
    if usage is None:
        return Usage()
    return Usage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        input_token_details=_counts(usage.prompt_tokens_details),
        output_token_details=_counts(usage.completion_tokens_details),
    )


def _counts(details: Any) -> dict[str, int]:
    return {k: v for k, v in details.model_dump().items() if isinstance(v, int) and v} if details else {}
