"""A result's conversation as the trace view shows it: numbered messages with their calls, results and thinking.

What the model was sent comes first, then what it did. Everything in here was written by a model or a tool: it is
handed on as text, never as markup.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from karenina_gui.gui.results.judged import broke_off, ending, judged
from karenina_gui.gui.results.shown_text import shown
from karenina_gui.schemas.messages import UNREADABLE, Message, ToolUseBlock, from_stored
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.strict_json import strict_json
from karenina_gui.schemas.tool_pairs import ToolPair, tool_pairs

TITLES = {"system": "System prompt", "user": "User", "assistant": "Model", "tool": "Tool result"}
"""The word that a reader uses for each role."""
NO_RESULT = "no result"
"""Of a call that nothing answers."""


def conversation(result: VerificationResult) -> list[dict[str, Any]]:
    """The messages of a result as the browser needs them, numbered from 1; empty when the model was never asked.

    Keys: `number`, `role`, `title`, `sent` (True: given to the model), `final` (True: the answer that is judged, or
    with which the whole trace is), `text`, `thinking` (texts), `calls` ({id, name, arguments, marks, not_run}),
    `results` ({name, text, size, error, call}), `end` (only of the last: what kept it from going on there), and where
    they are known `at` (when it was said, ISO 8601) and `tokens` (of the turn). Texts are as `ShownText.data` has them.

    `not_run`: why a call has no result of its own; empty: it has. `marks`: what else is wrong with it. `call`: number
    of the message with the call; None: there is none.
    """
    template = result.template
    if template is None:
        return []
    sent = from_stored(template.conversation_context) if _was_asked(result) else []
    trace = from_stored(template.trace_messages) or _only_answer(template.raw_llm_response)
    if trace[: len(sent)] == sent:
        trace = trace[len(sent) :]
    found = judged(result)
    return numbered(sent, trace, asked="Question", final=bool(found.text and found.final), end=_end(result))


def numbered(
    sent: Sequence[Message], trace: Sequence[Message], *, asked: str, final: bool, end: str | None = None
) -> list[dict[str, Any]]:
    """What was sent and what came of it, as `conversation` has it.

    `asked`: title of what was sent in a user's name. `final`: whether the last message is one that is judged.
    """
    messages = [*sent, *trace]
    found: dict[int, list[ToolPair]] = {}
    unanswered: set[int] = set()
    for pair in tool_pairs(messages):
        if pair.found_in is not None:
            found.setdefault(pair.found_in, []).append(pair)
        else:
            unanswered.add(id(pair.call))
    titles = TITLES | {"user": asked}
    items = [
        _item(message, number=i + 1, pairs=found.get(i, []), unanswered=unanswered)
        | {
            "title": (titles if i < len(sent) else TITLES)[message.role],
            "sent": i < len(sent),
            "final": final and message.role == "assistant" and i == len(messages) - 1,
        }
        for i, message in enumerate(messages)
    ]
    if items and end:
        items[-1]["end"] = end
    return items


def told(result: VerificationResult) -> str:
    """What the messages before the model's first are called."""
    template = result.template
    replied = template is not None and (template.trace_messages or template.raw_llm_response)
    return "sent to the model" if replied else "no reply from the model"


def last(result: VerificationResult) -> str:
    """What the final message is called, where it is judged."""
    return "judged with the full trace" if judged(result).whole else "judged answer"


def tool_calls(items: Sequence[dict[str, Any]]) -> int:
    """How many times tools were called in a conversation."""
    return sum(len(item["calls"]) for item in items)


def _was_asked(result: VerificationResult) -> bool:
    """Whether a model was: recorded answers are only looked up, also where other programs note a question for them."""
    return result.metadata.answering.interface != "manual"


def _end(result: VerificationResult) -> str | None:
    """The mark below the last message of a trace that did not come to its end."""
    if broke_off(result):
        return f"Failed here: {result.error}"
    return ending(result)


def _item(message: Message, *, number: int, pairs: Sequence[ToolPair], unanswered: Collection[int]) -> dict[str, Any]:
    results = [
        {
            "name": pair.call.name if pair.call else "",
            "size": len(pair.result.content),
            "error": pair.result.is_error,
            "call": None if pair.called_in is None else pair.called_in + 1,
            **shown(_pretty(pair.result.content)).data,
        }
        for pair in pairs
        if pair.result is not None
    ]
    return {
        "number": number,
        "role": message.role,
        **shown(message.text).data,
        "thinking": [block.thinking for block in message.thinking],
        "calls": [_call(use, answered=id(use) not in unanswered) for use in message.tool_uses],
        "results": results,
        **_noted(message),
    }


def _noted(message: Message) -> dict[str, Any]:
    tokens = (message.usage_metadata or {}).get("total_tokens")
    noted = {"at": message.timestamp, "tokens": tokens if isinstance(tokens, int) else None}
    return {name: value for name, value in noted.items() if value is not None}


def _call(use: ToolUseBlock, *, answered: bool) -> dict[str, Any]:
    arguments = json.dumps(use.input, indent=2, ensure_ascii=False) if use.input else use.unreadable or ""
    not_run = f"not run: {use.not_run}" if use.not_run else "" if answered else NO_RESULT
    marks = [UNREADABLE] if use.unreadable is not None and not use.not_run else []
    return {"id": use.id, "name": use.name, "arguments": arguments, "not_run": not_run, "marks": marks}


def _pretty(text: str) -> str:
    """JSON indented; anything else, and JSON that would say something else then, as it stands."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        indented = json.dumps(strict_json(text, _as_written), indent=2, ensure_ascii=False)
        indented.encode()  # a half of a surrogate pair, written as an escape
    except (ValueError, RecursionError):
        return text
    return indented


def _as_written(written: str) -> float:
    number = float(written)
    if repr(number) != written:
        raise ValueError(f"{written} would read {number}")
    return number


def _only_answer(raw: str | None) -> list[Message]:
    """A plain answer, which is kept in the written form of a one-message trace."""
    return [Message.of("assistant", raw.removeprefix("--- AI Message ---\n"))] if raw else []
