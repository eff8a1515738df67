"""Recorded conversations, as providers and result files write them, read into messages.

Five forms of a message list are understood, entry by entry where they differ:

    OpenAI chat   content text or null; tool_calls with JSON-string arguments; role `tool` with tool_call_id
    Anthropic     content blocks text, thinking, tool_use; tool_result blocks inside user messages
    Gemini        parts text, functionCall, functionResponse; the list may be in `contents`
    stored        flat, one dict a block: block_index, tool_calls with input, tool_result, thinking (result files)
    own           a `Message`, or its dump
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from karenina_gui.errors import InputError
from karenina_gui.schemas.messages import (
    Block,
    Message,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    from_stored,
    with_thoughts,
)
from karenina_gui.text.surrogates import without_surrogates
from karenina_gui.traces.tool_arguments import read_arguments

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}

_CONTENT = {
    *("content", "tool_calls", "function_call", "refusal", "reasoning", "reasoning_content", "thinking", "tool_result"),
    *("tool_call_id", "block_index"),
}
"""Keys of which a message has at least one."""

EXPECTED = (
    "Expected a text, or a list of messages such as "
    '[{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}].'
)


def to_messages(value: Any) -> list[Message]:
    """Convert a recorded answer to messages: a text (one assistant message) or a message list in any of the five forms.

    A dict around the list is unwrapped (`{"messages": [...]}` with Anthropic's `system`, Gemini's `{"contents": [...]}`
    with `systemInstruction`). Lone surrogates become U+FFFD, so that the messages can be stored, and thoughts in texts
    become blocks. Raises `InputError`, which names the entry that cannot be read.
    """
    # After reading: the arguments of a tool call are JSON in a text, and may escape half a pair.
    return with_thoughts(without_surrogates(_convert(value)))


def replicates(value: Any) -> list[Any]:
    """Recorded answers of one question, one per replicate, each for `to_messages`; None if a replicate has none.

    A list counts as one conversation if its entries are messages (dicts with a role), and as replicates if its entries
    are texts or lists. Raises `InputError` for an empty list or a mixture.
    """
    if isinstance(value, str | dict) or is_message_list(value):
        return [value]
    if not isinstance(value, list | tuple) or not value:
        raise InputError(f"{EXPECTED} For several replicates, give a list of them. Got {_kind_of(value)}.")
    for number, entry in enumerate(value, 1):
        if not (entry is None or isinstance(entry, str) or is_conversation(entry)):
            raise InputError(f"Replicate {number} is {_kind_of(entry)}. {EXPECTED}")
    return list(value)


def is_message_list(value: Any) -> bool:
    """True if every entry is a message: a `Message` or a dict with a role. False for an empty list."""
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(e, Message) or (isinstance(e, dict) and isinstance(e.get("role"), str)) for e in value)
    )


def is_conversation(value: Any) -> bool:
    """True for a message list, or a dict around one."""
    return is_message_list(value) or _wraps_messages(value)


def _convert(value: Any) -> list[Message]:
    if isinstance(value, str):
        return [Message.of("assistant", value)]
    if _wraps_messages(value):
        value = _unwrap(value)
    if not is_message_list(value):
        raise InputError(f"{EXPECTED} Got {_kind_of(value)}.")
    if any(_is_stored(entry) for entry in value):
        return _from_stored(value)
    return _convert_all(value)


def _convert_all(entries: Sequence[Any]) -> list[Message]:
    messages: list[Message] = []
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, Message):
            messages.append(entry)
            continue
        role = _role(entry, number)
        blocks = _blocks(entry, role, number, messages)
        # Anthropic puts tool results into user messages; here they are messages of their own.
        results = _results_among(blocks) if role == "user" else []
        if results:
            messages.append(Message(role="tool", content=tuple(results)))
            blocks = [block for block in blocks if not isinstance(block, ToolResultBlock)]
        if blocks or not results:
            messages.append(Message(role=role, content=tuple(blocks), usage_metadata=entry.get("usage_metadata")))
    return messages


def _results_among(blocks: Iterable[Block]) -> list[ToolResultBlock]:
    return [block for block in blocks if isinstance(block, ToolResultBlock)]


def _blocks(entry: dict[str, Any], role: Role, number: int, before: Sequence[Message]) -> list[Block]:
    if isinstance(entry.get("parts"), list):
        return _gemini_blocks(entry["parts"], number, before)
    if not _CONTENT.intersection(entry):
        raise InputError(f"Message {number} has no content: it is {_kind_of(entry)}.")
    content = entry.get("content")
    if role == "tool" and not _has_blocks(content, "tool_result"):
        return [_openai_result(entry, before)]
    blocks: list[Block] = []
    # vLLM and DeepSeek call it `reasoning_content`, OpenRouter `reasoning`.
    if reasoning := entry.get("reasoning_content") or entry.get("reasoning"):
        blocks.append(ThinkingBlock(thinking=_text_of(reasoning)))
    blocks += _content_blocks(content, number)
    if refusal := entry.get("refusal"):
        blocks.append(TextBlock(text=str(refusal)))
    return blocks + _openai_calls(entry, number)


def _openai_calls(entry: dict[str, Any], number: int) -> list[Block]:
    calls = list(entry.get("tool_calls") or [])
    # OpenAI's form before tool calls; it has no id.
    if entry.get("function_call"):
        calls.append({"id": f"function_{number}", "function": entry["function_call"]})
    return [_openai_call(call, number) for call in calls]


def _content_blocks(content: Any, number: int) -> list[Block]:
    if isinstance(content, str):
        return [TextBlock(text=content)] if content else []
    if isinstance(content, list | tuple):
        return [_block(part, number) for part in content]
    if content is not None:
        raise InputError(f"Message {number} has {_kind_of(content)} as its content; expected text or a list of parts.")
    return []


def _block(part: Any, number: int) -> Block:
    if isinstance(part, str):
        return TextBlock(text=part)
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        raise InputError(f"Message {number} contains a part without a type: {_kind_of(part)}.")
    if isinstance(part.get("text"), str):
        return TextBlock(text=part["text"])
    if kind in ("thinking", "redacted_thinking"):
        return ThinkingBlock(thinking=str(part.get("thinking") or "[redacted]"), signature=part.get("signature"))
    if kind.endswith("tool_use"):
        return _call(part.get("id", ""), part.get("name", ""), part.get("input"))
    if kind.endswith("tool_result"):
        return ToolResultBlock(
            tool_use_id=str(part.get("tool_use_id", "")),
            content=_text_of(part.get("content")),
            is_error=bool(part.get("is_error")),
        )
    return TextBlock(text=f"[{kind}]" if kind != "refusal" else str(part.get("refusal", "")))


def _gemini_blocks(parts: list[Any], number: int, before: Sequence[Message]) -> list[Block]:
    """Blocks of a turn of Gemini, whose Python SDK spells names with underscores. Calls may have no id."""
    blocks: list[Block] = []
    for index, part in enumerate(parts):
        if not isinstance(part, dict) or not part:
            raise InputError(f"Message {number} contains a part that cannot be read: {_kind_of(part)}.")
        call = part.get("functionCall") or part.get("function_call")
        reply = part.get("functionResponse") or part.get("function_response")
        if isinstance(call, dict):
            blocks.append(_call(call.get("id") or f"function_{number}_{index}", call.get("name"), call.get("args")))
        elif isinstance(reply, dict):
            blocks.append(_gemini_result(reply, before, blocks))
        else:
            blocks.append(_gemini_text(part))
    return blocks


def _gemini_result(reply: dict[str, Any], before: Sequence[Message], earlier: Sequence[Block]) -> ToolResultBlock:
    results = [block for block in earlier if isinstance(block, ToolResultBlock)]
    so_far = [*before, Message(role="tool", content=tuple(results))]
    response = reply.get("response")
    # The SDKs wrap the value of a function.
    value = response["result"] if isinstance(response, dict) and list(response) == ["result"] else response
    call_id = reply.get("id") or _last_call(so_far, reply.get("name"))
    failed = isinstance(response, dict) and list(response) == ["error"]
    return ToolResultBlock(tool_use_id=str(call_id), content=_text_of(value), is_error=failed)


def _gemini_text(part: dict[str, Any]) -> TextBlock | ThinkingBlock:
    """Text or thought; code that Gemini ran itself, as text; the kind of anything else, such as an image."""
    if isinstance(part.get("text"), str):
        text = part["text"]
        return ThinkingBlock(thinking=text) if part.get("thought") else TextBlock(text=text)
    for name in ("executableCode", "executable_code", "codeExecutionResult", "code_execution_result"):
        if isinstance(part.get(name), dict):
            return TextBlock(text=str(part[name].get("code") or part[name].get("output") or ""))
    return TextBlock(text=f"[{next(iter(part))}]")


def _openai_call(call: Any, number: int) -> ToolUseBlock:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not function.get("name"):
        raise InputError(f"Message {number} holds a tool call without a function name.")
    return _call(call.get("id") or "", function["name"], function.get("arguments"))


def _call(call_id: Any, name: Any, arguments: Any) -> ToolUseBlock:
    use, read = ToolUseBlock(id=str(call_id), name=str(name)), read_arguments(arguments)
    return use.model_copy(update={"unreadable": read, "recorded": True} if isinstance(read, str) else {"input": read})


def _openai_result(entry: dict[str, Any], before: Sequence[Message]) -> ToolResultBlock:
    call_id = entry.get("tool_call_id") or _last_call(before, entry.get("name"))
    text = _text_of(entry.get("content"))
    # LangChain has a status; OpenAI's format has nothing of the kind, so that the text must tell.
    failed = entry.get("is_error", entry.get("status") == "error" if "status" in entry else _reports_error(text))
    return ToolResultBlock(tool_use_id=str(call_id), content=text, is_error=bool(failed))


_ERROR = re.compile(
    r"\s*(\[error\]|error\b\s*[:(\-–—]|traceback \(most recent call last\)|\w*(error|exception):\s)", re.I
)
"""Beginning of a tool's result that reports an error."""


