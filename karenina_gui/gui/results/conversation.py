"""A result's conversation as the trace view shows it: numbered messages with their calls, results and thinking.

What the model was sent comes first, then what it did. Everything in here was written by a model or a tool: it is
handed on as text, never as markup.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from karenina_gui.schemas.messages import Message, ToolUseBlock, from_stored
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.tool_pairs import ToolPair, tool_pairs

TITLES = {"system": "Instructions", "user": "User", "assistant": "Model", "tool": "Tool result"}
"""The word that a reader uses for each role."""
UNREADABLE = "not run: arguments are not valid JSON"
CUT_OFF = "not run: cut off at the token limit"


def conversation(result: VerificationResult) -> list[dict[str, Any]]:
    """The messages of a result as the browser needs them, numbered from 1; empty when the model never answered.

    Keys: `number`, `role`, `title`, `sent` (True: given to the model), `final` (True: the answer that is judged),
    `text`, `thinking` (texts), `calls` ({id, name, arguments, not_run}), `results` ({name, text, size, error, call}),
    and where they are known `at` (when it was said, ISO 8601) and `tokens` (of the turn).

    `not_run`: why a call was not run; empty: it was. `call`: number of the message with the call; None: there is none.
    """
    template = result.template
    if template is None:
        return []
    sent = from_stored(template.conversation_context)
    trace = from_stored(template.trace_messages) or _only_answer(template.raw_llm_response)
    if trace[: len(sent)] == sent:
        trace = trace[len(sent) :]
    return numbered(sent, trace, asked="Question")


def numbered(sent: Sequence[Message], trace: Sequence[Message], *, asked: str) -> list[dict[str, Any]]:
    """What was sent and what came of it, as `conversation` has it; `asked`: title of what was sent in a user's name."""
    messages = [*sent, *trace]
    ends_in_answer = bool(trace) and trace[-1].role == "assistant"
    pairs: dict[int, list[ToolPair]] = {}
    for pair in tool_pairs(messages):
        if pair.found_in is not None:
            pairs.setdefault(pair.found_in, []).append(pair)
    titles = TITLES | {"user": asked}
    return [
        _item(message, number=i + 1, pairs=pairs.get(i, []))
        | {
            "title": (titles if i < len(sent) else TITLES)[message.role],
            "sent": i < len(sent),
            "final": ends_in_answer and i == len(messages) - 1,
        }
        for i, message in enumerate(messages)
    ]


def answer_text(result: VerificationResult) -> str:
    """The final message; of a trace that ends otherwise, the last thing that the model said. Empty: nothing."""
    if result.evaluation_input and not result.used_full_trace:
        return result.evaluation_input
    said = [item["text"] for item in conversation(result) if item["role"] == "assistant" and not item["sent"]]
    return next((text for text in reversed(said) if text), "")


def tool_calls(items: Sequence[dict[str, Any]]) -> int:
    """How many times tools were called in a conversation."""
    return sum(len(item["calls"]) for item in items)


def _item(message: Message, *, number: int, pairs: Sequence[ToolPair]) -> dict[str, Any]:
    results = [
        {
            "name": pair.call.name if pair.call else "",
            "text": _pretty(pair.result.content),
            "size": len(pair.result.content),
            "error": pair.result.is_error,
            "call": None if pair.called_in is None else pair.called_in + 1,
        }
        for pair in pairs
        if pair.result is not None
    ]
    return {
        "number": number,
        "role": message.role,
        "text": message.text,
        "thinking": [block.thinking for block in message.thinking],
        "calls": [_call(use) for use in message.tool_uses],
        "results": results,
        **_noted(message),
    }


def _noted(message: Message) -> dict[str, Any]:
    tokens = (message.usage_metadata or {}).get("total_tokens")
    noted = {"at": message.timestamp, "tokens": tokens if isinstance(tokens, int) else None}
    return {name: value for name, value in noted.items() if value is not None}


def _call(use: ToolUseBlock) -> dict[str, str]:
    arguments = json.dumps(use.input, indent=2, ensure_ascii=False) if use.input else use.unreadable or ""
    not_run = CUT_OFF if use.cut_off else UNREADABLE if use.unreadable is not None else ""
    return {"id": use.id, "name": use.name, "arguments": arguments, "not_run": not_run}


def _pretty(text: str) -> str:
    """JSON indented, anything else as it stands."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text


def _only_answer(raw: str | None) -> list[Message]:
    """A plain answer, which is kept in the written form of a one-message trace."""
    return [Message.of("assistant", raw.removeprefix("--- AI Message ---\n"))] if raw else []
