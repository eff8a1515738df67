"""Conversation of a result for the trace view: messages with calls, tool results and thinking.

Messages sent to the model come first. Models and tools write these texts, so they are passed as text and never as
markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

from karenina_gui.gui.pages.results.judged_text import ending, has_broken_off, judged_text, part_judged
from karenina_gui.gui.pages.results.rendered_text import RenderedText, render_text
from karenina_gui.gui.pages.results.stage_names import plain_reason
from karenina_gui.schemas.messages import UNREADABLE, Message, ToolUseBlock, from_stored
from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.text.strict_json import strict_json
from karenina_gui.traces.tool_pairs import ToolPair, tool_pairs

TITLES = {"system": "System prompt", "user": "User", "assistant": "Model", "tool": "Tool result"}
"""Title of each role."""
NO_RESULT = "no result"
"""Mark of a call without a result."""
_RUNS_COMMANDS = re.compile("bash|shell|terminal|command|python", re.IGNORECASE)
"""Part of the names of tools that return what programs print, here and in traces of other applications."""


def conversation(result: VerificationResult) -> list[dict[str, Any]]:
    """Return the messages of a result for the browser, numbered from 1; empty: no model was called.

    Keys: `number`, `role`, `title`, `sent` (True: sent to the model), `final` (True: the judged answer, or the last
    message of a judged trace), `text`, `thinking` (texts), `calls` ({id, name, arguments, marks, not_run}), `results`
    ({name, text, size, error, call}), `end` (last message only: reason why the trace ended early), and if known `at`
    (ISO 8601 time) and `tokens` (of the turn). Texts are as in `RenderedText.data`.

    `not_run`: reason why a call has no result; empty: it has one. `marks`: other problems of the call. `call`: number
    of the message with the call; None: no call.
    """
    template = result.template
    if template is None:
        return []
    sent = from_stored(template.conversation_context) if _has_model_call(result) else []
    trace = from_stored(template.trace_messages) or _single_message(template.raw_llm_response)
    # A trace can begin with the messages that were sent, which must not appear twice.
    if trace[: len(sent)] == sent:
        trace = trace[len(sent) :]
    judged = judged_text(result)
    final = judged.final if judged.text else ""
    return number_messages(sent, trace, user_title="Question", final=final, end=_end(result))


def number_messages(
    sent: Sequence[Message], trace: Sequence[Message], *, user_title: str, final: str, end: str | None = None
) -> list[dict[str, Any]]:
    """Return sent and received messages, as in `conversation`.

    `user_title`: title of user messages. `final`: text of the judged message; empty: none is judged.
    """
    messages = [*sent, *trace]
    pairs: dict[int, list[ToolPair]] = {}
    unanswered: set[int] = set()
    for pair in tool_pairs(messages):
        if pair.found_in is not None:
            pairs.setdefault(pair.found_in, []).append(pair)
        else:
            unanswered.add(id(pair.call))
    titles = TITLES | {"user": user_title}
    last = _last_with(final.strip(), messages)
    items = [
        _item(message, number=i + 1, pairs=pairs.get(i, []), unanswered=unanswered)
        | {
            "title": (titles if i < len(sent) else TITLES)[message.role],
            "sent": i < len(sent),
            "final": i == last,
        }
        for i, message in enumerate(messages)
    ]
    if items and end:
        items[-1]["end"] = end
    return items


def _last_with(text: str, messages: Sequence[Message]) -> int | None:
    """Return the index of the model's last message with this text, else of its final message; None: no such message."""
    if not text:
        return None
    answers = [i for i, message in enumerate(messages) if message.role == "assistant"]
    # A trace that another program stored as one text is one message.
    final = (i for i in answers if i == len(messages) - 1)
    return max((i for i in answers if messages[i].text.strip() == text), default=next(final, None))


def sent_label(result: VerificationResult) -> str:
    """Return the label of the messages before the model's first."""
    template = result.template
    replied = template is not None and (template.trace_messages or template.raw_llm_response)
    return "sent to the model" if replied else "no reply from the model"


def final_label(result: VerificationResult) -> str:
    """Return the label of the final message if it is judged."""
    judged = judged_text(result)
    if judged.whole:
        return f"judged with the {part_judged(result, judged)}"
    return "answer, without a verdict" if outcome_of(result) == "error" else "judged answer"


def tool_calls(items: Sequence[dict[str, Any]]) -> int:
    """Return the number of tool calls in a conversation."""
    return sum(len(item["calls"]) for item in items)


def _has_model_call(result: VerificationResult) -> bool:
    """Return True if a model was called. Recorded answers are only looked up."""
    # Other programs store a conversation context for recorded answers too.
    return result.metadata.answering.interface != "manual"


def _end(result: VerificationResult) -> str | None:
    """Return the mark below the last message of a trace that ended early; None: it did not."""
    if has_broken_off(result):
        return f"Failed here: {plain_reason(result.error or '')}"
    return ending(result)


def _item(message: Message, *, number: int, pairs: Sequence[ToolPair], unanswered: Collection[int]) -> dict[str, Any]:
    results = [
        {
            "name": pair.call.name if pair.call else "",
            "size": len(pair.result.content),
            "error": pair.result.is_error,
            "call": None if pair.called_in is None else pair.called_in + 1,
            **_render_result(pair.call.name if pair.call else "", pair.result.content).data,
        }
        for pair in pairs
        if pair.result is not None
    ]
    return {
        "number": number,
        "role": message.role,
        **render_text(message.text).data,
        "thinking": [block.thinking for block in message.thinking],
        "calls": [_call(use, answered=id(use) not in unanswered) for use in message.tool_uses],
        "results": results,
        **_metadata(message),
    }


def _render_result(tool: str, content: str) -> RenderedText:
    return render_text(_indented_json(content), terminal=_RUNS_COMMANDS.search(tool) is not None)


def _metadata(message: Message) -> dict[str, Any]:
    tokens = (message.usage_metadata or {}).get("total_tokens")
    noted = {"at": message.timestamp, "tokens": tokens if isinstance(tokens, int) else None}
    return {name: value for name, value in noted.items() if value is not None}


def _call(use: ToolUseBlock, *, answered: bool) -> dict[str, Any]:
    arguments = json.dumps(use.input, indent=2, ensure_ascii=False) if use.input else use.unreadable or ""
    not_run = f"not run: {use.not_run}" if use.not_run else "" if answered else NO_RESULT
    marks = [UNREADABLE] if use.unreadable is not None and not use.not_run else []
    return {"id": use.id, "name": use.name, "arguments": arguments, "not_run": not_run, "marks": marks}


def _indented_json(text: str) -> str:
    """Indent JSON; return other text unchanged."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        # Numbers such as 1.10 or duplicate keys would change when parsed and written again.
        indented = json.dumps(strict_json(text, _exact_float), indent=2, ensure_ascii=False)
        indented.encode()  # a half of a surrogate pair, written as an escape
    except (ValueError, RecursionError):
        return text
    return indented


def _exact_float(written: str) -> float:
    number = float(written)
    if repr(number) != written:
        raise ValueError(f"{written} would read {number}")
    return number


def _single_message(raw: str | None) -> list[Message]:
    """Return a trace of one message for a plain answer."""
    # Plain answers are stored in the text form of a one-message trace.
    return [Message.of("assistant", raw.removeprefix("--- AI Message ---\n"))] if raw else []