def _reports_error(text: str) -> bool:
    """True if the result of a tool says that the call failed: by its first words, or as a JSON object with `error`."""
    if _ERROR.match(text):
        return True
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return False
    if not isinstance(data, dict):
        return False
    return bool(data.get("error") or data.get("isError")) or data.get("status") == "error"


def _last_call(before: Sequence[Message], name: str | None) -> str:
    """Call that a result without an id answers.

    The first call of the latest turn that waits for a result, of that name if there is one; else the latest of all.
    """
    calls = [use for message in before for use in message.tool_uses]
    calls += reversed(_waiting_calls(before))
    named = [use for use in calls if use.name == name] or calls
    return named[-1].id if named else ""


def _waiting_calls(before: Sequence[Message]) -> list[ToolUseBlock]:
    """Calls of the latest turn without a result."""
    turn = next((at for at in reversed(range(len(before))) if before[at].tool_uses), len(before))
    answered = {result.tool_use_id for message in before[turn:] for result in message.tool_results}
    return [use for message in before[turn : turn + 1] for use in message.tool_uses if use.id not in answered]


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_part_text(part) for part in content)
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def _part_text(part: Any) -> str:
    if isinstance(part, dict):
        return part["text"] if isinstance(part.get("text"), str) else json.dumps(part, ensure_ascii=False)
    return str(part)


