"""Conversion of traces in text form back into messages; see `messages.render_trace`."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterator, Sequence
from typing import Any

from karenina_gui.schemas.messages import (
    CALLS,
    CUT_OFF,
    USER_HEADER,
    Block,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_header,
)
from karenina_gui.traces.tool_arguments import read_arguments

_TOOL = "--- Tool Message (call_id: "
_THINKING = "--- Thinking ---"
_FAILED = "[ERROR] "
# Mirrors `messages._render_assistant`.
_CALL = re.compile(
    r"  (?P<name>\S+) \(.*\)\n   Call ID: (?P<id>.*)"
    r"(?:\n   Args: (?P<arguments>.*))?(?:\n   Not run: (?P<not_run>.*))?\n?"
)

_ODD_ESCAPE = re.compile(r"\\[^\\'\"abfnrtvxuU]")
"""An escape that Python never writes, and warns about on reading."""


def messages_of_text(trace: str) -> list[Message]:
    """Messages of a trace in text form; a text without headers is one message of the model.

    Arguments that cannot be read stay text. Anything that does not have the form of a call stays in the message.
    """
    messages: list[Message] = []
    thinking: list[Block] = []
    for header, body in _blocks(trace):
        if header == _THINKING:
            thinking.append(ThinkingBlock(thinking=body))
        elif header.startswith(_TOOL):
            messages.append(_tool_message(header.removeprefix(_TOOL).removesuffix(") ---"), body))
        else:
            messages.append(Message(role="assistant", content=(*thinking, *_assistant_blocks(body))))
            thinking = []
    return [*messages, Message(role="assistant", content=tuple(thinking))] if thinking else messages


def _blocks(trace: str) -> Iterator[tuple[str, str]]:
    """Yield (header, text below it); the header is empty for text before the first one."""
    header, lines = "", list[str]()
    for line in trace.split("\n"):
        if is_header(line):
            if header or "".join(lines).strip():
                yield header, _unquote(lines)
            header, lines = line.strip(), []
        else:
            lines.append(line)
    if header or "".join(lines).strip():
        yield header, _unquote(lines)


def _unquote(lines: Sequence[str]) -> str:
    """Undo the quoting of lines that look like headers."""
    return "\n".join(line[2:] if _is_quoted(line) else line for line in lines).strip("\n")


def _is_quoted(line: str) -> bool:
    return line.startswith("> ") and (is_header(line[2:]) or line[2:].strip() == USER_HEADER)


def _assistant_blocks(body: str) -> Iterator[Block]:
    text, marker, rest = f"\n{body}\n".partition(f"\n{CALLS}\n")
    # The marker alone proves nothing: an answer may contain the words `Tool Calls:`.
    calls = _calls(rest) if marker else []
    spoken = text.strip("\n") if calls else body
    if spoken:
        yield TextBlock(text=re.sub(rf"^> (?={CALLS}$)", "", spoken, flags=re.MULTILINE))
    yield from calls


def _calls(text: str) -> list[ToolUseBlock]:
    """Calls in a text; empty if it contains anything else."""
    calls, at = [], 0
    text = text.rstrip("\n") + "\n"
    while match := _CALL.match(text, at):
        calls.append(_call(match))
        at = match.end()
    return calls if at == len(text) else []


def _call(match: re.Match[str]) -> ToolUseBlock:
    use = ToolUseBlock(id=match["id"].strip(), name=match["name"], cut_off=match["not_run"] == CUT_OFF)
    read = _arguments(match["arguments"] or "")
    if isinstance(read, dict):
        return use.model_copy(update={"input": read})
    return use.model_copy(update={"unreadable": read, "recorded": match["not_run"] is None})


def _arguments(text: str) -> dict[str, Any] | str:
    read = read_arguments(text)
    return read if isinstance(read, dict) else text if (value := _value(text)) is None else value


def _value(text: str) -> dict[str, Any] | None:
    """Parse a Python dict, as the text form writes arguments; None: it is not one."""
    if not text.startswith("{") or _ODD_ESCAPE.search(text):
        return None
    try:
        # A literal, never evaluated: the text comes from a file.
        value = literal_eval(text)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


def _tool_message(call: str, body: str) -> Message:
    failed = body.startswith(_FAILED)
    result = ToolResultBlock(tool_use_id=call, content=body.removeprefix(_FAILED), is_error=failed)
    return Message(role="tool", content=(result,))