def _from_stored(entries: Sequence[Any]) -> list[Message]:
    plain = [e.model_dump() if isinstance(e, Message) else e for e in entries]
    for number, entry in enumerate(plain, 1):
        _role(entry, number)
    try:
        return from_stored([{**entry, "role": ROLES[entry["role"]]} for entry in plain])
    except (ValueError, TypeError, AttributeError) as fault:
        raise InputError(f"The stored message list cannot be read: {fault}") from fault


def _role(entry: dict[str, Any], number: int) -> Role:
    role = ROLES.get(entry["role"])
    if role is None:
        roles = ", ".join(sorted(ROLES))
        raise InputError(f"Message {number} has the unknown role “{entry['role']}”. Known roles: {roles}.")
    return role


def _is_stored(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    calls = entry.get("tool_calls")
    flat_calls = isinstance(calls, list) and any(isinstance(c, dict) and "input" in c for c in calls)
    return "block_index" in entry or "tool_result" in entry or flat_calls


def _has_blocks(content: Any, kind: str) -> bool:
    return isinstance(content, list | tuple) and any(isinstance(p, dict) and p.get("type") == kind for p in content)


def _unwrap(value: dict[str, Any]) -> list[Any]:
    """Messages of a dict around them, after its system prompt."""
    if isinstance(value.get("messages"), list):
        system, messages = value.get("system"), value["messages"]
        return [{"role": "system", "content": system}, *messages] if system else messages
    instruction = value.get("systemInstruction") or value.get("system_instruction")
    parts = instruction.get("parts") if isinstance(instruction, dict) else None
    # Gemini needs no role in a single turn.
    turns = [{"role": "user", **turn} if isinstance(turn, dict) else turn for turn in value["contents"]]
    return [{"role": "system", "parts": parts}, *turns] if parts else turns


def _wraps_messages(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in ("messages", "contents"))


def _kind_of(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object with the keys {', '.join(map(repr, list(value)[:5])) or '(none)'}"
    if isinstance(value, list | tuple):
        return "an empty list" if not value else f"a list that begins with {_kind_of(value[0])}"
    return "nothing" if value is None else f"{type(value).__name__} {str(value)[:40]!r}"
